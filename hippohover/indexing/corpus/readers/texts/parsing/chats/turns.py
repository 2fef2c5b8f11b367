"""Chat messages as documents, each titled by channel, date and author."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import file_title
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Understood,
    clean_title,
    make_document,
)

_DAY = re.compile(r"\d{4}[-_.]?\d{2}[-_.]?\d{2}")
_OF_WHATSAPP = re.compile(r"^WhatsApp Chat (?:with|-) ", re.I)

WITHOUT_WORDS: Final = (
    "messages of chats without words (pictures, voices, removed ones) are left out"
)


class Turn(NamedTuple):
    """A message: ``number`` is its number in the chat, ``answers`` another's."""

    number: str
    author: str
    date: str
    text: str
    answers: str = ""


def turn_documents(
    turns: Iterable[Turn], file: SourceFile, channel: str, whole: str
) -> Iterator[Document | BadRecord | Understood]:
    """Yield documents of messages with text; each answers another, or the previous one.

    That there are others is said once. ``whole`` begins their ids, which go on with "#" and the
    number.
    """
    before = ""
    is_without_words = False
    for n, turn in enumerate(turns, start=1):
        number = turn.number or str(n)
        text = turn.text.strip()
        author = clean_title(turn.author)
        if not text:
            is_without_words = is_without_words or bool(author)
            continue
        title = ", ".join(filter(None, (channel, clean_title(turn.date), author))) or file.place
        said = f"{author}: {text}" if author else text
        document = make_document(title, said, f"{file.place}#{number}")
        if isinstance(document, BadRecord):
            yield document
            continue
        fields = {"channel": channel, "date": turn.date, "author": author}
        document = document._replace(
            id=clean_title(f"{whole}#{number}"),
            fields={name: value for name, value in fields.items() if value},
            reply_to=clean_title(f"{whole}#{turn.answers}") if turn.answers else before,
            path=file.place,
        )
        before = document.id
        yield document
    if is_without_words:
        yield Understood(WITHOUT_WORDS)


def channel_of(file: SourceFile) -> str:
    """Return the name of a file's chat: the folder's, where the file's is a day."""
    folder = PurePosixPath(file.folder).name
    if folder and (_DAY.fullmatch(file.stem) or file.stem == "_chat"):
        return folder
    return clean_title(_OF_WHATSAPP.sub("", file_title(file)))


def day_of(file: SourceFile) -> str:
    """Return the day in a file's name, "2024-01-05"; "" without one."""
    day = _DAY.search(file.stem)
    if day is None:
        return ""
    digits = re.sub(r"\D", "", day[0])
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
