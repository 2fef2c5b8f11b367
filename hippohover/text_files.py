"""Results into a file: all of them, or the older file stays."""

import os
from collections.abc import Iterable
from pathlib import Path

from hippohover.errors import UsageError


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file of lines, UTF-8, in one step; a device or a pipe is written to as it is.

    Parameters
    ----------
    path : Path
        File to write; an older one, or the one a link leads to, is replaced.
    lines : iterable of str
        Without their ends.

    Raises
    ------
    UsageError
        The file cannot be written; an older one stays as it was.
    """
    data = "".join(f"{line}\n" for line in lines).encode()
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        beside.write_bytes(data)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written ({error.strerror}): check the path") from error
