"""``tune``, and the ranking that it writes at every door that takes one."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hippohover.evaluation.hover import GoldClaim
from hippohover.tuning.tune import Tuning
from tests.cli.command_samples import Command, asking, assert_error, write_corpus
from tests.stub_server import chat, serving
from tests.tuning.tuning_samples import few_trees, note_claims, shuffled_claims, write_claims

ASKED = note_claims()[65]


@pytest.fixture
def notes(notes_index: Path, tmp_path: Path) -> Path:
    """An index of the notes, this test's own."""
    return Path(shutil.copytree(notes_index, tmp_path / "notes"))


@pytest.fixture
def own(tuning: Tuning, tmp_path: Path) -> Path:
    """File of a ranking of the notes."""
    tuning.ranking.save(tmp_path / "own.npz")
    return tmp_path / "own.npz"


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return write_claims(tmp_path / "claims.jsonl", note_claims()[:60])


def place(answer: dict[str, list[dict[str, str]]], claim: GoldClaim = ASKED) -> int | None:
    titles = [passage["title"] for passage in answer["passages"]]
    return titles.index(claim.gold_titles[0]) + 1 if claim.gold_titles[0] in titles else None


def test_a_ranking_is_learned_told_and_taken(
    hippohover: Command, notes: Path, claims: Path, tmp_path: Path
):
    with few_trees():
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


def test_evidence_is_found_by_it(hippohover: Command, notes_index: Path, own: Path):
    verify = ("verify", notes_index, ASKED.claim, "--json")
    title = ASKED.gold_titles[0]
    assert title not in hippohover(*verify).out
    assert title in hippohover(*verify, "--ranking", own).out
    for options, is_shown in (((), False), (("--ranking", own), True)):
        with serving([chat("", answer="Nothing was said. [1]")]) as stub:
            told = hippohover(
                "answer", notes_index, ASKED.claim, *asking(stub.api_base), *options, "--json"
            )
        assert told.code == 0, told.err
        assert (title in json.dumps(stub.requests[0])) == is_shown
        assert (title in told.out) == is_shown


def test_evaluate_says_by_what_it_ranked(
    hippohover: Command, notes_index: Path, claims: Path, own: Path
):
    asked = ("evaluate", notes_index, claims, "--limit", "20", "--json")
    plain, tuned = hippohover(*asked), hippohover(*asked, "--ranking", own)
    assert "ranking" not in plain.json
    assert tuned.json["ranking"] == "tuned"
    assert "learned from 20 of the 20 claims" in tuned.err
    found = [
        run.json["retrievers"]["ppr"]["all_gold_found@21"]["all"]["value"] for run in (plain, tuned)
    ]
    assert found == [0.0, 1.0]


@pytest.mark.slow
def test_an_index_carries_its_ranking_over_versions(
    hippohover: Command, notes: Path, claims: Path, tmp_path: Path
):
    made = hippohover("tune", notes, claims, "--into-index", "--json")
    assert made.json["written"] == [str(notes / "ranking.npz")]
    assert made.json["helps"] is True
    told = hippohover("inspect", notes, "--json").json["ranking"]
    assert (told["claims_file"], told["n_claims"]) == ("claims.jsonl", 60)
    assert datetime.now(UTC) - datetime.fromisoformat(told["written"]) < timedelta(hours=1)
    line = f"ranking  its own, learned from 60 claims of claims.jsonl on {told['written'][:10]}\n"
    assert line in hippohover("inspect", notes, "--verify").out
    asked = ("query", notes, ASKED.claim, "--json")
    assert place(hippohover(*asked).json) == 1
    assert place(hippohover(*asked, "--ranking", "shipped").json) is None
    more = write_corpus(tmp_path / "more.jsonl", [("Another", "something else altogether")])
    assert hippohover("add", notes, more).code == 0
    assert place(hippohover(*asked).json) == 1
    assert place(hippohover(*asked, "--set", "query.rerank=false").json) is None
    (notes / "ranking.npz").write_bytes(b"garbage")
    assert_error(hippohover(*asked), "ranking.npz: is not a ranking")


def test_no_gain_writes_nothing(
    hippohover: Command, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("hippohover.tuning.tune.LEAST_CLAIMS", 20)
    shuffled = write_claims(tmp_path / "shuffled.jsonl", shuffled_claims()[:20])
    with few_trees():
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


DOORS = [
    ("query", ASKED.claim),
    ("explain", ASKED.claim, "--title", ASKED.gold_titles[0]),
    ("evaluate", "claims.jsonl"),
    ("verify", ASKED.claim),
    ("answer", ASKED.claim, *asking("http://127.0.0.1:9/v1")),
    ("serve", "--port", "0"),
    ("mcp",),
]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door[0])
def test_a_ranking_that_cannot_be_used_is_refused_at_every_door(
    hippohover: Command, notes_index: Path, claims: Path, door: tuple[str, ...]
):
    Path("own.npz").write_text("{}", encoding="utf-8")
    command, *arguments = door
    refused = hippohover(command, notes_index, *arguments, "--ranking", "own.npz")
    assert_error(refused, "own.npz: is not a ranking", "hippohover tune")


def test_a_ranking_of_another_index_is_refused(
    hippohover: Command, encoded_toy_index: Path, own: Path, tmp_path: Path
):
    asked = ("query", encoded_toy_index, ASKED.claim, "--ranking", own)
    assert_error(hippohover(*asked), "query.rerank is false")
    refused = hippohover(*asked, "--set", "query.rerank=true")
    assert_error(refused, "own.npz: was learned on an index with another encoder", "minilm-static")
    carrying = Path(shutil.copytree(encoded_toy_index, tmp_path / "carrying"))
    shutil.copy(own, carrying / "ranking.npz")
    assert_error(hippohover("query", carrying, ASKED.claim), "ranking.npz: was learned on")
    assert hippohover("query", carrying, ASKED.claim, "--ranking", "shipped").code == 0
    shown = " ".join(hippohover("inspect", carrying).out.split())
    assert "ranking.npz: was learned on an index with another encoder" in shown
    verified = hippohover("inspect", carrying, "--verify", "--json")
    assert verified.code == 1
    assert "another encoder" in verified.json["problems"][0]
    more = write_corpus(tmp_path / "more.jsonl", [("Another", "something else altogether")])
    added = hippohover("add", carrying, more)
    assert added.code == 0
    assert "note: " in added.err
    assert "another encoder" in added.err


def test_inspect_says_of_how_many_claims_an_index_s_own_ranking_was_learned(
    hippohover: Command, notes: Path, tuning: Tuning
):
    assert "ranking" not in hippohover("inspect", notes).out
    assert hippohover("inspect", notes, "--json").json["ranking"] is None
    tuning.ranking.save(notes / "ranking.npz")  # from Python: neither file nor day are known
    assert "ranking  its own, learned from 60 claims\n" in hippohover("inspect", notes).out
