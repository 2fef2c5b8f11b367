"""Streams of a corpus's files: decompression, limits of reading, and errors of damage.

Nothing is ever read whole, and nothing is extracted to disk. Damage of any kind ends in a
``CorpusError`` that names the place.
"""

import bz2
import gzip
import io
import lzma
import re
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import unquote

from hippohover.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_RECORD_BYTES: Final = 64 * 2**20
"""Longest line, array item, text file or database cell that is read."""

BOM: Final = b"\xef\xbb\xbf"
NOT_UTF8: Final = "is not UTF-8 text: save it as UTF-8"

BUFFER_BYTES: Final = 2**17
CHUNK_BYTES: Final = 2**20

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/*(?=/)")

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
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # of zipfile: a way of packing that it does not know
    tarfile.TarError,
    sqlite3.Error,
)

_XZ_MEMORY_BYTES: Final = 2**27  # what xz -9 asks for is half of it


def one_line(text: str, *, longest: int = 120) -> str:
    """Make a text of unknown origin safe for a message: printable, one line, cut."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * longest])
    plain = " ".join(plain.split())
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


@contextmanager
def damage_named(place: str) -> Generator[None]:
    """Turn any error of damaged or unreadable bytes into a ``CorpusError`` for ``place``."""
    try:
        yield
    except _DAMAGE as error:
        what, fix = _reason(error, place)
        raise CorpusError(f"{one_line(place)}: {what}: {fix}") from error


def _reason(error: BaseException, place: str) -> tuple[str, str]:
    """Return an exception's reason for a file, and the fix."""
    if isinstance(error, PermissionError):
        return "cannot be opened (permission denied)", "make it readable"
    if isinstance(error, FileNotFoundError):
        address = _ADDRESS.match(place)
        if address and address[1].lower() == "file":
            return "is an address, not a path", f"give {one_line(unquote(place[address.end() :]))}"
        if address:
            return "is an address, not a path", "fetch it, and give the path of the file"
        return "does not exist", "check the path"
    if isinstance(error, EOFError):
        return "ends too early, it is cut short", "fetch it again"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"cannot be read ({one_line(text)})", "check that it is whole and of this format"


@contextmanager
def open_stream(path: Path) -> Generator[io.BufferedReader]:
    """Open a file, decompressed when it begins as gzip, bzip2 or xz does."""
    with path.open("rb") as raw, unpacked(raw) as stream:
        yield stream


@contextmanager
def unpacked(raw: io.BufferedReader) -> Generator[io.BufferedReader]:
    """Yield a stream, decompressed when it begins as gzip, bzip2 or xz does."""
    magic = raw.peek(6)[:6]
    if magic[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=raw) as stream:
            yield io.BufferedReader(stream, BUFFER_BYTES)  # pyright: ignore[reportArgumentType]
    elif magic[:3] == b"BZh":
        with unpacked_bzip2(raw) as stream:
            yield stream
    elif magic == b"\xfd7zXZ\x00":
        with unpacked_xz(raw) as stream:
            yield stream
    else:
        yield raw


def too_long(place: str) -> CorpusError:
    """Make the error for a record above the limit."""
    return CorpusError(
        f"{one_line(place)}: longer than {MAX_RECORD_BYTES // 2**20} MB: "
        "split the document, or check that this is a corpus of this format"
    )


# Streams compressed with bzip2 or xz, read to their last byte


class Readable(Protocol):
    """Gives bytes on demand."""

    def read(self, size: int, /) -> bytes: ...


class MadeBytes(io.RawIOBase):
    """A stream whose bytes are made as they are asked for."""

    def made(self, size: int) -> bytes:
        """Return the next bytes, so many at the most; none at the end."""
        raise NotImplementedError

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Put the next bytes into a buffer."""
        into = memoryview(buffer)
        content = self.made(len(into))
        into[: len(content)] = content
        return len(content)

    def buffered(self) -> io.BufferedReader:
        """Return the stream behind a buffer."""
        return io.BufferedReader(self, BUFFER_BYTES)


class _Unpacked(MadeBytes):
    """Decompresses stream after stream to the last byte; zeros after a stream are padding.

    ``bz2.BZ2File`` takes whatever it cannot unpack after a stream for padding, and so leaves out a
    second stream whose head is damaged.
    """

    def __init__(
        self,
        packed: Readable,
        decompressor: "Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]",
    ) -> None:
        self._packed = packed
        self._decompressor = decompressor
        self._stream = decompressor()

    def made(self, size: int) -> bytes:
        content = b""
        while not content:
            if self._stream.eof:
                packed = self._after_a_stream()
                if not packed:
                    return b""
                self._stream = self._decompressor()
            else:
                packed = self._packed.read(BUFFER_BYTES) if self._stream.needs_input else b""
                if self._stream.needs_input and not packed:
                    raise EOFError
            content = self._stream.decompress(packed, size)
        return content

    def _after_a_stream(self) -> bytes:
        """Return the start of the next stream; nothing at the end."""
        packed = self._stream.unused_data.lstrip(b"\0")
        while not packed and (more := self._packed.read(BUFFER_BYTES)):
            packed = more.lstrip(b"\0")
        return packed


def unpacked_bzip2(packed: Readable) -> io.BufferedReader:
    """Decompress bzip2 through a buffer."""
    return _Unpacked(packed, bz2.BZ2Decompressor).buffered()


def unpacked_xz(packed: Readable) -> io.BufferedReader:
    """Decompress xz, with 128 MiB of memory at most, through a buffer."""
    decompressor = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
    return _Unpacked(packed, decompressor).buffered()
