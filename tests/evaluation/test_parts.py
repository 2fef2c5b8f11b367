"""The parts of documents that gold names, and what an answer shows of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation.documents import with_passages_of_texts
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.gold import gold_of
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import share
from hippohover.evaluation.parts import GoldPart, part_ranks, passage_figures
from hippohover.records import PassageId, RankedPassage, Retrieval, Trace

RATES = RankedPassage(
    1, PassageId("p1"), "The Handbook", "Berths\n\nA berth costs\n4 crowns: paid at noon.", 1.0,
    heading="Harbour > Rates", metadata={"page": 12},
)  # fmt: skip
STORMS = RankedPassage(
    2, PassageId("p2"), "Handbook", "In a storm the gate is shut.", 0.5, heading="Storms",
    others=(RATES,), metadata={"page": 40},
)  # fmt: skip
OTHER = RankedPassage(3, PassageId("p3"), "Gate", "In a storm the gate is shut.", 0.4)
ANSWER = (STORMS, OTHER)


@pytest.mark.parametrize(
    ("part", "holds"),
    [
        ({}, (True, True)),
        ({"heading": "rates"}, (True, False)),
        ({"heading": "Berths"}, (True, False)),  # a section that begins in the passage
        ({"heading": "rate"}, (False, False)),
        ({"page": 12}, (True, False)),
        ({"text": "A berth costs 4 crowns, paid at noon"}, (True, False)),
        ({"text": "Each gate has a keeper. In a storm the gate is shut. So it is."}, (False, True)),
        ({"text": "a storm"}, (False, True)),
        ({"heading": "Storms", "page": 12}, (False, False)),
    ],
)
def test_a_passage_holds_what_gold_names(part: dict[str, Any], holds: tuple[bool, bool]):
    gold = GoldPart(name="handbook", **part)
    assert (gold.is_in(RATES), gold.is_in(STORMS)) == holds
    assert gold.is_named is bool(part)


def test_a_part_is_found_in_its_document_where_it_is_shown():
    names = [passage.title for passage in ANSWER]
    parts = [
        GoldPart(name="Handbook", text="in a storm"),
        GoldPart(name="gate", text="in a storm"),
        GoldPart(name="Handbook", heading="Rates"),  # listed under another one
        GoldPart(name="Pier"),
    ]
    assert part_ranks(parts, ANSWER, names) == [1, 2, None, None]
    assert passage_figures([1, 2, None, None], 1) == {
        "all_passages_found@1": 0.0, "passage_recall@1": 0.25,
    }  # fmt: skip
    assert passage_figures([1, 2], 2)["all_passages_found@2"] == 1.0


CONTEXT = [["Handbook", ["A berth costs 4 crowns.", " It is paid at noon."]]]
OF_THE_HUB = {"title": ["Handbook"], "sentences": [CONTEXT[0][1]]}
SENTENCE = GoldPart(name="Handbook", text=" It is paid at noon.")


@pytest.mark.parametrize(
    ("fact", "more", "part"),
    [
        (["Handbook", "Rates"], {}, GoldPart(name="Handbook", heading="Rates")),
        ({"title": "Handbook", "section": "Rates", "page": 3}, {},
         GoldPart(name="Handbook", heading="Rates", page=3)),
        ({"key": "Handbook", "text": "At noon."}, {}, GoldPart(name="Handbook", text="At noon.")),
        (["Handbook", 1], {"context": CONTEXT}, SENTENCE),
        ({"title": "Handbook", "sent_id": 1}, {"context": OF_THE_HUB}, SENTENCE),
    ],
)  # fmt: skip
def test_gold_that_names_a_part(fact: object, more: dict[str, Any], part: GoldPart):
    gold = gold_of({"supporting_facts": [fact, ["Gate", 0]], **more}, "c:1")
    assert gold.parts == (part, GoldPart(name="Gate"))
    assert [title for title, _ in gold.facts] == ["Handbook", "Gate"]
    assert gold.source == "by title and passage from supporting_facts"


def test_gold_by_id_is_told_apart_where_titles_are_equal():
    facts = [{"id": 7, "title": "3.8.1"}, {"id": "38", "title": "38.1", "page": 2}]
    gold = gold_of({"supporting_facts": facts}, "c:1")
    assert (gold.facts, gold.ids) == ((), ("7", "38"))
    assert gold.parts == (GoldPart(name="7"), GoldPart(name="38", page=2))
    assert gold.source == "by id and passage from supporting_facts"
    with pytest.raises(CorpusError, match="some supporting facts have an id"):
        gold_of({"supporting_facts": [*facts, ["Gate", 0]]}, "c:1")


@pytest.mark.parametrize(
    "fact",
    [
        {"heading": "Rates"},
        {"text": " "},
        {"title": "A", "page": "3"},
        ["A", " "],
        {"id": ""},
        {},
        "A",
    ],
)
def test_a_bad_part_is_one_line(fact: object):
    with pytest.raises(CorpusError, match=r"a supporting fact is .*: give \[title, sentence"):
        gold_of({"supporting_facts": [fact]}, "c:1")


def test_gold_that_is_a_text_alone_becomes_the_passage_that_holds_it():
    texts = ["A berth costs 4 crowns.", "In a storm the gate is shut.", "Nobody said so."]
    gold = gold_of({"reference_contexts": texts, "question": "q"}, "c:1")
    assert (gold.facts, gold.ids, gold.source) == (
        (),
        tuple(texts),
        "by text from reference_contexts",
    )
    claim = GoldClaim(
        uid="u", claim="c", gold_titles=(), supporting_facts=(), gold_ids=gold.ids, parts=gold.parts
    )
    passages = [("p0", "so"), ("p1", "A berth costs 4 crowns; in a storm the gate is shut."),
                ("p2", texts[1])]  # fmt: skip
    [found] = with_passages_of_texts([claim], passages)
    assert found.gold_ids == ("p1", texts[2])
    assert [part.name for part in found.parts] == ["p1", "p1", texts[2]]
    halves = [("p0", "crowns"), ("p1", "A berth"), ("p2", "costs 4 crowns")]
    [cut] = with_passages_of_texts([claim], halves)
    assert cut.gold_ids == ("p2", *texts[1:])
    titles = GoldClaim(uid="u", claim="c", gold_titles=("A",), supporting_facts=(("A", 0),))
    assert with_passages_of_texts([titles], iter(())) == [titles]


@pytest.mark.parametrize("context", ["text", [["Gate", ["Sentence."]]], [["Handbook"]], {"x": 1}])
def test_titles_alone_name_no_part(context: object):
    gold = gold_of({"supporting_facts": [["Handbook", 1]], "context": context}, "c:1")
    assert gold.parts == ()


class Shown:
    """Shows the storms and the gate, whatever is asked."""

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        return Retrieval(claim, retriever, ANSWER[:k], Trace(route="no-filter"))

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        return self.retrieve(query, depth, retriever)

    def titles(self) -> list[str]:
        return ["The Handbook", "Handbook", "Gate"]


def of_file(tmp_path: Path, *facts: list[object]) -> list[GoldClaim]:
    lines = [{"uid": "u", "claim": "c", "supporting_facts": some} for some in facts]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return load_claims(tmp_path / "c.jsonl")


def test_figures_by_passage_stand_beside_those_by_title(tmp_path: Path):
    claims = of_file(tmp_path, [["Handbook", "Rates"], ["Gate", 0]], [["Handbook", "Storms"]])
    metrics = evaluate(Shown(), claims, EvaluationSettings(n_warmups=0)).retrievers["ppr"].metrics
    assert metrics["all_gold_found@21"]["all"].value == metrics["recall@21"]["all"].value == 1.0
    assert metrics["all_passages_found@21"]["all"].value == 0.5
    assert metrics["all_passages_found@21"]["all"] == share([0, 1])
    assert metrics["passage_recall@21"]["all"].value == 0.75
    titles = of_file(tmp_path, [["Handbook", 0], ["Gate", 0]])
    metrics = evaluate(Shown(), titles, EvaluationSettings(n_warmups=0)).retrievers["ppr"].metrics
    assert not any("passage" in name for name in metrics)
