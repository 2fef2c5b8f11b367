from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

import hippohover
from hippohover.adapters.dspy import dspy_retriever, search_tool
from hippohover.errors import IndexStoreError, UsageError
from hippohover.records import Retrieval, Trace
from hippohover.retrieval.engine import HippoHover
from tests.adapters.conftest import QUESTION
from tests.adapters.page_examples import run_section


def test_the_tool_gives_passages_with_their_titles(films: Path):
    found = search_tool(films, k=2)(query=QUESTION)
    expected = HippoHover.open(films).retrieve(QUESTION, 2).passages
    assert found == [f"{one.title} | {one.text}" for one in expected]


def test_a_model_is_told_what_the_tool_is_for():
    tool = search_tool.__doc__ or ""
    assert "dspy.ReAct" in tool


def test_the_tool_has_one_argument_a_text(films: Path):
    tool = search_tool(films)
    assert tool.name == "search"
    assert tool.args == {
        "query": {"type": "string", "description": "A claim or a question, in whole words"}
    }


def test_an_agent_searches_and_reads_what_is_found(films: Path):
    answers = [
        {
            "next_thought": "look",
            "next_tool_name": "search",
            "next_tool_args": '{"query": "Lantern Hill"}',
        },
        {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": "{}"},
        {"reasoning": "found", "answer": "Vellmouth"},
    ]
    signature: Any = "question -> answer"
    agent = dspy.ReAct(signature, tools=[search_tool(films, k=1)], max_iters=3)
    with dspy.context(lm=DummyLM(answers)):
        done = agent(question=QUESTION)
    assert done.answer == "Vellmouth"
    assert "Lantern Hill is a film of 1930" in str(done.trajectory)


def test_conditions_are_met(films: Path):
    found = search_tool(films, where={"lang": "fr"})(query=QUESTION)
    assert [one.partition(" | ")[0] for one in found] == ["Salt Mill"]


def test_errors_come_at_once(films: Path, tmp_path: Path):
    with pytest.raises(IndexStoreError, match="nowhere"):
        search_tool(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="give one of ppr"):
        search_tool(films, retriever="magic")


def test_the_example_of_the_page_is_true(toy_folder: Path):
    assert run_section("DSPy") > 3


class Hops(dspy.Module):
    """Written for ``dspy.ColBERTv2``: it searches twice, as LangProBe's programs do."""

    def __init__(self) -> None:
        super().__init__()
        self.retrieve = dspy.Retrieve(k=7)

    def forward(self, claim: str) -> dspy.Prediction:
        retrieve: Any = self.retrieve
        first: list[str] = retrieve(claim).passages
        second: list[str] = retrieve(first[0]).passages
        return dspy.Prediction(retrieved_docs=first + second)


def test_a_program_written_for_colbert_runs_unchanged(films: Path):
    engine = HippoHover.open(films)
    with dspy.context(rm=hippohover.dspy_retriever(engine)):
        found: list[str] = Hops()(claim=QUESTION).retrieved_docs
    expected = [one.title for one in engine.search(QUESTION, 7).passages]
    assert [one.partition(" | ")[0] for one in found[: len(expected)]] == expected


def test_answers_are_as_colberts(films: Path):
    rm = dspy_retriever(films, "bm25", k=2)
    passages: Any = rm("a film")
    assert [one.rank for one in passages] == [1, 2]
    assert passages[0].long_text == passages[0]["text"] == rm("a film", simplify=True)[0]
    assert {one.long_text.partition(" | ")[0] for one in passages} == {"Lantern Hill", "Salt Mill"}
    assert {one.metadata["year"] for one in passages} == {1930, 1940}
    assert len(rm("a film", k=1)) == 1
    assert rm(" ") == rm("", simplify=True) == []  # what a model may ask


def test_a_retriever_that_is_none_is_named(films: Path):
    with pytest.raises(UsageError, match="retriever is 'colbert'"):
        dspy_retriever(films, "colbert")


LONG = f"{QUESTION} {'harbour ' * 2000}"


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        (QUESTION, QUESTION),
        ("Lantern Hill \ud83d", "Lantern Hill"),
        ("a" * 10_000, "a" * 10_000),
        (f"{'a' * 9_999} bcd", "a" * 9_999),
        (f"{'a' * 9_996} bcd efg", f"{'a' * 9_996} bcd"),
        (f"{'a' * 9_994} bcd efg", f"{'a' * 9_994} bcd"),
        (f" {'a' * 9_996} \n bcd", "a" * 9_996),
        ("a" * 10_001, "a" * 10_000),
    ],
)
def test_a_query_is_cut_to_whole_words(
    films: Path, monkeypatch: pytest.MonkeyPatch, query: str, searched: str
):
    engine, asked = HippoHover.open(films), list[str]()

    def search(query: str, *_: object, **__: object) -> Retrieval:
        asked.append(query)
        return Retrieval(query, "ppr", (), Trace(route="no-filter"))

    monkeypatch.setattr(engine, "search", search)
    assert dspy_retriever(engine)(query) == []
    assert asked == [searched]


def test_a_program_may_ask_at_any_length(films: Path):
    with dspy.context(rm=dspy_retriever(films, "bm25")):
        found: Any = dspy.Retrieve(k=2)(LONG)
    assert len(LONG) > 10_000
    assert found.passages[0].startswith("Lantern Hill | ")
