"""``tune``, and the ranking that it writes at every door that takes one."""

import json
import shutil
from pathlib import Path

import pytest

from hippohover.evaluation.hover import GoldClaim
from tests.cli.command_samples import Command, assert_error, write_corpus
from tests.tuning.tuning_samples import build_notes, note_claims, shuffled_claims, write_claims

ASKED = note_claims()[65]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_notes(tmp_path_factory.mktemp("notes"))


@pytest.fixture
def notes(built: Path, tmp_path: Path) -> Path:
    """An index of the notes, this test's own."""
    return Path(shutil.copytree(built, tmp_path / "notes"))


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return write_claims(tmp_path / "claims.jsonl", note_claims()[:60])


def place(answer: dict[str, list[dict[str, str]]], claim: GoldClaim = ASKED) -> int | None:
    titles = [passage["title"] for passage in answer["passages"]]
    return titles.index(claim.gold_titles[0]) + 1 if claim.gold_titles[0] in titles else None


def test_a_ranking_is_learned_told_and_taken(
    hippohover: Command, notes: Path, claims: Path, tmp_path: Path
):
    made = hippohover("tune", notes, claims, "--out", "own.npz")
    assert made.code == 0, made.err
    assert "0.0% of 60 claims by the ranking that ships, 100.0% by the tuned one" in made.out
    assert "95 % interval +100.0 to +100.0 over 60 groups" in " ".join(made.out.split())
    assert "own.npz: the ranking" in made.out
    asked = ("query", notes, ASKED.claim, "--json", "--trace")
    assert place(hippohover(*asked).json) is None
    answer = hippohover(*asked, "--ranking", "own.npz").json
    assert place(answer) == 1
    assert answer["trace"]["ranked_by"] == "tuned"
    shown = hippohover("query", notes, ASKED.claim, "--trace", "--ranking", "own.npz")
    assert "Ranked by the tuned ranking" in shown.out
    explained = hippohover(
        "explain", notes, ASKED.claim, "--title", ASKED.gold_titles[0], "--ranking", "own.npz",
        "--json",
    )  # fmt: skip
    assert explained.json["rank"] == 1
    verified = hippohover("verify", notes, ASKED.claim, "--ranking", "own.npz")
    assert verified.code == 0, verified.err


def test_evaluate_says_by_what_it_ranked(hippohover: Command, notes: Path, claims: Path):
    hippohover("tune", notes, claims, "--out", "own.npz")
    asked = ("evaluate", notes, claims, "--limit", "20", "--json")
    plain, tuned = hippohover(*asked), hippohover(*asked, "--ranking", "own.npz")
    assert "ranking" not in plain.json
    assert tuned.json["ranking"] == "tuned"
    assert "learned from 20 of the 20 claims" in tuned.err
    found = [
        run.json["retrievers"]["ppr"]["all_gold_found@21"]["all"]["value"] for run in (plain, tuned)
    ]
    assert found == [0.0, 1.0]


def test_an_index_carries_its_ranking_over_versions(
    hippohover: Command, notes: Path, claims: Path, tmp_path: Path
):
    made = hippohover("tune", notes, claims, "--into-index", "--json")
    assert made.json["written"] == [str(notes / "ranking.npz")]
    assert made.json["helps"] is True
    asked = ("query", notes, ASKED.claim, "--json")
    assert place(hippohover(*asked).json) == 1
    assert place(hippohover(*asked, "--ranking", "shipped").json) is None
    more = write_corpus(tmp_path / "more.jsonl", [("Another", "something else altogether")])
    assert hippohover("add", notes, more).code == 0
    assert place(hippohover(*asked).json) == 1
    assert place(hippohover(*asked, "--set", "query.rerank=false").json) is None
    (notes / "ranking.npz").write_bytes(b"garbage")
    assert_error(hippohover(*asked), "ranking.npz: is no ranking")


def test_no_gain_writes_nothing(hippohover: Command, notes: Path, tmp_path: Path):
    shuffled = write_claims(tmp_path / "shuffled.jsonl", shuffled_claims())
    outcome = hippohover("tune", notes, shuffled, "--out", "own.npz", "--into-index")
    assert outcome.code == 0
    assert "no gain" in outcome.out
    assert not (tmp_path / "own.npz").exists()
    assert not (notes / "ranking.npz").exists()


def test_what_cannot_be_tuned_is_one_line(
    hippohover: Command, notes: Path, claims: Path, tmp_path: Path
):
    few = write_claims(tmp_path / "few.jsonl", note_claims()[:9])
    assert_error(hippohover("tune", notes, few, "--out", "own.npz"), "9 labelled claims: give 50")
    assert_error(hippohover("tune", notes, claims), "nothing to write to", "--into-index")
    assert_error(hippohover("tune", notes, claims, "--out", "no/own.npz"), "no")
    (tmp_path / "own.npz").write_text(json.dumps({}), encoding="utf-8")
    refused = hippohover("query", notes, ASKED.claim, "--ranking", "own.npz")
    assert_error(refused, "own.npz: is no ranking")
    nothing_to_order = hippohover(
        "query", notes, ASKED.claim, "--ranking", "own.npz", "--set", "query.rerank=false"
    )
    assert_error(nothing_to_order, "query.rerank is false")
