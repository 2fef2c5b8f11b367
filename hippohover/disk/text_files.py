"""Reads lines from a file, and writes a file whole, or leaves the old one."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hippohover.disk import door
from hippohover.errors import UsageError

MAX_LINES_BYTES: Final = 64 * 2**20

STANDARD_INPUT: Final = "standard input"
"""Name of the file in which a command puts its standard input, in a temporary folder."""


def read_lines(path: Path, *, or_none: bool = False) -> list[str]:
    """Read the lines of a text file, stripped, without blank lines.

    Parameters
    ----------
    path : Path
    or_none : bool
        Whether it may have no line.

    Raises
    ------
    UsageError
        The file cannot be read, is not UTF-8, has no line, or more than 64 MiB.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_LINES_BYTES + 1)
        if len(content) > MAX_LINES_BYTES:
            most = f"{MAX_LINES_BYTES // 2**20} MB"
            raise UsageError(f"{path}: is larger than {most}: split it into smaller files")
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(
            f"{path}: {reason}: give a text file in UTF-8 with one entry on each line"
        ) from error
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines and not or_none:
        raise UsageError(f"{path}: is empty: write one entry on each line")
    return lines


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines without line ends to a UTF-8 file, as ``write_whole`` does."""
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file in one step; writes to a device or a pipe directly.

    Parameters
    ----------
    path : Path
        File to write; an older one, or the one a link leads to, is replaced.
    data : bytes

    Raises
    ------
    UsageError
        The file cannot be written; an older one stays as it was.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        with door.written(target) as file:
            file.write(data)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}): check the path") from error
