"""``tune-verifier``: what it says, what it writes, and the judge at the door that takes one."""

import json
import random
from pathlib import Path

import pytest

from hippohover.retrieval.engine import HippoHover
from tests.cli.command_samples import Command, assert_error

N = 60


def labelled(engine: HippoHover, path: Path, *, shuffled: bool = False) -> Path:
    """First sentences of passages as true claims, and under titles of others as false ones.

    Half of each say by whom it was heard, which no passage has: what ships doubts the true ones.
    """
    tables = engine.tables
    titles = engine.titles()[: 2 * N]
    firsts = [tables.texts[row].split(". ")[0].rstrip(".") for row in range(2 * N)]
    rows: list[dict[str, object]] = []
    for at, title in enumerate(titles):
        is_true = at % 2 == 0
        said = firsts[at] if is_true else f"{title} {firsts[at - 1].partition(' ')[2]}"
        label = "SUPPORTED" if is_true else "NOT_SUPPORTED"
        said += ", as an elderly harpsichord tuner overheard last Whitsun" * (at % 4 in {0, 3})
        rows.append({"uid": str(at), "claim": f"{said}.", "label": label})
        rows[-1]["supporting_facts"] = [[title, 0]]
    if shuffled:
        labels = [row["label"] for row in rows]
        random.Random(0).shuffle(labels)  # noqa: S311
        rows = [{**row, "label": label} for row, label in zip(rows, labels, strict=True)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_judge_is_learned_told_and_taken(
    hippohover: Command, toy_index: Path, toy_engine: HippoHover, tmp_path: Path
):
    claims = labelled(toy_engine, tmp_path / "claims.jsonl")
    made = hippohover("tune-verifier", toy_index, claims, "--out", "judge.npz")
    assert made.code == 0, made.err
    assert f"over {2 * N} claims" in " ".join(made.out.split())
    assert "judge.npz: the judge, for --aggregator" in made.out
    claim = json.loads(claims.read_text(encoding="utf-8").splitlines()[0])["claim"]
    asked = ("verify", toy_index, claim, "--json")
    own, shipped = (hippohover(*asked, *options) for options in (("--aggregator", "judge.npz"), ()))
    assert own.code == shipped.code == 0, own.err
    assert own.json != shipped.json


def test_where_there_is_nothing_to_learn_nothing_is_written(
    hippohover: Command, toy_index: Path, toy_engine: HippoHover, tmp_path: Path
):
    claims = labelled(toy_engine, tmp_path / "claims.jsonl", shuffled=True)
    made = hippohover("tune-verifier", toy_index, claims, "--out", "judge.npz", "--json")
    assert made.code == 0, made.err
    assert made.json["helps"] is False
    assert made.json["written"] == []
    assert not Path("judge.npz").exists()


@pytest.mark.parametrize(
    ("out", "words"), [("judge.npz", "give 100 or more"), ("no/such/judge.npz", "no/such")]
)
def test_too_few_claims_and_a_folder_that_is_not_there_are_refused(
    hippohover: Command,
    toy_index: Path,
    toy_engine: HippoHover,
    tmp_path: Path,
    out: str,
    words: str,
):
    claims = labelled(toy_engine, tmp_path / "claims.jsonl")
    lines = claims.read_text(encoding="utf-8").splitlines(keepends=True)
    claims.write_text("".join(lines[:20]), encoding="utf-8")
    assert_error(hippohover("tune-verifier", toy_index, claims, "--out", out), words)
    assert not Path(out).exists()
