"""A file of records, as a whole corpus or as a file of a folder."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final, Never, TypeVar

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import RecordFields, Shape
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import NOT_UTF8, damage_named, one_line, open_stream
from hippohover.indexing.corpus.readers.records.shapes import shape_of
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver, Records, Understood
from hippohover.recipe import NO_FIELDS, CorpusFields

Row = tuple[str, dict[str, object]] | BadRecord
"""A record, and where it stands; or what is none."""

_NAME_COLUMNS: Final = "begin the table with a row that names its columns"

Item = TypeVar("Item")

_FIRST_ROWS = 20

NO_TEXTS: Final = "holds no records with text"
"""Why a file of settings is passed over."""

MORE_CELLS: Final = "cells, where the header has"
"""Part of the reason of a row with more of them than columns."""


@dataclass(frozen=True)
class RecordFile:
    """The reader of one kind of files.

    Attributes
    ----------
    rows : callable
        File, and the fields of a recipe -> ``Row`` after ``Row``; damage is raised.
    shape : callable
        The first records, and the fields of a recipe -> what the records are.
    """

    rows: Callable[[SourceFile, CorpusFields], Iterator[Row]]
    shape: Callable[[Sequence[RecordFields], CorpusFields], Shape] = shape_of

    def __call__(self, file: SourceFile, fields: CorpusFields = NO_FIELDS) -> Records:
        """Yield documents of a folder's file: damage is a bad record, settings are no corpus."""
        try:
            with damage_named(file.place):
                first, records = _ahead(self.documents(file, fields), 2 * _FIRST_ROWS)
                if not any(isinstance(record, Document) for record in first):
                    for _ in records:  # which raises for one that is damaged
                        break
                    yield _without_documents(first, file.place)
                    return
                for record in chain(first, records):
                    yield _of_file(record, file) if isinstance(record, Document) else record
        except CorpusError as error:
            told = re.match(rf"{re.escape(one_line(file.place))}(:\d+)?: ", str(error))
            line = told[1] or "" if told else ""
            yield BadRecord(file.place + line, str(error)[told.end() if told else 0 :])

    def corpus(self, path: Path, fields: CorpusFields = NO_FIELDS) -> Records:
        """Yield documents of a file that is the whole corpus."""
        yield from self.documents(SourceFile(path.name, partial(open_stream, path), path), fields)

    def documents(self, file: SourceFile, fields: CorpusFields) -> Records:
        """Yield documents of a file; damage is raised."""
        first, rows = _ahead(self.rows(file, fields), _FIRST_ROWS)
        shape = self.shape([row[1] for row in first if not isinstance(row, BadRecord)], fields)
        if shape.said:
            yield Understood(shape.said)
        yield from _made(chain(first, rows), shape)


def _without_documents(
    first: Sequence[Document | BadRecord | Understood | PassedOver], place: str
) -> BadRecord | PassedOver:
    """Say what a file is that begins without a document.

    One in bytes that are no text fails, and a table whose rows have more cells than columns.
    """
    for record in first:
        if isinstance(record, BadRecord):
            if record.reason == NOT_UTF8:
                return BadRecord(place, NOT_UTF8)
            if MORE_CELLS in record.reason:
                return BadRecord(record.place, f"{record.reason}: {_NAME_COLUMNS}")
    return PassedOver(place, NO_TEXTS)


def _of_file(document: Document, file: SourceFile) -> Document:
    return document._replace(path=file.place, encoding=file.encoding)


def _ahead(items: Iterator[Item], n: int) -> tuple[list[Item], Iterator[Item]]:
    """Return the first items, and the rest; an early error is raised after them."""
    first: list[Item] = []
    try:
        first.extend(islice(items, n))
    except Exception as error:
        return first, _raising(error)
    return first, items


def _raising(error: Exception) -> Iterator[Never]:
    raise error
    yield


def _made(rows: Iterable[Row], shape: Shape) -> Records:
    for row in rows:
        if isinstance(row, BadRecord):
            yield row
        else:
            place, record = row
            yield from shape.records(record, place)
