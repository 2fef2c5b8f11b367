"""Bytes of a corpus, read with a bound: lines, archive members, items of a JSON array.

Nothing here is ever read whole, and nothing is extracted to disk. Damage of any kind ends in a
``CorpusError`` that names the place.
"""

import bz2
import codecs
import gzip
import io
import json
import re
import sqlite3
import struct
import tarfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Protocol

from hippohover.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_RECORD_BYTES: Final = 64 * 2**20
"""Longest line, array item, text file or database cell that is read."""

BOM: Final = b"\xef\xbb\xbf"
NOT_UTF8: Final = "is not UTF-8 text"


BUFFER_BYTES: Final = 2**17
CHUNK_BYTES: Final = 2**20
_JSON_BLANKS = re.compile(r"[ \t\n\r]*")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_JSON = json.JSONDecoder()

# Whatever the decoders of the standard library raise on damaged bytes.
_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    struct.error,
    zlib.error,
    tarfile.TarError,
    sqlite3.Error,
)


def one_line(text: str, *, longest: int = 120) -> str:
    """Text of unknown origin as it may stand in a message: printable, on one line, cut."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * longest])
    plain = " ".join(plain.split())
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


@contextmanager
def damage_named(place: str) -> Generator[None]:
    """Turn whatever damaged or unreadable bytes raise into a ``CorpusError`` for ``place``."""
    try:
        yield
    except _DAMAGE as error:
        what, fix = _reason(error)
        raise CorpusError(f"{one_line(place)}: {what}: {fix}") from error


def _reason(error: BaseException) -> tuple[str, str]:
    """What an exception says of a file, and the fix."""
    if isinstance(error, PermissionError):
        return "cannot be opened (permission denied)", "make it readable"
    if isinstance(error, FileNotFoundError):
        return "does not exist", "check the path"
    if isinstance(error, EOFError) or "unexpected end of data" in str(error):
        return "ends too early, it is cut short", "fetch it again"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"cannot be read ({one_line(text)})", "check that it is whole and of this format"


@contextmanager
def open_stream(path: Path) -> Generator[io.BufferedReader]:
    """The bytes of a file, unpacked when they begin as gzip or bzip2 does."""
    with path.open("rb") as raw:
        magic = raw.peek(3)[:3]
        if magic[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield io.BufferedReader(unpacked, BUFFER_BYTES)  # pyright: ignore[reportArgumentType]
        elif magic == b"BZh":
            with unpacked_bzip2(raw) as unpacked:
                yield unpacked
        else:
            yield raw


class Readable(Protocol):
    """What gives bytes when it is asked for some."""

    def read(self, size: int, /) -> bytes: ...


class _Bzip2(io.RawIOBase):
    """What bzip2 packed, stream after stream to the last byte; zeros after a stream are padding.

    ``bz2.BZ2File`` takes whatever it cannot unpack after a stream for padding, and so leaves out a
    second stream whose head is damaged.
    """

    def __init__(self, packed: Readable) -> None:
        self._packed = packed
        self._stream = bz2.BZ2Decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        into = memoryview(buffer)
        content = b""
        while not content:
            if self._stream.eof:
                packed = self._after_a_stream()
                if not packed:
                    return 0
                self._stream = bz2.BZ2Decompressor()
            else:
                packed = self._packed.read(BUFFER_BYTES) if self._stream.needs_input else b""
                if self._stream.needs_input and not packed:
                    raise EOFError
            content = self._stream.decompress(packed, len(into))
        into[: len(content)] = content
        return len(content)

    def _after_a_stream(self) -> bytes:
        """Where the next one begins; nothing at the end."""
        packed = self._stream.unused_data.lstrip(b"\0")
        while not packed and (more := self._packed.read(BUFFER_BYTES)):
            packed = more.lstrip(b"\0")
        return packed


def unpacked_bzip2(packed: Readable) -> io.BufferedReader:
    """What bzip2 packed, read with a buffer."""
    return io.BufferedReader(_Bzip2(packed), BUFFER_BYTES)  # pyright: ignore


def too_long(place: str) -> CorpusError:
    """The error for a record above the bound."""
    return CorpusError(
        f"{one_line(place)}: longer than {MAX_RECORD_BYTES // 2**20} MB: "
        "split the document, or check that this is a corpus of this format"
    )


class JsonArray:
    """The items of one JSON array, decoded one after another from a stream.

    Iterating yields (item, whether its bytes were UTF-8). An array cannot be entered again
    after a syntax error, so such an error is a ``CorpusError`` and not a bad record.
    """

    def __init__(self, stream: IO[bytes], place: str) -> None:
        self._stream = stream
        self._place = place
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape").decode
        self._text = ""
        self._at = 0
        self._n_items = 0

    def __iter__(self) -> Iterator[tuple[object, bool]]:
        self._take("[")
        if self._next() == "]":
            self._at += 1
        else:
            yield self._item()
            while self._take(",]") == ",":
                yield self._item()
        if self._next():
            raise self._broken("more text after the array")

    def _item(self) -> tuple[object, bool]:
        self._next()
        self._n_items += 1
        while True:
            try:
                item, end = _JSON.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                is_syntax = isinstance(error, json.JSONDecodeError)
                if is_syntax and self._fill():  # it may only have been cut by the buffer's end
                    continue
                raise self._broken(error.msg if is_syntax else str(error)) from error
            if end == len(self._text) and self._fill():
                continue  # "12" may go on as "123"
            is_utf8 = _ESCAPED_BYTE.search(self._text, self._at, end) is None
            self._at = end
            return item, is_utf8

    def _take(self, wanted: str) -> str:
        found = self._next()
        if not found or found not in wanted:
            raise self._broken(f"expected one of {wanted!r}, found {found!r}")
        self._at += 1
        return found

    def _next(self) -> str:
        """The next character that is not a blank, not yet taken; "" at the end."""
        while True:
            blanks = _JSON_BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _fill(self) -> bool:
        """Drop what was taken and at least double the rest; False at the end of the stream."""
        rest = self._text[self._at :]
        if len(rest) > MAX_RECORD_BYTES:
            raise too_long(f"{self._place}: item {self._n_items}")
        chunk = self._stream.read(max(CHUNK_BYTES, len(rest)))
        self._text = rest + self._decode(chunk, final=not chunk)
        self._at = 0
        return bool(chunk)

    def _broken(self, problem: str) -> CorpusError:
        return CorpusError(
            f"{one_line(self._place)}: not a whole JSON array ({one_line(problem)} "
            f"at item {self._n_items}): mend it, or fetch it again"
        )
