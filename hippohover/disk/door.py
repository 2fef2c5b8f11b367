"""The one door to the files of an index: it follows no link, and opens only plain files.

An index may come from elsewhere, with a link, a pipe or a device in the place of any of its files
and folders. So each is reached folder by folder, from the top of the disk, and no part of the way
may be a link. Only the path that a user gives may have links: ``resolved`` follows them, once, and
all below it comes from there. What is opened for reading as a whole is bounded by its kind.
"""

import ctypes
import errno
import mmap
import os
import platform
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from io import BufferedRandom
from pathlib import Path
from typing import Any, Final, NoReturn, cast

from hippohover.disk.errors import REBUILD, message, writes
from hippohover.errors import IndexDamagedError, IndexStoreError

MOST_BYTES: Final[Mapping[str, int]] = {
    "CURRENT": 64,  # a version's name and a short sum, 17 bytes
    "manifest.sha256": 256,  # one line of sha256sum, 80 bytes
    "manifest.json": 64 * 2**20,  # its recipe may list 100,000 aliases
    "checked.json": 2**20,  # a line for each large file, of which an index has some fifty
    "build_log.json": 64 * 2**20,  # paths of all sources that were ever added
    "ranking.npz": 64 * 2**20,  # trees, and 50 bytes for each claim
    "encoder.json": 2**16,  # four short values
    "encoded.json": 64,  # two numbers
    "tokenizer.json": 64 * 2**20,  # a million tokens have 40 MiB
    "model.safetensors": 4 * 2**30,  # a million tokens of 1,024 dimensions
    ".sha256": 256,  # the sum of a file of lists
}
"""Most bytes of each kind of file that is read as a whole, by its name, else its suffix.

A file may have a terabyte and lie in one block of a disk. Each bound is some times what the
largest index needs; files that are not here are mapped.
"""

_WAY: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAINLY: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe would wait for its writer
_standing: Final = threading.local()
_OPENAT2, _HERE, _NO_LINKS = 437, -100, 0x04  # <linux/openat2.h>: AT_FDCWD, RESOLVE_NO_SYMLINKS
_FIX: Final = "move it away: an index has plain files and folders, and no links"
_KINDS: Final = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
}


def resolved(path: Path | str) -> Path:
    """Return where a user's own path leads: below it, nothing may be a link."""
    return Path(os.path.realpath(path))


def descriptor(path: Path, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """Open a plain file, or with ``O_DIRECTORY`` a folder, and return its descriptor.

    Raises
    ------
    OSError
        As ``os.open``.
    IndexDamagedError
        It is of another kind; a part of the way is no folder; or it would be made or written, and
        has a second name, maybe outside of the index.
    """
    kind = stat.S_IFDIR if flags & os.O_DIRECTORY else stat.S_IFREG
    with _parent(path) as folder:
        # Before it is opened, for this may wind a tape or start a watchdog.
        with suppress(FileNotFoundError):
            status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
            _check(path, status, kind, has_one_name=bool(flags & os.O_CREAT))
        opened = os.open(path.name, flags | _PLAINLY, mode, dir_fd=folder)
    try:
        _check(path, os.fstat(opened), kind)
    except BaseException:
        os.close(opened)
        raise
    return opened


def opened(path: Path, mode: str = "rb", buffering: int = -1) -> BufferedRandom:
    """Open a plain file as ``open`` does; raises what ``descriptor`` raises."""

    def at_the_door(_: str, flags: int) -> int:
        return descriptor(path, flags)

    file = open(str(path), mode, buffering, opener=at_the_door)  # noqa: SIM115
    return cast("BufferedRandom", file)  # or its like, by mode and buffering


def read(path: Path) -> bytes:
    """Return the content of a file that ``MOST_BYTES`` lists.

    Raises
    ------
    OSError, IndexDamagedError
        As ``descriptor``; it is larger than any file of its kind.
    """
    most = MOST_BYTES.get(path.name) or MOST_BYTES[path.suffix]
    file = descriptor(path)
    try:
        n_bytes = os.fstat(file).st_size
        if n_bytes > most:
            what = f"is larger than {most:,} bytes, the most that such a file has"
            raise IndexDamagedError(message(path, what, REBUILD))
        content = bytearray()
        while block := os.read(file, n_bytes + 1 - len(content)):
            content += block
        return bytes(content)
    finally:
        os.close(file)


def beginning(path: Path | str, n_bytes: int) -> bytes:
    """Return the first bytes of a user's own file, wherever a link leads.

    Raises
    ------
    OSError
        As ``os.open``; it is no plain file.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a plain file")
        return file.read(n_bytes)


def mapped(path: Path) -> mmap.mmap:
    """Map a plain file to be read; ``ValueError`` if it is empty."""
    with opened(path) as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def status(path: Path, *, has_one_name: bool = False) -> os.stat_result | None:
    """Return the status of a plain file, without opening it; None if nothing is there.

    Raises
    ------
    IndexDamagedError
        It is of another kind; or it has a second name, and must have one.
    """
    try:
        with _parent(path) as folder:
            found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _check(path, found, stat.S_IFREG, has_one_name=has_one_name)
    return found


def is_folder(path: Path) -> bool:
    """Return whether a folder is there; ``IndexDamagedError`` if something else is."""
    try:
        os.close(descriptor(path, os.O_RDONLY | os.O_DIRECTORY))
    except FileNotFoundError:
        return False
    return True


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder, and those that hold it, where there are none."""
    try:
        with _parent(path) as folder:
            os.mkdir(path.name, mode, dir_fd=folder)
    except FileExistsError:
        is_folder(path)
    except FileNotFoundError:
        make_folder(path.parent, mode)
        make_folder(path, mode)


def make_private(path: Path) -> None:
    """Make an empty file that its user alone can read, in a folder of that kind (0600, 0700).

    Of what an earlier version made, readable for all, the file becomes so too. One that a group may
    write to is left: somebody shares it. What is there is not opened: SQLite would lose its locks
    on it when it is closed.
    """
    make_folder(path.parent, 0o700)
    with _parent(path) as folder:
        with suppress(FileExistsError):
            new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAINLY
            os.close(os.open(path.name, new, 0o600, dir_fd=folder))
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        _check(path, found, stat.S_IFREG, has_one_name=True)
        if found.st_uid == os.geteuid() and not found.st_mode & stat.S_IWGRP:
            os.chmod(path.name, 0o600, dir_fd=folder)


def files_below(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield what is no folder in a folder and those in it, by its name from there."""
    is_folder(folder)
    waiting = [""]
    while waiting:
        place = waiting.pop()
        with os.scandir(folder / place) as entries:
            for entry in entries:
                name = f"{place}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")
                else:
                    yield name, entry.stat(follow_symlinks=False)


@contextmanager
def written(path: Path, *, synced: bool = False) -> Generator[BufferedRandom]:
    """Yield a new file that replaces an old one once the block ends well.

    With ``synced`` its bytes are on the disk before it has the name.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with opened(beside, "wb") as file:
            yield file
            if synced:
                file.flush()
                os.fsync(file.fileno())
        replace(beside, path)
    except BaseException:
        with suppress(OSError, IndexStoreError):
            remove(beside)
        raise


def replace(source: Path, target: Path) -> None:
    """Give a file or folder another name, in the place of a file that has it."""
    with _parent(source) as old, _parent(target) as new:
        os.replace(source.name, target.name, src_dir_fd=old, dst_dir_fd=new)


def link(source: Path, target: Path) -> None:
    """Give a plain file a second name."""
    with _parent(source) as old, _parent(target) as new:
        status = os.stat(source.name, dir_fd=old, follow_symlinks=False)
        _check(source, status, stat.S_IFREG)
        names = source.name, target.name
        os.link(*names, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)


def remove(path: Path) -> None:
    """Remove a file, a folder with all in it, or a link itself; nothing if none is there.

    Raises
    ------
    IndexStoreError
        It cannot be removed.
    """
    with writes(path), suppress(FileNotFoundError), _parent(path) as folder:
        status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            os.unlink(path.name, dir_fd=folder)
            return
        try:
            shutil.rmtree(path.name, dir_fd=folder)
        except RecursionError as error:
            what, fix = "has folders nested too deeply", "remove it"
            raise IndexStoreError(message(path, what, fix)) from error


def sync(path: Path) -> None:
    """Flush a file's bytes, or a folder's list of names, to disk."""
    opened = descriptor(path, os.O_RDONLY | (os.O_DIRECTORY if path.is_dir() else 0))
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def standing_in(folder: Path) -> Generator[None]:
    """Reach what is in a folder from there while this block runs, in this thread: it saves time."""
    with _parent(folder / "any") as reached:
        before = getattr(_standing, "at", None)
        _standing.at = (str(folder.absolute()), reached)
        try:
            yield
        finally:
            _standing.at = before


class _parent:  # noqa: N801  (a context manager, which costs a third of a generator's)
    """Give a descriptor of the folder in which a path is, to which no link leads."""

    __slots__ = ("_folder", "_is_own", "_path")

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> int:
        standing: tuple[str, int] | None = getattr(_standing, "at", None)
        place = os.path.dirname(self._path)  # noqa: PTH120  (pathlib takes ten times as long)
        self._is_own = standing is None or place != standing[0]
        if standing is not None and not self._is_own:
            self._folder = standing[1]
        else:
            self._folder = _reached_at_once(place or ".")
            if self._folder < 0:  # what is wrong on the way is looked for
                self._folder = _reached(self._path.absolute().parts[:-1])
        return self._folder

    def __exit__(self, *_: object) -> None:
        if self._is_own:
            os.close(self._folder)


def _reached(parts: Sequence[str]) -> int:
    """Return a descriptor of a folder, reached step by step."""
    folder = os.open(parts[0], _WAY)
    try:
        for depth, part in enumerate(parts[1:], 2):
            try:
                below = os.open(part, _WAY, dir_fd=folder)
            except OSError as error:
                if error.errno in {errno.ENOTDIR, errno.ELOOP}:
                    found = os.stat(part, dir_fd=folder, follow_symlinks=False)
                    _refuse(Path(*parts[:depth]), found.st_mode, "folder")
                raise
            os.close(folder)
            folder = below
    except BaseException:
        os.close(folder)
        raise
    return folder


def _reached_at_once(folder: str) -> int:
    """Return a descriptor of a folder to which no link leads, in one step; -1 where that fails."""
    call = _openat2()
    if call is None:
        return -1
    how = _How(_WAY, 0, _NO_LINKS)
    return call(_OPENAT2, _HERE, os.fsencode(folder), ctypes.byref(how), ctypes.sizeof(how))


class _How(ctypes.Structure):
    """``struct open_how`` of Linux."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def _openat2() -> Callable[..., int] | None:
    """Return the system's call, if this is a system that has it under its number."""
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"}:
        return None
    call: Any = ctypes.CDLL(None, use_errno=True).syscall
    call.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]
    call.restype = ctypes.c_long
    return call


def _check(path: Path, status: os.stat_result, kind: int, *, has_one_name: bool = False) -> None:
    if stat.S_IFMT(status.st_mode) != kind:
        _refuse(path, status.st_mode, "folder" if kind == stat.S_IFDIR else "plain file")
    if has_one_name and status.st_nlink > 1:
        # What is written there would be written under the other name too.
        what, fix = "has a second name (a hard link)", "put a copy in its place, or remove it"
        raise IndexDamagedError(message(path, what, fix))


def _refuse(path: Path, mode: int, wanted: str) -> NoReturn:
    found = _KINDS.get(stat.S_IFMT(mode), "of an unknown kind")
    raise IndexDamagedError(message(path, f"is {found} and not a {wanted}", _FIX))
