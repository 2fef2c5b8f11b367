"""Rows of largest cosine by FAISS; no other file imports it.

FAISS looks into an eighth of its inverted lists, which hold 8 bits a value, and only selects
candidates: ``vectors.nearest`` computes how similar they are.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError, in_a_line
from hippohover.vectors.nearest import (
    TopK,
    Vectors,
    best_rows,
    check_vectors,
    checked_query,
    similarities_of,
    top_k,
)

_MIN_ROWS_A_LIST: Final = 128

_N_SAMPLES_A_LIST: Final = 64

_SHARE_PROBED: Final = 8

_MAGIC: Final = b"IwSq"
"""What files of such lists begin with."""


class NearestIndex:
    """Inverted lists of unit vectors; safe from several threads."""

    def __init__(self, vectors: Vectors, index: Any) -> None:  # noqa: ANN401  (FAISS has no types)
        self.vectors = vectors
        self._index = index

    @classmethod
    def build(cls, vectors: Vectors) -> "NearestIndex":
        """Build the lists of rows of length 1, or 0; shape (n, dim), as ``top_k`` takes them.

        The same bytes for the same vectors, whatever the number of threads.
        """
        check_vectors(vectors)
        index = _trained_lists(vectors)
        for start in range(0, len(vectors), 1 << 16):
            index.add(np.ascontiguousarray(vectors[start : start + (1 << 16)], dtype=np.float32))
        return cls(vectors, index)

    def save(self, path: Path) -> None:
        """Write the lists that were built, not the vectors; ``IndexStoreError`` if that fails."""
        try:
            _faiss().write_index(self._index, str(path))
        except (OSError, RuntimeError) as error:
            raise IndexStoreError(
                f"{path} cannot be written ({in_a_line(error)}): make room, or choose another "
                "folder"
            ) from error

    @classmethod
    def open(cls, path: Path, vectors: Vectors) -> "NearestIndex":
        """Open the index that ``save`` wrote, over its vectors; read by memory map.

        Raises
        ------
        IndexDamagedError
            The file is missing, cannot be read, or belongs to vectors of another shape.
        """
        check_vectors(vectors)
        try:
            index, shape = _read(path)
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            raise IndexDamagedError(
                f"{path} cannot be read ({in_a_line(error)}): build the index again"
            ) from error
        if shape != vectors.shape:
            raise IndexDamagedError(
                f"{path} was made of {shape} vectors, here are {vectors.shape}: "
                "build the index again"
            )
        return cls(vectors, index)

    def search(self, query: NDArray[np.floating[Any]], k: int) -> TopK:
        """Search as ``top_k``: it may miss a few rows, but never returns fewer."""
        query = checked_query(self.vectors, query, k)
        k = min(k, len(self.vectors))
        rows = self._candidates(query, min(4 * k + 64, len(self.vectors)))
        if len(rows) < k:
            return top_k(self.vectors, query, k)
        return best_rows(similarities_of(self.vectors[rows], query), rows, k)

    def _candidates(self, query: NDArray[np.float32], n: int) -> NDArray[np.int64]:
        n_lists = int(self._index.nlist)
        n_probed = max(min(n_lists, 8), n_lists // _SHARE_PROBED)
        probing = _faiss().SearchParametersIVF(nprobe=n_probed)
        _, [rows] = self._index.search(query[None], n, params=probing)
        if rows.max(initial=-1) >= len(self.vectors):
            raise IndexDamagedError("a row that does not exist was found: build the index again")
        return np.sort(rows[rows >= 0])


def _faiss() -> Any:  # noqa: ANN401  (FAISS has no types)
    try:
        import faiss
    except ImportError as error:
        raise UsageError(
            "lists of vectors need faiss-cpu: pip install 'hippohover[faiss]', or set "
            'query.vectors to "exact"'
        ) from error
    return faiss


def _trained_lists(vectors: Vectors) -> Any:  # noqa: ANN401
    """Make inverted lists around centroids of evenly spaced rows, still empty."""
    faiss = _faiss()
    n, dim = vectors.shape
    n_lists = max(1, min(n // _MIN_ROWS_A_LIST, round(2 * n**0.5)))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dim),
        dim,
        n_lists,
        faiss.ScalarQuantizer.QT_8bit,
        faiss.METRIC_INNER_PRODUCT,
    )
    index.cp.seed = 1
    index.cp.niter = 10
    index.cp.min_points_per_centroid = 1  # else FAISS warns on stderr about tiny indexes
    index.cp.spherical = True
    sample = np.linspace(0, n - 1, min(n, _N_SAMPLES_A_LIST * n_lists)).astype(np.int64)
    index.train(np.ascontiguousarray(vectors[sample], dtype=np.float32))
    return index


def _read(path: Path) -> tuple[Any, tuple[int, int]]:
    with door.opened(path) as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it holds no inverted lists")
    faiss = _faiss()
    index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
    if index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise ValueError("not an index of inner products")
    return index, (index.ntotal, index.d)
