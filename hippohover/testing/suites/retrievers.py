"""The tests that every retriever must pass."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import numpy as np
import pytest

from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.records import RankedPassage, Retrieval
from hippohover.testing.suites.elsewhere import digest_elsewhere

# Tests assert, and say by their names what they hold: no docstring, no other error.
# ruff: noqa: S101


class RetrieverSuite(ABC):
    """What evaluation, programs and adapters expect of a retriever.

    Attributes
    ----------
    retriever : str
        Name under which it is asked.
    claims : sequence of str
        At least two claims for which it finds something, not the same.
    """

    retriever: str = "ppr"
    claims: Sequence[str] = (
        "The head of the company that ran the Hexley Flyer was hard of hearing.",
        "Mira Oldane directed Lantern Hill.",
    )

    @abstractmethod
    def make(self) -> RetrievalEngine:
        """Make the retriever, ready to answer; called once a test."""

    def test_it_finds_something(self) -> None:
        engine = self.make()
        for claim in self.claims:
            for method, ask in (("retrieve", engine.retrieve), ("search", engine.search)):
                answer: object = ask(claim, 5, self.retriever)
                assert isinstance(answer, Retrieval), _of_another_kind(method, answer)
                assert answer.passages, f"{method}() finds nothing for {claim!r}: set `claims`"
                asked = (claim, self.retriever)
                assert (answer.claim, answer.retriever) == asked, (
                    f"the answer to {asked} names {(answer.claim, answer.retriever)}"
                )
                assert all(one.text for one in answer.passages), "a passage has no text"

    def test_claims_are_told_apart(self) -> None:
        engine = self.make()
        ranked = {_pids(self.retrieved(engine, 21, claim)) for claim in self.claims}
        assert len(ranked) > 1, "every claim has the same answer"

    def test_no_more_come_back_than_are_asked_for(self) -> None:
        engine = self.make()
        asked = {"retrieve": (self.retrieved, (1, 2, 21)), "search": (self.searched, (1, 2, 50))}
        for method, (ask, numbers) in asked.items():
            for k in numbers:
                n_found = len(ask(engine, k))
                assert n_found <= k, f"{method}(claim, {k}) returned {n_found} passages"

    def test_ranks_count_from_1_and_scores_never_rise(self) -> None:
        engine = self.make()
        answers = {"retrieve": self.retrieved(engine, 21), "search": self.searched(engine, 100)}
        for method, passages in answers.items():
            ranks = [one.rank for one in passages]
            assert ranks == list(range(1, len(ranks) + 1)), (
                f"ranks of {method}() are {ranks[:5]} ...: count from 1"
            )
            scores = [one.score for one in passages]
            assert np.isfinite(scores).all(), f"a score of {method}() is not a finite number"
            assert scores == sorted(scores, reverse=True), f"scores of {method}() rise"

    def test_a_passage_comes_back_once(self) -> None:
        pids = _pids(self.searched(self.make(), 100))
        assert len({*pids}) == len(pids), f"{len(pids)} passages have {len({*pids})} ids"

    def test_fewer_are_the_first_of_more(self) -> None:
        engine = self.make()
        asked = {"retrieve": (self.retrieved, 21), "search": (self.searched, 100)}
        for method, (ask, most) in asked.items():
            all_pids = _pids(ask(engine, most))
            for k in (1, 3, 10):
                assert _pids(ask(engine, k)) == all_pids[:k], (
                    f"{method}(claim, {k}) does not return the first {k} of {most}"
                )

    def test_another_process_answers_alike(self) -> None:
        assert digest_elsewhere(self) == self.digest(), (
            "answers depend on the process, as hash() and the order of a set do"
        )

    def digest(self) -> str:
        """Return a digest of the answers to the claims."""
        engine = self.make()
        answers = [self.retrieved(engine, 21, claim) for claim in self.claims]
        told = [[(one.pid, one.score) for one in passages] for passages in answers]
        return sha256(repr(told).encode()).hexdigest()

    def test_a_deeper_search_begins_as_the_answer_does(self) -> None:
        engine = self.make()
        answer = _pids(self.retrieved(engine, 21))
        assert _pids(self.searched(engine, 50))[: len(answer)] == answer, (
            "search(claim, 50) does not begin with what retrieve(claim, 21) returns"
        )

    def test_a_search_goes_deeper_than_an_answer(self) -> None:
        engine = self.make()
        full = [one for one in self.claims if len(self.retrieved(engine, 21, one)) == 21]
        if not full or len({*engine.titles()}) <= 21:
            pytest.skip("no answer is full, or the index is no larger than an answer")
        assert any(len(self.searched(engine, 100, claim)) > 21 for claim in full), (
            "search(claim, 100) never returns more than 21 passages"
        )

    def test_titles_are_those_of_the_index(self) -> None:
        engine = self.make()
        found = {one.title for one in self.searched(engine, 100)}
        strange = sorted(found - {*engine.titles()})
        assert not strange, f"titles() does not name {strange[0]!r}, which is found"

    def test_a_claim_asked_twice_is_answered_alike(self) -> None:
        engine = self.make()
        first = self.retrieved(engine, 21)
        self.retrieved(engine, 21, self.claims[1])
        assert self.retrieved(engine, 21) == first, "a claim asked twice has another answer"

    def test_threads_are_answered_as_one_is(self) -> None:
        engine = self.make()
        wanted = [self.retrieved(engine, 5, claim) for claim in self.claims]
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(self.retrieved, engine, 5, claim) for claim in [*self.claims] * 4]
        assert [job.result() for job in jobs] == wanted * 4, (
            "claims have other answers when four threads ask at once"
        )

    def test_what_is_no_claim_is_refused_and_not_answered_with_nothing(self) -> None:
        engine = self.make()
        for claim in ("", "   "):
            for method, ask in (("retrieve", engine.retrieve), ("search", engine.search)):
                try:
                    ask(claim, 5, self.retriever)
                except ValueError as error:
                    assert str(error).strip(), f"{method}({claim!r}) is refused without a word"
                else:
                    pytest.fail(f"{method}({claim!r}) is answered: raise ValueError")

    def retrieved(
        self, engine: RetrievalEngine, k: int, claim: str = ""
    ) -> tuple[RankedPassage, ...]:
        """Return the answer to a claim, the first if none is given."""
        return _passages("retrieve", engine.retrieve(claim or self.claims[0], k, self.retriever))

    def searched(
        self, engine: RetrievalEngine, depth: int, claim: str = ""
    ) -> tuple[RankedPassage, ...]:
        """Return what a search finds for a claim, the first if none is given."""
        return _passages("search", engine.search(claim or self.claims[0], depth, self.retriever))


def _passages(method: str, answer: object) -> tuple[RankedPassage, ...]:
    """Return passages of an answer; skip the test where ``test_it_finds_something`` fails."""
    if not isinstance(answer, Retrieval):
        pytest.skip(_of_another_kind(method, answer))
    return answer.passages


def _pids(passages: Sequence[RankedPassage]) -> tuple[str, ...]:
    return tuple(one.pid for one in passages)


def _of_another_kind(method: str, answer: object) -> str:
    return f"{method}() returned {type(answer).__name__!r}, not a hippohover.Retrieval"
