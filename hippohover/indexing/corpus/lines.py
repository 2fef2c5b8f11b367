"""Lines of a corpus, cut into pieces for parallel reading, and numbered."""

import io
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import IO, Final, NamedTuple

from hippohover.indexing.corpus.fields import Shape
from hippohover.indexing.corpus.files.streams import (
    BOM,
    BUFFER_BYTES,
    MAX_RECORD_BYTES,
    damage_named,
    made_stream,
    too_long,
    unpacked_bzip2,
)
from hippohover.indexing.corpus.records import BadRecord, Document, Records, Understood, json_record
from hippohover.recipe import NO_FIELDS, CorpusFields

_MOST_PACKED_BYTES: Final = 4 * 2**20


class Piece(NamedTuple):
    """Some whole lines of a corpus, as they are in its files.

    Attributes
    ----------
    place : str
        The file, and the member of an archive.
    first : int
        Number of the first line there, from 1.
    content : bytes
        The lines, packed by bzip2 where ``is_packed``.
    is_packed : bool
    """

    place: str
    first: int
    content: bytes
    is_packed: bool = False


def line_pieces(stream: IO[bytes], place: str) -> Iterator[Piece]:
    """Cut a stream after line ends, into pieces of a buffer and the rest of its last line.

    Raises
    ------
    CorpusError
        A line is longer than ``MAX_RECORD_BYTES``.
    """
    first = 1
    while content := stream.read(BUFFER_BYTES):
        rest = b"" if content.endswith(b"\n") else stream.readline(MAX_RECORD_BYTES + 1)
        n_ended = content.count(b"\n")
        if len(rest) > MAX_RECORD_BYTES:
            raise too_long(f"{place}:{first + n_ended}")
        yield Piece(place, first, content + rest)
        first += n_ended + rest.count(b"\n")


def packed_pieces(stream: IO[bytes], place: str) -> Iterator[Piece]:
    """Yield the lines of a bzip2 stream: compressed, or decompressed where they are many."""
    content = stream.read(_MOST_PACKED_BYTES + 1)
    if len(content) <= _MOST_PACKED_BYTES:
        yield Piece(place, 1, content, is_packed=True)
        return
    whole = chain([content], iter(partial(stream.read, BUFFER_BYTES), b""))
    with unpacked_bzip2(made_stream(whole)) as unpacked:
        yield from line_pieces(unpacked, place)


def lines_of(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Yield a piece's lines as ``numbered_lines`` does; errors of damage name the place."""
    with damage_named(piece.place), io.BytesIO(piece.content) as content:
        if piece.is_packed:
            with unpacked_bzip2(content) as unpacked:
                yield from numbered_lines(unpacked, piece.place, piece.first)
        else:
            yield from numbered_lines(content, piece.place, piece.first)


def numbered_lines(stream: IO[bytes], place: str, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield lines that are not blank, numbered from ``first``; removes line 1's byte order mark.

    Raises
    ------
    CorpusError
        A line is longer than ``MAX_RECORD_BYTES``.
    """
    for number in count(first):
        line = stream.readline(MAX_RECORD_BYTES + 1)
        if not line:
            return
        if len(line) > MAX_RECORD_BYTES:
            raise too_long(f"{place}:{number}")
        if number == 1:
            line = line.removeprefix(BOM)
        if not line.isspace():
            yield number, line


@dataclass(frozen=True)
class LineFormat:
    """A format of JSON lines, whose files are cut into pieces for parallel reading.

    Attributes
    ----------
    pieces : callable
        Path -> ``Piece`` after ``Piece``, in the order of the files.
    shape : callable
        Path, and the fields of a recipe -> what the records are.
    """

    pieces: Callable[[Path], Iterator[Piece]]
    shape: Callable[[Path, CorpusFields], Shape]

    def records(self, piece: Piece, shape: Shape) -> Generator[Document | BadRecord]:
        """Yield the records in the lines of a piece."""
        for number, line in lines_of(piece):
            place = f"{piece.place}:{number}"
            record = json_record(line, place)
            if isinstance(record, BadRecord):
                yield record
            else:
                yield from shape.records(record, place)

    def __call__(self, path: Path, fields: CorpusFields = NO_FIELDS) -> Records:
        """Yield the records of all files."""
        shape = self.shape(path, fields)
        if shape.said:
            yield Understood(shape.said)
        for piece in self.pieces(path):
            yield from self.records(piece, shape)
