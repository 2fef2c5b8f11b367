"""Walk first: when a model is asked, and what its queries add."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.programs.ppr_hops import CERTAIN_SCORE, PprHops, joined
from hippohover.records import RankedPassage, Retrieval
from tests.programs.program_samples import ScriptedSearch, model_of, passages_of

WALK = [f"W{i}" for i in range(30)]
SCRIPT = {"bridge": ["W0", *(f"B{i}" for i in range(9))], "other": ["O0"], "": WALK}


class Scored(ScriptedSearch):
    """Gives the second passage a score."""

    def __init__(self, second: float) -> None:
        super().__init__(SCRIPT)
        self.second = second

    def search(self, query: str, depth: int = 100, retriever: str = "ppr") -> Retrieval:
        found = super().search(query, depth, retriever)
        passages = list(found.passages)
        if len(passages) > 1:
            passages[1] = replace(passages[1], score=self.second)
        return replace(found, passages=tuple(passages))


def titles_of(passages: tuple[RankedPassage, ...]) -> list[str]:
    return [passage.title for passage in passages]


def test_a_walk_that_is_certain_asks_nothing():
    engine = Scored(CERTAIN_SCORE)
    prediction = PprHops(engine, model_of({"queries": '["bridge"]'}))(claim="a claim")
    assert engine.calls == [("a claim", 100, "ppr")]
    assert titles_of(prediction.passages) == WALK[:21]
    assert prediction.run.usage.n_calls == 0


def test_an_uncertain_walk_asks_once_and_searches_twice_more():
    engine = Scored(CERTAIN_SCORE - 0.01)
    model = model_of({"queries": '["bridge", "other", "third"]'})
    prediction = PprHops(engine, model)(claim="a claim")
    assert [call[0] for call in engine.calls] == ["a claim", "bridge", "other"]
    assert titles_of(prediction.passages) == [
        *WALK[:11], *(f"B{i}" for i in range(5)), "O0", *WALK[11:15]
    ]  # fmt: skip
    assert model.ledger.by_stage()["ppr+hops"].n_calls == 1


def test_the_threshold_belongs_to_the_scores_of_the_walk():
    with pytest.raises(
        UsageError, match=r"not made for the scores of 'bm25': leave --search-with out"
    ):
        PprHops(Scored(9.0), model_of(), retriever="bm25")(claim="a claim")
    engine = Scored(9.0)
    PprHops(engine, model_of(), retriever="bm25", certain_score=5.0)(claim="a claim")
    assert engine.calls == [("a claim", 100, "bm25")]


def test_a_threshold_of_ones_own():
    engine = Scored(0.5)
    PprHops(engine, model_of({"queries": "[]"}), certain_score=0.4)(claim="a claim")
    assert len(engine.calls) == 1


@pytest.mark.parametrize("queries", ["[]", "prose", '["a claim"]'])
def test_without_a_new_query_the_walk_stands(queries: str):
    engine = Scored(0.0)
    prediction = PprHops(engine, model_of({"queries": queries}))(claim="a claim")
    assert titles_of(prediction.passages) == WALK[:21]
    assert len(engine.calls) == 1
    assert prediction.run.fallbacks == (queries == "prose")


def test_it_needs_a_model():
    with pytest.raises(UsageError, match=r"ppr\+hops asks a language model"):
        PprHops(Scored(0.0))(claim="a claim")


NAMES = st.lists(st.integers(0, 40), unique=True, max_size=30)


@given(st.lists(NAMES, min_size=1, max_size=3), st.integers(1, 21))
def test_joining_keeps_the_best_of_the_walk(found: list[list[int]], k: int):
    lists = [passages_of(*map(str, one)) for one in found]
    titles = titles_of(tuple(joined(lists, k)))
    assert len(set(titles)) == len(titles) <= k
    kept = max(k - 5 * (len(lists) - 1), 0)
    assert titles[: min(kept, len(lists[0]))] == titles_of(lists[0])[:kept]
    assert len(titles) >= min(k, len(lists[0]))
