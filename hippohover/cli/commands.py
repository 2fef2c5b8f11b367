"""The commands: where each is, and what the list of them says. One is imported when it is called.

A command is a function; its parameters, and the fields of the groups among them, are its options.
"""

from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from hippohover.cli.options import flattened

COMMANDS: Final = {
    "build": ("indexing.build:build_or_estimate", "Build an index from your documents."),
    "add": ("indexing.update:add_documents", "Add documents to an index."),
    "sync": ("indexing.sync:sync_folder", "Make an index equal a folder."),
    "delete": ("indexing.update:delete_documents", "Delete documents from an index by title."),
    "alias": ("indexing.update:replace_aliases", "Treat an alias and its name as one entity."),
    "compact": ("indexing.update:compact_index", "Merge the small updates of an index into it."),
    "reencode": (
        "indexing.update:reencode_index",
        "Give an index the vectors of another encoder.",
    ),
    "gc": ("indexing.update:collect", "Remove old versions that no reader holds."),
    "inspect": ("indexing.inspection:inspect_index", "Show what an index holds."),
    "export": ("indexing.overview:export_index", "Write the graph of an index to files."),
    "query": ("query:query", "Find passages for a claim or a question."),
    "explain": ("query:explain_one", "Show why a passage ranks, or why not."),
    "evaluate": ("evaluate:evaluate_or_estimate", "Measure retrievers on labelled claims."),
    "compare": ("compare:compare_indexes", "Compare indexes, retrievers and settings."),
    "verify": ("verify:verify_text", "Check claims against the index."),
    "answer": ("verify:answer_question", "Answer a question with a language model."),
    "serve": ("serve:serve_index", "Serve a page and an HTTP API."),
    "mcp": ("serve:serve_tools", "Offer tools to a language model."),
    "optimize-filter": ("optimize:optimize_filter", "Optimise the fact filter on your claims."),
    "optimize-program": (
        "optimize:optimize_program",
        "Optimise a program's prompts on your claims.",
    ),
    "tune": ("tune:tune_index", "Learn a ranking from your labelled claims."),
    "tune-verifier": ("tune:tune_judge", "Learn a verifier from your labelled claims."),
    "demo": ("demo:run_demo", "Try it on a small invented world."),
}
"""Name -> module and function, and the beginning of its docstring, which help lists."""


class _Imported(TyperGroup):
    """Lists all commands by their first words, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Return the name, the command itself and its arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, command_of(name), rest


app = typer.Typer(
    name="hippohover",
    cls=_Imported,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def command_of(name: str | None) -> Any:  # noqa: ANN401  # typer's own class, or Click's
    """Import a command by its name."""
    place, _ = COMMANDS[str(name)]
    module, _, function = place.partition(":")
    home = import_module(f"hippohover.cli.{module}")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(flattened(getattr(home, function)))
    return get_command(alone)


def _listed() -> None:
    """Stand for a command in the list."""


for _name, (_, _beginning) in COMMANDS.items():
    app.command(_name, help=_beginning)(_listed)


def _print_version(asked: bool) -> None:
    if asked:
        from hippohover.version import __version__

        typer.echo(f"hippohover {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    debug: Annotated[  # read from the arguments, see run
        bool, typer.Option("--debug", help="Show the traceback of an error.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Multi-hop retrieval from a graph: build an index once, then ask it claims.

    Begin with:  hippohover demo
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
