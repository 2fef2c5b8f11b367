"""The commands ``optimize-filter`` and ``optimize-program``."""

import logging
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hippohover.cli.claims import ClaimsSource, titled
from hippohover.cli.model import ModelOptions, NeededModel, await_vectors, note_usage, opened_engine
from hippohover.cli.options import OPTIMIZERS, PROGRAMS, Index, Limit, one_of, option
from hippohover.cli.output import check_can_write, console, note, plain, progress
from hippohover.cli.programs import SearchWith
from hippohover.cli.settings import Overrides

if TYPE_CHECKING:
    from hippohover.programs.hop_program import HopProgram
    from hippohover.programs.optimize import FilteredRetrieval, Optimizer
    from hippohover.programs.optimize import Optimised as Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimised:
    """The filter, or the program, that is optimised on which claims, and where it goes."""

    source: ClaimsSource
    program: str | None = None
    out: Path = option(..., "JSON file of the filter, for --filter.")
    optimizer: str = option(
        "bootstrap", f"One of {', '.join(OPTIMIZERS)}.", callback=one_of(*OPTIMIZERS)
    )
    search_with: str | None = None
    limit: Limit = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimisedProgram(Optimised):
    """A program that is optimised on which claims, and where it goes."""

    program: str = option(
        ...,
        f"One of {', '.join(PROGRAMS[1:])}; or a file that this command wrote, to "
        "continue from it.",
        callback=one_of(*PROGRAMS, or_file=True),
    )
    out: Path = option(..., "JSON file of the program, for evaluate --program.")
    search_with: SearchWith = None


def optimize_filter(index: Index, optimised: Optimised, model: NeededModel) -> None:
    """Optimise the fact filter on your claims. Measures what the walk finds with its facts.

    Example:  hippohover optimize-filter index/mine claims.jsonl --lm openai/NAME --out f.json
    """
    _optimize(index, optimised, model)


def optimize_program(index: Index, optimised: OptimisedProgram, model: NeededModel) -> None:
    """Optimise a program's prompts on your claims. Measures what it finds with them.

    Example:  hippohover optimize-program index/mine claims.jsonl --program hop-chain --lm
    openai/NAME --out p.json
    """
    _optimize(index, optimised, model)


def _optimize(index: Path, optimised: Optimised, model: ModelOptions) -> None:
    """Optimise the filter or a program, save it, and print its result."""
    out, program = optimised.out, optimised.program
    check_can_write(out)
    logging.getLogger("dspy").setLevel(logging.WARNING)  # it tells each trial
    given = optimised.source.read().claims[: optimised.limit]
    with progress() as report:
        await_vectors(index, report)
    with (
        progress() as report,
        opened_engine(index, model, report, Overrides(), filters=program is None) as (
            engine,
            asked,
        ),
        redirect_stdout(sys.stderr),  # where DSPy prints what it does
    ):
        assert asked is not None  # noqa: S101  (--lm is required)
        claims = titled(given, engine)
        made_with = {
            "optimizer": optimised.optimizer,
            "language_model": asked.name,
            "claims": optimised.source.claims.name,
            "index": engine.manifest.recipe_sha256,
        }
        wanted = cast("Optimizer", optimised.optimizer)
        result: Result[Any]
        if program is None:
            from hippohover.programs.optimize import FilteredRetrieval, optimise_filter
            from hippohover.programs.saved import save_filter

            _note_requests(FilteredRetrieval(engine, asked), len(claims), wanted)
            result = optimise_filter(engine, asked, claims, wanted)
            save_filter(out, result, made_with=made_with)
        else:
            from hippohover.programs.optimize import optimise_program
            from hippohover.programs.saved import named_program, save_program

            hop_program = named_program(program, engine, asked, retriever=optimised.search_with)
            _note_requests(hop_program, len(claims), wanted)
            result = optimise_program(hop_program, claims, wanted)
            save_program(out, result, made_with=made_with)
    note_usage(asked)
    console().print(
        f"{plain(str(out))}: all gold titles found for {result.before:.1%} of {result.n:,} claims "
        f"before, {result.after:.1%} after (the claims that it was optimised on)"
    )


def _note_requests(
    program: "HopProgram | FilteredRetrieval", n_claims: int, optimizer: "Optimizer"
) -> None:
    """Say, before any is paid for, how many requests an optimisation makes at most."""
    from hippohover.programs.optimize import n_requests

    if n := n_requests(program, n_claims, optimizer):
        note(
            f"{optimizer} on {n_claims:,} claims: up to {n:,} requests, if every reply can be read "
            "(--max-calls and --max-cost stop it)"
        )
