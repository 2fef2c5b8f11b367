"""HoVer's wiki_wo_links.db: a SQLite table ``documents(id, text)``, the id a title in NFD."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES, NOT_UTF8, one_line
from hippohover.indexing.corpus.records import Document, Records, UnreadableError, make_document
from hippohover.recipe import NO_FIELDS, CorpusFields

_FETCH: Final = "check that it is whole and from where it should be, or fetch it again"


def read(path: Path, _: CorpusFields = NO_FIELDS) -> Records:
    """Read the documents of the table's rows; never writes."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD_BYTES)
        database.text_factory = _text_or_bytes
        n_bytes = _refuse_cut(path, database)
        _refuse_computed(path, database)
        rows: Iterable[tuple[object, object]] = database.execute("SELECT id, text FROM documents")
        n_read = 0
        for number, (title, text) in enumerate(rows, 1):
            place = f"{path.name}: row {number}"
            n_read += 1 + sum(len(cell) for cell in (title, text) if isinstance(cell, str | bytes))
            if n_read > 2 * n_bytes:
                raise CorpusError(f"{one_line(place)}: more text than the file holds: {_FETCH}")
            yield from _ROW.records({"title": title, "text": text}, place)


def _documents(row: dict[str, object], _: str) -> tuple[Document]:
    title, text = row["title"], row["text"]
    if isinstance(title, bytes) or isinstance(text, bytes):
        raise UnreadableError(NOT_UTF8)
    return (make_document(title, text, unescape=True),)


_ROW: Final = Shape(_documents)


def _refuse_cut(path: Path, database: sqlite3.Connection) -> int:
    """Compare the file's size with its pages. SQLite silently reads zeros for a cut last page."""
    (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    (n_pages,) = database.execute("PRAGMA page_count").fetchone()
    if path.stat().st_size < page_bytes * n_pages:
        raise EOFError
    return page_bytes * n_pages


def _refuse_computed(path: Path, database: sqlite3.Connection) -> None:
    """Refuse views and computed columns, which may never end: only stored cells are read."""
    computed = database.execute(
        "SELECT 1 FROM sqlite_master WHERE name = 'documents' COLLATE NOCASE "
        "AND (type = 'view' OR (type = 'table' AND rootpage = 0)) "
        "UNION ALL SELECT 1 FROM pragma_table_xinfo('documents') WHERE hidden <> 0"
    ).fetchone()
    if computed:
        raise CorpusError(
            f'{one_line(path.name)}: "documents" is computed, not a table of stored text: {_FETCH}'
        )


def _text_or_bytes(cell: bytes) -> str | bytes:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell
