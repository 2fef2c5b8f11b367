"""Rows of different lengths in one array: each row's begin and end.

Rows need not be in order, and values between two rows belong to none: a row that grows moves behind
all others and leaves a gap.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled

Spans = NDArray[np.int64]
"""Shape (n_rows, 2): the first place of each row, and the one after its last."""

_OF_ONE_KIND = np.zeros(0, np.uint8)


def spans_of(lengths: NDArray[np.integer[Any]]) -> Spans:
    """Return the spans of rows that follow each other."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.column_stack([ends - lengths, ends])


def lengths_of(spans: Spans) -> NDArray[np.int64]:
    """Return the number of places of each row."""
    return spans[:, 1] - spans[:, 0]


def places_in(spans: Spans) -> NDArray[np.int64]:
    """Return every place of some rows, row by row."""
    lengths = lengths_of(spans)
    before = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) + np.repeat(spans[:, 0] - before, lengths)


def blocks_of(spans: Spans, most: int) -> Iterator[slice]:
    """Yield rows in blocks of at most so many places, or one longer row."""
    ends = np.cumsum(lengths_of(spans))
    start = 0
    while start < len(spans):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + most, "right")), start + 1)
        yield slice(start, stop)
        start = stop


def first_unordered(
    spans: Spans, values: NDArray[np.int32], kinds: NDArray[np.uint8] = _OF_ONE_KIND
) -> int:
    """Return the first row whose values, or values and kinds, do not ascend; -1 if all do."""
    return _first_unordered(spans, values, kinds)


@compiled
def _first_unordered(
    spans: NDArray[np.int64], values: NDArray[np.int32], kinds: NDArray[np.uint8]
) -> int:
    for row in range(len(spans)):
        last = np.int64(-1)
        for at in range(spans[row, 0], spans[row, 1]):
            code = np.int64(values[at]) * 256 + (kinds[at] if len(kinds) else 0)
            if code <= last:
                return row
            last = code
    return -1
