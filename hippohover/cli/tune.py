"""The commands ``tune`` and ``tune-verifier``."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hippohover.cli.claims import ClaimsSource, titled
from hippohover.cli.model import await_vectors
from hippohover.cli.options import Index, Json, option
from hippohover.cli.output import check_can_write, console, note, plain, print_json, progress
from hippohover.errors import UsageError
from hippohover.evaluation.hover import missing_gold
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.tuned import SHIPPED
from hippohover.store.layout import RANKING

if TYPE_CHECKING:
    from hippohover.tuning.tune import Tuning


def tune_index(
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
    from hippohover.tuning.learning import library
    from hippohover.tuning.tune import tune

    if out is None and not into_index:
        raise UsageError("nothing to write to: give --out FILE, or --into-index, or both")
    library()
    if out is not None:
        check_can_write(out)
    given = source.read()
    with progress() as report:
        await_vectors(index, report)
        engine = HippoHover.open(index, progress=report, ranking=SHIPPED)
        claims = titled(given.claims, engine)
        if n_missing := len(missing_gold(claims, engine.titles())):
            note(f"gold titles that are not in the index, counted as not found: {n_missing:,}")
        tuning = tune(engine, claims, progress=report)
    files = [out] if out is not None else []
    if into_index:
        files.append(engine.stored.folder.parent / RANKING)
    written = files if tuning.helps else []
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for file in written:
        replace(tuning.ranking, claims_file=source.claims.name, written=now).save(file)
    if as_json:
        written_to = [str(file) for file in written]
        print_json({**tuning.as_dict(), "written": written_to, "understood": given.understood})
    else:
        _print(tuning, written)


def _print(tuning: "Tuning", written: list[Path]) -> None:
    gain, screen = tuning.gain, console()
    screen.print(
        f"all gold titles found at 21: {tuning.before.value:.1%} of {gain.n:,} claims by the "
        f"ranking that ships, {tuning.after.value:.1%} by the tuned one, each claim by trees that "
        "did not see its group"
    )
    screen.print(
        f"gain: {100 * gain.difference:+.1f} points, 95 % interval {100 * gain.low:+.1f} to "
        f"{100 * gain.high:+.1f} over {tuning.n_groups:,} groups; {gain.n_gained:,} claims won, "
        f"{gain.n_lost:,} lost"
    )
    if not tuning.helps:
        screen.print("no gain: the interval is not above 0, and nothing is written")
    for file in written:
        screen.print(f"{plain(str(file))}: the ranking, for --ranking or in the index itself")


def tune_judge(
    index: Index,
    source: ClaimsSource,
    out: Path = option(..., "File of the judge, for --aggregator."),
    as_json: Json = False,
) -> None:
    """Learn a verifier from your labelled claims. Needs 100 or more that have a "label".

    Reports the gain, and writes nothing unless its 95 % interval is above 0.

    Example:  hippohover tune-verifier index/mine claims.jsonl --out judge.npz
    """
    from hippohover.tuning.judge import tune_verifier
    from hippohover.tuning.learning import library

    library()
    check_can_write(out)
    given = source.read()
    with progress() as report:
        await_vectors(index, report)
        engine = HippoHover.open(index, progress=report)
        tuned = tune_verifier(engine, titled(given.claims, engine), progress=report)
    if tuned.helps:
        tuned.weights.save(out)
    told = {**tuned.as_dict(), "written": [str(out)] if tuned.helps else []}
    if as_json:
        print_json(told)
        return
    if tuned.n_without_label:
        note(f"claims without a label, left out: {tuned.n_without_label:,}")
    gain = tuned.gain
    console().print(
        f"area under the ROC curve over {tuned.n:,} claims: {tuned.before:.3f} by the judge that "
        f"ships, {tuned.after:.3f} by the learned one, each claim by trees that did not see its "
        "group"
    )
    console().print(
        f"gain: {gain[0]:+.3f}, 95 % interval {gain[1]:+.3f} to {gain[2]:+.3f} over "
        f"{tuned.n_groups:,} groups"
    )
    if tuned.helps:
        console().print(f"{plain(str(out))}: the judge, for --aggregator")
    else:
        console().print("no gain: the interval is not above 0, and nothing is written")
