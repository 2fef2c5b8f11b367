"""Streams of a corpus's files: decompression, limits of reading, and errors of damage.

Nothing is ever read whole, and nothing is extracted to disk. Damage of any kind ends in a
``CorpusError`` that names the place.
"""

import gzip
import io
import lzma
import re
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.decompression import unpacked_bzip2, unpacked_xz

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
