"""The commands: where each is, and what the list of them says. One is imported when it is called.

A command is a function; its parameters, and the fields of the groups among them, are its options.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from hippohover.cli.options import flattened

SECTIONS: Final = {
    "Ask": {
        "ask": ("ask:ask", "Answer a question from a folder."),
        "query": ("query:query", "Find passages for a claim or a question."),
        "explain": ("query:explain_one", "Show why a passage ranks, or why not."),
        "verify": ("verify:verify_text", "Check claims against the index."),
        "answer": ("verify:answer_question", "Answer a question with a language model."),
    },
    "Build and change an index": {
        "build": ("indexing.build:build_or_estimate", "Build an index from your documents."),
        "add": ("indexing.update:add_documents", "Add documents to an index."),
        "sync": ("indexing.sync:sync_folder", "Make an index equal a folder."),
        "delete": ("indexing.update:delete_documents", "Delete documents from an index by title."),
        "alias": ("indexing.update:replace_aliases", "Treat an alias and its name as one entity."),
        "compact": (
            "indexing.update:compact_index",
            "Merge the small updates of an index into it.",
        ),
        "reencode": (
            "indexing.update:reencode_index",
            "Give an index the vectors of another encoder.",
        ),
        "gc": ("indexing.update:collect", "Remove old versions that no reader holds."),
    },
    "Look into an index": {
        "inspect": ("indexing.inspection:inspect_index", "Show what an index holds."),
        "export": ("indexing.overview:export_index", "Write the graph of an index to files."),
    },
    "Serve": {
        "serve": ("serve:serve_index", "Serve a page and an HTTP API."),
        "mcp": ("serve:serve_tools", "Offer tools to a language model."),
    },
    "Measure and learn": {
        "evaluate": ("evaluate:evaluate_or_estimate", "Measure retrievers on labelled claims."),
        "compare": ("compare:compare_indexes", "Compare indexes, retrievers and settings."),
        "tune": ("tune:tune_index", "Learn a ranking from your labelled claims."),
        "tune-verifier": ("tune:tune_judge", "Learn a verifier from your labelled claims."),
        "optimize-filter": ("optimize:optimize_filter", "Optimise the fact filter on your claims."),
        "optimize-program": (
            "optimize:optimize_program",
            "Optimise a program's prompts on your claims.",
        ),
    },
    "Try": {
        "demo": ("demo:run_demo", "Try it on a small invented world."),
    },
}
"""Sections of the list; in each: name -> module and function, and the beginning of its docstring,
which help lists."""
COMMANDS: Final = {name: told for section in SECTIONS.values() for name, told in section.items()}


def section_of(param: Any) -> str:  # noqa: ANN401  (of typer's own Click)
    """Return the title under which help lists a parameter."""
    if param.param_type_name == "argument":
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or "Options"


class _Sectioned(TyperCommand):
    """Lists options under the titles of their groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write a section for each title, arguments and the command's own options first."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(section_of(param), []).append(record)
        _write(formatter, sections)


def _write(formatter: Any, sections: Mapping[str, Sequence[tuple[str, str]]]) -> None:  # noqa: ANN401
    for title, records in sections.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


class _Imported(TyperGroup):
    """Lists all commands by their first words, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Return the name, the command itself and its arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, command_of(name), rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the commands in their sections."""
        _write(
            formatter,
            {
                title: [(name, about) for name, (_, about) in section.items()]
                for title, section in SECTIONS.items()
            },
        )


app = typer.Typer(
    name="hippohover",
    cls=_Imported,
    add_completion=True,
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
    alone.command(name, cls=_Sectioned)(flattened(getattr(home, function)))
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
    quiet: Annotated[  # likewise, and behind a command too
        bool, typer.Option("--quiet", help="Print results and errors alone.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Multi-hop retrieval from a graph: build an index once, then ask it claims.

    Begin with:  hippohover ask FOLDER "your question"   or   hippohover demo
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
