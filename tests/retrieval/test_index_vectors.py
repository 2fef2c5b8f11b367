"""Vectors of one index: stored or encoded when they are needed, the same numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.store.tables import IndexTables
from tests.retrieval.toy_samples import TOY_CLAIMS, WordEncoder, use_encoder, with_vectors


@pytest.fixture
def tables(toy_engine: HippoHover, monkeypatch: pytest.MonkeyPatch) -> IndexTables:
    tables, encoder = with_vectors(toy_engine.tables)
    use_encoder(monkeypatch, encoder)
    return tables


def without_fact_vectors(tables: IndexTables) -> IndexTables:
    return replace(
        tables, arrays=replace(tables.arrays, fact_vectors=tables.arrays.fact_vectors[:0])
    )


def test_facts_have_the_same_vectors_stored_or_encoded(tables: IndexTables):
    stored = IndexVectors(tables, Path("none"))
    bare = IndexVectors(without_fact_vectors(tables), Path("none"))
    rows = np.array([4, 0, 4, len(tables.arrays.facts) - 1])
    assert stored.of_facts(rows).tobytes() == bare.of_facts(rows).tobytes()
    assert bare.of_facts(rows).shape == (4, WordEncoder.dim)
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))

    n = len(tables.arrays.facts)
    assert stored.of_all_facts(note) is tables.arrays.fact_vectors
    assert seen == []
    assert bare.of_all_facts(note).tobytes() == tables.arrays.fact_vectors.tobytes()
    assert seen == [(n, n)]


def test_of_many_facts_a_transformer_encodes_the_closest_by_words(
    tables: IndexTables, monkeypatch: pytest.MonkeyPatch
):
    """The tests' encoder is no static table, so it stands for a transformer."""
    monkeypatch.setattr("hippohover.retrieval.index_vectors.MOST_ENCODED", 7)
    rows = np.arange(len(tables.arrays.facts))
    few = IndexVectors(without_fact_vectors(tables), Path("none"))
    encoded: list[int] = []

    def counted(wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        encoded.append(len(wanted))
        return IndexVectors.of_facts(few, wanted)

    monkeypatch.setattr(few, "of_facts", counted)
    close = few.closest_facts(rows, TOY_CLAIMS[0], 3)
    assert (encoded, len(close.rows)) == ([7], 3)
    assert list(close.similarities) == sorted(close.similarities, reverse=True)
    every = IndexVectors(tables, Path("none")).closest_facts(rows, TOY_CLAIMS[0], len(rows))
    assert len(every.rows) == len(rows)  # vectors that are stored cost nothing


def test_similarity_is_the_cosine(tables: IndexTables):
    vectors = IndexVectors(tables, Path("none"))
    claim = vectors.of_text(TOY_CLAIMS[0])
    rows = np.array([3, 1])
    expected = tables.arrays.passage_vectors[rows].astype(np.float64) @ claim
    assert vectors.similarity(claim, rows) == pytest.approx(expected, abs=5e-5)


def test_an_index_without_an_encoder_says_so(toy_engine: HippoHover, tables: IndexTables):
    none = IndexVectors(toy_engine.tables, Path("none"))
    assert not none
    with pytest.raises(UsageError, match="no vectors: build it with an encoder"):
        none.check()
    some = IndexVectors(tables, Path("none"))
    assert some
    some.check()
