"""Checksums of a version, compared when it is opened: large files once, until they change.

The loops over an index are compiled and check no bounds, so a file is read only after its sum was
compared. For large files that would take seconds at every opening: what was found right is
remembered beside them, with the time of the file's last change, which no program can set where it
can write a file. An image of a disk may have any times: nothing is remembered of what is read-only.
"""

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from hippohover.index_layout import SUMS
from hippohover.index_manifest import SMALL_FILE_BYTES, FileEntry, check_file
from hippohover.processors import available_processors
from hippohover.progress import Progress

_SETTLED_NS: Final = 2 * 10**9
"""A file that changed later than this before it was summed may change again within one tick."""

Stamp = tuple[int, int]
"""Inode, and time of the last change of content or inode, in ns."""

_STAMPS: Final = TypeAdapter(
    dict[str, tuple[Annotated[int, Field(strict=True)], Annotated[int, Field(strict=True)]]]
)


def check_files(folder: Path, files: Mapping[str, FileEntry], progress: Progress) -> None:
    """Raise ``IndexDamagedError`` unless every file of a version is as its manifest says.

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
    for name, entry in files.items():
        check_file(folder / name, entry, checksum=entry.n_bytes <= SMALL_FILE_BYTES)
        if entry.n_bytes > SMALL_FILE_BYTES:
            seen[name] = stamp_of(folder / name)
    known = _remembered(folder)
    unknown = [name for name, stamp in seen.items() if known.get(name) != stamp]
    if unknown:
        start = time.time_ns()
        _compare(folder, {name: files[name] for name in unknown}, progress)
        remember(folder, {name: stamp for name, stamp in seen.items() if is_settled(stamp, start)})


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
    """What changes whenever a file does."""
    status = path.stat()
    return status.st_ino, status.st_ctime_ns


def is_settled(stamp: Stamp, start: int) -> bool:
    """Whether a file that was summed from ``start`` on, in ns, can have no later change hidden."""
    return start - stamp[1] > _SETTLED_NS


def _remembered(folder: Path) -> dict[str, Stamp]:
    """What an earlier opening found right; nothing when it left no list, or a list of another form.

    To forget costs time alone: every file that is not remembered is summed again.
    """
    with suppress(OSError, ValueError):
        return _STAMPS.validate_json((folder / SUMS).read_bytes())
    return {}


def remember(folder: Path, stamps: Mapping[str, Stamp]) -> None:
    """Keep what was found right; a folder that cannot be written to is summed every time."""
    beside = folder / f"{SUMS}-{os.getpid()}"
    try:
        beside.write_bytes(_STAMPS.dump_json(dict(stamps)))
        beside.replace(folder / SUMS)
    except OSError:
        with suppress(OSError):
            beside.unlink()
