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
    """(length of the text, a third); knows what it was asked for."""

    name = "length"
    dim = 2

    def __init__(self, fingerprint: str = "0" * 64) -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[len(text), 1 / 3] for text in texts], np.float32)


@pytest.fixture(scope="module")
def tables(toy_index: Path) -> IndexTables:
    return IndexTables.open(StoredIndex.open(toy_index))


@pytest.mark.parametrize("batch", [7, 8192])
def test_each_passage_and_fact_has_the_vector_of_its_text(
    tables: IndexTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
):
    monkeypatch.setattr(embedding, "_N_TEXTS_AT_ONCE", batch)
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))

    found = with_vectors(
        tables, LengthEncoder(), of_facts=True, cache_path=tmp_path / "v", on_done=note
    ).arrays
    n, n_facts = found.n_passages, len(found.facts)
    assert found.passage_vectors[:, 0].tolist() == [len(text) for text in tables.passage_texts()]
    assert found.fact_vectors[:, 0].tolist() == [len(text) for text in tables.fact_texts()]
    assert found.passage_vectors.dtype == found.fact_vectors.dtype == np.float16
    assert seen[-1] == (n + n_facts, n + n_facts)
    assert seen == sorted(seen)


def vectors(tables: IndexTables, cache: Path, encoder: LengthEncoder) -> NDArray[np.float16]:
    found = with_vectors(
        tables, encoder, of_facts=False, cache_path=cache, on_done=lambda _, __: None
    ).arrays
    assert found.fact_vectors.shape == (0, 2)
    return found.passage_vectors


def test_facts_have_none_when_none_are_asked_for(tables: IndexTables, tmp_path: Path):
    found = vectors(tables, tmp_path / "v", LengthEncoder())
    assert len(found) == tables.arrays.n_passages


def test_no_text_is_encoded_twice_by_the_same_weights(tables: IndexTables, tmp_path: Path):
    first, again, other = LengthEncoder(), LengthEncoder(), LengthEncoder("1" * 64)
    made = vectors(tables, tmp_path / "v", first)
    assert sorted(first.asked) == sorted(set(tables.passage_texts()))
    np.testing.assert_array_equal(vectors(tables, tmp_path / "v", again), made)
    assert again.asked == []
    vectors(tables, tmp_path / "v", other)
    assert other.asked == first.asked


def test_an_encoder_that_is_stopped_goes_on_where_it_was(
    tables: IndexTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    class Stopped(LengthEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.asked) >= 10:
                raise KeyboardInterrupt
            return super().encode(texts)

    monkeypatch.setattr(embedding, "_N_TEXTS_AT_ONCE", 5)
    stopped, rest = Stopped(), LengthEncoder()
    with pytest.raises(KeyboardInterrupt):
        vectors(tables, tmp_path / "v", stopped)
    made = vectors(tables, tmp_path / "v", rest)
    assert len(stopped.asked) == 10
    assert sorted(stopped.asked + rest.asked) == sorted(tables.passage_texts())
    np.testing.assert_array_equal(made, vectors(tables, tmp_path / "w", LengthEncoder()))
