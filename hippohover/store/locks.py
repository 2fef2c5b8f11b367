"""Locks on an index: one process writes, and whoever reads a version keeps it on disk."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hippohover.disk.errors import message, reads, writes
from hippohover.errors import IndexStoreError

# A lock lives until every copy of its descriptor is closed, and a forked worker has a copy: it
# would keep the lock of a writer that was killed.
_lock_descriptors: set[int] = set()


def _close_inherited_locks() -> None:
    while _lock_descriptors:
        os.close(_lock_descriptors.pop())


os.register_at_fork(after_in_child=_close_inherited_locks)


@contextmanager
def exclusive(path: Path) -> Generator[None]:
    """The writer's lock: it ends with the process that holds it, however that ends."""
    with writes(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _lock_descriptors.add(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            what = f"is being written by process {pid or 'of unknown number'}"
            fix = "wait until it ends, or stop it"
            raise IndexStoreError(message(path.parent, what, fix)) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        if descriptor in _lock_descriptors:
            _lock_descriptors.remove(descriptor)
            os.close(descriptor)


def hold(manifest: Path) -> int:
    """Descriptor that keeps a version on disk: a shared lock on its manifest.

    If the version was removed before the lock was had, its manifest cannot be read by name.
    """
    with reads(manifest):
        descriptor = os.open(manifest, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor
