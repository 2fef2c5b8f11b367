"""The commands ``optimize-filter`` and ``optimize-program``."""

import logging
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hippohover.cli.claims import titled
from hippohover.cli.groups.measuring import Optimised
from hippohover.cli.model import ModelOptions, note_usage, opened_engine
from hippohover.cli.output import check_can_write, console, plain, progress
from hippohover.cli.settings import Overrides

if TYPE_CHECKING:
    from hippohover.programs.optimize import Optimised as Result
    from hippohover.programs.optimize import Optimizer


def optimize(index: Path, optimised: Optimised, model: ModelOptions) -> None:
    """Optimise the filter or a program, save it, and print its result."""
    out, program = optimised.out, optimised.program
    check_can_write(out)
    logging.getLogger("dspy").setLevel(logging.WARNING)  # it tells each trial
    given = optimised.source.read().claims[: optimised.limit]
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
            from hippohover.programs.optimize import optimise_filter
            from hippohover.programs.saved import save_filter

            result = optimise_filter(engine, asked, claims, wanted)
            save_filter(out, result, made_with=made_with)
        else:
            from hippohover.programs.optimize import optimise_program
            from hippohover.programs.saved import named_program, save_program

            hop_program = named_program(program, engine, asked, retriever=optimised.search_with)
            result = optimise_program(hop_program, claims, wanted)
            save_program(out, result, made_with=made_with)
    note_usage(asked)
    console().print(
        f"{plain(str(out))}: all gold titles found for {result.before:.1%} of {result.n:,} claims "
        f"before, {result.after:.1%} after (the claims that it was optimised on)"
    )
