"""Passages by title or pid."""

import numpy as np
from numpy.typing import NDArray

from hippohover.names.normal_forms import entity_key, normal_title, tokens
from hippohover.retrieval.retrievers import Retrievers
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from hippohover.store.near_titles import near_titles, owners_of

_NEAR_POOL = 200


class PassageLookup:
    """Rows of passages in one version of an index: ndarray of int64, ascending, shape (n,)."""

    def __init__(self, retrievers: Retrievers) -> None:
        self._retrievers = retrievers
        self._tables = retrievers.tables

    def of_pid(self, pid: str) -> NDArray[np.int64]:
        """Return the passage with that pid: one row, or none."""
        return self._tables.rows_equal("pid", pid)

    def of_title(self, title: str) -> NDArray[np.int64]:
        """Return passages of exactly that title, else of the same normal form."""
        if not title.strip():
            return np.zeros(0, np.int64)
        rows = self._tables.rows_equal("title", title)
        if len(rows):
            return rows
        wanted = normal_title(title)
        owners = owners_of(self._tables, [entity_key(title)])
        for rows in (owners, self._rows_like(title)):
            same = [normal_title(like) == wanted for like in self._titles(rows)]
            if any(same):
                return np.sort(rows[np.array(same, dtype=bool)])
        return np.zeros(0, np.int64)

    def _rows_like(self, title: str) -> NDArray[np.int64]:
        """Search for a title; empty when it has no word, or too many."""
        if not tokens(title)[0] or len(title) > MAX_CLAIM_CHARS:
            return np.zeros(0, np.int64)
        return self._retrievers.named("bm25")(title, _NEAR_POOL).rows

    def near_titles(self, title: str) -> tuple[str, ...]:
        """Return similar titles of the index; see ``store.near_titles``."""
        return near_titles(self._tables, title)

    def _titles(self, rows: NDArray[np.int64]) -> list[str]:
        return self._tables.passages.column("title").take(rows).to_pylist()
