"""Plain text: the file as it is, called by its name."""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import BOM, NOT_UTF8
from hippohover.indexing.corpus.readers.texts.documents import Marked, text_document
from hippohover.indexing.corpus.records import BadRecord, Document

SUFFIXES: Final = (".txt", ".text", ".log")


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """The document that a text is."""
    text = decoded_text(file)
    yield text if isinstance(text, BadRecord) else text_document(file, Marked(text))


def decoded_text(file: SourceFile) -> str | BadRecord:
    """The text of a file, with "\\n" alone between its lines."""
    try:
        text = file.content().removeprefix(BOM).decode()
    except UnicodeDecodeError:
        return BadRecord(file.place, NOT_UTF8)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
