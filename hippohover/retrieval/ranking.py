"""Scores -> rows in order: the one tie rule, and the fusing of lists."""

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


def best_first(
    rows: NDArray[np.int64], scores: NDArray[np.float64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The ``k`` rows of the highest scores, best first; of equal scores the lower row first."""
    if len(rows) > 4 * k > 0:
        floor = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= floor
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def reciprocal_rank_fusion(
    lists: Sequence[NDArray[np.int64]], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of several rankings, best first: score = sum over the lists of 1 / (60 + rank)."""
    rows = np.concatenate([np.zeros(0, np.int64), *lists])
    gains = [1.0 / (RRF_K + 1.0 + np.arange(len(one))) for one in lists]
    distinct, position = np.unique(rows, return_inverse=True)
    scores = np.bincount(
        position, weights=np.concatenate([np.zeros(0), *gains]), minlength=len(distinct)
    )
    return best_first(distinct, scores.astype(np.float64), k)


def append_tail(
    head: tuple[NDArray[np.int64], NDArray[np.float64]],
    tail: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A ranking continued by another one's rows that it does not hold, every score below its own.

    The tail's scores are positive; they go on as floor + ln(score / best of the tail) - 1.
    """
    new = ~np.isin(tail[0], head[0])
    rows, scores = tail[0][new], tail[1][new]
    if not len(rows) or not len(head[0]):
        return (rows, scores) if not len(head[0]) else head
    below = head[1][-1] - 1.0 + np.log(np.maximum(scores / scores[0], 1e-300))
    return np.concatenate([head[0], rows]), np.concatenate([head[1], below])


def weighted_sum(
    first: tuple[NDArray[np.int64], NDArray[np.float64]],
    second: tuple[NDArray[np.int64], NDArray[np.float64]],
    share: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """share * first + (1 - share) * second over the rows of both; all rows ascending."""
    rows = np.empty(len(first[0]) + len(second[0]), np.int64)
    scores = np.empty(len(rows))
    n = _merge(first[0], share * first[1], second[0], (1.0 - share) * second[1], rows, scores)
    return rows[:n], scores[:n]


@njit(cache=True, nogil=True)
def _merge(  # noqa: PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    first: NDArray[np.int64],
    first_scores: NDArray[np.float64],
    second: NDArray[np.int64],
    second_scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> int:
    """Fill ``rows`` and ``scores`` with the sum of two ascending lists; how many were filled."""
    i = 0
    j = 0
    n = 0
    while i < len(first) or j < len(second):
        row = second[j] if i == len(first) else first[i]
        if j < len(second):
            row = min(row, second[j])
        score = 0.0
        if i < len(first) and first[i] == row:
            score += first_scores[i]
            i += 1
        if j < len(second) and second[j] == row:
            score += second_scores[j]
            j += 1
        rows[n] = row
        scores[n] = score
        n += 1
    return n
