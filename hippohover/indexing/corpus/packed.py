"""Files of an archive, read one by one like a folder's, and not written to disk.

What is unpacked has a bound. A member is named by the archive's path and its own; a name that
leaves the archive names nothing.
"""

import io
import re
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import PurePosixPath
from typing import IO, Final

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.globs import IGNORE_FILE, Globs, Ignored
from hippohover.indexing.corpus.files.member_names import is_archive, tar_name, zip_names
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import (
    BUFFER_BYTES,
    damage_named,
    made_stream,
    unpacked,
)
from hippohover.indexing.corpus.files.tar import TarMember, tar_members
from hippohover.indexing.corpus.records import BadRecord, PassedOver, clean_text
from hippohover.indexing.corpus.tree import IGNORED, name_reason

MAX_RATIO: Final = 200
"""An archive that unpacks to more than so many times its size is refused, past a gibibyte."""

MAX_READ_RATIO: Final = 100
"""So many times its size is read of its members, past 128 MiB; what is passed over costs less."""

_FREE_BYTES: Final = 2**30
_FREE_READ_BYTES: Final = 2**27
_NO_FILE: Final = "a link, a device or a sparse file in an archive"
_EMPTY: Final = "an archive without files"
_HEAD_BYTES: Final = 2**18  # what tells a file by its content, and a buffer more
_MAX_MEMBERS: Final = 1_000_000
Files = Iterator[SourceFile | PassedOver | BadRecord]


def archive_files(file: SourceFile, globs: Globs) -> Files:
    """Yield the readable files of an archive, in its order.

    Each has to be read before the next is asked for.

    Raises
    ------
    CorpusError, OSError, zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error
        It is damaged; what came before is whole.
    """
    files = _zip_files if file.suffix == ".zip" else _tar_files
    is_empty = True
    for one in files(file, globs):
        is_empty = False
        yield one
    if is_empty:
        yield PassedOver(file.place, _EMPTY)


def _zip_files(file: SourceFile, globs: Globs) -> Files:
    with _seekable(file) as stream:
        stream.seek(0, io.SEEK_END)
        bound = _Bound.of_read(stream.tell())
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            if len(members) > _MAX_MEMBERS:
                raise zipfile.BadZipFile(f"over {_MAX_MEMBERS:,} members")
            named = [
                (member, name)
                for member, name in zip(members, zip_names(members), strict=True)
                if not member.is_dir()
            ]
            ignored = _ignored(
                (name, partial(archive.open, member))
                for member, name in named
                if not member.flag_bits & 1
            )
            for member, name in named:
                place = f"{file.place}/{name}"
                if problem := _problem(name, file.place, globs, ignored):
                    yield problem
                elif member.flag_bits & 1:
                    yield BadRecord(place, "is protected by a password: pack it without one")
                else:
                    yield SourceFile(clean_text(place), partial(_opened, archive, member, bound))


@contextmanager
def _opened(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, bound: "_Bound"
) -> Generator[io.BufferedReader]:
    with archive.open(member) as content:
        raw = io.BufferedReader(content, BUFFER_BYTES)  # pyright: ignore[reportArgumentType]
        with unpacked(raw) as stream:
            yield bound.over(stream)


def _tar_files(file: SourceFile, globs: Globs) -> Files:
    ignored = _ignored_of_tar(file)
    with file.opened() as stream:
        bound = _Bound.of_read(_size(file))
        for member in _tar_members(file, stream):
            if member.is_folder:
                continue
            name = tar_name(member.name)
            place = f"{file.place}/{name}"
            if problem := _problem(name, file.place, globs, ignored):
                yield problem
            elif not member.is_file:
                yield PassedOver(place, _NO_FILE)
            else:
                yield SourceFile(clean_text(place), _Reopened(member.content, bound))


def _tar_members(file: SourceFile, stream: IO[bytes]) -> Iterator[TarMember]:
    return tar_members(_Bound(max(_FREE_BYTES, MAX_RATIO * _size(file))).over(stream))


def _size(file: SourceFile) -> int:
    return file.on_disk.stat().st_size if file.on_disk else 0


def _ignored_of_tar(file: SourceFile) -> Ignored:
    """Read a tar's ``.gitignore`` files: each may come after the files that it names.

    Of a damaged one, those before the damage: the damage is told when its files are read.
    """
    contents: dict[str, bytes] = {}
    with suppress(CorpusError), damage_named(file.place), file.opened() as stream:
        for member in _tar_members(file, stream):
            name = tar_name(member.name)
            if member.is_file and PurePosixPath(name).name == IGNORE_FILE:
                contents[_folder_of(name)] = member.content.read(_HEAD_BYTES)
    return Ignored.of_files(contents)


def _ignored(files: Iterable[tuple[str, Callable[[], IO[bytes]]]]) -> Ignored:
    """Read the ``.gitignore`` files among some; skips those that cannot be read."""
    contents: dict[str, bytes] = {}
    for name, opened in files:
        if PurePosixPath(name).name == IGNORE_FILE:
            with suppress(CorpusError), damage_named(name), opened() as stream:
                contents[_folder_of(name)] = stream.read(_HEAD_BYTES)
    return Ignored.of_files(contents)


def _folder_of(name: str) -> str:
    return name.removesuffix(IGNORE_FILE)


class _Reopened:
    """Reopens a streamed member after its first bytes alone were read."""

    def __init__(self, content: io.BufferedReader, bound: "_Bound") -> None:
        self._content = content
        self._bound = bound
        self._head = b""
        self._is_past = False

    @contextmanager
    def __call__(self) -> Generator[io.BufferedReader]:
        if self._is_past:
            raise OSError("is needed twice, but can be read only once: remove it from the archive")
        with unpacked(made_stream(self._chunks())) as stream:
            yield self._bound.over(stream)

    def _chunks(self) -> Iterator[bytes]:
        """Yield the head that was read already, and what follows it."""
        yield self._head
        n_read = len(self._head)
        while content := self._content.read1(BUFFER_BYTES):
            n_read += len(content)
            if n_read <= _HEAD_BYTES:
                self._head += content
            else:
                self._is_past = True
            yield content


@contextmanager
def _seekable(file: SourceFile) -> Generator[IO[bytes]]:
    if file.on_disk:
        with file.on_disk.open("rb") as stream:
            yield stream
    else:
        yield io.BytesIO(file.content())


def _problem(
    name: str, archive: str, globs: Globs, ignored: Ignored
) -> PassedOver | BadRecord | None:
    """Say why a member is not read; "" if it is."""
    place = f"{archive}/{name}"
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in re.split(r"[/\\]", name) or "\0" in name:
        return BadRecord(place, "has a name that leaves the archive: pack it again without")
    if is_archive(name):
        return PassedOver(place, "an archive in an archive")
    if reason := name_reason((place, name), parts, globs):
        return PassedOver(place, reason)
    is_ignored = ignored.holds(name) and not globs.names(place)
    return PassedOver(place, IGNORED) if is_ignored else None


class _Bound:
    """The number of bytes that may still come out of an archive."""

    def __init__(self, n_bytes: int, said: str = f"unpacks to more than {MAX_RATIO} times") -> None:
        self._n_left = n_bytes
        self._said = said

    @classmethod
    def of_read(cls, n_packed: int) -> "_Bound":
        """Return the limit for its members' bytes, compressed or not."""
        said = f"its archive unpacks to more than {MAX_READ_RATIO} times"
        return cls(max(_FREE_READ_BYTES, MAX_READ_RATIO * n_packed), said)

    def _taken(self, content: bytes) -> bytes:
        """Count bytes that were read; ``CorpusError`` if they are more than may be."""
        self._n_left -= len(content)
        if self._n_left < 0:
            raise CorpusError(f"{self._said} its size: unpack it first, if you trust it")
        return content

    def over(self, stream: IO[bytes]) -> io.BufferedReader:
        """Wrap a stream, which raises where the limit is exceeded."""
        return made_stream(map(self._taken, iter(partial(stream.read, BUFFER_BYTES), b"")))
