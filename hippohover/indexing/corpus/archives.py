"""Members of a packed tar, streamed with bounds: nothing is extracted to disk."""

import re
import tarfile
from collections.abc import Iterator
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
from typing import IO, TYPE_CHECKING, Final, Self

from hippohover.errors import CorpusError

if TYPE_CHECKING:
    pass
from hippohover.indexing.corpus.files import CHUNK_BYTES, one_line, open_stream

_MAX_HEADER_BYTES: Final = 2**16
"""Longest name or pax header of an archive's member; paths have 4,096 bytes at most."""


_DESCRIBING: Final = (XHDTYPE, XGLTYPE, SOLARIS_XHDTYPE, GNUTYPE_LONGNAME, GNUTYPE_LONGLINK)


_MOST_NAMED: Final = 3


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
        while stream.read(CHUNK_BYTES):
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
