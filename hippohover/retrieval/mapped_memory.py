"""Limits how much of an index is mapped into memory at a time.

Every page of a file that a walk has read counts as resident until the system needs the memory. For
a large index that would soon be all of it: if the system's cache holds a file in large pieces, as
after a copy, Linux may map up to 2 MB around each byte that is read. So a thread unmaps what
exceeds a limit, whatever is being answered. The pages stay in the system's cache; a page that is
read again is mapped again, which takes some microseconds.
"""

import mmap
import threading
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from hippohover.store.segments.private_maps import map_of

MOST_RESIDENT_BYTES: Final = 5 * 2**29
"""Memory that a process may hold before an engine unmaps files."""

LEAST_MAPPED_BYTES: Final = 2**30
"""Pages of files that may always stay mapped, however large the process's own memory is."""

_LOOK_SECONDS: Final = 0.02
_PART_BYTES: Final = 2**26
_STATM: Final = Path("/proc/self/statm")


class MappedMemory:
    """Limits the mapped pages of some arrays while it lives; any thread may go on reading.

    Parameters
    ----------
    arrays : iterable of ndarray
        Those that are neither memory maps nor views of whole ones are ignored. A thread is started
        if the others together are larger than what may always stay mapped.
    """

    def __init__(self, arrays: Iterable[NDArray[Any]]) -> None:
        sources = [source for array in arrays if (source := map_of(array)) is not None]
        maps = [source.base for source in sources if isinstance(source.base, mmap.mmap)]
        self._parts = [
            (mapped, start, min(_PART_BYTES, len(mapped) - start))
            for mapped in maps
            for start in range(0, len(mapped), _PART_BYTES)
        ]
        self._next = 0
        if sum(map(len, maps)) > LEAST_MAPPED_BYTES:
            ended = threading.Event()
            weakref.finalize(self, ended.set)
            threading.Thread(
                target=_watch, args=(weakref.ref(self), ended), name="hippohover-maps", daemon=True
            ).start()

    def release(self) -> None:
        """Unmap one part of the arrays after the other until few enough pages are mapped."""
        for _ in self._parts:
            if not _is_too_much():
                return
            mapped, start, length = self._parts[self._next % len(self._parts)]
            self._next += 1
            mapped.madvise(mmap.MADV_DONTNEED, start, length)


def _watch(watched: "weakref.ref[MappedMemory]", ended: threading.Event) -> None:
    while not ended.wait(_LOOK_SECONDS):
        if (memory := watched()) is not None:
            memory.release()
        del memory  # the last to hold it must not be this thread, between two looks


def _is_too_much() -> bool:
    """Return whether too many file pages are mapped; never where the system does not say."""
    try:
        resident, mapped = (
            int(pages) * mmap.PAGESIZE for pages in _STATM.read_text(encoding="ascii").split()[1:3]
        )
    except (OSError, ValueError):
        return False
    return mapped > max(LEAST_MAPPED_BYTES, MOST_RESIDENT_BYTES - (resident - mapped))
