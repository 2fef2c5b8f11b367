"""Finds hashes in a very long array."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_LEAST_BITS = 16
_MOST_BITS = 22


def places_of(
    hashes: NDArray[np.uint64], wanted: NDArray[np.uint64] | Iterable[int]
) -> NDArray[np.int64]:
    """Return the places of the wanted hashes, ascending.

    What shares no beginning with a wanted one is passed over at once: ``np.isin`` would sort all.
    """
    some = wanted if isinstance(wanted, np.ndarray) else np.array(list(wanted), np.uint64)
    some = np.sort(some)
    if not len(some):
        return np.zeros(0, np.int64)
    # As many bits as let few others pass, while a table of them fits a processor's cache.
    n_bits = min(max(len(some).bit_length() + 6, _LEAST_BITS), _MOST_BITS)
    shift = np.uint64(64 - n_bits)
    begins = np.zeros(1 << n_bits, np.bool_)
    begins[some >> shift] = True
    near = np.flatnonzero(begins[hashes >> shift])
    at = np.minimum(np.searchsorted(some, hashes[near]), len(some) - 1)
    return near[some[at] == hashes[near]]
