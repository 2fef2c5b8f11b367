"""Files as readers of folders are handed them."""

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.records import Document


def source_file(content: bytes, place: str = "notes/file.x") -> SourceFile:
    @contextmanager
    def opened() -> Generator[io.BufferedReader]:
        yield io.BufferedReader(io.BytesIO(content))  # pyright: ignore[reportArgumentType]

    return SourceFile(place, opened)


def read_all(read: Callable[[SourceFile], Iterator[Any]], content: bytes) -> list[Any]:
    """What a reader makes of a file of a folder; documents without path and fields."""
    records: list[Any] = []
    for record in read(source_file(content)):
        if isinstance(record, Document):
            assert record.path == "notes/file.x"
            records.append(record._replace(fields={}, path=""))
        else:
            records.append(record)
    return records
