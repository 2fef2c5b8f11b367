"""Texts as an encoder reads them, and where their vectors go."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.index_reader import StoredIndex
from hippohover.index_tables import IndexTables
from hippohover.indexing import vectors
from hippohover.indexing.vectors import fact_texts, passage_texts, with_vectors


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
    monkeypatch.setattr(vectors, "_TEXTS_A_BATCH", batch)
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))

    found = with_vectors(tables, LengthEncoder(), of_facts=True, on_done=note).arrays
    n, n_facts = found.n_passages, len(found.facts)
    assert found.passage_vectors[:, 0].tolist() == [len(text) for text in passage_texts(tables)]
    assert found.fact_vectors[:, 0].tolist() == [len(text) for text in fact_texts(tables)]
    assert found.passage_vectors.dtype == found.fact_vectors.dtype == np.float16
    assert seen[-1] == (n + n_facts, n + n_facts)
    assert seen == sorted(seen)


def test_facts_have_none_when_none_are_asked_for(tables: IndexTables):
    found = with_vectors(tables, LengthEncoder(), of_facts=False, on_done=lambda _, __: None).arrays
    assert found.fact_vectors.shape == (0, 2)
    assert len(found.passage_vectors) == found.n_passages


def test_texts_are_written_for_the_encoder(tables: IndexTables):
    title = tables.passages.column("title")[0].as_py()
    text = tables.passages.column("text")[0].as_py()
    assert next(passage_texts(tables)) == f"{title}. {text}"
    subject, predicate, target = tables.arrays.facts[-1].tolist()
    names, predicates = tables.entities.column("name"), tables.predicates.column("name")
    *_, last = fact_texts(tables)
    assert last == f"{names[subject]} {predicates[predicate]} {names[target]}"
    assert len(list(fact_texts(tables))) == len(tables.arrays.facts)
