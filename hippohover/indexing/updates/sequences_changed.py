"""Series of documents after a change: who follows whom, and whose neighbours are others then."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.indexing.corpus.passage_table import is_in, passage_table
from hippohover.indexing.sequences import (
    Member,
    Place,
    kind_pattern,
    members_in,
    name_of,
    names_between,
    pairs_in_order,
    pairs_of_series,
    place_of,
    text_terms,
)
from hippohover.indexing.updates.changed_index import ChangedIndex
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import tokens
from hippohover.spans import lengths_of, places_in

MOST_READ: Final = 20_000
"""Members of a kind of series above which those near a changed one are read alone."""

AROUND: Final = 32
"""Numbers of a series that may be missing before and behind a changed one."""

_WIDEST: Final = 1000
_MOST_RUNS: Final = 100

_Run = tuple[str, tuple[int, ...]]
"""A series, and all numbers of a place in it but the last."""


class SequencesChanged:
    """Passages of the kinds of series that passages come to or go from."""

    def __init__(self, standing: ChangedIndex) -> None:
        self._s = standing
        places = (place_of(one.title, one.document, one.path) for one in standing.changed)
        self._kinds = {place.kind for place in places if place}
        self._new = list(members_in(passage_table(standing.new), standing.new_keys))
        self._texts = {
            key: (one.heading, one.text)
            for key, one in zip(standing.new_keys, standing.new, strict=True)
        }

    def touched(self) -> set[int]:
        """Return rows of passages that stay and follow others, or are followed by others, then."""
        rows = self._s.revision.rows_of(self._then)
        before = self._followed(rows[rows >= 0])
        then = {(key, other) for key, others in self._then.items() for other in others}
        moved = {key for key, _ in before ^ then}
        return set(self._s.revision.rows_of(moved).tolist()) - {-1}

    def neighbours(self, key: int) -> list[int]:
        """Return ids of the passages that a passage follows or precedes in series then."""
        if key in self._then:
            return sorted(self._then[key])
        rows = self._s.revision.rows_of([key])
        return [other for _, other in self._followed(rows[rows >= 0])]

    def _followed(self, rows: NDArray[np.int64]) -> set[tuple[int, int]]:
        """Return ids of rows and of those that they follow or precede before the change."""
        arrays = self._s.arrays
        spans = arrays.graph_spans[rows]
        own, places = np.repeat(rows, lengths_of(spans)), places_in(spans)
        is_kind = arrays.graph_types[places] == EdgeType.SEQUENCE
        ends = (own[is_kind], arrays.graph_neighbours[places[is_kind]])
        return set(zip(*(arrays.passage_keys[nodes].tolist() for nodes in ends), strict=True))

    @cached_property
    def _then(self) -> dict[int, set[int]]:
        """Neighbours of each passage of a changed kind, or near a changed one, by ids."""
        found: dict[int, set[int]] = {}
        for kind in sorted(self._kinds):
            rows = self._ending(kind)
            near = self._near(kind) if len(rows) > MOST_READ else None
            found |= self._whole(kind, rows) if near is None else near
        return found

    def _ending(self, kind: str) -> NDArray[np.int64]:
        """Return rows of passages that stay, those of a kind and some others."""
        table, stays = self._s.tables.passages, self._s.stays()
        options = arrow.MatchSubstringOptions(kind_pattern(kind))
        ends = np.zeros(table.num_rows, np.bool_)
        for name in ("title", "document"):
            found = arrow.call_function("match_substring_regex", [table.column(name)], options)
            ends |= found.to_numpy()
        return np.flatnonzero(ends & stays[: len(ends)])

    def _members(self, rows: NDArray[np.int64]) -> Iterator[Member]:
        table = self._s.tables.passages.take(pa.array(rows))
        return members_in(table, self._s.arrays.passage_keys[rows].tolist())

    def _whole(self, kind: str, rows: NDArray[np.int64]) -> dict[int, set[int]]:
        """Return the neighbours of all members of a kind."""
        every = {one.key: one for one in chain(self._new, self._members(rows))}.values()
        members = [one for one in every if one.place.kind == kind]
        return _joined(members, pairs_in_order(members, self._terms_of))

    def _near(self, kind: str) -> dict[int, set[int]] | None:
        """Return the neighbours of members of a kind near changed ones; None if they do not say.

        Whether the kind is in order is then as it was: one more of so many hardly changes that.
        """
        windows: defaultdict[_Run, list[tuple[int, str]]] = defaultdict(list)
        for one in self._s.changed:
            place = place_of(one.title, one.document, one.path)
            if place and place.kind == kind:
                name = name_of(one.title, one.document, one.path)
                windows[_run_of(place)].append((place.numbers[-1], name))
        found: dict[int, set[int]] = {}
        for run, named in windows.items():
            (first, name), (last, _) = min(named), max(named)
            if len(windows) > _MOST_RUNS or last - first > _WIDEST:
                return None
            near = self._within(run, names_between(name, first - AROUND, last + AROUND))
            if near is None or not found.keys().isdisjoint(near):
                return None
            found |= near
        return found

    def _within(self, run: _Run, names: list[str]) -> dict[int, set[int]] | None:
        """Return the neighbours of members of a series with some names, one after the other."""
        columns = (self._s.tables.passages.column(name) for name in ("title", "document"))
        there = np.logical_or(*(is_in(column, names) for column in columns))
        there &= self._s.arrays.documents[: len(there)] >= 0
        stays = self._s.stays()
        rows = np.flatnonzero(there)
        before = {m.key: m for m in self._members(rows) if _run_of(m.place) == run}
        linked = self._followed(self._s.revision.rows_of(before))
        if not linked:
            return None
        # What stands at either end of these stays beside them.
        ends = self._s.revision.rows_of({other for _, other in linked} - before.keys())
        gone = set(self._s.arrays.passage_keys[rows[~stays[rows]]].tolist())
        then = {m.key: m for m in self._members(ends[stays[ends]])} | before
        then |= {m.key: m for m in self._new if _run_of(m.place) == run}
        members = [member for key, member in then.items() if key not in gone]
        found = _joined(members, pairs_of_series(members))
        for key, other in self._followed(ends):
            if key in found and other not in then:
                found[key].add(other)
        return found

    def _terms_of(self, key: int) -> set[int]:
        """Return the distinct search terms of a passage, below its title."""
        if key in self._texts:
            heading, text = self._texts[key]
            words = self._s.stemmer.terms([*tokens(heading)[0], *tokens(text)[0]])
            hashes = key_hashes([word for word in words if word])
            numbers = self._s.revision.numbers("term", hashes)
            # What no passage had before is told apart by its hash.
            pairs = zip(numbers.tolist(), hashes.tolist(), strict=True)
            return {number if number >= 0 else -value - 2 for number, value in pairs}
        [row] = self._s.revision.rows_of([key]).tolist()
        start, stop = self._s.arrays.term_indptr[row : row + 2].tolist()
        start += int(self._s.arrays.title_lengths[row])
        return text_terms(self._s.arrays.terms, start, stop)


def _run_of(place: Place) -> _Run:
    return place.series, place.numbers[:-1]


def _joined(members: Sequence[Member], pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Return the neighbours of each of some members, by ids."""
    found: dict[int, set[int]] = {member.key: set() for member in members}
    for one, other in pairs:
        found[one].add(other)
        found[other].add(one)
    return found
