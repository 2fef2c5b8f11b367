"""Passages nearest to a claim by FAISS's inverted lists, for large indexes.

Lists are made of a build's vectors at the first call, and kept in the index's cache. Passages that
updates added since are compared with every claim, so an update does not make new lists. Which
passages are candidates is approximate; their similarity is exact.
"""

import hashlib
import os
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.progress import Progress, silent
from hippohover.store.layout import CACHE, LISTS
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables, array_file
from hippohover.vectors.faiss_index import NearestIndex
from hippohover.vectors.nearest import TopK, best_rows, similarities_of, top_k
from hippohover.vectors.unit_vectors import UnitVectors


class PassageLists:
    """Nearest passages in one version of an index; safe from several threads.

    Parameters
    ----------
    tables : IndexTables
        Of the version.
    built : UnitVectors, shape (n, dim)
        Vectors that a build wrote, whatever changed since.
    built_keys : ndarray of uint64, shape (n,)
        ``IndexArrays.passage_keys`` of them.
    file : Path
        Where the lists are kept. Where nothing can be written they are kept in memory.
    """

    def __init__(
        self,
        tables: IndexTables,
        built: UnitVectors,
        built_keys: NDArray[np.uint64],
        file: Path,
    ) -> None:
        arrays = tables.arrays
        self._vectors = arrays.passage_vectors
        self._keys = arrays.passage_keys
        self._spare = arrays.documents[: len(self._vectors)] < 0
        self._built = built
        self._file = file
        as_built = np.zeros(len(self._vectors), np.bool_)
        n = min(len(built_keys), len(built), len(self._vectors))
        as_built[:n] = arrays.passage_keys[:n] == built_keys[:n]
        self._newer = np.flatnonzero(~as_built & ~self._spare)
        self._is_old = as_built & ~self._spare
        self._lists: NearestIndex | None = None
        self._lock = threading.Lock()

    @property
    def are_made(self) -> bool:
        """Whether the next call needs no lists made."""
        return self._lists is not None

    def prepare(self, progress: Progress = silent) -> None:
        """Open the lists, or make them: 25 seconds for 345,177 passages.

        Raises
        ------
        UsageError
            FAISS is not installed.
        """
        with self._lock:
            if self._lists is None:
                progress("lists", 0, 1)
                self._lists = self._kept() or self._made()
                progress("lists", 1, 1)

    def nearest(self, vector: NDArray[np.float32], k: int) -> TopK:
        """Return cosines and rows of nearly all of the ``k`` passages nearest to a vector.

        Parameters
        ----------
        vector : ndarray of float32, shape (dim,)
            Of length 1.

        Returns
        -------
        similarities : ndarray of float32, shape (1, min(k, n_passages))
            Best first; as exact as those of ``top_k``.
        rows : ndarray of int64, of the same shape
        """
        self.prepare()
        assert self._lists is not None  # noqa: S101  # just prepared
        # More than k, for some of them may have gone since.
        _, found = self._lists.search(vector[None], 2 * k)
        rows = np.concatenate([found[0][self._is_old[found[0]]], self._newer])
        if len(rows) < min(k, int(np.count_nonzero(~self._spare))):
            return top_k(self._vectors, vector[None], k, keys=self._keys, spare=self._spare)
        similar = similarities_of(self._vectors[rows], vector)
        similarities, best = best_rows(similar, rows, k, self._keys)
        return similarities[None], best[None]

    def _made(self) -> NearestIndex:
        lists = NearestIndex.build(self._built, "ivf")
        beside = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            lists.save(beside)
            self._sum_file.write_text(_sum_of(beside), encoding="ascii")
            beside.replace(self._file)
        except (OSError, IndexStoreError):  # the index is read-only: the lists are made each time
            if beside.exists():
                beside.unlink()
            return lists
        return self._kept() or lists  # mapped, not in memory

    def _kept(self) -> NearestIndex | None:
        """Return cached lists, if they are complete."""
        try:
            if self._sum_file.read_text(encoding="ascii") == _sum_of(self._file):
                return NearestIndex.open(self._file, self._built)
        except (OSError, ValueError, IndexDamagedError):
            pass
        return None

    @property
    def _sum_file(self) -> Path:
        return self._file.with_suffix(".sha256")


def passage_lists(stored: StoredIndex, tables: IndexTables) -> PassageLists:
    """Return the lists of an open version; they are made when first needed."""
    built = stored.base or stored
    codes = array_file("passage_codes")
    vectors = UnitVectors(built.array(codes), built.array(array_file("passage_scales")))
    name = built.manifest.files[codes].sha256
    file = stored.folder.parent / CACHE / LISTS / f"{name}.faiss"
    return PassageLists(tables, vectors, built.array(array_file("passage_keys")), file)


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
