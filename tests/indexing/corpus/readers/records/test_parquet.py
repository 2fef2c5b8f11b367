"""Parquet: rows as documents."""

import gzip
import io
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.readers.records.parquet import read
from hippohover.indexing.corpus.readers.records.record_file import NO_TEXTS
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver, Understood
from tests.indexing.corpus.readers.records.record_samples import read_all, source_file

ROWS: list[dict[str, Any]] = [
    {"_id": 3, "name": "T", "paragraphs": [["One.", "Two."], ["Three."]], "day": date(2024, 5, 1)},
    {"_id": 4, "name": None, "paragraphs": [["Four."]], "day": None},
]


def packed(rows: list[dict[str, Any]], **more: Any) -> bytes:  # noqa: ANN401
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), buffer, **more)
    return buffer.getvalue()


def test_rows_of_all_groups_are_read_with_nested_lists():
    assert read_all(read, packed(ROWS, row_group_size=1)) == [
        Understood("read name as title, paragraphs as text"),
        Document("T", "One. Two.\n\nThree.", id="3"),
        Document("4", "Four.", id="4"),
    ]


def test_a_row_without_a_text_is_one_as_in_other_tables():
    rows = [
        {"n": 0, "ship": "Heron", "built": 1931, "crew": ["Jo"]},
        {"n": 1, "ship": None},
        {"n": 2, "ship": "Marta"},
    ]
    assert read_all(read, packed(rows)) == [
        Understood("no column of texts: each row is one, titled by ship"),
        Document("Heron", "n: 0; ship: Heron; built: 1931", id="notes/file.x#1"),
        Document("n: 1", "n: 1", id="notes/file.x#2"),
        Document("Marta", "n: 2; ship: Marta", id="notes/file.x#3"),
    ]


def test_questions_in_rows_are_no_documents():
    claims = [{"id": 1, "question": "Who?"}]
    assert read_all(read, packed(claims)) == [PassedOver("notes/file.x", NO_TEXTS)]


def test_paragraphs_of_questions_may_be_json_in_a_text():
    row = {"id": "1", "question": "Who?", "context": '[["T", ["One.", "Two."]], ["U", ["x"]]]'}
    documents = [one for one in read_all(read, packed([row])) if isinstance(one, Document)]
    assert [(one.title, one.text) for one in documents] == [("T", "One. Two."), ("U", "x")]


def test_values_become_what_json_has():
    given = {"title": "T", "text": "x", "day": date(2024, 5, 1), "raw": b"abc\xff", "n": 1.5,
             "of": [[1, None]], "in": {"a": date(2024, 5, 1)}}  # fmt: skip
    [document] = read(source_file(packed([given])))
    assert isinstance(document, Document)
    assert document.fields == {**given, "day": "2024-05-01", "raw": "abc\ufffd",
                               "in": {"a": "2024-05-01"}}  # fmt: skip


def test_a_packed_file_is_read_too(tmp_path: Path):
    path = tmp_path / "c.parquet.gz"
    path.write_bytes(gzip.compress(packed(ROWS)))
    assert [r.title for r in read.corpus(path) if isinstance(r, Document)] == ["T", "4"]


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" * 20, packed(ROWS)[:-20], b"", b"x" * 99])
def test_damage_is_named(tmp_path: Path, content: bytes):
    [bad] = read_all(read, content)
    assert isinstance(bad, BadRecord)
    path = tmp_path / "c.parquet"
    path.write_bytes(content)
    with (
        pytest.raises(CorpusError, match=r"c\.parquet: cannot be read as Parquet \("),
        damage_named(str(path)),
    ):
        list(read.corpus(path))
