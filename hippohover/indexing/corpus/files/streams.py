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
from collections.abc import Callable, Generator, Iterable, Iterator
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


class _Made(io.RawIOBase):
    """A stream of chunks that are made as they are asked for."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        into = memoryview(buffer)
        if not self._left:
            self._left = next(filter(None, self._chunks), b"")
        n_bytes = min(len(into), len(self._left))
        into[:n_bytes], self._left = self._left[:n_bytes], self._left[n_bytes:]
        return n_bytes


def made_stream(chunks: Iterable[bytes]) -> io.BufferedReader:
    """Return the chunks as a stream behind a buffer; each is asked for when it is read."""
    return io.BufferedReader(_Made(iter(chunks)), BUFFER_BYTES)


def _decompressed(
    packed: Readable, decompressor: "Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]"
) -> Iterator[bytes]:
    """Decompress stream after stream to the last byte; zeros after a stream are padding.

    ``bz2.BZ2File`` takes whatever it cannot unpack after a stream for padding, and so leaves out a
    second stream whose head is damaged.
    """
    stream = decompressor()
    while True:
        if stream.eof:
            some = stream.unused_data.lstrip(b"\0")
            while not some and (more := packed.read(BUFFER_BYTES)):
                some = more.lstrip(b"\0")
            if not some:
                return
            stream = decompressor()
        else:
            some = packed.read(BUFFER_BYTES) if stream.needs_input else b""
            if stream.needs_input and not some:
                raise EOFError
        yield stream.decompress(some, BUFFER_BYTES)


def unpacked_bzip2(packed: Readable) -> io.BufferedReader:
    """Decompress bzip2 through a buffer."""
    return made_stream(_decompressed(packed, bz2.BZ2Decompressor))


def unpacked_xz(packed: Readable) -> io.BufferedReader:
    """Decompress xz, with 128 MiB of memory at most, through a buffer."""
    decompressor = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
    return made_stream(_decompressed(packed, decompressor))
