"""Rows of largest cosine, by comparing all of them.

Sums in float32 only select candidates. The similarity of an answer is computed again from the
vectors, in float64, and rounded to float32. So it does not depend on how a row was found or on the
number of threads; equal rows tie, and ties go to the
lower row, or key.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.vectors.unit_vectors import UnitVectors

Vectors = NDArray[np.float16] | NDArray[np.float32] | UnitVectors
TopK = tuple[NDArray[np.float32], NDArray[np.int64]]

_N_ROWS_A_BLOCK: Final = 2048  # a block in float32 stays in a core's cache
_N_CODES_A_BLOCK: Final = 1 << 16


def top_k(
    vectors: Vectors,
    query: NDArray[np.floating[Any]],
    k: int,
    *,
    keys: NDArray[np.uint64] | None = None,
    spare: NDArray[np.bool_] | None = None,
    on_block: Callable[[], None] = lambda: None,
) -> TopK:
    """Return the rows of largest cosine with a query, by comparing all of them.

    Parameters
    ----------
    vectors : ndarray of float16 or float32, or UnitVectors, shape (n, dim)
        Rows of length 1, or 0; read in blocks, so a memory map will do.
    query : ndarray, shape (dim,)
        Of length 1, or 0.
    k : int
        At least 1.
    keys : ndarray of uint64, shape (n,), optional
        Of rows of equal similarity, that of the lower key comes first; without them, the lower.
    spare : ndarray of bool, shape (n,), optional
        Rows that are passed over.
    on_block : callable
        Called after each block that was read.

    Returns
    -------
    similarities : ndarray of float32, shape (min(k, n),)
        Best first; n without spare rows.
    rows : ndarray of int64, of the same shape

    Raises
    ------
    UsageError
        Shapes do not fit, or rows are not of length 1.
    """
    query = checked_query(vectors, query, k)
    k = min(k, len(vectors) - (0 if spare is None else int(np.count_nonzero(spare))))
    best: TopK = np.zeros(0, np.float32), np.zeros(0, np.int64)
    margin = vectors.margin(query) if isinstance(vectors, UnitVectors) else _margin_of(query)
    for start, stop, roughly in _blocks_of_products(vectors, query):
        if not (np.abs(roughly) <= 1.05).all():
            raise UsageError(
                f"vectors {start} to {stop - 1} are not all of length 1: "
                "scale each row to length 1 before it is searched"
            )
        if spare is not None:
            roughly[spare[start:stop]] = -np.inf
        near = _candidates(roughly, best[0], k, margin)
        near = near[roughly[near] > -np.inf]
        if len(near):
            rows = start + near
            similarities = np.append(best[0], similarities_of(vectors[rows], query))
            best = best_rows(similarities, np.append(best[1], rows), k, keys)
        on_block()
    return best


def check_vectors(vectors: Vectors) -> None:
    if vectors.ndim != 2 or vectors.dtype.name not in ("float16", "float32"):
        raise UsageError(
            f"vectors of shape {vectors.shape} and type {vectors.dtype} cannot be searched: "
            "pass rows of float16 or float32"
        )


def checked_query(
    vectors: Vectors, query: NDArray[np.floating[Any]], k: int
) -> NDArray[np.float32]:
    """Return a query as float32 that fits the vectors."""
    check_vectors(vectors)
    if k < 1:
        raise UsageError(f"k = {k} asks for no row: pass 1 or more")
    if query.shape != vectors.shape[1:]:
        raise UsageError(
            f"a query of shape {query.shape} does not fit vectors of {vectors.shape[1]} "
            "dimensions: encode it with the encoder of the index"
        )
    length = np.linalg.norm(query.astype(np.float64))
    if not (abs(length - 1) <= 0.01 or length == 0):
        raise UsageError("a query is not of length 1: scale it, or use an encoder's own rows")
    return np.ascontiguousarray(query, dtype=np.float32)


def _blocks_of_products(
    vectors: Vectors, query: NDArray[np.float32]
) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Yield (first row, end, inner products of shape (n,)) of each block."""
    n, dim = vectors.shape
    if isinstance(vectors, UnitVectors):
        for start in range(0, n, _N_CODES_A_BLOCK):
            stop = min(start + _N_CODES_A_BLOCK, n)
            yield start, stop, np.array(vectors.products(query, start, stop), np.float32)
        return
    buffer = np.empty((_N_ROWS_A_BLOCK, dim), np.float32)
    for start in range(0, n, _N_ROWS_A_BLOCK):
        rows = vectors[start : start + _N_ROWS_A_BLOCK]
        block = buffer[: len(rows)]
        if rows.dtype == np.float16 and rows.flags.c_contiguous:
            _widen(cast("NDArray[np.float16]", rows), block)
        else:
            block[:] = rows
        # A matrix product of this size wakes all threads, which takes longer than the work.
        yield start, start + len(block), np.vecdot(block, query)


def widened(halves: NDArray[Any]) -> NDArray[np.float32]:
    """Convert float16 to float32, as ``_widen``."""
    out = np.empty(halves.shape, np.float32)
    _widen(np.ascontiguousarray(halves), out)
    return out


def _widen(halves: NDArray[np.float16], out: NDArray[np.float32]) -> None:
    """Convert float16 to float32 by moving the bits: three times as fast as a cast.

    Exponent and fraction keep their order; the exponent's bias differs by 112. Infinities and
    NaN, which no unit vector holds, become numbers of 65,536 and more.
    """
    bits = out.view(np.int32)
    np.left_shift(halves.view(np.int16), 13, out=bits, dtype=np.int32)
    np.bitwise_and(bits, np.int32(-0x70002000), out=bits)  # drops the copies of the sign bit
    np.multiply(out, np.float32(2.0**112), out=out)


def _candidates(
    roughly: NDArray[np.float32], kept: NDArray[np.float32], k: int, margin: float
) -> NDArray[np.int64]:
    """Return positions in a block that can be among the k best, given those before."""
    near = (
        np.flatnonzero(roughly >= kept[-1] - margin) if len(kept) == k else np.arange(len(roughly))
    )
    if len(near) > k:
        kth = np.partition(roughly[near], len(near) - k)[len(near) - k]
        near = near[roughly[near] >= kth - 2 * margin]
    return near


def _margin_of(query: NDArray[np.float32]) -> float:
    """Bound the error of float32 sums: dim x 2^-23 for rows of length 1 (Higham 2002, 3.1)."""
    return 2.0**-22 * len(query)


def similarities_of(
    rows: NDArray[np.floating[Any]], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return inner products: float64 sums, each by itself, rounded to float32."""
    products = rows.astype(np.float64)
    products *= query
    return products.sum(axis=1).astype(np.float32)


def best_rows(
    similarities: NDArray[np.float32],
    rows: NDArray[np.int64],
    k: int,
    keys: NDArray[np.uint64] | None = None,
) -> TopK:
    order = np.lexsort((rows if keys is None else keys[rows], -similarities))[:k]
    return similarities[order], rows[order]
