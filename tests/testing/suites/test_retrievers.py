"""The suite passes retrievers that are sound, and fails each that is not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.records import PassageId, RankedPassage, Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.testing.suites import RetrieverSuite


class TestTheWalk(RetrieverSuite):
    engine: HippoHover

    @pytest.fixture(autouse=True)
    def _engine(self, toy_engine: HippoHover) -> None:
        type(self).engine = toy_engine

    def make(self) -> RetrievalEngine:
        return self.engine


SOUND = [
    name
    for name in dir(RetrieverSuite)
    if name.startswith("test_") and name != "test_another_process_answers_alike"
]


@pytest.fixture(scope="module")
def encoded(encoded_toy_index: Path) -> Iterator[HippoHover]:
    with HippoHover.open(encoded_toy_index) as engine:
        yield engine


@pytest.mark.parametrize("test", SOUND)
@pytest.mark.parametrize("name", RETRIEVERS)
def test_every_retriever_is_sound(encoded: HippoHover, name: str, test: str):
    class Suite(RetrieverSuite):
        retriever = name

        def make(self) -> RetrievalEngine:
            return encoded

    getattr(Suite(), test)()


Passages = tuple[RankedPassage, ...]
Change = Callable[[Passages, int, int], Passages]
"""Passages, how many were asked for, and number of the answer -> other passages."""


def each(**changes: Callable[[RankedPassage], object]) -> Change:
    """Change fields of every passage."""
    return lambda passages, k, n: tuple(
        replace(one, **{name: change(one) for name, change in changes.items()}) for one in passages
    )


def twice_as_many(passages: Passages, _k: int, _n: int) -> Passages:
    more = [replace(one, pid=PassageId(f"{one.pid}-"), rank=0) for one in passages]
    return tuple(replace(one, rank=rank) for rank, one in enumerate((*passages, *more), 1))


CHANGES: dict[str, Change] = {
    "none": lambda passages, k, n: passages,
    "nothing": lambda passages, k, n: (),
    "one more": lambda passages, k, n: (*passages, passages[-1]),
    "upside down": lambda passages, k, n: passages[::-1],
    "by k": lambda passages, k, n: passages[k % 2 :],
    "by turn": lambda passages, k, n: passages[n // 2 :],
    "no more than 21": lambda passages, k, n: passages[:21],
    "twice as many": twice_as_many,
    "renamed": each(title=lambda one: f"{one.title}?"),
    "textless": each(text=lambda one: ""),
    "always one": each(pid=lambda one: PassageId(str(one.rank))),
    "all first": each(rank=lambda one: 1),
}


class Spoilt:
    """An engine whose answers are changed on their way."""

    def __init__(self, engine: HippoHover, change: str) -> None:
        self._engine = engine
        self._change = CHANGES[change]
        self.n = 0

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        if not claim.strip():
            return Retrieval(claim, retriever, ())
        return self._changed(self._engine.retrieve(claim, k, retriever), k)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        if not query.strip():
            return Retrieval(query, retriever, ())
        return self._changed(self._engine.search(query, depth, retriever), depth)

    def titles(self) -> Sequence[str]:
        return self._engine.titles()

    def _changed(self, answer: Retrieval, k: int) -> Retrieval:
        self.n += 1
        return replace(answer, passages=self._change(answer.passages, k, self.n))


@pytest.mark.parametrize(
    ("change", "test"),
    [
        ("nothing", "test_it_finds_something"),
        ("one more", "test_no_more_come_back_than_are_asked_for"),
        ("one more", "test_a_passage_comes_back_once"),
        ("upside down", "test_ranks_count_from_1_and_scores_never_rise"),
        ("by k", "test_fewer_are_the_first_of_more"),
        ("by k", "test_a_deeper_search_begins_as_the_answer_does"),
        ("renamed", "test_titles_are_those_of_the_index"),
        ("by turn", "test_a_claim_asked_twice_is_answered_alike"),
        ("by turn", "test_threads_are_answered_as_one_is"),
        ("textless", "test_it_finds_something"),
        ("always one", "test_claims_are_told_apart"),
    ],
)
def test_a_retriever_that_is_not_sound_fails(toy_engine: HippoHover, change: str, test: str):
    class Suite(RetrieverSuite):
        def make(self) -> RetrievalEngine:
            return Spoilt(toy_engine, change)

    with pytest.raises(AssertionError):
        getattr(Suite(), test)()


@pytest.mark.parametrize("method", ["retrieve", "search"])
def test_a_retriever_that_answers_nothing_to_nothing_fails(
    toy_engine: HippoHover, monkeypatch: pytest.MonkeyPatch, method: str
):
    class Suite(RetrieverSuite):
        def make(self) -> RetrievalEngine:
            return toy_engine

    spoilt = Spoilt(toy_engine, "none")
    monkeypatch.setattr(toy_engine, method, getattr(spoilt, method))
    with pytest.raises(pytest.fail.Exception, match=rf"^{method}\(''\) is answered: raise Val"):
        Suite().test_what_is_no_claim_is_refused_and_not_answered_with_nothing()


class SpoiltSearch(Spoilt):
    """An engine of which only the search is changed."""

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        return self._engine.retrieve(claim, k, retriever)


@pytest.mark.parametrize(
    ("change", "test", "words"),
    [
        (
            "twice as many",
            "test_no_more_come_back_than_are_asked_for",
            r"search\(claim, 1\) returned 2 passages",
        ),
        ("no more than 21", "test_a_search_goes_deeper_than_an_answer", "never returns more than"),
        ("all first", "test_ranks_count_from_1_and_scores_never_rise", r"ranks of search.* 1, 1"),
        ("upside down", "test_fewer_are_the_first_of_more", r"search\(claim, 1\) does not return"),
        ("renamed", "test_titles_are_those_of_the_index", r"does not name '.*\?', which"),
    ],
)
def test_a_search_that_is_not_sound_fails(
    toy_engine: HippoHover, change: str, test: str, words: str
):
    class Suite(RetrieverSuite):
        def make(self) -> RetrievalEngine:
            return SpoiltSearch(toy_engine, change)

    with pytest.raises(AssertionError, match=words):
        getattr(Suite(), test)()


class OnlyAList(Spoilt):
    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Any:  # noqa: ANN401
        return list(super().search(query, depth, retriever).passages)


def test_an_answer_of_another_kind_fails_one_test(toy_engine: HippoHover):
    class Suite(RetrieverSuite):
        def make(self) -> RetrievalEngine:
            return OnlyAList(toy_engine, "none")

    with pytest.raises(AssertionError, match=r"^search\(\) returned 'list', not a hippohover\.Ret"):
        Suite().test_it_finds_something()
    with pytest.raises(pytest.skip.Exception, match="returned 'list'"):
        Suite().test_a_passage_comes_back_once()


class TiedByHash:
    """A retriever that orders passages of one score by hash."""

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        titles = sorted((f"Weir {at}" for at in range(20)), key=hash)[
            :k
        ]  # of four, one in 24 agrees
        passages = [
            RankedPassage(pid=PassageId(title), title=title, text=title, score=1.0, rank=rank)
            for rank, title in enumerate(titles, 1)
        ]
        return Retrieval(claim, retriever, tuple(passages))

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        return self.retrieve(query, depth, retriever)

    def titles(self) -> Sequence[str]:
        return []


class OfTies(RetrieverSuite):
    def make(self) -> RetrievalEngine:
        return TiedByHash()


def test_an_order_by_hash_fails():
    with pytest.raises(AssertionError, match="answers depend on the process"):
        OfTies().test_another_process_answers_alike()
