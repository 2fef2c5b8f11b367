"""JSON lines, compressed or not, in a file or a folder's files; accepts usual field names."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.streams import damage_named, open_stream
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces, lines_of
from hippohover.indexing.corpus.readers.records.shapes import FIRST_RECORDS, shape_of
from hippohover.indexing.corpus.records import json_record
from hippohover.recipe import CorpusFields

_NAME: Final = re.compile(r"\.(?:jsonl|ndjson)(?:\.gz|\.bz2)?$", re.I)


def shards_of(folder: Path) -> list[Path]:
    """Return the files of a folder that holds only JSON lines; none for another."""
    files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    are_lines = (
        _NAME.search(file.name) and file.is_file() and not file.is_symlink() for file in files
    )
    return files if all(are_lines) else []


def _pieces(path: Path) -> Iterator[Piece]:
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


read: Final = LineFormat(_pieces, _shape)
