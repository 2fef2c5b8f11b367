"""What may stand in the place of a file of an index from elsewhere."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final


def _pipe(path: Path, *_: Path) -> None:
    os.mkfifo(path)


def _device(path: Path, *_: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # what /dev/zero is
    except PermissionError:
        path.symlink_to("/dev/zero")


def _second_name(path: Path, _: Path, file: Path) -> None:
    path.hardlink_to(file)


def _link_to_folder(path: Path, folder: Path, _: Path) -> None:
    path.symlink_to(folder)


def _link(path: Path, _: Path, file: Path) -> None:
    path.symlink_to(file)


KINDS: Final[dict[str, Callable[[Path, Path, Path], None]]] = {
    "link to a folder": _link_to_folder,
    "link to a file": _link,
    "second name of a file": _second_name,
    "pipe": _pipe,
    "device": _device,
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
