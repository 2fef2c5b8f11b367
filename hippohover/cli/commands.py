"""The commands and their options: build, add, query, explain, evaluate, verify, and more.

Whatever is slow to import is imported inside the command that needs it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from hippohover.cli.groups.measuring import (
    ClaimsSource,
    Compared,
    Measured,
    Optimised,
    OptimisedProgram,
    Outputs,
)
from hippohover.cli.groups.programs import MeasuredPrograms, ServedPrograms
from hippohover.cli.groups.searching import Asked, Bounds, PassageExplained, Search
from hippohover.cli.groups.verdicts import Drafting, GivenText, Judging, Serving, Shown, Verifying
from hippohover.cli.indexing import commands as of_indexes
from hippohover.cli.model import FilteringModel, ModelOptions, NeededModel
from hippohover.cli.options import Index, Json, argument, flattened, option
from hippohover.cli.settings import Overrides
from hippohover.cli.standard_input import claims_typed

app = typer.Typer(
    name="hippohover",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


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


def _command(command: Callable[..., None]) -> Callable[..., None]:
    return app.command(command.__name__.replace("_", "-"))(flattened(command))


for _of_index in of_indexes.COMMANDS:
    _command(_of_index)


@_command
def query(index: Index, asked: Asked, search: Search, model: FilteringModel) -> None:
    """Find passages for a claim or a question. At most 21, ranked; --file answers a whole file.

    Example:  hippohover query index/mine "The director of Lantern Hill was born in Vessby."
    """
    from hippohover.cli.query import query_file, query_one

    if asked.file is None:
        query_one(index, asked, search, model)
        return
    with claims_typed(asked.file) as path:
        query_file(index, path, asked, search, model)


@_command
def explain(index: Index, passage: PassageExplained, bounds: Bounds, overrides: Overrides) -> None:
    """Show why a passage ranks, or why not. A passage that ranks has the walk's strongest paths.

    Example:  hippohover explain index/mine "The director of Lantern Hill ..." --title "Vessby"
    """
    from hippohover.cli.query import explain_one

    explain_one(index, passage, bounds, ranking=overrides.ranking)


@_command
def evaluate(
    index: Index,
    measured: Measured,
    programs: MeasuredPrograms,
    outputs: Outputs,
    model: FilteringModel,
) -> None:
    """Measure retrievers on labelled claims. Reports all gold titles found, recall and latency.

    Example:  hippohover evaluate index/mine claims.jsonl --retriever ppr --retriever bm25
    """
    from hippohover.cli.evaluate import estimate_programs, evaluate_index

    if programs.estimate:
        estimate_programs(measured, programs, model, as_json=outputs.as_json)
    else:
        evaluate_index(index, measured, programs, outputs, model)


@_command
def compare(
    compared: Compared,
    indexes: list[Path] = argument(..., "Folders of indexes, one or more.", metavar="INDEX..."),
) -> None:
    """Compare indexes, retrievers and settings. Reports nDCG, MRR, recall and all gold found.

    Every combination of these is an arm. Paired tests compare each arm with the first.

    Example:  hippohover compare index/a index/b --claims dev.jsonl --at 5,21,100 --out table.tex
    """
    from hippohover.cli.compare import compare_indexes

    compare_indexes(indexes, compared)


@_command
def verify(
    index: Index, given: GivenText, how: Verifying, shown: Shown, model: ModelOptions
) -> None:
    """Check claims against the index. Says which it supports, by which evidence and why.

    Example:  hippohover verify index/mine "The director of Lantern Hill was born in Vessby."
    """
    from hippohover.cli.verify import verify_text

    verify_text(index, given, how, shown, model)


@_command
def answer(
    index: Index, drafting: Drafting, how: Verifying, shown: Shown, model: NeededModel
) -> None:
    """Answer a question with a language model. It sees what is found; its answer is verified.

    Example:  hippohover answer index/mine "Where was the director of Lantern Hill born?" --lm NAME
    """
    from hippohover.cli.verify import answer_question

    answer_question(index, drafting, how, shown, model)


@_command
def serve(
    index: Index,
    serving: Serving,
    judging: Judging,
    programs: ServedPrograms,
    model: ModelOptions,
) -> None:
    """Serve a page and an HTTP API. SIGHUP switches to a new version.

    Example:  hippohover serve index/mine
    """
    from hippohover.cli.serve import serve_index

    serve_index(index, serving, judging, programs, model)


@_command
def mcp(index: Index, judging: Judging, model: ModelOptions) -> None:
    """Offer tools to a language model. They are retrieve, explain and verify, by MCP over stdio.

    Example:  hippohover mcp index/mine
    """
    from hippohover.cli.serve import serve_tools

    serve_tools(index, judging, model)


@_command
def optimize_filter(index: Index, optimised: Optimised, model: NeededModel) -> None:
    """Optimise the fact filter on your claims. Measures what the walk finds with its facts.

    Example:  hippohover optimize-filter index/mine claims.jsonl --lm openai/NAME --out f.json
    """
    from hippohover.cli.optimize import optimize

    optimize(index, optimised, model)


@_command
def optimize_program(index: Index, optimised: OptimisedProgram, model: NeededModel) -> None:
    """Optimise a program's prompts on your claims. Measures what it finds with them.

    Example:  hippohover optimize-program index/mine claims.jsonl --program hop-chain --lm
    openai/NAME --out p.json
    """
    from hippohover.cli.optimize import optimize

    optimize(index, optimised, model)


@_command
def tune(
    index: Index,
    source: ClaimsSource,
    out: Path | None = option(None, "File of the ranking, for --ranking."),
    into_index: bool = option(
        False, "Store it in the index: every command and server then uses it.", "--into-index"
    ),
    as_json: Json = False,
) -> None:
    """Learn a ranking from your labelled claims. Needs 50 or more, each with its gold titles.

    Reports the gain, and writes nothing unless its 95 % interval is above 0.

    Example:  hippohover tune index/mine claims.jsonl --out ranking.npz
    """
    from hippohover.cli.tune import tune_index

    tune_index(index, source, out=out, into_index=into_index, as_json=as_json)


@_command
def tune_verifier(
    index: Index,
    source: ClaimsSource,
    out: Path = option(..., "File of the judge, for --aggregator."),
    as_json: Json = False,
) -> None:
    """Learn a verifier from your labelled claims. Needs 100 or more that have a "label".

    Reports the gain, and writes nothing unless its 95 % interval is above 0.

    Example:  hippohover tune-verifier index/mine claims.jsonl --out judge.npz
    """
    from hippohover.cli.tune import tune_judge

    tune_judge(index, source, out=out, as_json=as_json)


@_command
def demo(
    out: Path | None = option(None, "Keep the index in this folder; else it is removed."),
) -> None:
    """Try it on a small invented world. Answers three claims, shows paths, evaluates.

    Example:  hippohover demo
    """
    from hippohover.cli.demo import run_demo

    run_demo(out)
