"""Checksums of a version, compared when it opens: large files once, until they change.

The loops over an index are compiled and check no bounds, so a file is used only after its checksum
was compared. For large files this would take seconds at every opening. So a list beside them
records which were correct, with the time of the file's last change (ctime), which no program can
set. A read-only disk image may have any times: there, nothing recorded counts.
"""

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from hippohover.disk import door
from hippohover.disk.errors import reads
from hippohover.processors import available_processors
from hippohover.progress import Progress
from hippohover.store.layout import SUMS
from hippohover.store.manifest import FileEntry

SMALL_FILE_BYTES: Final = 2**20
"""Files up to this size have their sum compared whenever an index is opened."""

_BLOCK_BYTES: Final = 2**20

_SETTLED_NS: Final = 2 * 10**9
"""A file that changed later than this before it was summed may change again within one tick."""

Stamp = tuple[int, int]
"""Inode, and time of the last change of content or inode, in ns."""

_STAMPS: Final = TypeAdapter(
    dict[str, tuple[Annotated[int, Field(strict=True)], Annotated[int, Field(strict=True)]]]
)


def check_files(folder: Path, files: Mapping[str, FileEntry], progress: Progress) -> None:
    """Raise ``IndexDamagedError`` if a file differs from its manifest.

    Parameters
    ----------
    folder : Path
        Folder of the version.
    files : mapping
        Sum and size of each file, by name.
    progress : callable
        Told how many bytes of large files are summed.
    """
    seen: dict[str, Stamp] = {}
    with door.standing_in(folder):
        for name, entry in files.items():
            check_file(folder / name, entry, checksum=entry.n_bytes <= SMALL_FILE_BYTES)
            if entry.n_bytes > SMALL_FILE_BYTES:
                seen[name] = stamp_of(folder / name)
    known = _remembered(folder)
    unknown = [name for name, stamp in seen.items() if known.get(name) != stamp]
    if unknown:
        start = time.time_ns()
        _compare(folder, {name: files[name] for name in unknown}, progress)
        settled = {name: stamp for name, stamp in seen.items() if is_settled(stamp, start)}
        remember(folder, known | settled)


def check_once(folder: Path, name: str, check: Callable[[], None]) -> None:
    """Call a check, unless it was passed before and the file of that name is the same since."""
    stamp, start, known = stamp_of(folder / name), time.time_ns(), _remembered(folder)
    if known.get(name) != stamp:
        check()
        if is_settled(stamp, start):
            remember(folder, known | {name: stamp})


def _compare(folder: Path, files: Mapping[str, FileEntry], progress: Progress) -> None:
    done, total = 0, sum(entry.n_bytes for entry in files.values())
    progress("checking", done, total)
    with ThreadPoolExecutor(min(4, available_processors())) as pool:
        checks = [
            (entry, pool.submit(check_file, folder / name, entry, checksum=True))
            for name, entry in files.items()
        ]
        for entry, check in checks:
            check.result()
            done += entry.n_bytes
            progress("checking", done, total)


def stamp_of(path: Path) -> Stamp:
    """Return what changes whenever a file does."""
    status = door.status(path)
    return (status.st_ino, status.st_ctime_ns) if status else (0, 0)


def is_settled(stamp: Stamp, start: int) -> bool:
    """Return whether a file read from ``start`` (ns) cannot hide later changes."""
    return start - stamp[1] > _SETTLED_NS


def _remembered(folder: Path) -> dict[str, Stamp]:
    """Return what an earlier opening verified; nothing without a list, or in another form.

    A missing record only costs time: the checksum of that file is computed again. On a read-only
    disk nothing here wrote it: an image from elsewhere has any times that it likes.
    """
    with suppress(OSError, ValueError):
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            return {}
        return _STAMPS.validate_json(door.read(folder / SUMS))
    return {}


def remember(folder: Path, stamps: Mapping[str, Stamp]) -> None:
    """Save what was verified; in a read-only folder every opening computes the checksums."""
    with suppress(OSError), door.written(folder / SUMS) as file:
        file.write(_STAMPS.dump_json(dict(stamps)))


def check_file(path: Path, entry: FileEntry, *, checksum: bool) -> None:
    """Raise ``IndexDamagedError`` if a file is missing or not as listed."""
    with reads(path):
        descriptor = door.descriptor(path)
        try:
            n_bytes = os.fstat(descriptor).st_size
            if n_bytes != entry.n_bytes:
                raise ValueError(f"it has {n_bytes} bytes and should have {entry.n_bytes}")
            if checksum and sha256_on_disk(descriptor) != entry.sha256:
                raise ValueError("its checksum differs")
        finally:
            os.close(descriptor)


def sha256_of(path: Path) -> str:
    """Return the checksum of a user's file, 64 lower-case hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_on_disk(descriptor: int) -> str:
    """Return the checksum of a file; read a large one from disk again, for it will be mapped."""
    if os.fstat(descriptor).st_size > SMALL_FILE_BYTES:
        read_in_pages(descriptor, drop=True)
    digest = hashlib.sha256()
    while block := os.read(descriptor, _BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()


def read_in_pages(descriptor: int, *, drop: bool = False) -> None:
    """Have the system keep what is read of an open file as single pages of memory.

    It would make larger pieces of what is read or was written in order. Linux maps the whole of
    one when a walk reads a byte, and a reader seems to hold gigabytes more.

    Parameters
    ----------
    descriptor : int
        Of a file that is open to read.
    drop : bool
        Whether pages of it in memory that nobody has mapped are dropped first.
    """
    if hasattr(os, "posix_fadvise"):
        if drop:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
