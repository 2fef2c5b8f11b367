"""Plain text: the file as it is, called by its name; of a chat each turn is a document."""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import without_suffix
from hippohover.indexing.corpus.readers.texts.parsing.chat_logs import chat_turns
from hippohover.indexing.corpus.readers.texts.parsing.chat_turns import (
    channel_of,
    day_of,
    turn_documents,
)
from hippohover.indexing.corpus.readers.texts.parsing.documents import Marked, text_document
from hippohover.indexing.corpus.records import BadRecord, Document

SUFFIXES: Final = (".txt", ".text", ".log")


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """The document that a text is, or those of its turns."""
    text = file.text()
    turns = list(chat_turns(text, day_of(file)))
    if turns:
        yield from turn_documents(turns, file, channel_of(file), without_suffix(file.place))
    else:
        yield text_document(file, Marked(text))
