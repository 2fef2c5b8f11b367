"""Waiting for a folder to change: the one place that asks watchfiles."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

_QUIET_MILLISECONDS: Final = 500
"""What is written in one go, such as a checkout, is one change: it ends with so long a pause."""
_LONGEST_MILLISECONDS: Final = 5_000


def changes_below(folder: Path, *, without: Path, seconds: float = 1.0) -> Iterator[bool]:
    """Say, without end, that something below a folder changed, or that nothing did for a while.

    The first answer comes when changes are seen from there on. Hidden files and folders are
    passed over, as they are when the folder is read.

    Parameters
    ----------
    folder : Path
    without : Path
        Folder whose changes are passed over, the index, if it lies below.
    seconds : float
        After so many without a change comes a False.
    """
    from watchfiles import Change, watch

    root, own = folder.resolve(), without.resolve()

    def matters(_: Change, name: str) -> bool:
        path = Path(name)
        if path.is_relative_to(own) or not path.is_relative_to(root):
            return False
        return not any(part.startswith(".") for part in path.relative_to(root).parts)

    for changes in watch(
        root,
        watch_filter=matters,
        debounce=_LONGEST_MILLISECONDS,
        step=_QUIET_MILLISECONDS,
        rust_timeout=int(1000 * seconds),
        yield_on_timeout=True,
    ):
        yield bool(changes)
