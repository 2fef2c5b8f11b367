"""Vectors of claims, passages and facts: stored in the index, or encoded on demand."""

import threading
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.errors import REBUILD, message
from hippohover.errors import IndexDamagedError, NotInIndexError
from hippohover.retrieval.facts.pool import CandidateFacts, closest_facts
from hippohover.retrieval.ranking import best_first
from hippohover.retrieval.vector_lists import NO_LISTS, Lists
from hippohover.retrieval.walk.candidates import Allowed
from hippohover.retrieval.walk.seeds import Scored
from hippohover.store.tables import IndexTables, array_file
from hippohover.vectors.embedding import Encoder, encode_all, open_encoder
from hippohover.vectors.nearest import TopK, top_k
from hippohover.vectors.static_encoder import StaticEncoder, word_encoder

Vector = NDArray[np.float32]
Rows = NDArray[np.int64]

MOST_ENCODED = 100
"""Facts that a transformer encodes for one claim."""


class IndexVectors:
    """The vectors of one index; safe from several threads.

    Parameters
    ----------
    tables : IndexTables
    encoder_folder : Path
        Where the index keeps its encoder; opened at the first text.
    release : callable
        Called after each part of the vectors where all are read, to bound what is mapped of them.
    encoder : Encoder, optional
        In the place of the one that the index keeps.
    lists : Lists
        Find the nearest passages and facts; all are compared where there are none.
    """

    def __init__(
        self,
        tables: IndexTables,
        encoder_folder: Path,
        release: Callable[[], None] = lambda: None,
        encoder: Encoder | None = None,
        lists: Lists = NO_LISTS,
    ) -> None:
        self.lists = lists
        self._tables = tables
        self._release = release
        self._open = _Encoder(encoder_folder, encoder)
        self._inside: Allowed = None

    def within(self, tables: IndexTables) -> "IndexVectors":
        """Return the vectors of those passages alone that are in the tables of a scope."""
        other = copy(self)
        other.lists, other._tables = NO_LISTS, tables
        other._inside = tables.arrays.documents >= 0
        return other

    def __bool__(self) -> bool:
        """Return whether the index was built with an encoder."""
        return len(self._tables.arrays.passage_vectors) > 0

    def check(self) -> None:
        """Raise ``NotInIndexError`` when the index has no vectors."""
        if not self:
            raise NotInIndexError(
                "this index has no vectors: build it with an encoder, or name another retriever"
            )

    @property
    def read_sentences(self) -> bool:
        """Whether the encoder is more than a table that sums the words of a text."""
        return not isinstance(self._encoder(), StaticEncoder)

    def of_text(self, text: str) -> Vector:
        """Return the unit vector of a text, shape (dim,)."""
        return self.of_texts([text])[0]

    def _encoder(self) -> Encoder:
        """Return the encoder; ``IndexDamagedError`` if its vectors are not as long as the kept."""
        encoder, arrays = self._open(), self._tables.arrays
        for name in ("passage_codes", "fact_vectors"):
            kept = getattr(arrays, name)
            if len(kept) and kept.shape[1] != encoder.dim:
                what = f"has {kept.shape[1]} dimensions and its encoder {encoder.dim}"
                raise IndexDamagedError(message(array_file(name), what, REBUILD))
        return encoder

    def of_texts(self, texts: Sequence[str]) -> Vector:
        """Return unit vectors of texts, shape (n, dim)."""
        return self._encoder().encode(texts)

    def similarity(self, vector: Vector, passages: Rows) -> Vector:
        """Return the cosines of a text's vector and passages, shape (n,)."""
        return self._tables.arrays.passage_vectors.products_of(passages, vector)

    def closest_facts(self, rows: Rows, text: str, n: int) -> CandidateFacts:
        """Return the ``n`` facts closest to a text, of some."""
        some = self._worth_encoding(rows, text)
        return closest_facts(some, self.of_facts(some), self.of_text(text), n)

    def _worth_encoding(self, rows: Rows, text: str) -> Rows:
        """Return which facts to compare with a text: all, or the closest by single words.

        A transformer takes a millisecond a fact, so of facts without a stored vector it compares
        the ``MOST_ENCODED`` closest by the static table. The first 20 of these have an F1 of 63.0 %
        (of all, 63.4 %; by the table alone, 54.6 %; on 120 claims of HoVer).
        """
        is_stored = len(self._tables.arrays.fact_vectors) > 0
        if len(rows) <= MOST_ENCODED or is_stored or not self.read_sentences:
            return rows
        table = word_encoder()
        vectors = table.encode(list(self._tables.fact_texts(rows)))
        order = np.argsort(-(vectors @ table.encode([text])[0]), kind="stable")
        return rows[order[:MOST_ENCODED]]

    def of_facts(self, rows: Rows) -> Vector:
        """Return unit vectors of facts, shape (n, dim), stored or encoded now."""
        stored = self._tables.arrays.fact_vectors
        if len(stored):
            return stored[rows].astype(np.float32)
        texts = list(self._tables.fact_texts(rows))
        return self._encoder().encode(texts).astype(np.float16).astype(np.float32)

    def of_all_facts(self, on_done: Callable[[int, int], None]) -> NDArray[np.float16]:
        """Return unit vectors of all facts, shape (n, dim); calls ``on_done(done, total)``."""
        stored = self._tables.arrays.fact_vectors
        if len(stored):
            return stored
        n = len(self._tables.arrays.facts)
        return encode_all(
            self._encoder(), self._tables.fact_texts(), n, on_done=lambda done: on_done(done, n)
        )

    def of_all(
        self, texts: Sequence[str], on_done: Callable[[int, int], None]
    ) -> NDArray[np.float16]:
        """Return unit vectors of many texts, shape (n, dim); calls ``on_done(done, total)``."""
        n = len(texts)
        return encode_all(self._encoder(), texts, n, on_done=lambda done: on_done(done, n))

    def nearest_passages(self, vector: Vector, k: int, allowed: Allowed = None) -> Scored:
        """Return the ``k`` passages nearest to a text's vector, of those allowed, best first."""
        arrays = self._tables.arrays
        allowed = self._inside if allowed is None else allowed
        if allowed is not None:
            some = np.flatnonzero(allowed)
            cosines = self.similarity(vector, some).astype(np.float64)
            return best_first(some, cosines, k, arrays.passage_keys)
        if self.lists.passages is not None:
            similarities, rows = self.lists.passages.nearest(vector, k)
        else:
            similarities, rows = top_k(
                arrays.passage_vectors,
                vector,
                k,
                keys=arrays.passage_keys,
                spare=arrays.documents[: len(arrays.passage_vectors)] < 0,
                on_block=self._release,
            )
        return rows, similarities.astype(np.float64)

    def nearest_facts(self, vector: Vector, k: int) -> TopK:
        """Return cosines and rows of the stored facts nearest to a text's vector; see ``top_k``.

        ``NotInIndexError`` when the index stores no vectors of facts.
        """
        stored = self._tables.arrays.fact_vectors
        if not len(stored):
            raise NotInIndexError(
                "this index has no vectors of facts: build it with fact_vectors = true in the "
                'recipe, or set query.fact_pool to "near"'
            )
        if self.lists.facts is not None:
            return self.lists.facts.nearest(vector, k)
        return top_k(stored, vector, k, on_block=self._release)


class _Encoder:
    """The encoder of an index, opened once, at the first text."""

    def __init__(self, folder: Path, encoder: Encoder | None) -> None:
        self._folder = folder
        self._encoder = encoder
        self._lock = threading.Lock()

    def __call__(self) -> Encoder:
        if self._encoder is None:
            with self._lock:
                self._encoder = self._encoder or open_encoder(self._folder)
        return self._encoder
