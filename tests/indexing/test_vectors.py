"""Texts as an encoder reads them, and where their vectors go."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover import embedding
from hippohover.index_reader import StoredIndex
from hippohover.index_tables import IndexTables
from hippohover.indexing.vectors import with_vectors


class LengthEncoder:
    """(length of the text, 1)."""

    name = "length"
    dim = 2
    fingerprint = "0" * 64

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[len(text), 1] for text in texts], np.float32)


@pytest.fixture(scope="module")
def tables(toy_index: Path) -> IndexTables:
    return IndexTables.open(StoredIndex.open(toy_index))


@pytest.mark.parametrize("batch", [7, 8192])
def test_each_passage_and_fact_has_the_vector_of_its_text(
    tables: IndexTables, monkeypatch: pytest.MonkeyPatch, batch: int
):
    monkeypatch.setattr(embedding, "_N_TEXTS_AT_ONCE", batch)
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))

    found = with_vectors(tables, LengthEncoder(), of_facts=True, on_done=note).arrays
    n, n_facts = found.n_passages, len(found.facts)
    assert found.passage_vectors[:, 0].tolist() == [len(text) for text in tables.passage_texts()]
    assert found.fact_vectors[:, 0].tolist() == [len(text) for text in tables.fact_texts()]
    assert found.passage_vectors.dtype == found.fact_vectors.dtype == np.float16
    assert seen[-1] == (n + n_facts, n + n_facts)
    assert seen == sorted(seen)


def test_facts_have_none_when_none_are_asked_for(tables: IndexTables):
    found = with_vectors(tables, LengthEncoder(), of_facts=False, on_done=lambda _, __: None).arrays
    assert found.fact_vectors.shape == (0, 2)
    assert len(found.passage_vectors) == found.n_passages
