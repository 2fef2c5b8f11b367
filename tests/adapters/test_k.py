"""Whoever asks for k passages gets k, also of an index that holds one long document."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hippohover.adapters.asking import AskedIndex
from hippohover.adapters.building import found_by
from hippohover.adapters.dspy import dspy_retriever, search_tool
from hippohover.indexing.build import build
from hippohover.programs.ppr import PPR
from hippohover.retrieval.engine import HippoHover
from tests.adapters.page_examples import recipe_of
from tests.retrieval.one_book import handbook, split

K = 5
SECTIONS, QUESTIONS = handbook(90)
QUESTION = QUESTIONS[0].text


def by_langchain(index: Path) -> list[str]:
    pytest.importorskip("langchain_core")
    from hippohover.adapters.langchain import HippoHoverRetriever

    return [one.page_content for one in HippoHoverRetriever(index=index, k=K).invoke(QUESTION)]


def by_haystack(index: Path) -> list[str]:
    pytest.importorskip("haystack")
    from hippohover.adapters.haystack import HippoHoverRetriever

    found: list[Any] = HippoHoverRetriever(index, top_k=K).run(QUESTION)["documents"]
    return [str(one.content) for one in found]


def by_llamaindex(index: Path) -> list[str]:
    pytest.importorskip("llama_index.core")
    from hippohover.adapters.llamaindex import HippoHoverRetriever

    found = HippoHoverRetriever(index, similarity_top_k=K).retrieve(QUESTION)
    return [one.text for one in found]


def by_dspy(index: Path) -> list[str]:
    return [str(one) for one in dspy_retriever(index)(QUESTION, K, simplify=True)]


def by_tool(index: Path) -> list[str]:
    return search_tool(index, k=K)(query=QUESTION)


def by_program(index: Path) -> list[str]:
    return PPR(HippoHover.open(index), k=K)(claim=QUESTION).retrieved_docs


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    corpus = split(SECTIONS, 1, folder / "corpus")
    return build(recipe_of({"name": "book"}), corpus=corpus, out=folder / "index", workers=1)


@pytest.mark.parametrize(
    "ask", [by_langchain, by_haystack, by_llamaindex, by_dspy, by_tool, by_program]
)
def test_one_long_document_fills_k_places(ask: Callable[[Path], list[str]], book: Path):
    found = ask(book)
    assert len(found) == len({*found}) == K
    shown = " ".join(found)
    assert QUESTIONS[0].first in shown


def test_each_place_has_its_own_passage_and_rank(book: Path):
    found = AskedIndex(book).search(QUESTION, 2 * K)
    assert [one.rank for one in found] == list(range(1, 2 * K + 1))
    assert len({one.pid for one in found}) == 2 * K
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)


def test_a_run_of_documents_holds_each_once(book: Path):
    assert list(found_by(AskedIndex(book), [("q", QUESTION)], K)["q"]) == ["book-0"]
