"""Files in memory, as readers are handed them, and what is read of them."""

import io
from collections.abc import Generator
from contextlib import contextmanager

from hippohover.indexing.corpus.files.globs import EVERY
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.formats import FileReader, documents_in
from hippohover.indexing.corpus.records import BadRecord, Document

Read = FileReader


def source(place: str, content: str | bytes) -> SourceFile:
    """A file of these bytes."""
    data = content.encode() if isinstance(content, str) else content

    @contextmanager
    def opened() -> Generator[io.BufferedReader]:
        yield io.BufferedReader(io.BytesIO(data))  # pyright: ignore[reportArgumentType]

    return SourceFile(place, opened)


def documents(read: Read, place: str, content: str | bytes) -> list[Document]:
    """The documents of a file in which nothing is bad."""
    records = list(read(source(place, content)))
    assert all(isinstance(record, Document) for record in records), records
    return [record for record in records if isinstance(record, Document)]


def reason(place: str, content: str | bytes) -> str:
    """Why no document can be made of a file."""
    (bad,) = documents_in(source(place, content), EVERY)
    assert isinstance(bad, BadRecord), bad
    assert bad.place == place
    return bad.reason


def document(read: Read, place: str, content: str | bytes) -> Document:
    """The only document of a file; all that is placed in it stands in its order, inside of it."""
    (only,) = documents(read, place, content)
    for placed in (only.links, only.headings):
        offsets = [part.offset for part in placed]
        assert offsets == sorted(offsets)
        assert all(0 <= offset <= len(only.text) for offset in offsets)
    return only


def headings_in(made: Document) -> list[tuple[str, str, str]]:
    """Path, anchor and the line that each heading of a document begins with."""
    return [
        (heading.path, heading.anchor, made.text[heading.offset :].partition("\n")[0])
        for heading in made.headings
    ]


def targets_of(made: Document) -> list[str]:
    """What a document's links lead to."""
    return [link.title for link in made.links]
