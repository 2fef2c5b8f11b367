"""What the documents of files share: their titles and names, headings, links and pages."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, NamedTuple

from hippohover.disk.errors import not_json
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import BOM
from hippohover.indexing.corpus.known_names import KNOWN, one_of
from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS, marked_headings, without_suffix
from hippohover.indexing.corpus.records import (
    Document,
    Heading,
    Link,
    Page,
    UnreadableError,
    clean_title,
    make_document,
    other_names,
)

_OF_ITS_FOLDER: Final = {"index", "_index", "readme"}
_NO_WORDS: Final = re.compile(
    r"(?:\s|[|·•/,;*_—–-]|!?\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)|!?\[\[[^\[\]\n]{1,500}\]\]"
    r"|\[TOC\]|#[^\s#]{1,100}|\{%[^\n%]{0,500}%\})*+"
)
_NO_TITLE: Final = re.compile(one_of(KNOWN["files"]["no_titles"]), re.I)
_NO_PART: Final = re.compile(r"[^\w\- ]")
ENDS: Final = -1
"""The level of a section without a heading, which ends those before it."""

MAX_NAME_CHARS: Final = 100
"""The name of a column that is longer is not said in every row."""


class Section(NamedTuple):
    """A heading in a file: its place, its level from 1 on, its words, its anchor.

    Level 0 is a title above all.
    """

    offset: int
    level: int
    words: str
    anchor: str = ""


class Marked(NamedTuple):
    """A text without markup, with places of its sections, links and pages."""

    text: str
    sections: Sequence[Section] = ()
    links: Sequence[Link] = ()
    pages: Sequence[Page] = ()


def joined_texts(parts: Iterable[Marked]) -> Marked:
    """Join texts, one below the other; one of blanks alone is none."""
    texts: list[str] = []
    sections: list[Section] = []
    links: list[Link] = []
    pages: list[Page] = []
    length = 0
    for part in parts:
        text = part.text.strip("\n")
        if text.strip():
            moved = length - (len(part.text) - len(part.text.lstrip("\n")))
            sections += (one._replace(offset=one.offset + moved) for one in part.sections)
            links += (one._replace(offset=one.offset + moved) for one in part.links)
            pages += (one._replace(offset=max(one.offset + moved, 0)) for one in part.pages)
            texts.append(text)
            length += len(text) + 2
    return Marked("\n\n".join(texts), sections, links, pages)


def json_of(file: SourceFile) -> object:
    """Return the value of JSON that a file holds; ``UnreadableError`` if it is none."""
    try:
        return json.loads(file.content().removeprefix(BOM))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(not_json(error)) from error


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


def without_opening(marked: Marked, given: str = "") -> tuple[str, Marked]:
    """Return the heading of the first level that opens a document of blocks, and the rest.

    It stays a heading of the text unless it stands above all that follows, and is the title, which
    may be ``given``.
    """
    text, sections, links, pages = marked
    opening = sections[0] if sections else None
    if opening is None or opening.offset or opening.level > 1:
        return "", marked
    is_title = not given or given.casefold() == opening.words.casefold()
    cut = text.find("\n\n") + 2
    if not is_title or not _stands_above_all(opening, sections[1:]) or cut < 2:
        return opening.words, marked
    return opening.words, Marked(
        text[cut:],
        [section._replace(offset=section.offset - cut) for section in sections[1:]],
        [link._replace(offset=max(link.offset - cut, 0)) for link in links],
        [page._replace(offset=max(page.offset - cut, 0)) for page in pages],
    )


def office_document(file: SourceFile, marked: Marked, fields: Mapping[str, object]) -> Document:
    """Make the document of a file of blocks; its title is what its metadata says.

    Without one it is the heading that opens the text.
    """
    given = real_title(str(fields.get("title", "")))
    opening, left = without_opening(marked, given)
    # Where it stands above all that follows it is a name, in any case.
    is_name = bool(opening) and _stands_above_all(marked.sections[0], marked.sections[1:])
    names = [opening] if is_name and "\n" in marked.text else []
    return text_document(file, left, titles=(given or opening,), names=names, fields=fields)


def _stands_above_all(opening: Section, others: Iterable[Section]) -> bool:
    return all(other.level > opening.level for other in others if other.words)


def real_title(title: str) -> str:
    """Return a title that a person gave; "" for one that a program did."""
    title = clean_title(title)
    return "" if _NO_TITLE.fullmatch(title) else title


def nested(sections: Iterable[Section]) -> tuple[Heading, ...]:
    """Return headings, each with those above it: "Sync > Set up".

    An anchor leads to the first heading that has it: another one with the same has none.
    """
    headings: list[Heading] = []
    above: list[tuple[int, str]] = []
    seen: set[str] = set()
    for section in sections:
        words = clean_title(section.words)
        is_end = section.level == ENDS
        if not is_end and (not words or len(words) > MAX_HEADING_CHARS):
            continue
        above = [outer for outer in above if outer[0] < section.level]
        above += [] if is_end else [(section.level, words)]
        path = " > ".join(words for _, words in above)
        anchor = clean_title(section.anchor)
        headings.append(Heading(section.offset, path, "" if anchor in seen else anchor))
        seen.add(anchor)
    return tuple(headings)


def marked_sections(text: str) -> Iterator[Section]:
    """Yield the headings that "#" marks in a text; their words are their anchors."""
    for offset, level, words in marked_headings(text):
        yield Section(offset, level, words, words)


def slug(words: str) -> str:
    """Return GitHub's anchor for a heading: "What's new?" is "whats-new"."""
    return _NO_PART.sub("", words.lower()).replace(" ", "-")


def numbered(sections: Iterable[Section]) -> Iterator[Section]:
    """Yield sections; those with an earlier one's anchor get GitHub's number: "rates-1".

    The first is called by its words still, and one with an anchor of its own by that: of two such
    no renderer tells the second from the first, and neither does this.
    """
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    for section in sections:
        name, of_words = section.anchor.casefold(), slug(section.words)
        n = counts[of_words]
        if name in (section.words.casefold(), of_words):
            counts[of_words] += 1
            yield section._replace(anchor=f"{of_words}-{n}") if n and name in seen else section
        else:
            yield section
        seen.add(name)


def file_title(file: SourceFile) -> str:
    """Return the title of a file that has none: its name, or its folder's for an index."""
    if file.stem.lower() in _OF_ITS_FOLDER:
        return PurePosixPath(file.folder).name or _corpus_name(file) or file.stem
    return file.stem


def _corpus_name(file: SourceFile) -> str:
    """Return the name of a file's folder on disk; "" in an archive or a message."""
    return file.on_disk.absolute().parent.name if file.on_disk else ""


def text_document(
    file: SourceFile,
    marked: Marked,
    *,
    titles: Sequence[str] = (),
    names: Sequence[str] = (),
    fields: Mapping[str, object] = MappingProxyType({}),
) -> Document:
    """Make the document of a file; its title is the first that is not blank, else the file's.

    The other titles, the names and the file's own name are further names; those of an index are its
    folder's path and name too.
    """
    own = file_title(file)
    title = next(filter(None, map(clean_title, (*titles, own))), file.place)
    document = make_document(title, marked.text)
    of_folder = (own, file.folder) if own != file.stem else ()
    return document._replace(
        id=without_suffix(file.place),
        aliases=other_names(document.title, [*names, *titles, *of_folder, file.stem]),
        path=file.place,
        headings=nested(marked.sections),
        links=tuple(marked.links),
        pages=tuple(marked.pages),
        fields=fields,
    )


def joined_header(*rows: Sequence[str]) -> list[str]:
    """Return the names of columns from header rows: "2024" over "Rate" is "2024 Rate"."""
    columns = zip_longest(*rows, fillvalue="")
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns]


def row_text(header: Sequence[str], cells: Sequence[str]) -> str:
    """Write a row of a table with its header: "Region: North; Rate: 12 %"."""
    names = (name if len(name) <= MAX_NAME_CHARS else "" for name in header)
    pairs = zip_longest(names, cells, fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
