"""The plain program: what it asks of the engine and what it hands to HoVer's metric."""

import asyncio
import pickle
import threading
from collections.abc import Sequence
from pathlib import Path

import dspy
import pytest

from hippohover.errors import UsageError
from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.evaluation.hover import discrete_retrieval_eval
from hippohover.programs import PPR
from hippohover.records import PassageId, RankedPassage, Retrieval, Seed, Trace
from hippohover.retrieval.engine import HippoHover

TITLES = ["Harbour Mural", "Ilse Brandt", "Skell Island", "Skell | Island | Ferry"]
CLAIM = "The painter of the harbour mural was born on an island."


class SmallEngine:
    """Ranks its titles as they stand, with a trace; no retriever but two."""

    def __init__(self, titles: Sequence[str] = TITLES) -> None:
        self.held = titles
        self.calls: list[tuple[str, int, str]] = []

    def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        self.calls.append((claim, k, retriever))
        if retriever not in ("ppr", "bm25"):
            raise UsageError(f"unknown retriever {retriever!r}: use ppr or bm25")
        passages = tuple(
            RankedPassage(rank, PassageId(f"p{rank}"), title, f"About {title}.", 1 / rank)
            for rank, title in enumerate(self.held[:k], start=1)
        )
        trace = Trace(
            route="no-filter", seeds=(Seed("mention", "skell island", 1.0),), n_candidates=9
        )
        return Retrieval(claim, retriever, passages, trace)

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        return self.retrieve(query, depth, retriever)

    def titles(self) -> Sequence[str]:
        return self.held


def gold(*titles: str) -> dspy.Example:
    facts = [[title, 0] for title in titles]
    return dspy.Example(claim=CLAIM, supporting_facts=facts, label="").with_inputs("claim")


def test_the_fake_is_an_engine():
    engine: RetrievalEngine = SmallEngine()
    assert engine.search(CLAIM).passages == engine.retrieve(CLAIM).passages


def test_it_asks_once_and_hands_on_what_came_best_first():
    engine = SmallEngine()
    prediction = PPR(engine)(claim=CLAIM)
    assert isinstance(prediction, dspy.Prediction)
    assert prediction.retrieved_docs[:2] == [
        "Harbour Mural | About Harbour Mural.",
        "Ilse Brandt | About Ilse Brandt.",
    ]
    assert len(prediction.retrieved_docs) == 4
    assert prediction.trace.seeds == (Seed("mention", "skell island", 1.0),)
    assert (prediction.trace.route, prediction.trace.n_candidates) == ("no-filter", 9)
    assert len(PPR(engine, k=2, retriever="bm25")(claim=CLAIM).retrieved_docs) == 2
    assert engine.calls == [(CLAIM, 21, "ppr"), (CLAIM, 2, "bm25")]
    assert PPR(SmallEngine([]))(claim=CLAIM).retrieved_docs == []
    with pytest.raises(UsageError, match="unknown retriever 'dense'"):
        PPR(engine, retriever="dense")(claim=CLAIM)


def test_dspy_evaluates_it_by_the_benchmarks_metric():
    golds = ["ilse brandt", "Nowhere", "The Harbour Mural", "Skell | Island | Ferry", "Skell"]
    evaluate = dspy.Evaluate(
        devset=[gold(title) for title in golds], metric=discrete_retrieval_eval, num_threads=1
    )
    assert evaluate(PPR(SmallEngine())).score == 60.0


def test_it_has_no_predictor_and_needs_no_language_model():
    program = PPR(SmallEngine())
    assert program.predictors() == []
    assert program.dump_state() == {}


def test_awaiting_it_holds_up_nobody(caplog: pytest.LogCaptureFixture):
    """Two claims are under way at once: each is answered when both have been asked."""
    both = threading.Barrier(2, timeout=60)

    class Waiting(SmallEngine):
        def retrieve(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
            both.wait()
            return super().retrieve(claim, k, retriever)

    async def two() -> list[dspy.Prediction]:
        program = PPR(Waiting())
        return list(await asyncio.gather(*[program.acall(claim=CLAIM) for _ in range(2)]))

    answers = asyncio.run(two())
    own = PPR(SmallEngine())(claim=CLAIM).retrieved_docs
    assert [answer.retrieved_docs for answer in answers] == [own, own]
    assert caplog.messages == []  # DSPy warns of a forward that is called directly


def test_it_is_pickled_and_saved_whole_with_its_engine(toy_engine: HippoHover, tmp_path: Path):
    program = PPR(toy_engine, k=3, retriever="bm25")
    claim = "The director of Lantern Hill was born in Vellmouth."
    asked = program(claim=claim).retrieved_docs
    there: PPR = pickle.loads(pickle.dumps(program))  # noqa: S301 - what a pool does
    assert (there.k, there.retriever) == (3, "bm25")
    assert there(claim=claim).retrieved_docs == asked
    program.save(str(tmp_path / "whole"), save_program=True)
    loaded = dspy.load(str(tmp_path / "whole"), allow_pickle=True)
    assert loaded(claim=claim).retrieved_docs == asked
