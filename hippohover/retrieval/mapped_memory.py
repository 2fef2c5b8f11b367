"""How much of an index is mapped into memory at a time.

Every page of a file that a walk has read counts as resident, until the system wants it for
something else. Of a large index that would be all of it in the end. So an engine lets go of what it
has mapped when that is much: the pages stay in the system's cache, and one that is read again is
mapped again, which takes a microsecond.
"""

import mmap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

MOST_MAPPED_BYTES: Final = 2**31
"""Pages of files that a process may have mapped before an engine lets go of its own."""

_ANSWERS_BETWEEN: Final = 16
_STATM: Final = Path("/proc/self/statm")


class MappedMemory:
    """The maps of some arrays; safe from several threads, which may go on reading them.

    Parameters
    ----------
    arrays : iterable of ndarray
        Those that are no memory maps are left out.
    """

    def __init__(self, arrays: Iterable[NDArray[Any]]) -> None:
        self._maps = [one.base for one in arrays if isinstance(one.base, mmap.mmap)]
        self._n_answers = 0

    def after_answer(self) -> None:
        """Now and then see how much is mapped, and let go of it if it is more than it may be."""
        self._n_answers += 1
        if self._n_answers % _ANSWERS_BETWEEN == 0 and _mapped_bytes() > MOST_MAPPED_BYTES:
            self.let_go()

    def let_go(self) -> None:
        """Have no page mapped; what is read next is."""
        for one in self._maps:
            one.madvise(mmap.MADV_DONTNEED)


def _mapped_bytes() -> int:
    """Pages of files that this process has mapped; 0 where the system does not say."""
    try:
        return int(_STATM.read_text(encoding="ascii").split()[2]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return 0
