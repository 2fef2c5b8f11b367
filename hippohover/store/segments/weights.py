"""What edges weigh once some of them have changed: as ``indexing.graph_builder`` has it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import MOST_LINKS, OUTSIDE, EdgeType, entity_rarity
from hippohover.graph_builder import title_weights
from hippohover.spans import lengths_of, places_in
from hippohover.store.segments.edges import EdgeChanges
from hippohover.store.segments.revision import Revision

Ints = NDArray[np.int64]

_ENTRIES_AT_ONCE: Final = 1 << 19
_LONG: Final = 1024
_NOT_NAMING: Final = np.isin(
    np.arange(256), (EdgeType.MENTION, EdgeType.PHRASE, EdgeType.SOURCE), invert=True
)
"""Whether edges of a type weigh something else than the entity does."""


class Pairs(NamedTuple):
    """Pairs of entities that facts join, ascending, as one number each, and how many facts do."""

    codes: Ints
    counts: Ints

    def counts_of(self, low: Ints, high: Ints) -> Ints:
        """Facts that join each of some pairs, which are among these."""
        return self.counts[np.searchsorted(self.codes, (low << 32) | high)]

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
    near = np.flatnonzero((flags[facts[:, 0]] | flags[facts[:, 2]]) & (df > 0))
    one, other = facts[near, 0].astype(np.int64), facts[near, 2]
    codes = np.maximum(one, other)
    codes |= np.minimum(one, other) << 32
    codes.sort()  # np.unique takes ten times as long
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    return Pairs(codes[first], np.diff(first, append=len(codes)))


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
    nodes = np.flatnonzero(changed)
    revision.view("graph_degrees")[nodes] = 0.0
    for some in _blocks(revision, nodes):
        _sum_degrees(revision, nodes[some])


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
        weights = self._weights(entities, others, kinds)
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
        self, entities: Ints, others: Ints, kinds: NDArray[np.uint8]
    ) -> NDArray[np.float16]:
        """Weight of each edge of an entity with another node."""
        standing, rarity = self._r.view("entity_standing"), self._rarity
        weights = rarity[entities].astype(np.float16)
        of_title = kinds == EdgeType.TITLE
        weights[of_title] = self._title_weights(entities[of_title])
        of_link = np.flatnonzero(kinds == EdgeType.LINK)
        if len(of_link):
            rows = (self._r.graph.row(row)[2] for row in others[of_link].tolist())
            n_links = np.array([np.count_nonzero(row == EdgeType.LINK) for row in rows])
            shares = np.minimum(MOST_LINKS / n_links, 1.0)
            weights[of_link] = (weights[of_link] * shares).astype(np.float16)
        of_fact = np.flatnonzero(kinds == EdgeType.FACT)
        ends = np.column_stack([entities[of_fact], others[of_fact] - self._r.n_rows])
        ends.sort(axis=1)
        mean = rarity[ends].sum(axis=1) / 2 * (standing[ends] != OUTSIDE).all(axis=1)
        n_facts = self._pairs.counts_of(ends[:, 0], ends[:, 1])
        weights[of_fact] = (mean * (1.0 + np.log(n_facts))).astype(np.float16)
        weights[kinds == EdgeType.SYNONYMY] = 1.0
        return weights

    def _title_weights(self, entities: Ints) -> NDArray[np.float16]:
        r = self._r
        named, places = np.unique(entities, return_inverse=True)
        spans = r.view("owner_spans")[named]
        owners = r.view("owner_passages")[places_in(spans)]
        of_each = np.repeat(np.arange(len(named)), lengths_of(spans))
        weights = title_weights(of_each, r.view("documents")[owners], n_entities=len(named))
        return weights[places].astype(np.float16)


def _sum_degrees(revision: Revision, nodes: Ints) -> None:
    spans = revision.view("graph_spans")[nodes]
    lengths = lengths_of(spans)
    nodes, spans, lengths = nodes[lengths > 0], spans[lengths > 0], lengths[lengths > 0]
    for at in np.flatnonzero(lengths > _LONG):
        own = slice(*spans[at])
        scaled = (
            revision.view("graph_weights")[own] * revision.scale[revision.view("graph_types")[own]]
        )
        revision.view("graph_degrees")[nodes[at]] = np.add.reduceat(scaled, [0], dtype=np.float64)[
            0
        ]
    is_short = lengths <= _LONG
    nodes, spans, lengths = nodes[is_short], spans[is_short], lengths[is_short]
    if len(nodes):
        places = places_in(spans)
        kinds = revision.view("graph_types")[places]
        scaled = revision.view("graph_weights")[places] * revision.scale[kinds]
        sums = np.add.reduceat(scaled, np.cumsum(lengths) - lengths, dtype=np.float64)
        revision.view("graph_degrees")[nodes] = sums


def _mirrored(revision: Revision, nodes: Ints, others: Ints, kinds: NDArray[np.uint8]) -> Ints:
    """Place of each edge in the row of its other end, by one binary search over all of them."""
    neighbours, types = revision.view("graph_neighbours"), revision.view("graph_types")
    low, high = revision.view("graph_spans")[others].T.copy()
    wanted = nodes * 256 + kinds
    last = len(neighbours) - 1
    while (is_open := low < high).any():
        middle = (low + high) // 2
        at = np.minimum(middle, last)
        is_less = is_open & (neighbours[at].astype(np.int64) * 256 + types[at] < wanted)
        low = np.where(is_less, middle + 1, low)
        high = np.where(is_open & ~is_less, middle, high)
    return low
