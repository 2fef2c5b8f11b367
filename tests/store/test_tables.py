"""Every table that is written is opened again as it was."""

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from hippohover.entity_graph import KNOWN, type_weights
from hippohover.errors import IndexDamagedError
from hippohover.indexing.corpus.passage_table import passage_table
from hippohover.lexical import count_postings, fill_postings
from hippohover.records import Passage, PassageId
from hippohover.spans import spans_of
from hippohover.store import tables as index_tables
from hippohover.store.manifest import ManifestFields
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexArrays, IndexTables, array_file, fact_texts
from hippohover.store.writer import IndexWriter
from hippohover.toy import toy_corpus_path

FIELDS = ManifestFields(
    recipe={}, recipe_sha256="0" * 64, models={}, counts={}, dimensions={}, failures=[],
    n_failures=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def tables(toy_index: Path) -> IndexTables:
    return IndexTables.open(StoredIndex.open(toy_index))


@pytest.fixture
def copied(tables: IndexTables, tmp_path: Path) -> Path:
    """The toy's tables, written once more."""
    with IndexWriter(tmp_path / "copy") as writer:
        for field in fields(IndexArrays):
            writer.save_array(array_file(field.name), getattr(tables.arrays, field.name))
        for name in ("passages", "entities", "predicates"):
            writer.save_table(f"{name}.arrow", getattr(tables, name))
        assert_same(IndexTables.open(writer), tables)
        assert list(fact_texts(writer)) == list(tables.fact_texts())
        writer.publish(FIELDS)
    return tmp_path / "copy"


def assert_same(one: IndexTables, other: IndexTables) -> None:
    for field in fields(IndexArrays):
        ours, theirs = getattr(one.arrays, field.name), getattr(other.arrays, field.name)
        assert ours.dtype == theirs.dtype, field.name
        assert np.array_equal(ours, theirs), field.name
    assert one.passages.equals(other.passages)
    assert one.entities.equals(other.entities)
    assert one.predicates.equals(other.predicates)


def test_what_is_saved_is_what_is_opened(tables: IndexTables, copied: Path):
    assert_same(IndexTables.open(StoredIndex.open(copied)), tables)


def test_the_same_tables_give_the_same_bytes(toy_index: Path, copied: Path):
    one = StoredIndex.open(toy_index).manifest.files
    assert StoredIndex.open(copied).manifest.files == one


def test_every_array_is_one_file_and_opens_by_memory_map(tables: IndexTables, copied: Path):
    expected = {array_file(field.name) for field in fields(IndexArrays)}
    expected |= {"passages.arrow", "entities.arrow", "predicates.arrow"}
    assert set(StoredIndex.open(copied).manifest.files) == expected
    for field in fields(IndexArrays):
        array = getattr(tables.arrays, field.name)
        assert not array.flags.writeable
        assert isinstance(array.base, np.memmap) or not array.size, field.name
        assert type(array) is np.ndarray, field.name  # parts of a memory map are slow to take


@pytest.mark.parametrize("name", ["title_entities.npy", "facts.npy", "entities.arrow"])
def test_a_missing_table_is_named(copied: Path, name: str):
    (copied / "v000001" / name).unlink()
    with pytest.raises(IndexDamagedError, match=name):
        IndexTables.open(StoredIndex.open(copied))


def test_what_is_told_of_a_passage_is_what_it_has(tables: IndexTables):
    passages = [
        Passage(
            PassageId("a"), "T", "x", document="7", path="n/t.md", page=2, anchor="Old",
            heading="Keys > Old", metadata=("1901", 1901, None, "mine"),
        ),
        Passage(PassageId("b"), "U", "y", metadata=("", 0, False, None)),
    ]  # fmt: skip
    table = passage_table(passages, ["a", "b", "_id", "page"])
    told = replace(tables, passages=table)
    assert told.metadata_of(0) == {
        "id": "7", "path": "n/t.md", "page": 2, "anchor": "Old", "heading": "Keys > Old",
        "a": "1901", "b": 1901, "field.page": "mine",
    }  # fmt: skip
    assert told.metadata_of(1) == {"a": "", "b": 0, "_id": False}
    assert tables.metadata_of(0) == {}


def test_dtypes_are_those_of_the_docstring(tables: IndexTables):
    arrays = tables.arrays
    assert arrays.title_entities.dtype == arrays.facts.dtype == arrays.mentions.dtype == np.int32
    assert arrays.graph_weights.dtype == arrays.posting_weights.dtype == np.float16
    assert arrays.graph_degrees.dtype == np.float64
    assert arrays.name_hashes.dtype == arrays.term_hashes.dtype == np.uint64
    assert (arrays.passage_codes.dtype, arrays.passage_scales.dtype) == (np.int8, np.float32)
    assert arrays.fact_vectors.dtype == np.float16
    assert arrays.text_frames.dtype == arrays.text_dictionary.dtype == np.uint8
    of_rows = [f.name for f in fields(IndexArrays) if f.name.endswith(("indptr", "spans"))]
    assert len(of_rows) == 7
    for name in of_rows:
        assert getattr(arrays, name).dtype == np.int64, name


def test_rows_of_every_table_agree(tables: IndexTables):
    arrays = tables.arrays
    n = arrays.n_passages
    n_known = int((arrays.entity_standing == KNOWN).sum())
    assert tables.passages.num_rows == len(tables.texts) == n
    assert arrays.text_indptr[-1] == len(arrays.text_frames)
    assert len(arrays.graph_degrees) == arrays.graph.n_nodes
    assert arrays.graph.n_passages == n
    assert arrays.lexical.n_passages == n
    assert len(arrays.mention_spans) == len(arrays.fact_spans) == n
    assert len(arrays.term_indptr) == n + 1
    assert len(arrays.owner_spans) == len(arrays.entity_standing) == len(arrays.entity_df)
    assert len(arrays.posting_spans) == len(arrays.term_df)
    assert arrays.mentions[:, 0].max() < n_known <= len(arrays.entity_df)
    assert len(arrays.entity_df) <= tables.entities.num_rows
    assert arrays.facts[:, [0, 2]].max() < tables.entities.num_rows
    assert arrays.facts[:, 1].max() < tables.predicates.num_rows
    assert arrays.mention_spans[-1, 1] == len(arrays.mentions)
    assert arrays.fact_spans[-1, 1] == len(arrays.passage_facts)
    assert arrays.term_indptr[-1] == len(arrays.terms)


def test_keys_are_the_ids_in_their_order(tables: IndexTables):
    keys, ids = tables.arrays.passage_keys, tables.passages.column("pid").to_pylist()
    assert keys.dtype == np.uint64
    assert keys.tolist() == [int(pid, 16) for pid in ids] == sorted(keys.tolist())
    shuffled = np.array([3, 0, 7], np.int32)
    assert tables.arrays.by_key(shuffled).tolist() == [0, 3, 7]
    assert tables.arrays.by_key(shuffled).dtype == np.int32


def test_texts_are_those_of_the_corpus(tables: IndexTables):
    lines = [json.loads(line) for line in toy_corpus_path().read_text("utf-8").splitlines()]
    texts = {line["title"]: line["text"] for line in lines}
    assert "text" not in tables.passages.column_names
    titles = tables.passages.column("title").to_pylist()
    assert list(tables.texts) == [texts[title] for title in titles]


def test_weights_of_postings_are_the_nearest_halves(tables: IndexTables):
    arrays = tables.arrays
    df, lengths = count_postings(arrays.terms, arrays.term_indptr, len(arrays.posting_spans))
    assert df.tolist() == arrays.term_df.tolist()
    spans, n = spans_of(df), int(df.sum())
    assert spans.tolist() == arrays.posting_spans.tolist()
    passages, weights = np.empty(n, np.int32), np.empty(n, np.float32)
    fill_postings(
        arrays.terms,
        arrays.term_indptr,
        spans=spans,
        lengths=lengths,
        passages=passages,
        weights=weights,
    )
    assert np.array_equal(arrays.posting_passages, passages)
    assert np.array_equal(arrays.posting_weights, weights.astype(np.float16))


def test_degrees_are_those_of_the_graph_with_the_weights_of_the_recipe(
    tables: IndexTables, toy_index: Path
):
    recipe = StoredIndex.open(toy_index).recipe()
    arrays = tables.arrays
    expected = arrays.graph.degrees(type_weights(recipe.query.weights))
    assert arrays.graph_degrees.tolist() == expected.tolist()


def test_names_and_terms_are_found(tables: IndexTables):
    arrays = tables.arrays
    assert sorted(arrays.names.table.values.tolist()) == list(range(len(arrays.entity_df)))
    assert sorted(arrays.lexical.vocabulary.values.tolist()) == list(
        range(len(arrays.posting_spans))
    )


def test_tables_are_changed_only_by_making_others(tables: IndexTables):
    codes = np.ones((tables.arrays.n_passages, 2), np.int8)
    other = replace(tables, arrays=replace(tables.arrays, passage_codes=codes))
    assert other.arrays.passage_vectors.codes is codes
    assert tables.arrays.passage_vectors.shape == (0, 0)


def test_texts_are_written_for_the_encoder(tables: IndexTables):
    title = tables.passages.column("title")[0].as_py()
    text = tables.texts[0]
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
