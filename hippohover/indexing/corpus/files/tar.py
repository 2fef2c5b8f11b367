"""Members of a tar, streamed: headers are read within a limit, damage is an error.

``tarfile`` itself keeps every header, reads what describes a member whatever its size, and takes a
damaged or missing header for the end: only its public reading of one block is used.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tarfile import (
    BLOCKSIZE,
    GNUTYPE_LONGLINK,
    GNUTYPE_LONGNAME,
    GNUTYPE_SPARSE,
    SOLARIS_XHDTYPE,
    SUPPORTED_TYPES,
    XGLTYPE,
    XHDTYPE,
    HeaderError,
    ReadError,
    TarInfo,
)
from typing import IO, Final, NamedTuple

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import (
    BUFFER_BYTES,
    CHUNK_BYTES,
    made_stream,
    one_line,
    open_stream,
)

_MAX_HEADER_BYTES: Final = 2**16
"""Longest name or pax header of a member; paths have 4,096 bytes at most."""

_MOST_HEADERS: Final = 16
"""Headers that describe one member: its name, its link, its pax header, one of all members."""

_DESCRIBING: Final = (XHDTYPE, XGLTYPE, SOLARIS_XHDTYPE, GNUTYPE_LONGNAME, GNUTYPE_LONGLINK)
_END: Final = bytes(BLOCKSIZE)  # of a whole archive
_SPARSE_GOES_ON: Final = (
    482  # the byte of a header of GNU that is not 0 where another block follows
)
_SPARSE_BLOCK_GOES_ON: Final = 504

_MOST_NAMED: Final = 3


class TarMember(NamedTuple):
    """A member of a tar.

    Attributes
    ----------
    name : str
        As the archive has it, which may be hostile.
    is_file, is_folder : bool
        Neither is true of a link, a device or a sparse file, which are not to be read.
    content : io.BufferedReader
        The bytes of a file, and of no other member, until the next member is asked for.
    """

    name: str
    is_file: bool
    is_folder: bool
    content: io.BufferedReader


def tar_members(stream: io.BufferedReader) -> Iterator[TarMember]:
    """Yield members of an uncompressed tar, in its order; ignores what follows its end.

    Raises
    ------
    tarfile.ReadError
        A header is missing, damaged, or of no likely size.
    EOFError
        A member is cut short; raised where it is read, or passed over.
    """
    at = n_headers = 0
    said: dict[bytes, bytes] = {}
    while (block := stream.read(BLOCKSIZE)) != _END:
        header = _header(block, at)
        at += BLOCKSIZE
        if header.type in _DESCRIBING:
            n_headers += 1
            if n_headers > _MOST_HEADERS:
                raise ReadError(f"over {_MOST_HEADERS} headers before one member")
            content = stream.read(_in_blocks(header.size))
            said = _described(header.type, content[: header.size]) | said  # the first counts
            at += _in_blocks(header.size)
            continue
        is_followed = header.isreg() or header.type not in SUPPORTED_TYPES
        n_bytes = int(said.get(b"size", header.size)) if is_followed else 0
        n_in_blocks = _in_blocks(n_bytes)
        rest = _Content(stream, n_bytes)
        yield _member(header, said, made_stream(rest.chunks()))
        if header.type == GNUTYPE_SPARSE and block[_SPARSE_GOES_ON]:
            at += _pass_over_sparse(stream)
        rest.pass_over(n_in_blocks - n_bytes)
        at += n_in_blocks
        n_headers, said = 0, {}
    if n_headers:
        raise ReadError("a header at the end describes nothing")


def _header(block: bytes, at: int) -> TarInfo:
    """Parse the block at a byte as a header."""
    try:
        header = TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except HeaderError as error:
        raise ReadError(f"no whole header at byte {at}: {error}") from error
    if header.size < 0 or (header.type in _DESCRIBING and header.size > _MAX_HEADER_BYTES):
        raise ReadError(f"a header at byte {at} says it has {header.size} bytes")
    return header


def _pass_over_sparse(stream: io.BufferedReader) -> int:
    """Skip the blocks that continue the header of a sparse file; return how many bytes."""
    n_bytes, is_more = 0, 1
    while is_more:
        block = stream.read(BLOCKSIZE)
        if len(block) < BLOCKSIZE:
            raise EOFError
        n_bytes, is_more = n_bytes + BLOCKSIZE, block[_SPARSE_BLOCK_GOES_ON]
    return n_bytes


def _in_blocks(n_bytes: int) -> int:
    """Return the space that a size takes in a tar."""
    if n_bytes < 0:
        raise ReadError(f"a size of {n_bytes} bytes")
    return -(-n_bytes // BLOCKSIZE) * BLOCKSIZE


def _described(kind: bytes, content: bytes) -> dict[bytes, bytes]:
    """Return what a header says of the next member, by the keys of pax."""
    if kind == GNUTYPE_LONGNAME:
        return {b"path": content.partition(b"\0")[0]}
    if kind == GNUTYPE_LONGLINK:
        return {}
    said = _pax_records(content)
    return {} if kind == XGLTYPE else said  # of all members: a comment, as git writes it


def _pax_records(content: bytes) -> dict[bytes, bytes]:
    """Parse a pax header: records ``b"<bytes of the record> key=value\n"``, end to end."""
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


def _member(header: TarInfo, said: dict[bytes, bytes], content: io.BufferedReader) -> TarMember:
    name = header.name
    if b"path" in said:
        name = said[b"path"].decode("utf-8", "surrogateescape").rstrip("/")
    is_sparse = header.type == GNUTYPE_SPARSE or any(key.startswith(b"GNU.sparse.") for key in said)
    return TarMember(name, header.isreg() and not is_sparse, header.isdir(), content)


class _Content:
    """The next bytes of a stream: exactly so many."""

    def __init__(self, stream: io.BufferedReader, n_bytes: int) -> None:
        self._stream = stream
        self._n_left = n_bytes

    def chunks(self) -> Iterator[bytes]:
        """Yield those that are left."""
        while self._n_left:
            content = self._stream.read(min(BUFFER_BYTES, self._n_left))
            if not content:
                raise EOFError
            self._n_left -= len(content)
            yield content

    def pass_over(self, n_more: int) -> None:
        """Skip the rest, and some bytes after it."""
        n_left, self._n_left = self._n_left + n_more, 0
        while n_left:
            n_read = len(self._stream.read(min(CHUNK_BYTES, n_left)))
            if not n_read:
                raise EOFError
            n_left -= n_read


# Files of a compressed archive, streamed within limits: nothing is extracted to disk


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
    with open_stream(path) as stream:
        for member in tar_members(stream):
            _refuse_unsafe(path, member)
            name = PurePosixPath(member.name).name
            if member.is_file and name.endswith(suffix) and not name.startswith("."):
                n_read += 1
                yield member.name, member.content
            elif member.is_file and len(others) < _MOST_NAMED:
                others.append(f'"{one_line(member.name)}"')
        while stream.read(CHUNK_BYTES):
            pass  # to the end, where the checksums are
    if not n_read:
        raise CorpusError(
            f"{one_line(str(path))}: holds no file to read (its name ends in {suffix} and does "
            f"not begin with a dot), {'but ' * bool(others)}{', '.join(others) or 'and no other'}: "
            "pack such files, or name the format in the recipe's [corpus]"
        )


def _refuse_unsafe(path: Path, member: TarMember) -> None:
    name = member.name
    if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name):
        problem = "has a name that leaves the archive"
    elif not (member.is_folder or member.is_file):
        problem = "is a link, a device or a sparse file"
    else:
        return
    raise CorpusError(
        f'{one_line(str(path))}: member "{one_line(name)}" {problem}: an archive of a corpus '
        "holds plain files and folders only: pack it again without"
    )
