"""What edges weigh once some of them have changed: as ``indexing.graph_builder`` has it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import (
    MOST_LINKS,
    OUTSIDE,
    EdgeType,
    entity_rarity,
    sum_degrees,
)
from hippohover.kernels import compiled
from hippohover.spans import lengths_of
from hippohover.store.segments.edges import EdgeChanges
from hippohover.store.segments.revision import Revision

Ints = NDArray[np.int64]

_ENTRIES_AT_ONCE: Final = 1 << 19
_NOT_NAMING: Final = np.isin(
    np.arange(256), (EdgeType.MENTION, EdgeType.PHRASE, EdgeType.SOURCE), invert=True
)
"""Whether edges of a type weigh something else than the entity does."""


class Pairs(NamedTuple):
    """Entities that facts join, and how many facts do.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Ascending: an entity of those asked for, times 2**32, and one that shares a fact with it.
    counts : ndarray of int64, shape (n,)
    """

    codes: Ints
    counts: Ints

    def counts_of(self, first: int, last: int) -> Ints:
        """Facts that join each of the entities asked for from one to another with its own."""
        bounds = np.searchsorted(self.codes, np.array([first, last + 1]) << 32)
        return self.counts[slice(*bounds.tolist())]

    def __contains__(self, pair: object) -> bool:
        assert isinstance(pair, tuple)  # noqa: S101
        code = (pair[0] << 32) | pair[1]
        at = int(np.searchsorted(self.codes, code))
        return at < len(self.codes) and int(self.codes[at]) == code


def pairs_of(revision: Revision, entities: set[int]) -> Pairs:
    """All pairs with one of some entities."""
    facts, df = revision.view("facts"), revision.view("fact_df")
    flags = np.zeros(revision.grown["entity_df"].n, np.bool_)
    flags[list(entities)] = True
    subjects, objects = flags[facts[:, 0]], flags[facts[:, 2]]
    near = np.flatnonzero((subjects | objects) & (df > 0))
    ends, of_subject, of_object = facts[near][:, [0, 2]], subjects[near], objects[near]
    codes = np.concatenate([_codes(ends[of_subject]), _codes(ends[of_object, ::-1])])
    codes.sort()  # np.unique takes ten times as long
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    return Pairs(codes[first], np.diff(first, append=len(codes)))


def _codes(pairs: NDArray[np.int32]) -> Ints:
    return (pairs[:, 0].astype(np.int64) << 32) | pairs[:, 1]


def weigh(revision: Revision, edges: EdgeChanges, pairs: Pairs) -> None:
    """Weigh the edges of the dirty entities, and sum the degrees of all nodes that have changed."""
    changed = np.zeros(revision.grown["graph_spans"].n, np.bool_)
    changed[[*edges.nodes]] = True
    rarity = entity_rarity(revision.view("entity_df"), revision.n_passages)
    rarity *= revision.view("entity_standing") != OUTSIDE
    weigher = _Weigher(revision, rarity, pairs)
    dirty = np.array(sorted(edges.dirty), np.int64)
    alike = edges.weighs_as_before(rarity)
    for some in _blocks(revision, edges.shift + dirty):
        weigher(dirty[some], np.array([alike[at] for at in dirty[some].tolist()]), changed)
    names = ("degrees", "spans", "weights", "types")
    degrees, *rows = (revision.view(f"graph_{name}") for name in names)
    sum_degrees(*rows, revision.scale, np.flatnonzero(changed), degrees)


def _blocks(revision: Revision, nodes: Ints) -> Iterator[slice]:
    """Some nodes at a time, whose rows together are not too long: hubs have very many edges."""
    ends = np.cumsum(lengths_of(revision.view("graph_spans")[nodes]))
    start = 0
    while start < len(nodes):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + _ENTRIES_AT_ONCE)), start + 1)
        yield slice(start, stop)
        start = stop


class _Weigher:
    """Weighs all edges of some entities, in their rows and in those of the other ends."""

    def __init__(self, revision: Revision, rarity: NDArray[np.float64], pairs: Pairs) -> None:
        self._r = revision
        self._rarity = rarity
        self._pairs = pairs

    def __call__(self, dirty: Ints, alike: NDArray[np.bool_], changed: NDArray[np.bool_]) -> None:
        """Weigh edges, and flag the nodes whose edges weigh something else then.

        Of entities that weigh ``alike``, what others say of them stays, but what is new.
        """
        r = self._r
        own = r.view("graph_weights")
        spans = r.view("graph_spans")[r.n_rows + dirty].tolist()
        of_each = [self._places(*span, alike=same) for span, same in zip(spans, alike, strict=True)]
        places = np.concatenate(of_each)
        entities, kinds = np.repeat(dirty, list(map(len, of_each))), r.view("graph_types")[places]
        others = r.view("graph_neighbours")[places].astype(np.int64)
        weights = self._weights(dirty, entities, others, kinds)
        moved = np.flatnonzero(own[places].view(np.uint16) != weights.view(np.uint16))
        nodes, others = r.n_rows + entities[moved], others[moved]
        mirrored = _mirrored(r, nodes, others, kinds[moved])
        own[places[moved]] = own[mirrored] = weights[moved]
        changed[nodes] = changed[others] = True

    def _places(self, start: int, stop: int, *, alike: bool) -> Ints:
        """Places of the edges of an entity that may weigh something else."""
        if not alike:
            return np.arange(start, stop)
        wanted = _NOT_NAMING[self._r.view("graph_types")[start:stop]]
        wanted |= self._r.view("graph_weights")[start:stop].view(np.uint16) == 0
        return np.flatnonzero(wanted) + start

    def _weights(
        self, dirty: Ints, entities: Ints, others: Ints, kinds: NDArray[np.uint8]
    ) -> NDArray[np.float16]:
        """Weight of each edge of an entity, one of the dirty ones, with another node."""
        standing, rarity = self._r.view("entity_standing"), self._rarity
        weights = rarity[entities].astype(np.float16)
        of_title = kinds == EdgeType.TITLE
        n_owners = np.maximum(lengths_of(self._r.view("owner_spans")[entities[of_title]]), 1)
        weights[of_title] = (1.0 / np.sqrt(n_owners)).astype(np.float16)
        of_link = np.flatnonzero(kinds == EdgeType.LINK)
        if len(of_link):
            rows = (self._r.graph.row(row)[2] for row in others[of_link].tolist())
            n_links = np.array([np.count_nonzero(row == EdgeType.LINK) for row in rows])
            shares = np.minimum(MOST_LINKS / n_links, 1.0)
            weights[of_link] = (weights[of_link] * shares).astype(np.float16)
        of_fact = np.flatnonzero(kinds == EdgeType.FACT)
        ones, those = entities[of_fact], others[of_fact] - self._r.n_rows
        mean = (rarity[ones] + rarity[those]) / 2
        mean *= (standing[ones] != OUTSIDE) & (standing[those] != OUTSIDE)
        # All of these edges are here, and in the order of the pairs.
        mean *= 1.0 + np.log(self._pairs.counts_of(*dirty[[0, -1]].tolist()))
        weights[of_fact] = mean.astype(np.float16)
        weights[kinds == EdgeType.SYNONYMY] = 1.0
        return weights


def _mirrored(revision: Revision, nodes: Ints, others: Ints, kinds: NDArray[np.uint8]) -> Ints:
    """Place of each edge in the row of its other end."""
    places = np.empty(len(nodes), np.int64)
    views = (revision.view(f"graph_{name}") for name in ("spans", "neighbours", "types"))
    _find_mirrored(*views, nodes, others, kinds, places)
    return places


@compiled
def _find_mirrored(  # noqa: PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
    nodes: NDArray[np.int64],
    others: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    places: NDArray[np.int64],
) -> None:
    """Fill ``places``, by a binary search in the row of each other end."""
    for edge in range(len(nodes)):
        wanted = nodes[edge] * 256 + kinds[edge]
        low, high = spans[others[edge], 0], spans[others[edge], 1]
        while low < high:
            middle = (low + high) // 2
            if np.int64(neighbours[middle]) * 256 + types[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        places[edge] = low
