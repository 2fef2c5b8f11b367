"""Every table that is written is opened again as it was."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from hippohover import index_tables
from hippohover.errors import IndexDamagedError
from hippohover.index_manifest import ManifestFields
from hippohover.index_reader import StoredIndex
from hippohover.index_tables import IndexArrays, IndexTables
from hippohover.index_writer import IndexWriter

FIELDS = ManifestFields(
    recipe={}, recipe_sha256="0" * 64, models={}, counts={}, dimensions={}, failures=[],
    n_failures=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def tables(toy_index: Path) -> IndexTables:
    return IndexTables.open(StoredIndex.open(toy_index))


@pytest.fixture
def copied(tables: IndexTables, tmp_path: Path) -> Path:
    """The toy's tables, saved once more."""
    with IndexWriter(tmp_path / "copy") as writer:
        tables.save(writer)
        writer.publish(FIELDS)
    return tmp_path / "copy"


def test_what_is_saved_is_what_is_opened(tables: IndexTables, copied: Path):
    again = IndexTables.open(StoredIndex.open(copied))
    for field in fields(IndexArrays):
        one, other = getattr(tables.arrays, field.name), getattr(again.arrays, field.name)
        assert one.dtype == other.dtype, field.name
        assert np.array_equal(one, other), field.name
    assert again.passages.equals(tables.passages)
    assert again.entities.equals(tables.entities)
    assert again.predicates.equals(tables.predicates)


def test_the_same_tables_give_the_same_bytes(toy_index: Path, copied: Path):
    one = StoredIndex.open(toy_index).manifest.files
    assert StoredIndex.open(copied).manifest.files == one


def test_every_array_is_one_file_and_opens_by_memory_map(tables: IndexTables, copied: Path):
    expected = {f"{field.name}.npy" for field in fields(IndexArrays)}
    expected |= {"passages.arrow", "entities.arrow", "predicates.arrow"}
    assert set(StoredIndex.open(copied).manifest.files) == expected
    for field in fields(IndexArrays):
        array = getattr(tables.arrays, field.name)
        assert not array.flags.writeable
        assert isinstance(array, np.memmap) or not array.size, field.name


@pytest.mark.parametrize("name", ["heads.npy", "facts.npy", "entities.arrow"])
def test_a_missing_table_is_named(copied: Path, name: str):
    (copied / "v000001" / name).unlink()
    with pytest.raises(IndexDamagedError, match=name):
        IndexTables.open(StoredIndex.open(copied))


def test_dtypes_are_those_of_the_docstring(tables: IndexTables):
    arrays = tables.arrays
    assert arrays.heads.dtype == arrays.facts.dtype == arrays.mentions.dtype == np.int32
    assert arrays.graph_weights.dtype == arrays.posting_weights.dtype == np.float32
    assert arrays.name_hashes.dtype == arrays.term_hashes.dtype == np.uint64
    assert arrays.passage_vectors.dtype == arrays.fact_vectors.dtype == np.float16
    for name in ("owner_indptr", "mention_indptr", "graph_indptr", "posting_indptr", "fact_indptr"):
        assert getattr(arrays, name).dtype == np.int64, name


def test_rows_of_every_table_agree(tables: IndexTables):
    arrays = tables.arrays
    n = arrays.n_passages
    n_known = len(arrays.owner_indptr) - 1
    assert tables.passages.num_rows == n
    assert arrays.graph.n_passages == n
    assert arrays.lexical.n_passages == n
    assert len(arrays.mention_indptr) == len(arrays.fact_indptr) == len(arrays.term_indptr) == n + 1
    assert arrays.mentions[:, 0].max() < n_known <= len(arrays.entity_df)
    assert len(arrays.entity_df) <= tables.entities.num_rows
    assert arrays.facts[:, [0, 2]].max() < tables.entities.num_rows
    assert arrays.facts[:, 1].max() < tables.predicates.num_rows
    assert arrays.mention_indptr[-1] == len(arrays.mentions)
    assert arrays.fact_indptr[-1] == len(arrays.passage_facts)
    assert arrays.term_indptr[-1] == len(arrays.terms)


def test_names_and_terms_are_found(tables: IndexTables):
    arrays = tables.arrays
    assert len(arrays.names) == len(arrays.entity_df)
    assert sorted(arrays.names.values.tolist()) == list(range(len(arrays.entity_df)))
    assert sorted(arrays.lexical.vocabulary.values.tolist()) == list(
        range(len(arrays.posting_indptr) - 1)
    )


def test_tables_are_changed_only_by_making_others(tables: IndexTables):
    vectors = np.ones((tables.arrays.n_passages, 2), np.float16)
    other = replace(tables, arrays=replace(tables.arrays, passage_vectors=vectors))
    assert other.arrays.passage_vectors is vectors
    assert tables.arrays.passage_vectors.shape == (0, 0)


def test_texts_are_written_for_the_encoder(tables: IndexTables):
    title = tables.passages.column("title")[0].as_py()
    text = tables.passages.column("text")[0].as_py()
    assert next(tables.passage_texts()) == f"{title}. {text}"
    subject, predicate, target = tables.arrays.facts[-1].tolist()
    names, predicates = tables.entities.column("name"), tables.predicates.column("name")
    *_, last = tables.fact_texts()
    assert last == f"{names[subject]} {predicates[predicate]} {names[target]}"
    assert len(list(tables.fact_texts())) == len(tables.arrays.facts)


@pytest.mark.parametrize("batch", [1, 3, 8192])
def test_texts_of_some_facts(tables: IndexTables, monkeypatch: pytest.MonkeyPatch, batch: int):
    monkeypatch.setattr(index_tables, "_TEXTS_A_BATCH", batch)
    every = list(tables.fact_texts())
    rows = np.array([5, 2, 5, len(every) - 1])
    assert list(tables.fact_texts(rows)) == [every[row] for row in rows]
    assert list(tables.fact_texts(rows[:0])) == []
