"""What may stand in the place of a file of an index from elsewhere."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # what /dev/zero is
    except PermissionError:
        path.symlink_to("/dev/zero")


KINDS: Final[dict[str, Callable[[Path, Path, Path], None]]] = {
    "link to a folder": lambda path, folder, _: path.symlink_to(folder),
    "link to a file": lambda path, _, file: path.symlink_to(file),
    "second name of a file": lambda path, _, file: path.hardlink_to(file),
    "pipe": lambda path, *_: os.mkfifo(path),
    "device": lambda path, *_: _device(path),
}


def put(path: Path, kind: str, folder: Path, file: Path) -> None:
    """Put one of ``KINDS`` in the place of a path; a link leads to the folder or the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    KINDS[kind](path, folder, file)


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything in a folder that a command could change: modes, times and contents."""
    paths = sorted([folder, *folder.rglob("*")])
    return {
        str(path): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in paths
    }
