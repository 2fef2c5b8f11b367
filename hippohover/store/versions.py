"""Versions under a root: which exist, which one is asked for, which are removed."""

import fcntl
import json
import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from hippohover.disk import door
from hippohover.disk.errors import REBUILD, message, reads, writes
from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.store.layout import (
    BUILDING,
    CACHE,
    COMPACTING,
    CURRENT,
    ENCODED,
    LOCK,
    MANIFEST,
    NEW_CURRENT,
    RANKING,
    REMOVING,
    VERSION,
)

KEPT_VERSIONS: Final = 2
"""Newest versions that stay when a new one is published."""

_LEFT_OVER: Final = re.compile(
    f"{re.escape(BUILDING)}[0-9]+|{re.escape(REMOVING)}{VERSION.pattern}"
    f"|{re.escape(NEW_CURRENT)}|{re.escape(COMPACTING)}"
)
"""What a killed writer leaves; other hidden files belong to the user."""
_FILES: Final = frozenset({CURRENT, LOCK, RANKING})
_FOLDERS: Final = frozenset({CACHE, COMPACTING})


def versions(root: Path) -> list[Path]:
    """Return everything under a root that has a version's name, oldest first."""
    with writes(root):
        folders = [path for path in root.iterdir() if VERSION.fullmatch(path.name)]
    return sorted(folders, key=lambda path: int(path.name[1:]))


def pointer_line(version: str) -> bytes:
    """Write ``CURRENT``: a version's name, and a checksum against flipped bits.

    A name without a checksum, written by hand, is accepted too.
    """
    return f"{version} {_sum_of(version)}\n".encode()


def version_folder(path: Path) -> Path:
    """Return the folder to open: the given one, or the one that CURRENT names."""
    with reads(path / CURRENT):
        path = door.resolved(path)
        try:
            check_names(path)
            named = door.read(path / CURRENT).strip().decode("ascii", "backslashreplace")
        except (FileNotFoundError, NotADirectoryError) as error:
            if VERSION.fullmatch(path.name) and path.is_dir():
                return path
            what = "holds no published index" if path.is_dir() else "is not a folder"
            fix = "build the index, or check the path"
            if os.path.lexists(path / CACHE):
                fix = "build again: the work of stopped builds is kept"
            raise IndexStoreError(message(path, what, fix)) from error
    name, _, name_sum = named.partition(" ")
    if not VERSION.fullmatch(name) or name_sum not in {"", _sum_of(name)}:
        fix = "write the name of a version into it, such as v000001"
        raise IndexDamagedError(message(path / CURRENT, f"names no version ({named!r})", fix))
    return path / name


def check_is_there(folder: Path) -> None:
    """Raise ``IndexDamagedError`` when ``CURRENT`` names a version that is gone."""
    if not os.path.lexists(folder):
        there = [path.name for path in versions(folder.parent)]
        fix = f"write {there[-1]} into it, which exists" if there else REBUILD
        raise IndexDamagedError(
            message(folder.parent / CURRENT, f"names {folder.name}, which is gone", fix)
        )


def check_names(root: Path) -> None:
    """Raise ``IndexDamagedError`` if one of an index's own names is a link, or of another kind.

    Whatever asks for an index says so, also what would not open that file. Of a folder that may not
    be listed, the door says it of each file that is opened.
    """
    with suppress(PermissionError), os.scandir(root) as entries:
        for entry in entries:
            if entry.name in _FILES and not entry.is_file(follow_symlinks=False):
                door.status(root / entry.name)
            is_folder = entry.name in _FOLDERS or VERSION.fullmatch(entry.name)
            if is_folder and not entry.is_dir(follow_symlinks=False):
                door.is_folder(root / entry.name)


def _sum_of(version: str) -> str:
    return sha256(version.encode()).hexdigest()[:8]


def refuse_foreign(root: Path) -> None:
    """Raise ``IndexStoreError`` for a folder of other files: an index needs its own."""
    names = sorted(path.name for path in root.iterdir() if not path.name.startswith("."))
    others = [name for name in names if name != CURRENT and not VERSION.fullmatch(name)]
    if others and not any(map(VERSION.fullmatch, names)):  # databases have a CURRENT too
        other = others[0]
        what = f"is not empty and is not an index (it holds {other!r})"
        raise IndexStoreError(message(root, what, "name a new folder, or an index to replace"))


def remove_left_overs(root: Path) -> None:
    """Remove what is hidden and unfinished; the caller must hold the lock.

    Folders that are made beside the writers are not removed: they have their own lock.
    """
    for path in root.iterdir():
        if _LEFT_OVER.fullmatch(path.name) and not _is_locked(path):
            door.remove(path)


def _is_locked(path: Path) -> bool:
    if path.name != COMPACTING:
        return False
    descriptor = door.descriptor(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def encoded_so_far(root: Path) -> tuple[int, int] | None:
    """Return how many passages a running ``reencode`` has encoded, and of how many."""
    folder = root / COMPACTING
    with suppress(OSError, ValueError, IndexStoreError):
        if _is_locked(folder):
            done, total = map(int, json.loads(door.read(folder / ENCODED)))
            return done, total
    return None


def tidy_up(root: Path) -> None:
    """Remove what is unfinished, if possible; the next writer would, and must."""
    with suppress(OSError, IndexStoreError):
        remove_left_overs(root)


def base_of(folder: Path) -> str:
    """Return a version's base; "" without one, or if unreadable."""
    with suppress(OSError, ValueError, TypeError, AttributeError, IndexStoreError):
        base = json.loads(door.read(folder / MANIFEST)).get("base")
        return str(base["version"]) if base else ""
    return ""


def check_is_root(root: Path) -> None:
    """Raise ``IndexStoreError`` when a folder is one version of an index, not the whole."""
    if VERSION.fullmatch(root.name) and not (root / CURRENT).exists():
        raise IndexStoreError(
            f"{root}: is one version of an index: name the index itself, {root.parent}"
        )


def remove_if_unused(root: Path) -> None:
    """Remove a root that holds only its lock: a build that failed early made it."""
    with suppress(OSError):
        if [path.name for path in root.iterdir()] == [LOCK]:
            door.remove(root / LOCK)
            root.rmdir()


def remove_old(root: Path, keep: int = KEPT_VERSIONS) -> None:
    """Remove all but the ``keep`` newest versions, the live one and those in use."""
    live = version_folder(root)
    there = versions(root)
    needed = {live.name} | {base_of(folder) for folder in [live, *there[-keep:]]}
    for folder in there[:-keep]:
        if folder.name in needed:
            continue
        # The new version is live already. What stays, held or not removable, is tried again
        # by the next writer.
        with suppress(OSError, IndexStoreError):
            hidden = root / f"{REMOVING}{folder.name}"
            with door.opened(folder / MANIFEST, "rb+") as manifest:
                fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
                door.replace(folder, hidden)
            door.remove(hidden)
