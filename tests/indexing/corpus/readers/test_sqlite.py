"""HoVer's SQLite file: rows, bad and hostile ones."""

import itertools
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.formats import READERS
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.recipe import NO_FIELDS
from tests.indexing.corpus.corpus_samples import SAMPLES, records_of, write_sqlite


def write_rows(tmp_path: Path, rows: list[tuple[object, object]]) -> Path:
    path = tmp_path / "d.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE documents (id, text)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        database.commit()
    return path


def test_rows_of_the_wrong_type_are_bad_records(tmp_path: Path):
    path = write_rows(tmp_path, [("T", "x"), (None, "x"), ("T", 5), ("T", b"\xff"), ("T", b"ok")])
    assert records_of("sqlite", path) == [
        Document("T", "x"),
        BadRecord("d.db: row 2", 'field "title" is missing'),
        BadRecord("d.db: row 3", 'field "text" is of type int, not text or a list of sentences'),
        BadRecord("d.db: row 4", "is not UTF-8 text: save it as UTF-8"),
        BadRecord("d.db: row 5", "is not UTF-8 text: save it as UTF-8"),
    ]


def test_text_that_is_not_utf8_is_a_bad_record(tmp_path: Path):
    path = write_rows(tmp_path, [])
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO documents VALUES ('T', CAST(x'41ff42' AS TEXT))")
        database.commit()
    assert records_of("sqlite", path) == [
        BadRecord("d.db: row 1", "is not UTF-8 text: save it as UTF-8")
    ]


def test_a_database_is_only_read(tmp_path: Path):
    path = write_sqlite(tmp_path)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    path.chmod(0o444)
    records_of("sqlite", path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path):
    with pytest.raises(CorpusError, match="unable to open"):
        records_of("sqlite", tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_database_cut_in_its_last_page_is_an_error(tmp_path: Path):
    path = write_rows(tmp_path, [("T", "Words of a page. " * 900)])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorpusError, match="it is cut short"):
        records_of("sqlite", path)


def test_a_database_in_a_folder_with_signs_of_an_address_is_read(tmp_path: Path):
    folder = tmp_path / "a?mode=rwc#b %41"
    folder.mkdir()
    assert len(records_of("sqlite", write_sqlite(folder))) == len(SAMPLES)


def test_a_database_without_the_table_is_an_error(tmp_path: Path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE pages (id, text)")
    with pytest.raises(CorpusError, match="no such table: documents"):
        records_of("sqlite", path)


def test_a_cell_above_the_bound_is_an_error(tmp_path: Path):
    path = write_rows(tmp_path, [])
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO documents VALUES ('T', zeroblob(65 << 20))")
        database.commit()
    with pytest.raises(CorpusError, match="too big"):
        records_of("sqlite", path)


NUMBERS_WITHOUT_END = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS text"
)


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW documents AS {NUMBERS_WITHOUT_END} FROM n",
        f"CREATE VIEW Documents AS {NUMBERS_WITHOUT_END} FROM n WHERE x < 0",
        "CREATE TABLE documents (id, text AS (printf('%.*c', 60000000, 'x')))",
        "CREATE VIRTUAL TABLE documents USING fts5 (id, text)",
    ],
)
def test_documents_that_are_computed_are_refused(tmp_path: Path, statement: str):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
    with pytest.raises(CorpusError, match='"documents" is computed, not a table of stored text'):
        records_of("sqlite", path)


def test_a_table_without_row_ids_and_of_another_case_is_read(tmp_path: Path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA encoding = 'UTF-16'")
        database.execute("CREATE TABLE Documents (id PRIMARY KEY, text) WITHOUT ROWID")
        database.execute("INSERT INTO documents VALUES ('漢字', ?)", ["漢字" * 20_000])
        database.commit()
    assert len(records_of("sqlite", path)) == 1


def test_pages_that_lead_to_the_same_page_again_and_again_come_to_an_end(tmp_path: Path):
    """Every page of the upper levels leads to one other page alone, a million times in all."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA page_size = 512")
        database.execute("CREATE TABLE documents (id, text)")
        rows = [(f"title {n}", "x" * 90) for n in range(5_000)]
        database.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        database.commit()
        (root,) = database.execute("SELECT rootpage FROM sqlite_master").fetchone()
    content = bytearray(path.read_bytes())

    def children(page: int) -> list[int]:
        """Where the numbers of the pages below an inner page stand."""
        start = (page - 1) * 512
        n_cells = int.from_bytes(content[start + 3 : start + 5])
        cells = range(start + 12, start + 12 + 2 * n_cells, 2)
        return [start + 8, *(start + int.from_bytes(content[at : at + 2]) for at in cells)]

    inner = [int.from_bytes(content[at : at + 4]) for at in children(root)][:4]
    assert all(content[(page - 1) * 512] == 5 for page in inner)
    for upper, lower in itertools.pairwise([root, *inner]):
        for at in children(upper):
            content[at : at + 4] = lower.to_bytes(4)
    path.write_bytes(content)
    with pytest.raises(CorpusError, match="more text than the file holds"):
        list(READERS["sqlite"].read(path, NO_FIELDS))
