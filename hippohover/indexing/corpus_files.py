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
from itertools import count
from pathlib import Path, PurePosixPath
from tarfile import (
    BLOCKSIZE,
    GNUTYPE_LONGLINK,
    GNUTYPE_LONGNAME,
    SOLARIS_XHDTYPE,
    XGLTYPE,
    XHDTYPE,
    EOFHeaderError,  # pyright: ignore[reportAttributeAccessIssue]  # typeshed leaves it out
    HeaderError,
    ReadError,
    TarFile,
    TarInfo,
)
from typing import IO, TYPE_CHECKING, Final, NamedTuple, Self

from hippohover.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_RECORD_BYTES: Final = 64 * 2**20
"""Longest line, array item, text file or database cell that is read."""

BOM: Final = b"\xef\xbb\xbf"
NOT_UTF8: Final = "is not UTF-8 text"

_MAX_HEADER_BYTES: Final = 2**16
"""Longest name or pax header of an archive's member; paths have 4,096 bytes at most."""

_DESCRIBING: Final = (XHDTYPE, XGLTYPE, SOLARIS_XHDTYPE, GNUTYPE_LONGNAME, GNUTYPE_LONGLINK)
_BUFFER_BYTES: Final = 2**17
_CHUNK_BYTES: Final = 2**20
_MOST_NAMED: Final = 3
_MOST_PACKED_BYTES: Final = 4 * 2**20
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
                yield io.BufferedReader(unpacked, _BUFFER_BYTES)  # pyright: ignore[reportArgumentType]
        elif magic == b"BZh":
            with _unpacked(raw) as unpacked:
                yield unpacked
        else:
            yield raw


class _Bzip2(io.RawIOBase):
    """What bzip2 packed, stream after stream to the last byte; zeros after a stream are padding.

    ``bz2.BZ2File`` takes whatever it cannot unpack after a stream for padding, and so leaves out a
    second stream whose head is damaged.
    """

    def __init__(self, packed: "IO[bytes] | _Rejoined") -> None:
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
                packed = self._packed.read(_BUFFER_BYTES) if self._stream.needs_input else b""
                if self._stream.needs_input and not packed:
                    raise EOFError
            content = self._stream.decompress(packed, len(into))
        into[: len(content)] = content
        return len(content)

    def _after_a_stream(self) -> bytes:
        """Where the next one begins; nothing at the end."""
        packed = self._stream.unused_data.lstrip(b"\0")
        while not packed and (more := self._packed.read(_BUFFER_BYTES)):
            packed = more.lstrip(b"\0")
        return packed


def _unpacked(packed: "IO[bytes] | _Rejoined") -> io.BufferedReader:
    return io.BufferedReader(_Bzip2(packed), _BUFFER_BYTES)  # pyright: ignore


class Piece(NamedTuple):
    """Some whole lines of a corpus, as they came from its files.

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
    """Cut a stream after ends of lines, in pieces of a buffer and the rest of its last line.

    Raises
    ------
    CorpusError
        A line is longer than ``MAX_RECORD_BYTES``.
    """
    first = 1
    while content := stream.read(_BUFFER_BYTES):
        rest = b"" if content.endswith(b"\n") else stream.readline(MAX_RECORD_BYTES + 1)
        n_ended = content.count(b"\n")
        if len(rest) > MAX_RECORD_BYTES:
            raise too_long(f"{place}:{first + n_ended}")
        yield Piece(place, first, content + rest)
        first += n_ended + rest.count(b"\n")


def packed_pieces(stream: IO[bytes], place: str) -> Iterator[Piece]:
    """The lines of a stream that bzip2 packed: as they are, or unpacked where they are many."""
    content = stream.read(_MOST_PACKED_BYTES + 1)
    if len(content) <= _MOST_PACKED_BYTES:
        yield Piece(place, 1, content, is_packed=True)
        return
    with _unpacked(_Rejoined(content, stream)) as unpacked:
        yield from line_pieces(unpacked, place)


class _Rejoined:
    """A stream, and before it what was read from it."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = io.BytesIO(head), rest

    def read(self, size: int) -> bytes:
        return self._head.read(size) or self._rest.read(size)


def lines_of(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """The lines of a piece as ``numbered_lines`` gives them; damage names the place."""
    with damage_named(piece.place), io.BytesIO(piece.content) as content:
        if piece.is_packed:
            with _unpacked(content) as unpacked:
                yield from numbered_lines(unpacked, piece.place, piece.first)
        else:
            yield from numbered_lines(content, piece.place, piece.first)


def numbered_lines(stream: IO[bytes], place: str, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, numbered from ``first``; line 1 loses a byte order mark.

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


def too_long(place: str) -> CorpusError:
    """The error for a record above the bound."""
    return CorpusError(
        f"{one_line(place)}: longer than {MAX_RECORD_BYTES // 2**20} MB: "
        "split the document, or check that this is a corpus of this format"
    )


class _StrictHeader(TarInfo):
    """A header that is damaged or missing is an error, not the quiet end of the archive.

    What stands before a member to describe it is read with a bound. Of a pax header the path and
    the size are taken; tarfile's own reading of it takes quadratic time before Python 3.11.10.
    A sparse member is only marked as such, for it is refused, and its map may have any length.
    """

    @classmethod
    def fromtarfile(cls, tarfile: TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except EOFHeaderError:  # the block of zeros that ends a whole archive
            raise
        except HeaderError as error:
            raise ReadError(f"no whole header at byte {tarfile.offset}: {error}") from error

    def _proc_member(self, tarfile: TarFile) -> TarInfo:
        if self.size < 0 or (self.type in _DESCRIBING and self.size > _MAX_HEADER_BYTES):
            raise ReadError(f"a header at byte {tarfile.offset} says it has {self.size} bytes")
        return super()._proc_member(tarfile)  # pyright: ignore

    def _proc_sparse(self, tarfile: TarFile) -> TarInfo:
        self.sparse = b""
        return self._proc_builtin(tarfile)  # pyright: ignore

    def _proc_pax(self, tarfile: TarFile) -> TarInfo:
        content = tarfile.fileobj.read(_in_blocks(self.size))  # pyright: ignore
        said = _pax_records(content[: self.size])
        try:
            member = self.fromtarfile(tarfile)
        except EOFHeaderError as error:
            raise ReadError("a header at the end describes nothing") from error
        if self.type == XGLTYPE:  # of all members: a comment, as git writes it
            return member
        if any(key.startswith(b"GNU.sparse.") for key in said):
            member.sparse = b""
        if b"path" in said:
            member.name = said[b"path"].decode("utf-8", "surrogateescape").rstrip("/")
        if b"size" in said and member.isreg():
            member.size = int(said[b"size"])
            tarfile.offset = member.offset_data + _in_blocks(member.size)
        return member


def _in_blocks(n_bytes: int) -> int:
    """A size as it takes place in a tar."""
    if n_bytes < 0:
        raise ReadError(f"a size of {n_bytes} bytes")
    return -(-n_bytes // BLOCKSIZE) * BLOCKSIZE


def _pax_records(content: bytes) -> dict[bytes, bytes]:
    """What a pax header says: records ``b"<bytes of the record> key=value\\n"``, end to end."""
    said: dict[bytes, bytes] = {}
    at = 0
    while at < len(content):
        digits = content[at : at + 8].partition(b" ")[0]
        end = at + int(digits) if digits.isdigit() else at
        key, equals, value = content[at + len(digits) + 1 : end].partition(b"=")
        if not equals or end > len(content) or not value.endswith(b"\n"):
            raise ReadError(f"a pax header that breaks off at its byte {at}")
        said[key] = value[:-1]
        at = end
    return said


def archive_members(path: Path, suffix: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Stream the regular members of a packed tar whose names end in ``suffix``.

    Members come in the archive's order, never touch the disk, and must be read before the next
    is asked for. Hidden files (".DS_Store", "._wiki_00.bz2") are passed over.

    Raises
    ------
    CorpusError
        A member's name is absolute or has "..", or it is a link, a device or a sparse file; or
        none has such a name.
    """
    n_read, others = 0, list[str]()
    with (
        open_stream(path) as stream,
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_StrictHeader) as archive,
    ):
        while (member := archive.next()) is not None:
            # tarfile keeps every header; a stream needs none of them
            archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]
            _refuse_unsafe(path, member)
            name = PurePosixPath(member.name).name
            if member.isreg() and name.endswith(suffix) and not name.startswith("."):
                content = archive.extractfile(member)
                assert content is not None  # a regular member has content  # noqa: S101
                n_read += 1
                yield member.name, content
            elif not member.isdir() and len(others) < _MOST_NAMED:
                others.append(f'"{one_line(member.name)}"')
        while stream.read(_CHUNK_BYTES):
            pass  # to the end, where the checksums are
    if not n_read:
        raise CorpusError(
            f"{one_line(str(path))}: holds no file to read (its name ends in {suffix} and does "
            f"not begin with a dot), {'but ' * bool(others)}{', '.join(others) or 'and no other'}: "
            "pack such files, or name the format in the recipe's [corpus]"
        )


def _refuse_unsafe(path: Path, member: TarInfo) -> None:
    name = member.name
    if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name):
        problem = "has a name that leaves the archive"
    elif not (member.isdir() or (member.isreg() and not member.issparse())):
        problem = "is a link, a device or a sparse file"
    else:
        return
    raise CorpusError(
        f'{one_line(str(path))}: member "{one_line(name)}" {problem}: an archive of a corpus '
        "holds plain files and folders only: pack it again without"
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
        chunk = self._stream.read(max(_CHUNK_BYTES, len(rest)))
        self._text = rest + self._decode(chunk, final=not chunk)
        self._at = 0
        return bool(chunk)

    def _broken(self, problem: str) -> CorpusError:
        return CorpusError(
            f"{one_line(self._place)}: not a whole JSON array ({one_line(problem)} "
            f"at item {self._n_items}): mend it, or fetch it again"
        )
