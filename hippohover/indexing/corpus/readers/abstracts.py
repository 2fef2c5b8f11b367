"""Wikipedia's abstracts in tars of JSON lines: HotpotQA's with links, and DSPy's of 2017.

See https://hotpotqa.github.io/wiki-readme.html; the sentences there hold their own blanks, and each
member is packed by bzip2. DSPy's ``wiki.abstracts.2017`` holds ``{"title", "text": [sentences]}``.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hippohover.indexing.corpus.fields import always
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.files.tar import archive_members
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces, packed_pieces
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    clean_title,
    field_problem,
    is_text_list,
    make_document,
)

_ANCHOR = re.compile(r'<a href="([^"]*)"')


def _packed_members(path: Path) -> Iterator[Piece]:
    for member, content in archive_members(path, ".bz2"):
        name = f"{path.name}:{member}"
        with damage_named(name):
            yield from packed_pieces(content, name)


def _linked(record: dict[str, object], place: str) -> tuple[Document | BadRecord]:
    """Return the document of a record; a link's place is the start of its sentence."""
    sentences, linked = record.get("text"), record.get("text_with_links", [])
    if not is_text_list(linked):
        problem = field_problem("text_with_links", linked, "a list of sentences")
        return (BadRecord(place, problem),)
    document = make_document(record.get("title"), sentences, place, joiner="", unescape=True)
    if isinstance(document, BadRecord):
        return (document,)
    links = _anchors(sentences if is_text_list(sentences) else [], linked)
    return (document._replace(links=tuple(links), fields=record),)


def _anchors(sentences: Sequence[str], linked: Iterable[str]) -> Iterator[Link]:
    offset = 0
    for number, sentence in enumerate(linked):
        for target in _ANCHOR.findall(sentence):
            page, _, _ = unquote(target).partition("#")  # "Page#Section" is on Page
            title = clean_title(html.unescape(page))
            if title:
                yield Link(offset, title)
        offset += len(sentences[number]) if number < len(sentences) else 0


def _members(path: Path) -> Iterator[Piece]:
    for member, content in archive_members(path, ".jsonl"):
        yield from line_pieces(content, f"{path.name}:{member}")


def _plain(record: dict[str, object], place: str) -> tuple[Document | BadRecord]:
    document = make_document(record.get("title"), record.get("text"), place, unescape=True)
    return (document._replace(fields=record) if isinstance(document, Document) else document,)


read_linked: Final = LineFormat(_packed_members, always(_linked))
read: Final = LineFormat(_members, always(_plain))
