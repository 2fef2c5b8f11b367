"""Series of documents after a change: who follows whom, and whose neighbours are others then."""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType
from hippohover.indexing.corpus.passage_table import passage_table
from hippohover.indexing.sequences import (
    Member,
    kind_pattern,
    members_in,
    pairs_in_order,
    place_of,
    text_terms,
)
from hippohover.indexing.updates.changed_index import ChangedIndex
from hippohover.names.key_table import key_hashes
from hippohover.names.normal_forms import tokens
from hippohover.spans import lengths_of, places_in


class SequencesChanged:
    """Passages of the kinds of series that passages come to or go from."""

    def __init__(self, standing: ChangedIndex) -> None:
        self._s = standing
        places = (place_of(one.title, one.document, one.path) for one in standing.changed)
        self._kinds = {place.kind for place in places if place}
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
        """Neighbours of each passage of a changed kind, by ids."""
        found_of = [members_in(passage_table(self._s.new), self._s.new_keys)]
        found_of += map(self._old, sorted(self._kinds))
        members = {member.key: member for member in chain(*found_of)}.values()
        some = [member for member in members if member.place.kind in self._kinds]
        found: dict[int, set[int]] = {member.key: set() for member in some}
        for one, other in pairs_in_order(some, self._terms_of):
            found[one].add(other)
            found[other].add(one)
        return found

    def _old(self, kind: str) -> Iterator[Member]:
        """Yield members among passages that stay, those of a kind and some others."""
        table, stays = self._s.tables.passages, self._s.stays()
        options = arrow.MatchSubstringOptions(kind_pattern(kind))
        ends = np.zeros(table.num_rows, np.bool_)
        for name in ("title", "document"):
            found = arrow.call_function("match_substring_regex", [table.column(name)], options)
            ends |= found.to_numpy()
        rows = np.flatnonzero(ends & stays[: len(ends)])
        return members_in(table.take(pa.array(rows)), self._s.arrays.passage_keys[rows].tolist())

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
