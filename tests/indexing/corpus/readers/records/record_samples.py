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
    """What a reader makes of a file of a folder; documents without the fields they come from."""
    return [
        record._replace(fields={}) if isinstance(record, Document) else record
        for record in read(source_file(content))
    ]
