# pyright: reportMissingTypeStubs=false
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain_core")
pytest.importorskip("langchain_tests")

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests

from hippohover.adapters.langchain import HippoHoverRetriever
from hippohover.errors import IndexStoreError, UsageError
from hippohover.retrieval.engine import HippoHover
from tests.adapters.conftest import QUESTION
from tests.adapters.page_examples import run_page, run_section
from tests.index_samples import refused


class TestLangChainsOwn(RetrieversIntegrationTests):
    """What LangChain asks of any retriever."""

    index: Path

    @pytest.fixture(autouse=True)
    def _index(self, films: Path) -> None:
        type(self).index = films

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return HippoHoverRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": str(self.index)}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


def test_a_document_carries_id_words_score_and_kept_fields(films: Path):
    first = HippoHoverRetriever(index=films).invoke(QUESTION)[0]
    expected = HippoHover.open(films).retrieve(QUESTION).passages[0]
    assert (first.id, first.page_content) == (expected.pid, expected.text)
    assert first.metadata["score"] == expected.score
    assert first.metadata["rank"] == 1
    assert first.metadata["year"] == expected.metadata["year"]
    assert first.metadata["citation"] == expected.citation


def test_conditions_are_met_in_every_call_and_by_one_call(films: Path):
    retriever = HippoHoverRetriever(index=films, where={"lang": ["en", "de"]}, k=5)
    assert {one.metadata["lang"] for one in retriever.invoke(QUESTION)} == {"en", "de"}
    found = retriever.invoke(QUESTION, where=["year>1932"])
    assert [one.metadata["id"] for one in found] == ["d4"]


def test_a_changed_field_counts_in_the_next_call(films: Path):
    retriever = HippoHoverRetriever(index=films, k=5)
    retriever.where = {"lang": ["en", "de"]}
    assert {one.metadata["lang"] for one in retriever.invoke(QUESTION)} == {"en", "de"}
    retriever.where["lang"] = ["de"]
    assert {one.metadata["lang"] for one in retriever.invoke(QUESTION)} == {"de"}
    copy = retriever.model_copy(update={"where": None, "retriever": "bm25"})
    expected = HippoHover.open(films).retrieve(QUESTION, 5, "bm25").passages
    assert [one.id for one in copy.invoke(QUESTION)] == [one.pid for one in expected]
    copy.index = films / "nowhere"
    with pytest.raises(IndexStoreError):
        copy.invoke(QUESTION)


@pytest.mark.parametrize("retriever", ["ppr", "bm25"])
async def test_awaited_answers_are_the_same(films: Path, retriever: str):
    asked = HippoHoverRetriever(index=films, retriever=retriever)
    assert await asked.ainvoke(QUESTION, k=2) == asked.invoke(QUESTION, k=2)
    assert await asked.abatch([QUESTION] * 3) == [asked.invoke(QUESTION)] * 3


def test_it_stands_in_a_chain(films: Path):
    def titles(documents: list[Document]) -> list[str]:
        return [one.metadata["title"] for one in documents]

    chain = HippoHoverRetriever(index=films, k=2) | RunnableLambda(titles)
    assert len(chain.invoke(QUESTION)) == 2


def test_an_open_engine_is_shared(films: Path):
    engine = HippoHover.open(films)
    assert HippoHoverRetriever(index=engine).invoke(QUESTION)
    engine.close()


def test_errors_come_through_as_they_are(films: Path, tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nowhere"):
        HippoHoverRetriever(index=tmp_path / "nowhere")
    with refused(UsageError, "depth"):
        HippoHoverRetriever(index=films).invoke(QUESTION, k=0)


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("LangChain") > 2


def test_the_page_to_start_from_is_true(toy_folder: Path):
    assert run_page("langchain") > 4
