"""JSON lines: a file or a folder's files, and Wikipedia's abstracts in tars.

HotpotQA's have links (https://hotpotqa.github.io/wiki-readme.html): their sentences hold their own
blanks, and each member of the tar is packed by bzip2. DSPy's ``wiki.abstracts.2017`` holds
``{"title", "text": [sentences]}``.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hippohover.indexing.corpus.fields import Shape, always
from hippohover.indexing.corpus.files.streams import damage_named, open_stream
from hippohover.indexing.corpus.files.tar import archive_members
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces, lines_of, packed_pieces
from hippohover.indexing.corpus.readers.records.shapes import FIRST_RECORDS, shape_of
from hippohover.indexing.corpus.records import (
    Document,
    Link,
    UnreadableError,
    clean_title,
    field_problem,
    is_text_list,
    json_record,
    make_document,
)
from hippohover.recipe import CorpusFields

_NAME: Final = re.compile(r"\.(?:jsonl|ndjson)(?:\.gz|\.bz2)?$", re.I)
_ANCHOR = re.compile(r'<a href="([^"]*)"')


def shards_of(folder: Path) -> list[Path]:
    """Return the files of a folder that holds only JSON lines; none for another."""
    files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    are_lines = (
        _NAME.search(file.name) and file.is_file() and not file.is_symlink() for file in files
    )
    return files if all(are_lines) else []


def _files_of_lines(path: Path) -> Iterator[Piece]:
    for file in _files(path):
        with damage_named(str(file)), open_stream(file) as stream:
            yield from line_pieces(stream, file.name)


def _files(path: Path) -> list[Path]:
    return shards_of(path) if path.is_dir() else [path]


def _shape(path: Path, fields: CorpusFields) -> Shape:
    """Return the shape of the first piece's lines."""
    files = _files(path)
    with open_stream(files[0] if files else path) as stream:
        pieces = islice(line_pieces(stream, path.name), 1)
        lines = [line for piece in pieces for _, line in lines_of(piece)]
    records = (json_record(line, "") for line in lines[:FIRST_RECORDS])
    return shape_of([record for record in records if isinstance(record, dict)], fields)


read_lines: Final = LineFormat(_files_of_lines, _shape)


# Abstracts


def _packed_members(path: Path) -> Iterator[Piece]:
    for member, content in archive_members(path, ".bz2"):
        name = f"{path.name}:{member}"
        with damage_named(name):
            yield from packed_pieces(content, name)


def _linked(record: dict[str, object], _: str) -> tuple[Document]:
    """Return the document of a record; a link's place is the start of its sentence."""
    sentences, linked = record.get("text"), record.get("text_with_links", [])
    if not is_text_list(linked):
        raise UnreadableError(field_problem("text_with_links", linked, "a list of sentences"))
    document = make_document(record.get("title"), sentences, joiner="", unescape=True)
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


def _plain(record: dict[str, object], _: str) -> tuple[Document]:
    document = make_document(record.get("title"), record.get("text"), unescape=True)
    return (document._replace(fields=record),)


read_linked: Final = LineFormat(_packed_members, always(_linked))
read_abstracts: Final = LineFormat(_members, always(_plain))
