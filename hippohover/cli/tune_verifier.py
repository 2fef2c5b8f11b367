"""The command ``tune-verifier``."""

from pathlib import Path

from hippohover.cli.claims import ClaimsSource, titled
from hippohover.cli.output import check_can_write, console, note, plain, print_json, progress
from hippohover.retrieval.engine import HippoHover


def tune_judge(index: Path, source: ClaimsSource, *, out: Path, as_json: bool) -> None:
    """Learn a judge, print its results on unseen claims, and save it if it gains."""
    from hippohover.tuning.judge import tune_verifier
    from hippohover.tuning.learning import library

    library()
    check_can_write(out)
    given = source.read()
    with progress() as report:
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
