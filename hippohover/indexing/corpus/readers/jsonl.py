"""JSON lines of ``{"title", "text"}``, packed or not, and fields that a recipe may keep."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.indexing.corpus.lines import LineFormat, Piece, line_pieces
from hippohover.indexing.corpus.records import titled_document


def _pieces(path: Path) -> Iterator[Piece]:
    with open_stream(path) as stream:
        yield from line_pieces(stream, path.name)


read: Final = LineFormat(_pieces, titled_document)
