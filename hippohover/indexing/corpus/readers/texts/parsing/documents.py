"""What all texts of a folder share: their names, headings and links."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS, without_suffix
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Heading,
    Link,
    clean_title,
    make_document,
    other_names,
)

_OF_ITS_FOLDER: Final = {"index", "_index", "readme"}
_NO_WORDS: Final = re.compile(
    r"(?:\s|[|·•/,;*_—–-]|!?\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)|!?\[\[[^\[\]\n]{1,500}\]\]"
    r"|\[TOC\]|#[^\s#]{1,100}|\{%[^\n%]{0,500}%\})*+"
)
MAX_NAME_CHARS: Final = 100
"""The name of a column that is longer is not said in every row."""


class Section(NamedTuple):
    """A heading in a file: its place, its level from 1 on, its words, its anchor."""

    offset: int
    level: int
    words: str
    anchor: str = ""


class Marked(NamedTuple):
    """A text without markup, with places of its sections and links."""

    text: str
    sections: Sequence[Section] = ()
    links: Sequence[Link] = ()


def shows_no_words(text: str) -> bool:
    """Return whether a text has nothing but links, pictures, tags and rules."""
    return bool(_NO_WORDS.fullmatch(text))


def without_title(marked: Marked, given: str = "") -> tuple[str, Marked]:
    """Return the first-level heading that opens a text, "" without one, and the rest.

    Links, tags and pictures may stand above it. Where the title is ``given`` and the heading is
    another one, it stays a heading of the text.
    """
    opening = marked.sections[0] if marked.sections else None
    start = opening.offset if opening else 0
    if opening is None or opening.level != 1 or not shows_no_words(marked.text[:start]):
        return "", marked
    if given and clean_title(opening.words).casefold() != clean_title(given).casefold():
        return opening.words, marked
    end = marked.text.find("\n", opening.offset) + 1 or len(marked.text)
    start = start if marked.text[:start].strip() else 0
    n = end - start
    # One that a tag over several lines takes with it may begin before the end of this one.
    sections = [part._replace(offset=max(part.offset - n, 0)) for part in marked.sections[1:]]
    left = [
        link if link.offset < start else link._replace(offset=link.offset - n)
        for link in marked.links
        if not start <= link.offset < end
    ]
    return opening.words, Marked(marked.text[:start] + marked.text[end:], sections, left)


def nested(sections: Iterable[Section]) -> tuple[Heading, ...]:
    """Return headings, each with those above it: "Sync > Set up".

    An anchor leads to the first heading that has it: another one with the same has none.
    """
    headings: list[Heading] = []
    above: list[tuple[int, str]] = []
    seen: set[str] = set()
    for section in sections:
        words = clean_title(section.words)
        if not words or len(words) > MAX_HEADING_CHARS:
            continue
        above = [outer for outer in above if outer[0] < section.level]
        above.append((section.level, words))
        path = " > ".join(words for _, words in above)
        anchor = clean_title(section.anchor)
        headings.append(Heading(section.offset, path, "" if anchor in seen else anchor))
        seen.add(anchor)
    return tuple(headings)


def file_title(file: SourceFile) -> str:
    """Return the title of a file that has none: its name, or its folder's for an index."""
    if file.stem.lower() in _OF_ITS_FOLDER:
        return PurePosixPath(file.folder).name or _corpus_name(file) or file.stem
    return file.stem


def _corpus_name(file: SourceFile) -> str:
    """Return the name of a file's folder on disk; "" in an archive or a message."""
    return file.on_disk.absolute().parent.name if file.on_disk else ""


def text_document(
    file: SourceFile, marked: Marked, *, titles: Sequence[str] = (), names: Sequence[str] = ()
) -> Document | BadRecord:
    """Make the document of a file; its title is the first that is not blank, else the file's.

    The other titles, the names and the file's own name are further names; those of an index are its
    folder's path and name too.
    """
    own = file_title(file)
    title = next(filter(None, map(clean_title, (*titles, own))), file.place)
    document = make_document(title, marked.text, file.place)
    if isinstance(document, BadRecord):
        return document
    of_folder = (own, file.folder) if own != file.stem else ()
    return document._replace(
        id=without_suffix(file.place),
        aliases=other_names(document.title, [*names, *titles, *of_folder, file.stem]),
        path=file.place,
        headings=nested(marked.sections),
        links=tuple(marked.links),
    )


def lines_with_offsets(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines of a text, each with where it begins."""
    offset = 0
    for line in text.split("\n"):
        yield offset, line
        offset += len(line) + 1


def joined_header(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Return the names of columns from two header rows: "2024" over "Rate" is "2024 Rate"."""
    pairs = zip_longest(upper, lower, fillvalue="")
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in pairs]


def row_text(header: Sequence[str], cells: Sequence[str]) -> str:
    """Write a row of a table with its header: "Region: North; Rate: 12 %"."""
    names = (name if len(name) <= MAX_NAME_CHARS else "" for name in header)
    pairs = zip_longest(names, cells, fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
