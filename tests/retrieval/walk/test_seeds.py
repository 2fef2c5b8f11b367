"""Reset distributions: who shares the mass, and how much of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippohover.entity_graph import KNOWN
from hippohover.recipe import QuerySettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.pool import CandidateFacts
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.retrieval.walk.seeds import NO_SEEDS, Seeds, entity_seeds, passage_seeds, rarity
from hippohover.store.tables import IndexArrays

N = 100
DF = np.array([1, 10, 100, 4], np.int32)
FACTS = np.array([[0, 0, 1], [1, 0, 3], [2, 0, 9], [3, 1, 3]], np.int32)
NO_FACTS = CandidateFacts(np.zeros(0, np.int64), np.zeros(0, np.float32))


@pytest.fixture(scope="module")
def arrays(toy_engine: HippoHover) -> IndexArrays:
    """A hundred passages and four linked entities; fact 2 holds an entity without edges."""
    heads = np.full((N, 3), -1, np.int32)
    return replace(
        toy_engine.tables.arrays,
        title_entities=heads,
        documents=np.arange(N, dtype=np.int32),
        entity_df=DF,
        entity_standing=np.full(len(DF), KNOWN, np.uint8),
        facts=FACTS,
    )


def claim_of(entities: list[int]) -> ReadClaim:
    none = np.zeros(0, np.int64)
    return ReadClaim("?", "?", none, np.zeros(0, np.float32), np.array(entities, np.int64), none)


def facts_of(similarities: dict[int, float]) -> CandidateFacts:
    return CandidateFacts(
        np.array(list(similarities), np.int64), np.array(list(similarities.values()), np.float32)
    )


def as_dict(seeds: Seeds) -> dict[int, float]:
    return dict(zip(seeds.nodes.tolist(), seeds.mass.tolist(), strict=True))


def settings_of(**values: float) -> QuerySettings:
    return QuerySettings.model_validate(values)


# --- passages --------------------------------------------------------------------------------


NO_HITS = np.zeros(0, np.int64), np.zeros(0)


def test_passages_share_by_the_power_of_their_scores():
    hits = np.array([8, 3]), np.array([2.0, 1.0])
    settings = settings_of(passage_power=3.0, passage_mass=0.5)
    found = passage_seeds(hits, NO_HITS, settings)
    assert as_dict(found) == pytest.approx({3: 1 / 9, 8: 8 / 9})
    assert found.weight == 0.5


def test_only_the_best_passages_are_seeds():
    hits = np.array([5, 4, 9]), np.array([3.0, 2.0, 1.0])
    found = passage_seeds(hits, NO_HITS, settings_of(n_seed_passages=2, passage_power=1.0))
    assert as_dict(found) == pytest.approx({4: 0.4, 5: 0.6})
    none = passage_seeds(hits, NO_HITS, settings_of(n_seed_passages=0))
    assert (len(none), none.weight) == (0, 0.0)


def test_hits_by_words_and_by_cosine_share_as_the_settings_say():
    """BM25's 1.5 go to 5 and 4 as 3 to 2, the cosine's 0.5 to 5 alone: -0.2 is no hit."""
    by_words = np.array([5, 4]), np.array([3.0, 2.0])
    dense = np.array([5, 7]), np.array([0.8, -0.2])
    settings = settings_of(passage_power=1.0, passage_mass=1.5, dense_mass=0.5)
    found = passage_seeds(by_words, dense, settings)
    assert as_dict(found) == pytest.approx({5: (0.9 + 0.5) / 2, 4: 0.6 / 2})
    assert found.weight == 2.0
    alone = passage_seeds(NO_HITS, dense, settings)
    assert (as_dict(alone), alone.weight) == ({5: 1.0}, 0.5)


# --- entities --------------------------------------------------------------------------------


def test_rarity_is_the_log_of_the_share_of_passages(arrays: IndexArrays):
    found = rarity(arrays, np.arange(4))
    expected = [math.log(100), math.log(10), 0.01, math.log(25)]
    assert found.tolist() == pytest.approx(expected)


def test_mentions_share_by_rarity(arrays: IndexArrays):
    found = entity_seeds(arrays, claim_of([0, 1]), NO_FACTS, settings_of(mention_mass=3.0))
    assert as_dict(found) == pytest.approx({N: 2 / 3, N + 1: 1 / 3})
    assert found.weight == 3.0


def test_facts_share_by_mean_similarity_times_rarity(arrays: IndexArrays):
    """Entity 1 is in both facts: the mean of 0.9 and 0.3; entity 9 has no node."""
    facts = facts_of({0: 0.9, 1: 0.3, 2: 0.5})
    found = entity_seeds(arrays, claim_of([]), facts, settings_of(fact_mass=0.5))
    weights = {0: 0.9 * math.log(100), 1: 0.6 * math.log(10), 2: 0.5 * 0.01, 3: 0.3 * math.log(25)}
    total = sum(weights.values())
    assert as_dict(found) == pytest.approx({N + e: w / total for e, w in weights.items()}, rel=1e-5)
    assert found.weight == 0.5


def test_mentions_and_facts_share_as_the_settings_say(arrays: IndexArrays):
    """All mention mass is on entity 0, all fact mass on entity 3: 3 to 1."""
    facts = facts_of({3: 0.7})
    settings = settings_of(mention_mass=3.0, fact_mass=1.0)
    found = entity_seeds(arrays, claim_of([0]), facts, settings)
    assert as_dict(found) == pytest.approx({N: 0.75, N + 3: 0.25})
    assert found.weight == 4.0


def test_what_is_not_there_weighs_nothing(arrays: IndexArrays):
    settings = settings_of(mention_mass=3.0, fact_mass=1.0)
    assert entity_seeds(arrays, claim_of([0]), NO_FACTS, settings).weight == 3.0
    assert entity_seeds(arrays, claim_of([0]), facts_of({3: -0.2}), settings).weight == 3.0
    assert entity_seeds(arrays, claim_of([]), facts_of({3: 0.2}), settings).weight == 1.0
    nothing = entity_seeds(arrays, claim_of([]), NO_FACTS, settings)
    assert (len(nothing), nothing.weight) == (len(NO_SEEDS), 0.0)


def test_facts_without_mass_seed_nothing(arrays: IndexArrays):
    found = entity_seeds(arrays, claim_of([]), facts_of({0: 0.9}), settings_of(fact_mass=0.0))
    assert (len(found), found.weight) == (0, 0.0)


@settings(deadline=None)
@given(
    st.sets(st.integers(0, 3)),
    st.dictionaries(st.integers(0, 3), st.floats(-1, 1, width=16)),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.sampled_from([0.0, 0.5, 3.0]),
)
def test_seeds_are_distinct_and_sum_to_1(
    arrays: IndexArrays,
    entities: set[int],
    similarities: dict[int, float],
    mention_mass: float,
    fact_mass: float,
):
    query = settings_of(mention_mass=mention_mass, fact_mass=fact_mass)
    found = entity_seeds(arrays, claim_of(sorted(entities)), facts_of(similarities), query)
    assert bool(np.all(np.diff(found.nodes) > 0))
    assert bool(np.all(found.mass > 0))
    assert bool(np.all((found.nodes >= N) & (found.nodes < N + len(DF))))
    assert found.mass.sum() == pytest.approx(1.0 if len(found) else 0.0)
    assert (found.weight > 0) == (len(found) > 0)
