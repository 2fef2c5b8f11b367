"""Chains of small corpora: what joins their passages, in which words, and after an update."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hippohover.chain_records import Chain
from hippohover.indexing.build import build
from hippohover.indexing.update import add, delete
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover

NOTES = [
    {"title": "Beacon", "text": "Beacon sends all notices of the town. It runs on two machines."},
    {"title": "Mara Oduya", "text": "Mara sings. She owns Beacon. She came from Tidewater Labs."},
    {"title": "Tidewater Labs", "text": "A consultancy in Bristol, founded by Ruth Ansell."},
    {"title": "Quarry", "text": "Quarry stores stones. It is fed by trains."},
    {"title": "Ticket 1", "text": "The pump is loud at night.", "case": "K7"},
    {"title": "Ticket 2", "text": "A bearing was replaced by the mechanic.", "case": "K7"},
    {"title": "Ticket 3", "text": "Nothing was found.", "case": "K9"},
    {"title": "Swans", "text": "The swans of Orsk Meadow moult in June."},
    {"title": "Geese", "text": "Geese arrive late. Geese feed on Orsk Meadow at dawn."},
    *({"title": f"Leaf {at}", "text": f"A leaf of tree {at} fell."} for at in range(12)),
]
CLAIM = (
    "Who founded the consultancy from which the owner of Beacon came, "
    "which sends notices of a town?"
)
RECIPE: dict[str, Any] = {
    "name": "notes",
    "encoder": "none",
    "corpus": {"join": ["case"], "metadata": ["case"]},
}


def built(folder: Path, notes: list[dict[str, str]], **settings: int) -> Path:
    corpus = folder / "notes.jsonl"
    corpus.write_text("".join(json.dumps(note) + "\n" for note in notes), encoding="utf-8")
    recipe = {**RECIPE, "corpus": {**RECIPE["corpus"], **settings}}
    build(IndexRecipe.model_validate(recipe), corpus=corpus, out=folder / "index")
    return folder / "index"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> HippoHover:
    return HippoHover.open(built(tmp_path_factory.mktemp("notes"), NOTES))


def titles(chain: Chain) -> list[str]:
    return [passage.title for passage in chain.passages]


@pytest.mark.parametrize(
    ("claim", "summary", "joins"),
    [
        (
            CLAIM,
            "Beacon ← Mara Oduya → Tidewater Labs",
            [("mention", "Beacon", "She owns Beacon."),
             ("mention", "Tidewater Labs", "She came from Tidewater Labs.")],
        ),
        ("The mechanic replaced a bearing because the pump is loud at night",
         "Ticket 2 = Ticket 1", [("key", "K7", "")]),
        ("Which swans moult in June where geese feed at dawn?",
         "Swans = Geese", [("name", "Orsk Meadow", "The swans of Orsk Meadow moult in June.")]),
    ],
)  # fmt: skip
def test_what_joins_the_passages_of_a_chain(
    notes: HippoHover, claim: str, summary: str, joins: list[tuple[str, str, str]]
):
    best = notes.retrieve(claim).chains[0]
    assert summary == best.summary()
    told = [(join.kind, join.words, join.sentence) for join in best.joins]
    assert told == joins


def test_another_part_of_the_document_may_say_what_joins_it(tmp_path: Path):
    filler = " ".join(f"Day {day} was calm and nobody came." for day in range(12))
    ferry = f"The Ferry calls at Marlo Dock. {filler} Its blue engine came from Orsk in winter."
    dock = {"title": "Marlo Dock", "text": "A quay with seven cranes."}
    corpus = [{"title": "Old Ferry", "text": ferry}, dock, *NOTES[9:]]
    engine = HippoHover.open(built(tmp_path, corpus, max_words=30))
    chain = engine.retrieve(
        "Which quay with seven cranes has the one with the blue engine?"
    ).chains[0]
    assert {(one.title, one.part > 1) for one in chain.passages} == {
        ("Old Ferry", True), ("Marlo Dock", False),
    }  # fmt: skip
    [join] = chain.joins
    assert (join.kind, join.words) == ("mention", "Marlo Dock")
    assert join.sentence == "The Ferry calls at Marlo Dock."


def test_each_passage_answers_its_part_of_the_claim(notes: HippoHover):
    best = notes.retrieve(CLAIM).chains[0]
    assert [passage.answers for passage in best.passages] == [
        ("Beacon", "sends notices of a town"), ("came",), ("founded the consultancy",),
    ]  # fmt: skip
    assert [passage.is_named for passage in best.passages] == [True, False, False]
    assert best.passages[2].sentence == "A consultancy in Bristol, founded by Ruth Ansell."
    assert best.coverage == pytest.approx(1.0)


def test_the_path_of_a_passage_ends_there(notes: HippoHover):
    answer = notes.retrieve(CLAIM)
    for passage in answer.passages:
        assert passage.path is not None
        last = passage.path.passages[-1]
        assert (last.pid, last.rank) == (passage.pid, passage.rank)
    paths = {passage.title: passage.path and passage.path.summary() for passage in answer.passages}
    assert paths["Tidewater Labs"] == "Beacon ← Mara Oduya → Tidewater Labs"


@pytest.mark.parametrize("retriever", ["ppr", "bm25"])
def test_chains_do_not_depend_on_how_many_passages_are_listed(notes: HippoHover, retriever: str):
    claim = CLAIM
    whole = notes.retrieve(claim, retriever=retriever)
    assert whole.chains
    for k in (1, 3):
        short = notes.retrieve(claim, k, retriever)
        assert (short.chains, short.passages) == (whole.chains, whole.passages[:k])


def test_a_claim_without_a_known_word_has_no_chain(notes: HippoHover):
    answer = notes.retrieve("Xyzzyq?")
    assert answer.chains == ()
    assert {passage.path for passage in answer.passages} <= {None}


def test_an_updated_index_answers_with_the_chains_of_a_fresh_one(tmp_path: Path, notes: HippoHover):
    for name in ("first", "more"):
        (tmp_path / name).mkdir()
    index = built(tmp_path / "first", [*NOTES[5:], {"title": "Mara", "text": "To be deleted."}])
    more = tmp_path / "more" / "notes.jsonl"
    more.write_text("".join(json.dumps(note) + "\n" for note in NOTES[:5]), encoding="utf-8")
    add(index, more)
    delete(index, titles=["Mara"])
    updated = HippoHover.open(index)
    for claim in (
        CLAIM,
        "Which swans moult in June where geese feed at dawn?",
    ):
        ours, theirs = updated.retrieve(claim), notes.retrieve(claim)
        assert replace(ours, trace=theirs.trace) == theirs
