# pyright: reportMissingTypeStubs=false
import asyncio
from pathlib import Path

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)

from hippohover.adapters.llamaindex import HippoHoverRetriever, conditions_of_filters
from hippohover.errors import IndexStoreError, UsageError
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.where import Condition
from tests.adapters.conftest import QUESTION
from tests.adapters.page_examples import run_section
from tests.index_samples import refused

LATE = MetadataFilter(key="year", value=1932, operator=FilterOperator.GT)
GERMAN = MetadataFilter(key="lang", value=["de", "fr"], operator=FilterOperator.IN)


def ids(nodes: list[NodeWithScore]) -> list[str]:
    return [str(node.metadata["id"]) for node in nodes]


def test_nodes_carry_id_words_score_and_kept_fields(films: Path):
    first = HippoHoverRetriever(films).retrieve(QUESTION)[0]
    expected = HippoHover.open(films).retrieve(QUESTION).passages[0]
    assert isinstance(first, NodeWithScore)
    assert (first.node_id, first.text, first.score) == (
        expected.pid,
        expected.text,
        expected.score,
    )
    assert first.metadata["year"] == expected.metadata["year"]


def test_a_model_reads_the_title_and_no_score(films: Path):
    shown = HippoHoverRetriever(films).retrieve(QUESTION)[0].node.get_content(MetadataMode.LLM)
    assert "title: Lantern Hill" in shown
    assert "score:" not in shown


def test_as_many_nodes_come_back_as_are_asked_for(films: Path):
    assert len(HippoHoverRetriever(films, similarity_top_k=2).retrieve(QUESTION)) == 2


def test_a_bundle_is_asked_by_its_query(films: Path):
    retriever = HippoHoverRetriever(films, retriever="bm25")
    assert ids(retriever.retrieve(QueryBundle(QUESTION))) == ids(retriever.retrieve(QUESTION))


def test_awaited_answers_are_the_same(films: Path):
    retriever = HippoHoverRetriever(films)
    assert ids(asyncio.run(retriever.aretrieve(QUESTION))) == ids(retriever.retrieve(QUESTION))


def test_filters_of_llamaindex_are_met(films: Path):
    filters = MetadataFilters(filters=[LATE, MetadataFilters(filters=[GERMAN])])
    assert sorted(ids(HippoHoverRetriever(films, filters=filters).retrieve(QUESTION))) == [
        "d4",
        "d5",
    ]
    assert conditions_of_filters(filters) == [
        Condition("year", frozenset(["1932"]), order=">"),
        Condition("lang", frozenset(["de", "fr"])),
    ]


def test_plain_filters_are_met_too(films: Path):
    assert ids(HippoHoverRetriever(films, filters={"year": 1933}).retrieve(QUESTION)) == ["d4"]


def test_filters_that_an_index_cannot_answer_are_refused(films: Path):
    either = MetadataFilters(filters=[LATE, GERMAN], condition=FilterCondition.OR)
    with refused(UsageError, "joined by 'or'"):
        HippoHoverRetriever(films, filters=either)
    with refused(UsageError, "filters use 'not'"):
        conditions_of_filters(MetadataFilters(filters=[LATE], condition=FilterCondition.NOT))
    unlike = MetadataFilter(key="year", value=1932, operator=FilterOperator.NE)
    with refused(UsageError, "cannot compare by '!='"):
        conditions_of_filters(MetadataFilters(filters=[unlike]))


def test_one_filter_is_joined_by_anything(films: Path):
    one = MetadataFilters(filters=[LATE], condition=FilterCondition.OR)
    assert len(conditions_of_filters(one)) == 1


def test_no_index_is_an_error_of_the_store(tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nowhere"):
        HippoHoverRetriever(tmp_path / "nowhere")


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("LlamaIndex") > 2
