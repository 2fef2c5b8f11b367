"""Waits for changes in a folder; no other file imports watchfiles."""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

_QUIET_MILLISECONDS: Final = 500
"""Pause that ends a change: what is written at once, such as a checkout, is one change."""
_LONGEST_MILLISECONDS: Final = 5_000
_UNWATCHED_SECONDS: Final = 5.0
"""How often a folder is looked through that cannot be watched."""


def changes_below(
    folder: Path, *, without: Path, tell: Callable[[str], None], seconds: float = 1.0
) -> Iterator[bool]:
    """Yield, without end, whether something below a folder changed.

    The first answer comes when changes are seen from there on. Hidden files and folders are
    passed over, as they are when the folder is read. Another folder in the place of this one, as
    where a link is turned to it, is a change, and watched from then on.

    Parameters
    ----------
    folder : Path
    without : Path
        Folder whose changes are passed over, the index, if it lies below.
    tell : callable
        Told why the folder cannot be watched, where it cannot; it is looked through then.
    seconds : float
        After this many seconds without a change, False is yielded.
    """
    told: set[str] = set()
    missed = False  # what changed before a watch began
    while True:
        known = _identity(folder)
        if known is None:
            time.sleep(seconds)
            missed = True
            yield False
            continue
        try:
            with closing(_watched(folder.resolve(), without.resolve(), seconds)) as watched:
                for has_changed in watched:
                    yield has_changed or missed
                    missed = False
                    if _identity(folder) != known:
                        break
        except FileNotFoundError:  # it went between the look at it and the watch
            time.sleep(seconds)
            yield False
        except RuntimeError as error:  # of watchfiles, as where a name below is not UTF-8
            if str(error) not in told:
                told.add(str(error))
                tell(
                    f"{folder}: cannot be watched ({error}): it is checked every "
                    f"{_UNWATCHED_SECONDS:g} seconds"
                )
            time.sleep(_UNWATCHED_SECONDS)
            yield True
        missed = True


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what identifies a folder beyond its name; None if there is no folder."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _watched(root: Path, own: Path, seconds: float) -> Generator[bool]:
    """Yield whether something below a folder changed; end when the folder itself goes."""
    from watchfiles import Change, watch

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
        if (Change.deleted, str(root)) in changes:
            return
