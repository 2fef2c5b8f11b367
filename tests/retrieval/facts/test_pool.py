"""Candidate facts: the pool that is compared, and the order of what comes of it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.entity_graph import PHRASE
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.pool import (
    CandidateFacts,
    closest_by_words,
    closest_facts,
    fact_pool,
)
from hippohover.retrieval.walk.claim import ClaimReader
from hippohover.store.tables import IndexArrays
from tests.retrieval.toy_samples import TOY_CLAIMS, WordEncoder, with_vectors

NO_ROWS = np.zeros(0, np.int64)


@pytest.fixture(scope="module")
def encoded(toy_engine: HippoHover) -> tuple[IndexArrays, WordEncoder]:
    tables, encoder = with_vectors(toy_engine.tables)
    return tables.arrays, encoder


def stated_by(arrays: IndexArrays, passages: set[int]) -> set[int]:
    return {
        int(fact)
        for p in passages
        for fact in arrays.passage_facts[slice(*arrays.fact_spans[p]), 0]
    }


def plain_order(arrays: IndexArrays, vector: NDArray[np.float32], pool: set[int]) -> list[int]:
    similarity = {
        fact: float(arrays.fact_vectors[fact].astype(np.float32) @ vector) for fact in pool
    }
    return sorted(pool, key=lambda fact: (-round(similarity[fact], 5), fact))


def candidate_facts(
    arrays: IndexArrays,
    vector: NDArray[np.float32],
    *,
    passages: NDArray[np.int64],
    entities: NDArray[np.int64],
    n: int,
) -> CandidateFacts:
    pool = fact_pool(arrays, passages=passages, entities=entities)
    return closest_facts(pool, arrays.fact_vectors[pool].astype(np.float32), vector, n)


def test_facts_of_near_passages_and_of_named_ones(encoded: tuple[IndexArrays, WordEncoder]):
    arrays, encoder = encoded
    read = ClaimReader(arrays)
    checked = 0
    for text in TOY_CLAIMS[::5]:
        claim = read(text)
        vector = encoder.encode([text])[0]
        near = arrays.n_passages - 1 - np.arange(10)
        owners = {
            int(passage)
            for entity in claim.entities.tolist()
            for passage in arrays.owner_passages[slice(*arrays.owner_spans[entity])]
        }
        pool = stated_by(arrays, owners | set(near.tolist()))
        found = candidate_facts(
            arrays, vector, passages=near, entities=claim.entities, n=len(pool) + 5
        )
        assert set(found.rows.tolist()) == pool
        assert bool(np.all(np.diff(found.similarities) <= 0))
        best = candidate_facts(arrays, vector, passages=near, entities=claim.entities, n=4)
        assert best.rows.tolist() == found.rows[:4].tolist()
        assert best.similarities == pytest.approx(
            arrays.fact_vectors[best.rows].astype(np.float32) @ vector, abs=1e-6
        )
        assert found.rows[:4].tolist() == plain_order(arrays, vector, pool)[:4]
        checked += len(pool) > 4
    assert checked


def test_equal_facts_come_as_passages_state_them(encoded: tuple[IndexArrays, WordEncoder]):
    arrays, encoder = encoded
    same = np.repeat(encoder.encode(["Mira Oldane"]), len(arrays.facts), axis=0)
    flat = replace(arrays, fact_vectors=same.astype(np.float16))
    found = candidate_facts(
        flat, same[0], passages=np.arange(arrays.n_passages), entities=NO_ROWS, n=7
    )
    assert found.rows.tolist() == list(dict.fromkeys(arrays.passage_facts[:, 0].tolist()))[:7]


def test_without_passages_there_are_none(encoded: tuple[IndexArrays, WordEncoder]):
    arrays, encoder = encoded
    vector = encoder.encode([TOY_CLAIMS[0]])[0]
    found = candidate_facts(arrays, vector, passages=NO_ROWS, entities=NO_ROWS, n=5)
    assert (len(found.rows), len(found.similarities)) == (0, 0)


def test_an_entity_that_no_passage_goes_by_adds_nothing(
    encoded: tuple[IndexArrays, WordEncoder],
):
    arrays, encoder = encoded
    vector = encoder.encode([TOY_CLAIMS[0]])[0]
    phrase_only = np.flatnonzero(arrays.entity_standing == PHRASE)[:1]
    found = candidate_facts(arrays, vector, passages=NO_ROWS, entities=phrase_only, n=5)
    assert len(found.rows) == 0


# --- by words --------------------------------------------------------------------------------

POOL = np.array([9, 4, 6, 2], np.int64)
TEXTS = [
    "Mira Oldane was born in Vellmouth",
    "Lantern Hill was directed by Mira Oldane",
    "Lantern Hill was shown in Isk",
    "Ort was a king",
]


def test_the_facts_that_share_rare_words_come_first():
    found = closest_by_words(POOL, TEXTS, "Who was it that directed LANTERN Hill?", 3)
    assert found.rows.tolist() == [4, 6, 2]  # "was" is in each, and says little
    assert found.similarities.dtype == np.float32
    assert 1 > found.similarities[0] > found.similarities[1] > found.similarities[2] > 0


def test_the_same_words_are_as_similar_as_can_be_and_others_not_at_all():
    same = closest_by_words(POOL, TEXTS, "directed by Mira Oldane: Lantern Hill was", 4)
    assert same.rows[0] == 4
    assert same.similarities[0] == pytest.approx(1.0)
    nothing = closest_by_words(POOL, TEXTS, "zzz", 4)
    assert nothing.rows.tolist() == POOL.tolist()  # ties by their order in the pool
    assert nothing.similarities.tolist() == [0.0] * 4
    assert len(closest_by_words(POOL[:0], [], "a claim", 4).rows) == 0
