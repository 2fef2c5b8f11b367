"""Text without marks: a document a file, called by the file's name."""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.decoding import decoded
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.records import BadRecord, Document, make_document

SUFFIXES: Final = (".txt", ".text", ".log")


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """The document of a file."""
    text, encoding = decoded(file.content())
    document = make_document(file.stem, text, file.place)
    if isinstance(document, Document):
        document = document._replace(
            id=without_suffix(file.place), path=file.place, encoding=encoding
        )
    yield document
