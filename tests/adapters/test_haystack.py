# pyright: reportMissingTypeStubs=false
import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("haystack")

from haystack import Document, Pipeline
from haystack.components.retrievers.types import TextRetriever

from hippohover.adapters.haystack import HippoHoverRetriever, conditions_of_filters
from hippohover.errors import IndexStoreError, UsageError
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from tests.adapters.conftest import QUESTION
from tests.adapters.page_examples import run_section
from tests.index_samples import refused

MODULE = HippoHoverRetriever.__module__
LATE = {"field": "meta.year", "operator": ">", "value": 1932}
GERMAN = {"field": "meta.lang", "operator": "in", "value": ["de", "fr"]}


def ids(answer: dict[str, list[Document]]) -> list[str]:
    return [one.meta["id"] for one in answer["documents"]]


def test_documents_carry_id_words_score_and_kept_fields(films: Path):
    first = HippoHoverRetriever(films).run(QUESTION)["documents"][0]
    expected = HippoHover.open(films).retrieve(QUESTION).passages[0]
    assert (first.id, first.content, first.score) == (expected.pid, expected.text, expected.score)
    assert first.meta["year"] == expected.metadata["year"]
    assert first.meta["title"] == "Lantern Hill"


def test_it_is_a_text_retriever(films: Path):
    retriever: TextRetriever = HippoHoverRetriever(films)
    assert len(retriever.run(QUESTION, None, 2)["documents"]) == 2


def test_the_index_is_opened_when_it_is_warmed_up(films: Path, tmp_path: Path):
    HippoHoverRetriever(films).warm_up()
    missing = HippoHoverRetriever(tmp_path / "nowhere")
    with pytest.raises(IndexStoreError, match="nowhere"):
        missing.warm_up()


def test_filters_of_the_retriever_and_of_the_run_must_both_be_met(films: Path):
    retriever = HippoHoverRetriever(films, filters=LATE)
    assert sorted(ids(retriever.run(QUESTION))) == ["d4", "d5"]
    assert ids(retriever.run(QUESTION, filters={**GERMAN, "value": "de"})) == ["d4"]


def test_filters_are_read_as_haystack_writes_them():
    both = {"operator": "AND", "conditions": [LATE, {"operator": "AND", "conditions": [GERMAN]}]}
    assert conditions_of_filters(both) == [
        Condition("year", frozenset(["1932"]), order=">"),
        Condition("lang", frozenset(["de", "fr"])),
    ]
    one = {"field": "id", "operator": "==", "value": "ab"}
    assert conditions_of_filters(one) == [Condition("pid", frozenset(["ab"]))]
    of_document = {**one, "field": "meta.id"}
    assert conditions_of_filters(of_document) == [Condition("id", frozenset(["ab"]))]


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"operator": "OR", "conditions": [LATE, GERMAN]}, "joined by 'OR'"),
        ({"operator": "NOT", "conditions": [LATE]}, "joined by 'NOT'"),
        ({"field": "meta.year", "operator": "!=", "value": 1}, "cannot compare by '!='"),
        ({"meta.year": 1930}, "give field, operator, value"),
    ],
)
def test_filters_that_an_index_cannot_answer_are_refused(filters: dict[str, Any], words: str):
    with refused(UsageError, words):
        HippoHoverRetriever("index", filters=filters)


def test_awaited_answers_are_the_same(films: Path):
    retriever = HippoHoverRetriever(films)
    assert asyncio.run(retriever.run_async(QUESTION)) == retriever.run(QUESTION)


def test_a_pipeline_is_written_and_read_back(films: Path):
    pipeline = Pipeline()
    pipeline.add_component(
        "search", HippoHoverRetriever(films, filters=LATE, top_k=1, retriever="bm25")
    )
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=[MODULE])
    asked = {"search": {"query": QUESTION}}
    assert again.run(asked) == pipeline.run(asked)
    assert again.to_dict() == pipeline.to_dict()


def test_a_retriever_says_what_makes_it(films: Path):
    said = HippoHoverRetriever(films, top_k=3, scope="walk").to_dict()
    assert said["init_parameters"] == {
        "index": str(films),
        "filters": None,
        "top_k": 3,
        "retriever": "ppr",
        "scope": "walk",
    }
    assert HippoHoverRetriever.from_dict(said).to_dict() == said


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("Haystack") > 2
