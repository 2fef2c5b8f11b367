"""JSON lines, packed or not, of records by any of the names that ``fields`` knows."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces, lines_of
from hippohover.indexing.corpus.readers.records.shapes import FIRST_RECORDS, shape_of
from hippohover.indexing.corpus.records import json_record
from hippohover.recipe import CorpusFields


def _pieces(path: Path) -> Iterator[Piece]:
    with open_stream(path) as stream:
        yield from line_pieces(stream, path.name)


def _shape(path: Path, fields: CorpusFields) -> Shape:
    """What the lines of the first piece are."""
    with open_stream(path) as stream:
        pieces = islice(line_pieces(stream, path.name), 1)
        lines = [line for piece in pieces for _, line in lines_of(piece)]
    records = (json_record(line, "") for line in lines[:FIRST_RECORDS])
    return shape_of([record for record in records if isinstance(record, dict)], fields)


read: Final = LineFormat(_pieces, _shape)
