"""Where some hashes stand in an array of very many."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_SHIFT = np.uint64(48)


def places_of(hashes: NDArray[np.uint64], wanted: Iterable[int]) -> NDArray[np.int64]:
    """Places of the hashes that are wanted, ascending.

    What shares no beginning with a wanted one is passed over at once: ``np.isin`` would sort all.
    """
    some = np.array(list(wanted), np.uint64)
    begins = np.zeros(1 << 16, np.bool_)
    begins[some >> _SHIFT] = True
    near = np.flatnonzero(begins[hashes >> _SHIFT])
    return near[np.isin(hashes[near], some)]
