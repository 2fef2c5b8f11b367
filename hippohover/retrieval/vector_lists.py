"""Passages and facts nearest to a claim by FAISS's inverted lists, for large indexes.

Lists are made of a build's vectors at the first call, and kept in the index's cache. Passages that
updates added since are compared with every claim, so an update does not make new lists. Which rows
are candidates is approximate; their similarity is exact.
"""

import hashlib
import os
import threading
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.errors import IndexDamagedError, IndexStoreError
from hippohover.progress import Progress, silent
from hippohover.store.layout import CACHE, LISTS
from hippohover.store.reader import StoredIndex
from hippohover.store.tables import IndexTables, array_file
from hippohover.user_cache import own_key
from hippohover.vectors.faiss_index import NearestIndex
from hippohover.vectors.nearest import TopK, Vectors, best_rows, similarities_of, top_k
from hippohover.vectors.unit_vectors import UnitVectors

FEWEST: Final = 1_000_000
"""Number of vectors from which ``"auto"`` takes lists: a core compares a million in about 20 ms."""


class VectorLists:
    """Inverted lists of vectors, made once, kept in a file; thread-safe.

    Parameters
    ----------
    vectors : shape (n, dim)
        As ``NearestIndex`` takes them.
    file : Path
        Where the lists are kept. Where nothing can be written they are kept in memory.
    """

    def __init__(self, vectors: Vectors, file: Path) -> None:
        self.vectors = vectors
        self._file = file
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
        """Return cosines and rows, shape (min(k, n),), of nearly all of the nearest vectors."""
        self.prepare()
        assert self._lists is not None  # noqa: S101  # just prepared
        return self._lists.search(vector, k)

    def _made(self) -> NearestIndex:
        lists = NearestIndex.build(self.vectors)
        beside = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            door.make_folder(self._file.parent, 0o700)
            door.remove(beside)
            lists.save(beside)
            with door.written(self._sum_file) as file:
                file.write(_sum_of(beside).encode())
            door.replace(beside, self._file)
        except (OSError, IndexStoreError):  # the index is read-only: the lists are made each time
            with suppress(OSError, IndexStoreError):
                door.remove(beside)
            return lists
        return self._kept() or lists  # mapped, not in memory

    def _kept(self) -> NearestIndex | None:
        """Return cached lists, if they are complete."""
        try:
            if door.read(self._sum_file).decode() == _sum_of(self._file):
                return NearestIndex.open(self._file, self.vectors)
        except (OSError, ValueError, IndexDamagedError):
            pass
        return None

    @property
    def _sum_file(self) -> Path:
        return self._file.with_suffix(".sha256")


class PassageLists:
    """Nearest passages in one version of an index; safe from several threads.

    Parameters
    ----------
    tables : IndexTables
        Of the version.
    built : VectorLists
        Of the vectors that a build wrote, whatever changed since.
    built_keys : ndarray of uint64, shape (n,)
        ``IndexArrays.passage_keys`` of them.
    """

    def __init__(
        self, tables: IndexTables, built: VectorLists, built_keys: NDArray[np.uint64]
    ) -> None:
        arrays = tables.arrays
        self._vectors = arrays.passage_vectors
        self._keys = arrays.passage_keys
        self._spare = arrays.documents[: len(self._vectors)] < 0
        self._built = built
        as_built = np.zeros(len(self._vectors), np.bool_)
        n = min(len(built_keys), len(built.vectors), len(self._vectors))
        as_built[:n] = arrays.passage_keys[:n] == built_keys[:n]
        self._newer = np.flatnonzero(~as_built & ~self._spare)
        self._is_old = as_built & ~self._spare

    @property
    def are_made(self) -> bool:
        """Whether the next call needs no lists made."""
        return self._built.are_made

    def prepare(self, progress: Progress = silent) -> None:
        """Open the lists, or make them, as ``VectorLists.prepare``."""
        self._built.prepare(progress)

    def nearest(self, vector: NDArray[np.float32], k: int) -> TopK:
        """Return cosines and rows of nearly all ``k`` passages nearest a vector.

        Parameters
        ----------
        vector : ndarray of float32, shape (dim,)
            Of length 1.

        Returns
        -------
        similarities : ndarray of float32, shape (min(k, n_passages),)
            Best first; as exact as those of ``top_k``.
        rows : ndarray of int64, of the same shape
        """
        # More than k, for some of them may have gone since.
        _, found = self._built.nearest(vector, 2 * k)
        rows = np.concatenate([found[self._is_old[found]], self._newer])
        if len(rows) < min(k, int(np.count_nonzero(~self._spare))):
            return top_k(self._vectors, vector, k, keys=self._keys, spare=self._spare)
        similar = similarities_of(self._vectors[rows], vector)
        return best_rows(similar, rows, k, self._keys)


class Lists(NamedTuple):
    """Lists of an index's vectors; None where all are compared.

    Attributes
    ----------
    passages : PassageLists, optional
    facts : VectorLists, optional
        No update changes the vectors of facts.
    """

    passages: PassageLists | None = None
    facts: VectorLists | None = None


NO_LISTS: Final = Lists()


def lists_of(
    stored: StoredIndex, tables: IndexTables, vectors: Literal["auto", "exact", "faiss"]
) -> Lists:
    """Return the lists that a setting asks for; they are made when first needed.

    ``"auto"`` asks for those of ``FEWEST`` vectors or more, where FAISS is installed.
    """
    if vectors == "exact" or (vectors == "auto" and not find_spec("faiss")):
        return NO_LISTS
    fewest = FEWEST if vectors == "auto" else 1
    arrays = tables.arrays
    return Lists(
        _passage_lists(stored, tables) if len(arrays.passage_vectors) >= fewest else None,
        _fact_lists(stored) if len(arrays.fact_vectors) >= fewest else None,
    )


def _passage_lists(stored: StoredIndex, tables: IndexTables) -> PassageLists:
    built = stored.base or stored
    scales, keys = (built.array(array_file(name)) for name in ("passage_scales", "passage_keys"))
    vectors = UnitVectors(built.array(array_file("passage_codes")), scales)
    return PassageLists(tables, VectorLists(vectors, _file(stored, "passage_codes")), keys)


def _fact_lists(stored: StoredIndex) -> VectorLists:
    built = stored.base or stored
    vectors = built.array(array_file("fact_vectors"))
    return VectorLists(vectors, _file(stored, "fact_vectors"))


def _file(stored: StoredIndex, array: str) -> Path:
    """Return where lists of an array are kept."""
    name = (stored.base or stored).manifest.files[array_file(array)].sha256
    return stored.folder.parent / CACHE / LISTS / f"{name}.faiss"


def _sum_of(path: Path) -> str:
    """Return a checksum that only this user can make: FAISS believes what it reads."""
    with door.opened(path) as file:
        keyed = partial(hashlib.blake2b, key=own_key(), digest_size=32)
        return hashlib.file_digest(file, keyed).hexdigest()
