"""Hops without a language model: which name is followed, and what each search gives."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.metrics import all_gold_found
from hippohover.programs.iterative_bm25 import IterativeBm25, best_name, by_quota
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path
from tests.programs.program_samples import ScriptedSearch, passages_of


def test_the_best_new_name_joins_the_claim():
    script = {
        "Rare": ["Rare", "Rarer"],
        "claim": ["Known", "Rare", "Common"],
    }
    engine = ScriptedSearch(script, {"Known": 5, "Rare": 2, "Common": 900, "Rarer": 1})
    run = IterativeBm25(engine)(claim="a claim of Known").run
    # "Rare" is in two texts of the first list ("Rare", "Rarer" of the second hold it too).
    assert run.queries[:2] == ["a claim of Known", "Rare a claim of Known"]
    assert run.queries[2] == "Rarer a claim of Known"
    assert [call[1:] for call in engine.calls] == [(100, "bm25")] * 3


def test_it_ends_when_no_new_name_is_found():
    engine = ScriptedSearch({"": ["A", "B"]}, {"A": 1})
    run = IterativeBm25(engine)(claim="of A").run
    assert run.queries == ["of A"]
    assert IterativeBm25(ScriptedSearch({}))(claim="nothing").passages == ()


def test_ties_go_by_the_alphabet_and_known_names_are_left_out():
    assert best_name({"b": 1.0, "a": 1.0, "c": 2.0}, {"c"}) == "a"
    assert best_name({"a": 1.0}, {"a"}) is None


def test_the_first_search_gives_nine_and_each_other_six():
    lists = [passages_of(*(f"{name}{i}" for i in range(30))) for name in "abc"]
    titles = [passage.title for passage in by_quota(lists, 21, n_later=6)]
    assert titles == [
        f"{n}{i}" for n, count in (("a", 9), ("b", 6), ("c", 6)) for i in range(count)
    ]


@given(
    st.lists(st.lists(st.integers(0, 40), unique=True, max_size=30), max_size=3), st.integers(1, 21)
)
def test_quotas_never_lose_a_passage_that_there_is_room_for(found: list[list[int]], k: int):
    lists = [passages_of(*map(str, one)) for one in found]
    chosen = by_quota(lists, k, n_later=6)
    distinct = {title for one in found for title in one}
    assert len({passage.pid for passage in chosen}) == len(chosen) == min(k, len(distinct))


@pytest.mark.slow
def test_hops_find_more_of_the_toy_claims_than_one_search(toy_engine: HippoHover):
    claims = load_claims(toy_claims_path())
    program = IterativeBm25(toy_engine, k=7, n_later=2)

    def share(titles: Sequence[list[str]]) -> float:
        return sum(all_gold_found(t, c.gold_titles, 7) for t, c in zip(titles, claims, strict=True))

    once = [[p.title for p in toy_engine.search(c.claim, 7, "bm25").passages] for c in claims]
    hops = [[p.title for p in program(claim=c.claim).passages] for c in claims]
    assert share(hops) > share(once)


@pytest.mark.parametrize("retriever", ["bm25", "ppr"])
def test_any_retriever_may_search(toy_engine: HippoHover, retriever: str):
    claim = load_claims(toy_claims_path())[0].claim
    prediction = IterativeBm25(toy_engine, retriever=retriever)(claim=claim)
    assert len(prediction.passages) == 21
    assert len(prediction.run.queries) == 3
    first = toy_engine.search(claim, 9, retriever).passages
    assert [one.pid for one in prediction.passages[:9]] == [one.pid for one in first]
    assert [one.rank for one in prediction.passages] == list(range(1, 22))
    assert [one.score for one in prediction.passages] == [1 / rank for rank in range(1, 22)]
