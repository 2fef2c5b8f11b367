from pathlib import Path

import pytest

from hippohover.adapters.asking import (
    AskedIndex,
    condition_of,
    conditions_of,
    document_of,
    metadata_of,
    scores_of,
)
from hippohover.errors import IndexStoreError, NotInIndexError, UsageError
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from tests.adapters.conftest import QUESTION
from tests.adapters.page_examples import examples_of
from tests.index_samples import refused


def passage(rank: int = 1, title: str = "A", **metadata: str | int) -> RankedPassage:
    pid = PassageId(f"p{rank}")
    return RankedPassage(rank, pid, title, "text", 1 / rank, metadata=metadata)


def test_an_index_opens_by_its_path_alone(films: Path):
    found = AskedIndex(films).search(QUESTION, 3)
    assert [one.rank for one in found] == [1, 2, 3]
    assert {one.title for one in found} >= {"Lantern Hill", "Mira Oldane"}


def test_an_engine_is_asked_as_it_is(films: Path):
    engine = HippoHover.open(films)
    assert AskedIndex(engine).engine is engine


def test_answers_are_those_of_the_engine(films: Path):
    engine = HippoHover.open(films)
    for retriever in ("ppr", "bm25"):
        asked = AskedIndex(engine, retriever=retriever).search(QUESTION, 5)
        assert asked == engine.retrieve(QUESTION, 5, retriever).passages


def test_conditions_of_the_index_and_of_the_call_must_both_be_met(films: Path):
    asked = AskedIndex(films, where={"lang": ["en", "de"]})
    assert {one.metadata["id"] for one in asked.search(QUESTION, 5)} == {"d1", "d2", "d3", "d4"}
    assert [one.metadata["id"] for one in asked.search(QUESTION, 5, ["year>1932"])] == ["d4"]


def test_what_nobody_meets_is_an_error_and_no_empty_answer(films: Path):
    with refused(NotInIndexError, "no passage of the index meets lang is 'en' and year is '1940'"):
        AskedIndex(films, where={"lang": "en"}).search(QUESTION, 5, {"year": 1940})


def test_scope_walk_reaches_the_search(films: Path):
    asked = AskedIndex(films, where={"lang": "de"}, scope="walk")
    assert {one.metadata["lang"] for one in asked.search("Where does the Orle end?", 5)} == {"de"}
    with refused(UsageError, "hipporag2 walks over the whole index"):
        AskedIndex(films, retriever="hipporag2", scope="walk")


def test_no_index_is_an_error_of_the_store(tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nowhere"):
        AskedIndex(tmp_path / "nowhere")


def test_an_unknown_retriever_is_refused_before_a_question(films: Path):
    with refused(UsageError, "retriever is 'bm52': give one of ppr, bm25"):
        AskedIndex(films, retriever="bm52")


@pytest.mark.parametrize(
    ("filters", "conditions"),
    [
        (None, ()),
        ({}, ()),
        ([], ()),
        ({"lang": "en"}, (Condition("lang", frozenset(["en"])),)),
        ({"year": 1930}, (Condition("year", frozenset(["1930"])),)),
        ({"draft": True}, (Condition("draft", frozenset(["true"])),)),
        ({"share": 0.5}, (Condition("share", frozenset(["0.5"])),)),
        ({"year": [1930, 1931]}, (Condition("year", frozenset(["1930", "1931"])),)),
        (["year>=1930"], (Condition("year", frozenset(["1930"]), order=">="),)),
        ([Condition("lang", frozenset(["en"]))], (Condition("lang", frozenset(["en"])),)),
    ],
)
def test_filters_become_conditions(filters: object, conditions: tuple[Condition, ...]):
    assert conditions_of(filters) == conditions  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ("lang=en", "give a mapping as"),
        (7, "give a mapping as"),
        ([7], "filter 7 cannot be read"),
        (["lang"], "condition 'lang' cannot be read"),
        ({"lang": None}, "None is neither a text, a number nor a truth value"),
        ({"lang": {"a": 1}}, "is neither a text, a number nor a truth value"),
    ],
)
def test_what_is_no_filter_is_refused(filters: object, words: str):
    with refused(UsageError, words):
        conditions_of(filters)  # pyright: ignore[reportArgumentType]


def test_operators_that_an_index_has_not_are_refused():
    assert condition_of("year", "<", 1930) == Condition("year", frozenset(["1930"]), order="<")
    assert condition_of("lang", "in", ["en"]) == Condition("lang", frozenset(["en"]))
    with refused(UsageError, "cannot compare by '!='"):
        condition_of("year", "!=", 1930)


def test_metadata_has_what_the_index_keeps_and_never_loses_a_field():
    told = metadata_of(passage(2, "T", year=1930, score="a field of the corpus"))
    assert told["year"] == 1930
    assert (told["title"], told["pid"], told["rank"], told["score"]) == ("T", "p2", 2, 0.5)
    assert told["field.score"] == "a field of the corpus"
    assert told["citation"] == "T"


def test_a_document_is_named_by_its_id_else_its_title_else_its_passage():
    assert document_of(passage(1, "T", id="d7")) == "d7"
    assert document_of(passage(1, "T")) == "T"
    assert document_of(passage(1, "")) == "p1"


def test_a_document_has_the_score_of_its_best_passage():
    found = [passage(1, "T"), passage(2, "U"), passage(3, "T")]
    assert list(scores_of(found).items()) == [("T", 1.0), ("U", 0.5)]


def test_examples_of_a_page_are_found_by_their_section():
    page = "# P\n\n## A\n\n```pycon\n>>> 1 + 1\n2\n```\n\n## B\n\n```{doctest}\n>>> 3\n3\n```\n"
    assert [one.source for one in examples_of("A", page)] == ["1 + 1\n"]
    assert [one.want for one in examples_of("B", page)] == ["3\n"]
