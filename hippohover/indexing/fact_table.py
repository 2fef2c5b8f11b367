"""Triples in numbers -> distinct facts with the passages that state them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class FactTable:
    """Distinct facts, and the passages that state each.

    Attributes
    ----------
    facts : ndarray of int32, shape (n_facts, 3)
        Subject entity, predicate, object entity; ascending.
    sources : ndarray of int32, shape (n_sources, 3)
        Passage, fact, sentence; by passage and as its text has them, no (passage, fact) twice: the
        first sentence stays.
    """

    facts: NDArray[np.int32]
    sources: NDArray[np.int32]

    @classmethod
    def of(cls, stated: NDArray[np.int32]) -> "FactTable":
        """Make facts of rows (subject, predicate, object, passage, sentence)."""
        order = np.lexsort((stated[:, 2], stated[:, 1], stated[:, 0]))
        rows = stated[order]  # of one fact still by passage
        new = np.ones(len(rows), dtype=bool)
        np.any(rows[1:, :3] != rows[:-1, :3], axis=1, out=new[1:])
        fact = (np.cumsum(new) - 1).astype(np.int32)
        first = new.copy()
        first[1:] |= rows[1:, 3] != rows[:-1, 3]
        starts = np.flatnonzero(first)
        sentence = np.minimum.reduceat(rows[:, 4], starts) if len(starts) else rows[:0, 4]
        sources = np.column_stack([rows[starts, 3], fact[starts], sentence])
        sources = sources[np.argsort(order[starts])]
        return cls(rows[new, :3].copy(), sources.astype(np.int32))
