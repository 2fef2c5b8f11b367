"""Passages by title or pid, and the titles that somebody may have meant."""

import difflib

import numpy as np
from numpy.typing import NDArray

from hippohover.names.key_table import ABSENT
from hippohover.names.normal_forms import entity_key, normal_title, tokens
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from hippohover.retrieval.walk.inside import Inside

_NEAR_POOL = 200
_NEAR_ALL = 20_000  # titles that difflib compares in well under a second


class PassageLookup:
    """Rows of passages in one version of an index: ndarray of int64, ascending, shape (n,).

    Where ``inside`` is given, passages outside are not there.
    """

    def __init__(self, retrievers: Retrievers) -> None:
        self._retrievers = retrievers
        self._tables = retrievers.tables
        self._arrays = retrievers.arrays

    def of_pid(self, pid: str, inside: Inside | None = None) -> NDArray[np.int64]:
        """The passage with that pid; none, or one."""
        return _within(self._rows_equal("pid", pid), inside)

    def of_title(self, title: str, inside: Inside | None = None) -> NDArray[np.int64]:
        """Passages of that very title, else those whose title has the same normal form."""
        if not title.strip():
            return np.zeros(0, np.int64)
        rows = _within(self._rows_equal("title", title), inside)
        if len(rows):
            return rows
        wanted = normal_title(title)
        for rows in (self._owners(title, inside), self._rows_like(title, inside)):
            same = [normal_title(like) == wanted for like in self._titles(rows)]
            if any(same):
                return np.sort(rows[np.array(same, dtype=bool)])
        return np.zeros(0, np.int64)

    def _rows_like(self, title: str, inside: Inside | None) -> NDArray[np.int64]:
        """Best passages for a title as a query; empty when it has no word, or too many."""
        if not tokens(title)[0] or len(title) > MAX_CLAIM_CHARS:
            return np.zeros(0, np.int64)
        return self._retrievers.bm25(title, _NEAR_POOL, inside).rows

    def _rows_equal(self, column: str, value: str) -> NDArray[np.int64]:
        import pyarrow.compute as arrow

        # A lone surrogate is in no table, and Arrow would not take it.
        if value.encode("utf-8", "ignore").decode() != value:
            return np.zeros(0, np.int64)
        equal = arrow.call_function("equal", [self._tables.passages.column(column), value])
        return np.flatnonzero(equal.to_numpy())

    def _owners(self, name: str, inside: Inside | None) -> NDArray[np.int64]:
        """Passages that go by a name."""
        number = int(self._arrays.names.numbers([entity_key(name)])[0])
        if number == ABSENT or number >= len(self._arrays.owner_indptr) - 1:
            return np.zeros(0, np.int64)
        start, stop = self._arrays.owner_indptr[number : number + 2]
        rows = np.unique(self._arrays.owner_passages[start:stop]).astype(np.int64)
        return _within(rows, inside)

    def near_titles(self, title: str, inside: Inside | None = None) -> tuple[str, ...]:
        """Titles like one that is not there: of that name, of its words, of a like spelling."""
        titles = self._titles(self._owners(title, inside))
        like = self._titles(self._rows_like(title, inside))
        titles += difflib.get_close_matches(title, like, n=5, cutoff=0.5)
        if not titles and len(title) <= MAX_CLAIM_CHARS and self._arrays.n_passages <= _NEAR_ALL:
            every = self._titles(_within(np.arange(self._arrays.n_passages), inside))
            titles = difflib.get_close_matches(title, every, n=5, cutoff=0.6)
        return tuple(dict.fromkeys(near for near in titles if near))[:5]

    def _titles(self, rows: NDArray[np.int64]) -> list[str]:
        return self._tables.passages.column("title").take(rows).to_pylist()


def _within(rows: NDArray[np.int64], inside: Inside | None) -> NDArray[np.int64]:
    """Those that a walk may come to."""
    return rows if inside is None else rows[inside.passages[rows]]
