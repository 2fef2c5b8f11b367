"""The command ``optimize-filter``."""

import logging
from pathlib import Path
from typing import cast

from hippohover.cli.model import ModelOptions, note_usage, opened_engine
from hippohover.cli.output import check_can_write, console, plain, progress
from hippohover.evaluation.hover import load_claims


def optimize(  # noqa: PLR0913
    index: Path,
    claims_path: Path,
    out: Path,
    *,
    optimizer: str,
    limit: int | None,
    model: ModelOptions,
) -> None:
    """Optimise, write the filter, say what it reached."""
    from hippohover.programs.optimize import Optimizer, optimise_filter, save_filter

    check_can_write(out)
    logging.getLogger("dspy").setLevel(logging.WARNING)  # it tells each trial
    claims = load_claims(claims_path)[:limit]
    with progress() as report, opened_engine(index, model, report) as (engine, asked):
        assert asked is not None  # noqa: S101  (--lm is required)
        found = optimise_filter(engine, asked, claims, cast("Optimizer", optimizer))
        made_with = {
            "optimizer": optimizer,
            "language_model": asked.name,
            "claims": claims_path.name,
            "index": engine.manifest.recipe_sha256,
        }
        save_filter(out, found, made_with=made_with)
    note_usage(asked)
    console().print(
        f"{plain(str(out))}: all gold titles found for {found.before:.1%} of {found.n:,} claims "
        f"before, {found.after:.1%} after (the claims that it was optimised on)"
    )
