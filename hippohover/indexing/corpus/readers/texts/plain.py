"""Plain text: the file as it is, titled by its name; in a chat each message is a document.

Lines that are underlined, numbered lines and Markdown's headings are headings; so far texts agree.
"""

import re
from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS, links, without_code, without_suffix
from hippohover.indexing.corpus.readers.documents import (
    Marked,
    Section,
    marked_sections,
    text_document,
)
from hippohover.indexing.corpus.readers.entries import with_entries
from hippohover.indexing.corpus.readers.texts.chat_logs import (
    channel_of,
    chat_turns,
    day_of,
    turn_documents,
)
from hippohover.indexing.corpus.readers.texts.numbered_lines import numbered_sections
from hippohover.indexing.corpus.records import Records, clean_title

SUFFIXES: Final = (".txt", ".text", ".log")

# A line alone, and as long a line of signs below it; a row of a table has more blanks.
_UNDERLINED = re.compile(
    rf"(?:\A\s*|\n[ \t]*\n)(?P<words>\S(?:[^\n]{{0,{MAX_HEADING_CHARS}}}))\n"
    r"(?P<line>(?P<sign>[=-])(?P=sign){2,250})[ \t]*(?=\n|\Z)"
)
_OF_TABLE = re.compile(r"\t|\||[ ]{3}")
_SHORTER: Final = 2  # signs take as much room as letters, or half of a Chinese one's
_LEVELS: Final = {"=": 1, "-": 2}


def read(file: SourceFile) -> Records:
    """Yield the document of a text, or those of its messages."""
    text = file.text()
    turns = list(chat_turns(text, day_of(file)))
    if turns:
        yield from turn_documents(turns, file, channel_of(file), without_suffix(file.place))
        return
    every = [*numbered_sections(text), *_underlined(text), *marked_sections(text)]
    sections = sorted({section.offset: section for section in every}.values())
    title = _title(text, sections)
    marked = Marked(text, sections[bool(title) :], links(text, file.folder))
    yield from with_entries(text_document(file, marked, titles=(title,)), marked.sections)


def _title(text: str, sections: list[Section]) -> str:
    """Return the heading that opens a text before a blank line, if no other has its level."""
    if [section.level for section in sections].count(1) != 1 or sections[0].level != 1:
        return ""
    opening = sections[0]
    is_alone = re.match(r"[^\n]*\n(?:=+[ \t]*\n)?[ \t]*\n", text[opening.offset :])
    return opening.words if is_alone and not text[: opening.offset].strip() else ""


def _underlined(text: str) -> Iterator[Section]:
    for match in _UNDERLINED.finditer(without_code(text)):
        words = clean_title(match["words"])
        is_as_long = len(words) <= _SHORTER + len(match["line"]) <= 2 * (_SHORTER + len(words))
        if words.strip("=-*_#") and is_as_long and not _OF_TABLE.search(match["words"].strip()):
            yield Section(match.start("words"), _LEVELS[match["sign"]], words, words)
