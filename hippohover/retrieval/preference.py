"""Orders passages that say the same by one of their fields.

Passages say the same if they are near-copies, or the best ones of documents with the same title.
The places of a ranking and their scores stay; passages that say the same only swap places.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import NotInIndexError
from hippohover.retrieval.near_copies import short_copies, stand_ins
from hippohover.retrieval.ranges import greatest_first, spans_of
from hippohover.retrieval.ranking import Others, Ranking, one_per_group
from hippohover.store.tables import METADATA_PREFIX, IndexTables

COMPARED: Final = 200
"""Best passages of a ranking that may change places. As many for every depth, or the first of many
places would be others than those of few."""


class Preference:
    """Breaks ties among the passages of one index.

    Parameters
    ----------
    tables : IndexTables
    prefer : str
        As ``QuerySettings.prefer``; ``NotInIndexError`` when the index keeps no such field.
    """

    def __init__(self, tables: IndexTables, prefer: str) -> None:
        field = prefer.removeprefix("-")
        self._least_first = field != prefer
        name = f"{METADATA_PREFIX}{field}"
        if name not in tables.passages.column_names:
            kept = tables.kept_fields
            names = f"name one of {', '.join(kept)}, or " if kept else ""
            raise NotInIndexError(
                f"query.prefer is {prefer!r:.80}, and this index keeps no field {field!r:.80}: "
                f"{names}build it with corpus.metadata"
            )
        self._arrays = tables.arrays
        self._titles = tables.passages.column("title")
        self._values = tables.passages.column(name)

    def places(
        self, ranking: Ranking, groups: NDArray[np.int64], named: NDArray[np.int32], depth: int
    ) -> Ranking:
        """Return ``one_per_group`` with the preferred of equal passages first.

        Parameters
        ----------
        ranking : Ranking
        groups : ndarray of int64, shape (n,)
            A number for each passage of the ranking: those of one share a place.
        named : ndarray of int32, shape (n,)
            As of ``stand_ins``.
        depth : int
        """
        rows, names = ranking.rows.copy(), named.copy()
        inside = self._order(rows[:COMPARED], groups[:COMPARED])
        rows[: len(inside)], names[: len(inside)] = rows[inside], names[inside]
        places = one_per_group(replace(ranking, rows=rows), groups, max(depth, COMPARED))
        first = np.sort(np.unique(groups[:COMPARED], return_index=True)[1])
        best = rows[first]
        order = np.arange(len(places.rows))
        order[: len(best)] = self._order(best, self._saying_the_same(best, names[first]))
        return _reordered(places, order[:depth])

    def _saying_the_same(
        self, rows: NDArray[np.int64], named: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return a number for each passage, best first; equal numbers say the same.

        For documents with the same title, only the best passages count as saying the same, not the
        others. Records with the same title and no ids are one document; only their values differ.
        """
        groups = stand_ins(self._arrays, rows, named, len(rows))
        for place, first in short_copies(self._arrays, rows, named):
            groups[groups == groups[place]] = groups[first]
        documents = self._arrays.documents[rows].tolist()
        values = self._values.take(rows).to_pylist()
        met: set[tuple[int, str | None]] = set()
        places: dict[str, int] = {}
        for place, title in enumerate(self._titles.take(rows).to_pylist()):
            record = documents[place], values[place]
            if title and record not in met:
                met.add(record)
                groups[groups == groups[place]] = groups[places.setdefault(title, place)]
        return groups

    def _order(self, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which passage of ``rows`` takes each place, the preferred ones first.

        Among passages of the same group, document and value, only the first changes places.
        """
        order = np.arange(len(rows))
        if len(np.unique(groups)) == len(groups):
            return order
        values = self._values.take(rows)
        records = zip(
            groups.tolist(), self._arrays.documents[rows].tolist(), values.to_pylist(), strict=True
        )
        firsts: dict[Any, int] = {}
        members: dict[int, list[int]] = {}
        for place, record in enumerate(records):
            if firsts.setdefault(record, place) == place:
                members.setdefault(record[0], []).append(place)
        spans = spans_of(values)
        for places in members.values():
            at = np.array(places)
            order[at] = greatest_first(spans, at, least_first=self._least_first)
        return order


def _reordered(places: Ranking, order: NDArray[np.int64]) -> Ranking:
    """Give places to other passages, with those listed behind them; the scores stay."""
    scores = places.scores[: len(order)]
    behind = [places.others[at] for at in order.tolist()] if places.others else []
    return replace(
        places,
        rows=places.rows[order],
        scores=scores,
        others=tuple(
            Others(others.rows, np.minimum(others.scores, score))
            for others, score in zip(behind, scores.tolist() if behind else [], strict=True)
        ),
    )
