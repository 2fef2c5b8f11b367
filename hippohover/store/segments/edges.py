"""Adds and removes edges of a graph in memory, and updates the entities at their ends."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import (
    KNOWN,
    MAKES_ENTITIES,
    OUTSIDE,
    PHRASE,
    EdgeType,
    entity_rarity,
)
from hippohover.kernels import compiled
from hippohover.names.spelling_blocks import MAX_BLOCK
from hippohover.spans import blocks_of, lengths_of, places_in
from hippohover.store.segments.hash_places import places_of
from hippohover.store.segments.revision import Revision

Codes = NDArray[np.int64]

_ENTRIES_AT_ONCE = 1 << 17
_PLACE_SHIFT = 40
_FIRST_WEIGHT = np.isin(
    np.arange(256), (EdgeType.NEIGHBOUR, EdgeType.SEQUENCE, EdgeType.SYNONYMY)
).astype(np.float16)
"""Weight of a new edge of each type: 1 for types whose weights never change."""


def codes_of(others: NDArray[np.int32], kinds: NDArray[np.uint8]) -> Codes:
    """Return one number for an edge's other end and type; they sort as rows are sorted."""
    return others.astype(np.int64) * 256 + kinds


def graph_views(revision: Revision) -> tuple[Codes, NDArray[np.int32], NDArray[np.uint8]]:
    """Return each node's place of edges, the other ends, and their types."""
    spans, *columns = revision.graph.spans, *revision.graph.columns
    neighbours, _, types = columns
    return spans.view, neighbours.view, types.view


def places_of_edges(
    revision: Revision, nodes: Codes, others: Codes, kinds: NDArray[np.uint8]
) -> Codes:
    """Return the place of each edge in its node's row, or where it would be."""
    places = np.empty(len(nodes), np.int64)
    _find_edges(*graph_views(revision), nodes, others, kinds, places)
    return places


def _n_distinct(ascending: NDArray[np.int32]) -> int:
    """Count the distinct ones."""
    return int(np.count_nonzero(np.diff(ascending, prepend=-1)))


class EdgeChanges:
    """Changes of edges, applied together.

    Attributes
    ----------
    dirty : set of int
        Entities whose edges changed, or what these weigh.
    nodes : set of int
        Nodes whose rows changed.
    """

    def __init__(self, revision: Revision) -> None:
        self._r = revision
        self._by_node: dict[int, dict[int, bool]] = {}
        self.shift = revision.n_rows
        self.dirty: set[int] = set()
        self._before: dict[int, int] = {}
        self._was_there: dict[int, bool] = {}
        self.nodes: set[int] = set()

    def change(self, one: int, other: int, kind: int, *, add: bool) -> None:
        """Note that an edge comes or goes."""
        self._by_node.setdefault(one, {})[other * 256 + kind] = add
        self._by_node.setdefault(other, {})[one * 256 + kind] = add

    def become(self, node: int, old: Codes, new: Codes) -> None:
        """Note what makes some edges of a node into others."""
        before, then = set(old.tolist()), set(new.tolist())
        for code in before - then:
            self.change(node, code // 256, code % 256, add=False)
        for code in then - before:
            self.change(node, code // 256, code % 256, add=True)

    def are_there(self, ones: Codes, others: Codes, kind: int) -> NDArray[np.bool_]:
        """Return whether edges of a type join nodes, before the noted changes."""
        spans, neighbours, types = graph_views(self._r)
        places = places_of_edges(self._r, ones, others, np.full(len(ones), kind, np.uint8))
        found = np.zeros(len(ones), np.bool_)
        inside = np.flatnonzero(places < spans[ones, 1])
        places = places[inside]
        found[inside] = (neighbours[places] == others[inside]) & (types[places] == kind)
        return found

    def make(self) -> None:
        """Apply the changes to the rows of both ends; new edges have no weight yet."""
        nodes = np.array(sorted(self._by_node), np.int64)
        for some in blocks_of(self._r.view("graph_spans")[nodes], _ENTRIES_AT_ONCE):
            self._make(nodes[some])
        self.nodes.update(nodes.tolist())
        self.dirty.update((nodes[nodes >= self.shift] - self.shift).tolist())
        self._by_node.clear()

    def _make(self, nodes: Codes) -> None:
        """Apply the changes of nodes, ascending; an edge's code begins with its node's place."""
        rows = self._r.graph
        spans = rows.spans.view[nodes]
        lengths, places = lengths_of(spans), places_in(spans)
        others, weights, kinds = (column.view[places] for column in rows.columns)
        old = np.repeat(np.arange(len(nodes)) << _PLACE_SHIFT, lengths) | codes_of(others, kinds)
        changes = [self._by_node[node] for node in nodes.tolist()]
        codes = np.array([code for of_node in changes for code in of_node], np.int64)
        adds = np.array([add for of_node in changes for add in of_node.values()], np.bool_)
        codes |= np.repeat(np.arange(len(nodes)) << _PLACE_SHIFT, list(map(len, changes)))
        gone, new = codes[~adds], np.sort(codes[adds])
        # What stays, and where what comes goes between: np.delete and np.insert take longer.
        stays = np.ones(len(old), np.bool_)
        stays[np.searchsorted(old, gone)] = False
        self._r.count_edges(kinds[~stays], weights[~stays], -1)
        n = len(old) - len(gone) + len(new)
        at = np.searchsorted(old[stays], new) + np.arange(len(new))
        is_old = np.ones(n, np.bool_)
        is_old[at] = False
        of_new = new & ((1 << _PLACE_SHIFT) - 1)
        came = (of_new >> 8, _FIRST_WEIGHT[of_new & 255], of_new & 255)
        self._r.count_edges(came[2], came[1], 1)
        columns: list[NDArray[Any]] = []
        for column, values in zip((others, weights, kinds), came, strict=True):
            columns.append(np.empty(n, column.dtype))
            columns[-1][is_old], columns[-1][at] = column[stays], values
        for change, of in ((-1, gone), (1, new)):
            lengths += change * np.bincount(of >> _PLACE_SHIFT, minlength=len(nodes))
        rows.put_all(nodes.tolist(), lengths, *columns)

    def settle(self) -> list[int]:
        """Count the namers of each dirty entity and update it; return these entities."""
        standing, df = self._r.view("entity_standing"), self._r.view("entity_df")
        entities = sorted(self.dirty)
        self._before = dict(zip(entities, df[entities].tolist(), strict=True))
        self.note(entities)
        for entity in entities:
            others, _, kinds = self._r.graph.row(self.shift + entity)
            of_passages = others < self.shift
            df[entity] = _n_distinct(others[of_passages])
            if standing[entity] != KNOWN:
                holds = of_passages & np.isin(kinds, MAKES_ENTITIES)
                standing[entity] = PHRASE if _n_distinct(others[holds]) >= 2 else OUTSIDE
        return entities

    def weighs_as_before(self, rarity: NDArray[np.float64]) -> dict[int, bool]:
        """Return whether the edges of each dirty entity keep their weights after rounding.

        ``rarity`` is what each entity weighs now.
        """
        entities = list(self._before)
        before = np.array(list(self._before.values()), np.int32)
        then = entity_rarity(before, self._r.n_passages).astype(np.float16)
        is_there = self._r.view("entity_standing")[entities] != OUTSIDE
        was_there = np.array([self._was_there[entity] for entity in entities], np.bool_)
        same = (then == rarity[entities].astype(np.float16)) & is_there & was_there
        alike = dict.fromkeys(self.dirty, True)
        return alike | dict(zip(entities, same.tolist(), strict=True))

    def note(self, entities: Iterable[int]) -> None:
        """Remember whether entities exist, before that changes."""
        standing = self._r.view("entity_standing")
        for entity in entities:
            self._was_there.setdefault(entity, bool(standing[entity] != OUTSIDE))

    def change_spellings(self, entities: list[int], blocks_of: dict[int, list[int]]) -> None:
        """Note synonymy edges of entities that begin or cease to exist.

        ``blocks_of`` has the blocks of keys by their hashes.
        """
        moved = self._moved(entities, blocks_of)
        if not moved:
            return
        blocks = self._r.view("entity_blocks")
        affected = {block for old, new in moved.values() for block in (*old, *new)}
        before = self._pairs(affected)
        for entity, (_, new) in moved.items():
            blocks[entity] = 0
            blocks[entity, : len(new)] = new
        after = self._pairs(affected)
        gone = before - after
        shared = {
            b for one, other in gone for b in {*blocks[one].tolist()} & {*blocks[other].tolist()}
        }
        gone -= self._pairs(shared)
        for pairs, add in ((gone, False), (after, True)):
            self.join(np.array(sorted(pairs), np.int64).reshape(-1, 2), EdgeType.SYNONYMY, add=add)

    def join(self, pairs: Codes, kind: int, *, add: NDArray[np.bool_] | bool) -> None:
        """Note which pairs of entities edges of a type are to join, where it is not so."""
        ones, others = np.ascontiguousarray((pairs + self.shift).T)
        wanted = np.broadcast_to(add, len(pairs))
        moves = np.flatnonzero(self.are_there(ones, others, kind) != wanted)
        rows = zip(
            ones[moves].tolist(), others[moves].tolist(), wanted[moves].tolist(), strict=True
        )
        for one, other, is_wanted in rows:
            self.change(one, other, kind, add=is_wanted)

    def _moved(
        self, entities: list[int], blocks_of: dict[int, list[int]]
    ) -> dict[int, tuple[list[int], list[int]]]:
        """Return blocks before and now of the entities whose blocks change."""
        blocks, standing = self._r.view("entity_blocks"), self._r.view("entity_standing")
        hashes = self._r.hashes_of(entities)
        moved: dict[int, tuple[list[int], list[int]]] = {}
        for entity in entities:
            old = [block for block in blocks[entity].tolist() if block]
            if standing[entity] == OUTSIDE and old:
                moved[entity] = old, []
            elif standing[entity] != OUTSIDE and not old:
                new = blocks_of.get(hashes[entity], [])
                if new:
                    moved[entity] = [], new
        return moved

    def _pairs(self, affected: Iterable[int]) -> set[tuple[int, int]]:
        """Return pairs of entities that share one of some blocks."""
        blocks = self._r.view("entity_blocks")
        flat = blocks.ravel()
        places = places_of(flat, set(affected) - {0})
        members: dict[int, list[int]] = {}
        for place, block in zip(places.tolist(), flat[places].tolist(), strict=True):
            members.setdefault(block, []).append(place // blocks.shape[1])
        return {
            (first, second)
            for found in members.values()
            if len(found) <= MAX_BLOCK
            for at, first in enumerate(found)
            for second in found[at + 1 :]
        }


@compiled
def _find_edges(  # a compiled loop takes arrays, not objects
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
    nodes: NDArray[np.int64],
    others: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    places: NDArray[np.int64],
) -> None:
    """Fill ``places``, by a binary search in the row of each node."""
    for edge in range(len(nodes)):
        wanted = others[edge] * 256 + kinds[edge]
        low, high = spans[nodes[edge], 0], spans[nodes[edge], 1]
        while low < high:
            middle = (low + high) // 2
            if np.int64(neighbours[middle]) * 256 + types[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        places[edge] = low
