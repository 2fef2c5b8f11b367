"""Files of wikiextractor: ``<doc id= url= title=>``, or JSON lines.

Its folders are AA, AB, ..., their files wiki_00, wiki_01, ...
"""

import html
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hippohover.indexing.corpus.fields import always, id_of
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import (
    MAX_RECORD_BYTES,
    NOT_UTF8,
    damage_named,
    open_stream,
    too_long,
)
from hippohover.indexing.corpus.lines import numbered_lines
from hippohover.indexing.corpus.readers.records.record_file import RecordFile, Row
from hippohover.indexing.corpus.readers.texts.inline_html import Edit, Edited
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    Records,
    clean_title,
    json_record,
    make_document,
)
from hippohover.recipe import NO_FIELDS, CorpusFields

SUFFIXES: Final = (".wikiextractor",)
"""Its files have none: how those are called that begin as they do."""

_HEAD = re.compile(rb"<doc ([^<>]{1,4000})>\s*")
_ATTRIBUTE = re.compile(r'([a-z]{1,20})="([^"]{0,2000})"')
_ANCHOR = re.compile(r'<a href="([^"<>]{1,1000})"?>([^<>]{0,1000})</a>')


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder that wikiextractor wrote; none of another."""
    files = [*folder.glob("wiki_[0-9][0-9]*"), *folder.glob("[A-Z][A-Z]/wiki_[0-9][0-9]*")]
    return sorted(file for file in files if file.is_file())


def _rows(file: SourceFile, _: CorpusFields) -> Iterator[Row]:
    with file.opened() as stream:
        head: dict[str, object] = {}
        lines: list[bytes] = []
        n_bytes = last = 0
        for number, line in numbered_lines(stream, file.place):
            place = f"{file.place}:{number}"
            if match := _HEAD.fullmatch(line):
                head = dict(_ATTRIBUTE.findall(match[1].decode("utf-8", "replace")))
                lines, n_bytes = [], 0
            elif line.strip() == b"</doc>" and head:
                yield _row(head, lines, place)
                head, lines = {}, []
            elif head:
                lines += [b"\n" * (number - last - 1), line]  # blank lines are left out
                n_bytes += len(line)
                if n_bytes > MAX_RECORD_BYTES:
                    raise too_long(place)
            else:
                record = json_record(line, place)
                yield record if isinstance(record, BadRecord) else (place, record)
            last = number
        if head:
            yield BadRecord(file.place, "ends within a <doc>: it is cut short")


def _row(head: dict[str, object], lines: list[bytes], place: str) -> Row:
    try:
        text = b"".join(lines).decode()
    except UnicodeDecodeError:
        return BadRecord(place, NOT_UTF8)
    first, _, rest = text.lstrip().partition("\n")
    is_titled = html.unescape(first.strip()) == html.unescape(str(head.get("title", "")))
    return place, {**head, "text": rest.lstrip() if is_titled else text}


def _documents(record: dict[str, object], _: str) -> tuple[Document]:
    text = record.get("text")
    links: list[Link] = []
    if isinstance(text, str):
        text, links = _without_anchors(html.unescape(text))
    document = make_document(record.get("title"), text, unescape=True)
    return (document._replace(id=id_of(record), fields=record, links=tuple(links)),)


def _without_anchors(text: str) -> tuple[str, list[Link]]:
    """Replace links by their shown text; return the text and the links."""
    anchors = list(_ANCHOR.finditer(text)) if "<a href" in text else []
    edited = Edited(text, (Edit(*anchor.span(), anchor[2]) for anchor in anchors))
    links = (
        Link(edited.place(anchor.start()), clean_title(unquote(anchor[1]).partition("#")[0]))
        for anchor in anchors
    )
    return edited.text, [link for link in links if link.title]


read: Final = RecordFile(_rows, always(_documents))


def read_corpus(path: Path, fields: CorpusFields = NO_FIELDS) -> Records:
    """Read the documents of a file, or of all files of a folder."""
    if not path.is_dir():
        yield from read.corpus(path, fields)
        return
    for file in files_of(path):
        place = file.relative_to(path).as_posix()
        with damage_named(str(file)):
            yield from read.documents(SourceFile(place, partial(open_stream, file)), fields)
