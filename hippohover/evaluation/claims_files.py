"""Content of claims files, read within limits, and the place of each record.

A place is what a message names: ``claims.jsonl:17`` for the 17th line, ``claims.json[16]`` for the
17th item of an array.
"""

import io
import json
import lzma
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, cast, overload

from hippohover.disk import decoding
from hippohover.disk.errors import not_json
from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import BOM, open_stream

MAX_CLAIMS_BYTES: Final = 64 * 2**20
"""Largest claims file that is read, unpacked: hostile JSON of this size takes up to 2 GB of memory.
HoVer's own have 10 MB."""

_OTHER_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")  # of UTF-16 and UTF-32


def claims_content(path: Path, what: str = "claims") -> bytes:
    """Read a file of claims or of ``what``, unpacked, without a byte order mark.

    What such a mark says to be UTF-16 or UTF-32 comes in UTF-8. It may be packed by gzip, bzip2 or
    xz.

    Raises
    ------
    CorpusError
        The file is missing, unreadable, damaged, not in what its mark says, or longer than
        ``MAX_CLAIMS_BYTES``.
    """
    try:
        with open_stream(path) as stream:
            content = stream.read(MAX_CLAIMS_BYTES + 1)
    except FileNotFoundError as error:
        raise CorpusError(f"{path}: no such {what} file: check the path") from error
    except IsADirectoryError as error:
        beside = path / "queries.jsonl"
        fix = f"{beside}, with --qrels" if beside.exists() else f"the file of {what} in it"
        raise CorpusError(f"{path}: is a folder: give {fix}") from error
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise CorpusError(f"{path}: cannot be read ({error}): give a whole file") from error
    if len(content) > MAX_CLAIMS_BYTES:
        most = f"{MAX_CLAIMS_BYTES:,} bytes"
        raise CorpusError(f"{path}: over {most} unpacked: split the {what} file")
    is_marked = content.startswith(_OTHER_MARKS)
    return in_utf8(content, str(path)) if is_marked else content.removeprefix(BOM)


def in_utf8(content: bytes, name: str) -> bytes:
    """Convert a text from its most likely encoding to UTF-8, as documents are read.

    Raises
    ------
    CorpusError
        It is not text in any encoding.
    """
    try:
        return decoding.decoded(content)[0].encode()
    except UnicodeError as error:
        raise CorpusError(f"{name}: {decoding.NOT_TEXT}: save it as UTF-8") from error


class Items(Sequence[tuple[object, str]]):
    """Items of a JSON array, each with its place; places are made on demand."""

    def __init__(self, items: Sequence[object], name: str) -> None:
        self._items = items
        self._name = name

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, at: int) -> tuple[object, str]: ...
    @overload
    def __getitem__(self, at: slice) -> "Items": ...
    def __getitem__(self, at: int | slice) -> "tuple[object, str] | Items":
        if isinstance(at, slice):
            return Items(self._items[at], self._name)
        return self._items[at], f"{self._name}[{at}]"


def json_records(content: bytes, name: str) -> Sequence[tuple[object, str]]:
    """Read JSON items or JSON lines, with their places in the file ``name``.

    Raises
    ------
    CorpusError
        Bytes are not UTF-8, or not JSON.
    """
    if content.lstrip()[:1] == b"[":
        return Items(cast("list[object]", _json(decoded(content, name), name)), name)
    return [(_json(line, place), place) for line, place in text_lines(content, name)]


def text_lines(content: bytes, name: str) -> Iterator[tuple[str, str]]:
    """Yield lines that are not blank, without their ends, with their places in ``name``.

    Raises
    ------
    CorpusError
        Bytes are not UTF-8.
    """
    for number, line in enumerate(io.BytesIO(content), start=1):
        if not line.isspace():
            place = f"{name}:{number}"
            text = decoded(line, place).removesuffix("\n")
            if text.strip():
                yield text, place


def decoded(content: bytes, place: str) -> str:
    """Decode UTF-8.

    Raises
    ------
    CorpusError
        Bytes are not UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise CorpusError(f"{place}: not UTF-8 at byte {error.start}: save it as UTF-8") from error


def _json(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{place}: {not_json(error)}: give one claim as an object") from error
