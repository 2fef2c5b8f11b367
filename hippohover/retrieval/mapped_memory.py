"""How much of an index is mapped into memory at a time.

Every page of a file that a walk has read counts as resident, until the system wants it for
something else. Of a large index that would be all of it in the end, and soon: of a file that it
holds in large pieces, as after a copy, Linux may map up to 2 MB around each byte that is read. So
after each answer an engine lets go of what is mapped beyond a bound: the pages stay in the system's
cache, and one that is read again is mapped again, which takes some microseconds.
"""

import mmap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

MOST_RESIDENT_BYTES: Final = 5 * 2**29
"""What a process may hold before an engine lets go of files that it has mapped."""

LEAST_MAPPED_BYTES: Final = 2**30
"""So much of files may be mapped in any case, however much the process holds of its own."""

_PART_BYTES: Final = 2**26
_STATM: Final = Path("/proc/self/statm")


class MappedMemory:
    """The maps of some arrays; safe from several threads, which may go on reading them.

    Parameters
    ----------
    arrays : iterable of ndarray
        Those that are no memory maps are left out.
    """

    def __init__(self, arrays: Iterable[NDArray[Any]]) -> None:
        maps = [one.base for one in arrays if isinstance(one.base, mmap.mmap)]
        self._parts = [
            (one, start, min(_PART_BYTES, len(one) - start))
            for one in maps
            for start in range(0, len(one), _PART_BYTES)
        ]
        self._next = 0

    def after_answer(self) -> None:
        """Let go of one part of the index after the other while more is mapped than may be."""
        for _ in self._parts:
            if not _is_too_much():
                return
            one, start, length = self._parts[self._next % len(self._parts)]
            self._next += 1
            one.madvise(mmap.MADV_DONTNEED, start, length)


def _is_too_much() -> bool:
    """Whether more of files is mapped than may be; never where the system does not say."""
    try:
        resident, mapped = (
            int(one) * mmap.PAGESIZE for one in _STATM.read_text(encoding="ascii").split()[1:3]
        )
    except (OSError, ValueError):
        return False
    return mapped > max(LEAST_MAPPED_BYTES, MOST_RESIDENT_BYTES - (resident - mapped))
