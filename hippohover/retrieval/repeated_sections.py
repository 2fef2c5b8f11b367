"""Ranks sections that many documents repeat, such as a licence, last."""

from collections import Counter
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.retrieval.near_copies import short_copies, stand_ins
from hippohover.retrieval.preference import COMPARED
from hippohover.retrieval.ranking import Ranking
from hippohover.store.tables import IndexTables

_FEWEST: Final = 3
"""Documents with the section: two may quote each other."""
_ASKED: Final = 0.5
"""Share of a claim's terms: a passage with as many is what the claim asks for."""


def repeated_last(tables: IndexTables, ranking: Ranking, asked: NDArray[np.int64]) -> Ranking:
    """Put repeated sections after the others of the best ``COMPARED`` passages.

    The others keep their scores; repeated sections get the lowest. ``asked`` as below.
    """
    best, scores = ranking.rows[:COMPARED], ranking.scores[:COMPARED]
    is_repeated = repeated_sections(tables, best, asked)
    if not is_repeated.any():
        return ranking
    order = np.argsort(is_repeated, kind="stable")
    lowered = np.where(is_repeated, scores[-1], scores)
    return replace(
        ranking,
        rows=np.concatenate([best[order], ranking.rows[COMPARED:]]),
        scores=np.concatenate([lowered[order], ranking.scores[COMPARED:]]),
    )


def repeated_sections(
    tables: IndexTables, rows: NDArray[np.int64], asked: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each passage is a section that three documents or more repeat.

    Copies have the same heading and are near-copies of the first of them. Passages without a
    heading are none, so that nothing changes for articles, rules or messages.

    Parameters
    ----------
    tables : IndexTables
    rows : ndarray of int64, shape (n,)
        Passages, best first.
    asked : ndarray of int64, shape (n_terms,)
        Distinct search terms of the claim: a passage that has half of them is not a mere copy.
    """
    is_repeated = np.zeros(len(rows), np.bool_)
    column = tables.passages.column("heading")  # its ``take`` costs an import at the first query
    headings = np.array([column[row].as_py() for row in rows.tolist()], dtype=object)
    for heading, n in Counter(headings.tolist()).items():
        if heading and n >= _FEWEST:
            places = np.flatnonzero(headings == heading)
            unnamed = np.full(len(places), -1, np.int32)
            first = stand_ins(tables.arrays, rows[places], unnamed, len(places))
            for place, earlier in short_copies(tables.arrays, rows[places], unnamed):
                first[place] = earlier
            is_repeated[places] = np.bincount(first, minlength=len(places))[first] >= _FEWEST
    for place in np.flatnonzero(is_repeated).tolist():
        n_held = np.count_nonzero(np.isin(asked, _terms(tables, rows[place])))
        is_repeated[place] = n_held < max(_ASKED * len(asked), 1)
    return is_repeated


def _terms(tables: IndexTables, row: int) -> NDArray[np.int32]:
    arrays = tables.arrays
    begin = arrays.term_indptr[row] + arrays.title_lengths[row]
    return arrays.terms[begin : arrays.term_indptr[row + 1]]
