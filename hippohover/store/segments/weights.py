"""Weights of edges after changes, as ``graph_builder`` computes them."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import (
    MAKES_ENTITIES,
    MOST_LINKS,
    OUTSIDE,
    EdgeType,
    entity_rarity,
    join_weights,
    sum_degrees,
)
from hippohover.graph_builder import title_weights
from hippohover.kernels import compiled
from hippohover.spans import blocks_of, lengths_of, places_in
from hippohover.store.segments.edges import EdgeChanges, places_of_edges
from hippohover.store.segments.revision import Revision

Ints = NDArray[np.int64]

_ENTRIES_AT_ONCE: Final = 1 << 17
_NOT_NAMING: Final = np.isin(
    np.arange(256), (EdgeType.MENTION, EdgeType.FORM, *MAKES_ENTITIES), invert=True
)
"""Whether edges of a type weigh something else than the entity does."""


class Pairs(NamedTuple):
    """Entities that facts join, and how many facts do.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Ascending: an entity of those asked for, times 2**32, and one that shares a fact with it.
    counts : ndarray of int32, shape (n,)
    """

    codes: Ints
    counts: NDArray[np.int32]

    def counts_of(self, first: int, last: int) -> NDArray[np.int32]:
        """Count the facts that join each of the entities asked for with each other."""
        bounds = np.searchsorted(self.codes, np.array([first, last + 1]) << 32)
        return self.counts[slice(*bounds.tolist())]

    def hold(self, pairs: Ints) -> NDArray[np.bool_]:
        """Return whether facts join each of some pairs, shape (n, 2), of entities asked for."""
        wanted = (pairs[:, 0] << 32) | pairs[:, 1]
        starts, ends = (np.searchsorted(self.codes, wanted, side) for side in ("left", "right"))
        return starts < ends


def pairs_of(revision: Revision, entities: set[int]) -> Pairs:
    """Return all pairs with one of some entities."""
    facts, flags = revision.view("facts"), np.zeros(revision.grown["entity_df"].n, np.bool_)
    flags[list(entities)] = True
    codes = np.empty(2 * len(facts), np.int64)  # what is not filled takes no memory
    codes = codes[: _fill_codes(facts, revision.view("fact_df"), flags, codes)]
    codes.sort()
    counts = np.empty(len(codes), np.int32)
    n = _count_runs(codes, counts)
    return Pairs(codes[:n].copy(), counts[:n])  # a view would keep all of them


def weigh(revision: Revision, edges: EdgeChanges, pairs: Pairs) -> None:
    """Weigh the edges of the dirty entities, and sum the degrees of all changed nodes."""
    changed = np.zeros(revision.grown["graph_spans"].n, np.bool_)
    changed[[*edges.nodes]] = True
    rarity = entity_rarity(revision.view("entity_df"), revision.n_passages)
    rarity *= revision.view("entity_standing") != OUTSIDE
    weigher = _Weigher(revision, rarity, pairs)
    dirty = np.array(sorted(edges.dirty), np.int64)
    alike = edges.weighs_as_before(rarity)
    spans = revision.view("graph_spans")[edges.shift + dirty]
    for some in blocks_of(spans, _ENTRIES_AT_ONCE):
        weigher(dirty[some], np.array([alike[at] for at in dirty[some].tolist()]), changed)
    sum_degrees(
        revision.view("graph_spans"),
        revision.view("graph_weights"),
        revision.view("graph_types"),
        revision.scale,
        np.flatnonzero(changed),
        revision.view("graph_degrees"),
    )


class _Weigher:
    """Weighs all edges of some entities, in their rows and in those of the other ends."""

    def __init__(self, revision: Revision, rarity: NDArray[np.float64], pairs: Pairs) -> None:
        self._r = revision
        self._rarity = rarity
        self._pairs = pairs

    def __call__(self, dirty: Ints, alike: NDArray[np.bool_], changed: NDArray[np.bool_]) -> None:
        """Weigh edges, and flag the nodes whose edges change weight.

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
        mirrored = places_of_edges(r, others, nodes, kinds[moved])
        both = np.unique(np.concatenate([places[moved], mirrored]))
        r.count_edges(r.view("graph_types")[both], own[both], -1)
        own[places[moved]] = own[mirrored] = weights[moved]
        r.count_edges(r.view("graph_types")[both], own[both], 1)
        changed[nodes] = changed[others] = True

    def _places(self, start: int, stop: int, *, alike: bool) -> Ints:
        """Return places of an entity's edges whose weight may change."""
        if not alike:
            return np.arange(start, stop)
        wanted = _NOT_NAMING[self._r.view("graph_types")[start:stop]]
        wanted |= self._r.view("graph_weights")[start:stop].view(np.uint16) == 0
        return np.flatnonzero(wanted) + start

    def _weights(
        self, dirty: Ints, entities: Ints, others: Ints, kinds: NDArray[np.uint8]
    ) -> NDArray[np.float16]:
        """Return the weight of each edge of a dirty entity with another node."""
        standing, rarity = self._r.view("entity_standing"), self._rarity
        weights = rarity[entities].astype(np.float16)
        of_title = kinds == EdgeType.TITLE
        weights[of_title] = self._title_weights(entities[of_title])
        of_value = kinds == EdgeType.JOIN
        weights[of_value] = join_weights(weights[of_value], self._r.n_passages)
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

    def _title_weights(self, entities: Ints) -> NDArray[np.float16]:
        r = self._r
        named, places = np.unique(entities, return_inverse=True)
        spans = r.view("owner_spans")[named]
        owners = r.view("owner_passages")[places_in(spans)]
        of_each = np.repeat(np.arange(len(named)), lengths_of(spans))
        weights = title_weights(of_each, r.view("documents")[owners], n_entities=len(named))
        return weights[places].astype(np.float16)


@compiled
def _fill_codes(
    facts: NDArray[np.int32],
    df: NDArray[np.int32],
    flags: NDArray[np.bool_],
    codes: NDArray[np.int64],
) -> int:
    """Fill in both ends of each stated fact, from each flagged end; return how many."""
    n = 0
    for fact in range(len(facts)):
        if df[fact] > 0:
            for side in (0, 2):
                if flags[facts[fact, side]]:
                    codes[n] = (np.int64(facts[fact, side]) << 32) | facts[fact, 2 - side]
                    n += 1
    return n


@compiled
def _count_runs(codes: NDArray[np.int64], counts: NDArray[np.int32]) -> int:
    """Keep one of equal adjacent codes, with their number; return how many remain."""
    n = 0
    for at in range(len(codes)):
        if n == 0 or codes[at] != codes[n - 1]:
            codes[n] = codes[at]
            counts[n] = 0
            n += 1
        counts[n - 1] += 1
    return n
