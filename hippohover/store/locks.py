"""Locks on an index: one process writes, and readers keep their version on disk."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Final

from hippohover.disk import door
from hippohover.disk.errors import message, reads, writes
from hippohover.errors import IndexStoreError

_MOMENT: Final = " for a moment"
_LONGEST_MOMENT_SECONDS: Final = 60.0
_SECONDS_TO_SAY_WHO: Final = 10.0
_SECONDS_OF_A_WRITER: Final = 0.05
_LOOK_SECONDS: Final = 0.01
_NEW: Final = SimpleNamespace(st_nlink=1)
"""What is said of a lock that is not there yet."""

# A lock lives until every copy of its descriptor is closed, and a forked worker has a copy: it
# would keep the lock of a writer that was killed.
_lock_descriptors: set[int] = set()


def _close_inherited_locks() -> None:
    while _lock_descriptors:
        os.close(_lock_descriptors.pop())


os.register_at_fork(after_in_child=_close_inherited_locks)


@contextmanager
def exclusive(path: Path, *, for_a_moment: bool = False) -> Generator[None]:
    """Hold the writer's lock: it ends with the process that holds it, in any case.

    Another writer is refused; but who holds it ``for_a_moment`` waits for others, and they wait.
    """
    with writes(path):
        # One with a second name, as a copy by hard links has, is locked and not written to.
        is_own = (door.status(path) or _NEW).st_nlink == 1
        descriptor = door.descriptor(path, os.O_RDWR | os.O_CREAT if is_own else os.O_RDONLY)
    _lock_descriptors.add(descriptor)
    try:
        _lock(descriptor, path, waits=for_a_moment)
        try:
            if is_own:
                os.ftruncate(descriptor, 0)
                mark = _MOMENT if for_a_moment else ""
                os.pwrite(descriptor, f"{os.getpid()}{mark}\n".encode(), 0)
            yield
        finally:
            if (
                is_own and descriptor in _lock_descriptors
            ):  # no one who waits takes this number for a holder's
                os.ftruncate(descriptor, 0)
    finally:
        if descriptor in _lock_descriptors:
            _lock_descriptors.remove(descriptor)
            os.close(descriptor)


def _lock(descriptor: int, path: Path, *, waits: bool) -> None:
    """Take the lock; ``IndexStoreError`` where another process holds it for longer."""
    start = time.monotonic()
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 40, 0).decode("ascii", "replace").strip()
            passed = time.monotonic() - start
            if not waits and passed > _longest_wait(holder):
                pid = holder.removesuffix(_MOMENT) or "of unknown number"
                what, fix = f"is being written by process {pid}", "wait until it ends, or stop it"
                raise IndexStoreError(message(path.parent, what, fix)) from error
        else:
            return
        time.sleep(_LOOK_SECONDS)


def _longest_wait(holder: str) -> float:
    """Return the seconds to wait for a lock, by what its file says of the holder.

    Whoever just took it may not have written its number yet: on a busy machine that takes seconds.
    The number of a process that has ended is that of a killed writer before.
    """
    if holder.endswith(_MOMENT):
        return _LONGEST_MOMENT_SECONDS
    return _SECONDS_OF_A_WRITER if _is_running(holder) else _SECONDS_TO_SAY_WHO


def _is_running(pid: str) -> bool:
    """Return whether a process of that number runs here, whoever owns it."""
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    return True


def hold(manifest: Path) -> int:
    """Return a descriptor that keeps a version on disk: a shared lock on its manifest.

    If the version was removed before the lock was had, its manifest cannot be read by name.
    """
    with reads(manifest):
        descriptor = door.descriptor(manifest)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor
