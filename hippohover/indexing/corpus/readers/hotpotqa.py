"""HotpotQA's abstracts with links: a tar of bzip2 files of JSON lines.

See https://hotpotqa.github.io/wiki-readme.html; the sentences hold their own blanks.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.archives import archive_members
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.lines import LineFormat, Piece, packed_pieces
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    clean_title,
    field_problem,
    is_text_list,
    make_document,
)
from hippohover.recipe import CorpusFields

_ANCHOR = re.compile(r'<a href="([^"]*)"')


def _pieces(path: Path) -> Iterator[Piece]:
    for member, content in archive_members(path, ".bz2"):
        name = f"{path.name}:{member}"
        with damage_named(name):
            yield from packed_pieces(content, name)


def _abstract(record: dict[str, object], place: str) -> Document | BadRecord:
    """Return the document of a record; a link's place is the start of its sentence."""
    sentences, linked = record.get("text"), record.get("text_with_links", [])
    if not is_text_list(linked):
        return BadRecord(place, field_problem("text_with_links", linked, "a list of sentences"))
    document = make_document(record.get("title"), sentences, place, joiner="", unescape=True)
    if isinstance(document, BadRecord):
        return document
    links = _anchors(sentences if is_text_list(sentences) else [], linked)
    return document._replace(links=tuple(links), fields=record)


def _anchors(sentences: Sequence[str], linked: Iterable[str]) -> Iterator[Link]:
    offset = 0
    for number, sentence in enumerate(linked):
        for target in _ANCHOR.findall(sentence):
            page, _, _ = unquote(target).partition("#")  # "Page#Section" is on Page
            title = clean_title(html.unescape(page))
            if title:
                yield Link(offset, title)
        offset += len(sentences[number]) if number < len(sentences) else 0


def _documents(record: dict[str, object], place: str) -> tuple[Document | BadRecord]:
    return (_abstract(record, place),)


def _shape(_path: Path, _fields: CorpusFields) -> Shape:
    return Shape(_documents)


read: Final = LineFormat(_pieces, _shape)
