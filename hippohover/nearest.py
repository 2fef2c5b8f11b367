"""Rows of largest cosine: exact in NumPy, or by FAISS.

FAISS only names candidates. The similarity of an answer is computed again from the vectors, in
float64, and rounded to float32. So it is the same number whichever way a row was found, however
many queries stand together and however many threads run; equal rows tie, and ties go to the
lower row.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError
from hippohover.unit_vectors import UnitVectors

NearestKind = Literal["exact", "flat", "ivf"]

Vectors = NDArray[np.float16] | NDArray[np.float32] | UnitVectors
TopK = tuple[NDArray[np.float32], NDArray[np.int64]]

_N_ROWS_A_BLOCK: Final = 2048  # a block in float32 stays in a core's cache
_N_CODES_A_BLOCK: Final = 1 << 16
_MIN_ROWS_A_LIST: Final = 128
_N_SAMPLES_A_LIST: Final = 64
_SHARE_PROBED: Final = 8
_KINDS: Final[dict[bytes, NearestKind]] = {
    b'{"ki': "exact",
    b"IxSQ": "flat",
    b"IxFI": "flat",
    b"IwSq": "ivf",
}


def top_k(
    vectors: Vectors,
    queries: NDArray[np.floating[Any]],
    k: int,
    *,
    on_block: Callable[[], None] = lambda: None,
) -> TopK:
    """Rows of largest cosine with each query, by comparing all of them.

    Parameters
    ----------
    vectors : ndarray of float16 or float32, or UnitVectors, shape (n, dim)
        Rows of length 1, or 0; read in blocks, so a memory map will do.
    queries : ndarray, shape (n_queries, dim)
        Rows of length 1, or 0.
    k : int
        At least 1.
    on_block : callable
        Called after each block that was read.

    Returns
    -------
    similarities : ndarray of float32, shape (n_queries, min(k, n))
        Best first.
    rows : ndarray of int64, of the same shape
        Ties by the lower row.

    Raises
    ------
    UsageError
        Shapes do not fit, or rows are not of length 1.
    """
    queries = _checked(vectors, queries, k)
    k = min(k, len(vectors))
    best = [(np.zeros(0, np.float32), np.zeros(0, np.int64)) for _ in queries]
    for start, stop, roughly in _blocks_of_products(vectors, queries):
        if not (np.abs(roughly) <= 1.05).all():
            raise UsageError(
                f"vectors {start} to {stop - 1} are not all of length 1: "
                "scale each row to length 1 before it is searched"
            )
        for i, query in enumerate(queries):
            near = _candidates(roughly[i], best[i][0], k, _margin(query))
            if len(near):
                rows = start + near
                similarities = np.append(best[i][0], _similarities(vectors[rows], query))
                best[i] = _best(similarities, np.append(best[i][1], rows), k)
        on_block()
    return _stacked(best, k)


class NearestIndex:
    """Unit vectors, and what finds near rows among them; safe from several threads.

    Kinds
    -----
    ``"exact"``: ``top_k``; nothing is built. ``"flat"``: FAISS compares all rows, faster; the
    same rows. ``"ivf"``: FAISS looks into an eighth of its inverted lists, 8 bits a value;
    nearly the same rows, much sooner.
    """

    def __init__(
        self,
        vectors: Vectors,
        kind: NearestKind,
        index: Any = None,  # noqa: ANN401  (FAISS has no types)
        *,
        source: Path | None = None,
    ) -> None:
        self.vectors = vectors
        self.kind: NearestKind = kind
        self._index = index
        self._source = source

    @classmethod
    def build(cls, vectors: Vectors, kind: NearestKind = "exact") -> "NearestIndex":
        """Index of rows of length 1, or 0; shape (n, dim), as ``top_k`` takes them.

        The same bytes for the same vectors, whatever the number of threads.
        """
        if kind not in ("exact", "flat", "ivf"):
            raise UsageError(f"kind {kind!r} is unknown: name exact, flat or ivf")
        _check_vectors(vectors)
        if kind == "exact" or not len(vectors):
            return cls(vectors, "exact")
        index = _empty_flat(vectors) if kind == "flat" else _trained_lists(vectors)
        for start in range(0, len(vectors), 1 << 16):
            index.add(np.ascontiguousarray(vectors[start : start + (1 << 16)], dtype=np.float32))
        return cls(vectors, kind, index)

    def save(self, path: Path) -> None:
        """Write what finds the rows, not the vectors; ``IndexStoreError`` if it cannot be."""
        try:
            if self._source is not None:  # FAISS would write where its mapped lists lie, not them
                shutil.copyfile(self._source, path)
            elif self._index is None:
                path.write_text(json.dumps({"kind": "exact", "shape": self.vectors.shape}))
            else:
                _faiss().write_index(self._index, str(path))
        except (OSError, RuntimeError) as error:
            raise IndexStoreError(
                f"{path} cannot be written ({_reason(error)}): make room, or choose another folder"
            ) from error

    @classmethod
    def open(cls, path: Path, vectors: Vectors) -> "NearestIndex":
        """Index that ``save`` wrote, over the vectors it was built from; read by memory map.

        Raises
        ------
        IndexDamagedError
            The file is missing, cannot be read, or belongs to vectors of another shape.
        """
        _check_vectors(vectors)
        try:
            kind, index, shape = _read(path)
        except (OSError, RuntimeError, ValueError, KeyError, MemoryError) as error:
            raise IndexDamagedError(
                f"{path} cannot be read ({_reason(error)}): build the index again"
            ) from error
        if shape != vectors.shape:
            raise IndexDamagedError(
                f"{path} was made of {shape} vectors, here are {vectors.shape}: "
                "build the index again"
            )
        return cls(vectors, kind, index, source=path)

    def search(self, queries: NDArray[np.floating[Any]], k: int) -> TopK:
        """As ``top_k``: of kind ``"ivf"`` a few rows may be missed, never fewer are returned."""
        if self._index is None:
            return top_k(self.vectors, queries, k)
        queries = _checked(self.vectors, queries, k)
        k = min(k, len(self.vectors))
        roughly, pools = self._candidates(queries, k)
        answers = [
            self._answer(query, rows, float(worst), k)
            for query, rows, worst in zip(queries, pools, roughly[:, -1], strict=True)
        ]
        return _stacked(answers, k)

    def _candidates(self, queries: NDArray[np.float32], k: int) -> TopK:
        n = min(4 * k + 64, len(self.vectors))
        options: dict[str, Any] = {}
        if self.kind == "ivf":
            n_lists = int(self._index.nlist)
            n_probed = max(min(n_lists, 8), n_lists // _SHARE_PROBED)
            options["params"] = _faiss().SearchParametersIVF(nprobe=n_probed)
        roughly, pools = self._index.search(queries, n, **options)
        if pools.max(initial=-1) >= len(self.vectors):
            raise IndexDamagedError("a row that does not exist was found: build the index again")
        return roughly, pools

    def _answer(
        self, query: NDArray[np.float32], rows: NDArray[np.int64], worst: float, k: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Best candidates; all rows are compared where the candidates leave room for doubt."""
        rows = np.sort(rows[rows >= 0])
        similarities, best = _best(_similarities(self.vectors[rows], query), rows, k)
        is_cut = self.kind == "flat" and len(rows) < len(self.vectors)
        if len(best) < k or (is_cut and similarities[-1] <= worst + _margin(query)):
            (similarities,), (best,) = top_k(self.vectors, query[None], k)
        return similarities, best


def _faiss() -> Any:  # noqa: ANN401  (FAISS has no types)
    import faiss

    return faiss


def _empty_flat(vectors: Vectors) -> Any:  # noqa: ANN401
    faiss = _faiss()
    dim = vectors.shape[1]
    if vectors.dtype == np.float32:
        return faiss.IndexFlatIP(dim)
    half = faiss.ScalarQuantizer.QT_fp16
    return faiss.IndexScalarQuantizer(dim, half, faiss.METRIC_INNER_PRODUCT)


def _trained_lists(vectors: Vectors) -> Any:  # noqa: ANN401
    """Inverted lists around centroids of evenly spaced rows, still empty."""
    faiss = _faiss()
    n, dim = vectors.shape
    n_lists = max(1, min(n // _MIN_ROWS_A_LIST, round(2 * n**0.5)))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dim), dim, n_lists, faiss.ScalarQuantizer.QT_8bit,
        faiss.METRIC_INNER_PRODUCT,
    )  # fmt: skip
    index.cp.seed = 1
    index.cp.niter = 10
    index.cp.min_points_per_centroid = 1  # else FAISS warns on stderr about tiny indexes
    index.cp.spherical = True
    sample = np.linspace(0, n - 1, min(n, _N_SAMPLES_A_LIST * n_lists)).astype(np.int64)
    index.train(np.ascontiguousarray(vectors[sample], dtype=np.float32))
    return index


def _read(path: Path) -> tuple[NearestKind, Any, tuple[int, ...]]:
    with path.open("rb") as file:
        kind = _KINDS[file.read(4)]
    if kind == "exact":
        shape: object = json.loads(path.read_bytes())["shape"]
        if not (isinstance(shape, list) and [type(n) for n in cast("Any", shape)] == [int, int]):
            raise ValueError("no shape of two numbers")
        return kind, None, tuple(cast("list[int]", shape))
    faiss = _faiss()
    flag = faiss.IO_FLAG_MMAP
    if kind == "flat":  # since FAISS 1.11 another flag maps what is not in lists
        flag = getattr(faiss, "IO_FLAG_MMAP_IFC", flag)
    index = faiss.read_index(str(path), flag)
    if index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise ValueError("not an index of inner products")
    return kind, index, (index.ntotal, index.d)


def _check_vectors(vectors: Vectors) -> None:
    if vectors.ndim != 2 or vectors.dtype.name not in ("float16", "float32"):
        raise UsageError(
            f"vectors of shape {vectors.shape} and type {vectors.dtype} cannot be searched: "
            "pass rows of float16 or float32"
        )


def _checked(vectors: Vectors, queries: NDArray[np.floating[Any]], k: int) -> NDArray[np.float32]:
    """Queries as float32 that fit the vectors."""
    _check_vectors(vectors)
    if k < 1:
        raise UsageError(f"k = {k} asks for no row: pass 1 or more")
    if queries.ndim != 2 or queries.shape[1] != vectors.shape[1]:
        raise UsageError(
            f"queries of shape {queries.shape} do not fit vectors of {vectors.shape[1]} "
            "dimensions: encode them with the encoder of the index"
        )
    lengths = np.linalg.norm(queries.astype(np.float64), axis=1)
    if not ((np.abs(lengths - 1) <= 0.01) | (lengths == 0)).all():
        raise UsageError("a query is not of length 1: scale it, or use an encoder's own rows")
    return np.ascontiguousarray(queries, dtype=np.float32)


def _blocks_of_products(
    vectors: Vectors, queries: NDArray[np.float32]
) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """(first row, row behind the last, inner products of shape (n_queries, rows)) of each block."""
    n, dim = vectors.shape
    if isinstance(vectors, UnitVectors):
        for start in range(0, n, _N_CODES_A_BLOCK):
            stop = min(start + _N_CODES_A_BLOCK, n)
            found = np.empty((len(queries), stop - start), np.float32)
            for products, query in zip(found, queries, strict=True):
                products[:] = vectors.products(query, start, stop)
            yield start, stop, found
        return
    buffer = np.empty((_N_ROWS_A_BLOCK, dim), np.float32)
    for start in range(0, n, _N_ROWS_A_BLOCK):
        rows = vectors[start : start + _N_ROWS_A_BLOCK]
        block = buffer[: len(rows)]
        if rows.dtype == np.float16 and rows.flags.c_contiguous:
            _widen(cast("NDArray[np.float16]", rows), block)
        else:
            block[:] = rows
        yield start, start + len(block), _products(queries, block)


def _widen(halves: NDArray[np.float16], out: NDArray[np.float32]) -> None:
    """float16 to float32 by moving the bits into place: three times as fast as a cast.

    Exponent and fraction keep their order; the exponent's bias differs by 112. Infinities and
    NaN, which no unit vector holds, become numbers of 65,536 and more.
    """
    bits = out.view(np.int32)
    np.left_shift(halves.view(np.int16), 13, out=bits, dtype=np.int32)
    np.bitwise_and(bits, np.int32(-0x70002000), out=bits)  # drops the copies of the sign bit
    np.multiply(out, np.float32(2.0**112), out=out)


def _products(queries: NDArray[np.float32], block: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inner products in float32, shape (n_queries, n_rows)."""
    if len(queries) > 8:
        return queries @ block.T
    # A matrix product of this size wakes all threads, which takes longer than the work.
    return np.vecdot(block, queries[:, None])


def _candidates(
    roughly: NDArray[np.float32], kept: NDArray[np.float32], k: int, margin: float
) -> NDArray[np.int64]:
    """Positions in a block that can be among the k best, given the best of the blocks before."""
    near = (
        np.flatnonzero(roughly >= kept[-1] - margin) if len(kept) == k else np.arange(len(roughly))
    )
    if len(near) > k:
        kth = np.partition(roughly[near], len(near) - k)[len(near) - k]
        near = near[roughly[near] >= kth - 2 * margin]
    return near


def _margin(query: NDArray[np.float32]) -> float:
    """More than float32 sums can be off: dim x 2^-23 for rows of length 1 (Higham 2002, 3.1)."""
    return 2.0**-22 * len(query)


def _similarities(
    rows: NDArray[np.floating[Any]], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Inner products: float64 sums, each by itself, rounded to float32."""
    products = rows.astype(np.float64)
    products *= query
    return products.sum(axis=1).astype(np.float32)


def _best(
    similarities: NDArray[np.float32], rows: NDArray[np.int64], k: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    order = np.lexsort((rows, -similarities))[:k]
    return similarities[order], rows[order]


def _stacked(answers: list[tuple[NDArray[np.float32], NDArray[np.int64]]], k: int) -> TopK:
    similarities = np.zeros((len(answers), k), np.float32)
    rows = np.zeros((len(answers), k), np.int64)
    for i, answer in enumerate(answers):
        similarities[i], rows[i] = answer
    return similarities, rows


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
