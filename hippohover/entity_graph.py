"""The graph that is walked: passages and entities, joined by typed, weighted, undirected edges.

Nodes ``0 .. n_passages - 1`` are passages, the rest are entities. Every edge stands in both of
its ends' rows (CSR). The weight of an edge is what ``indexing.graph_builder`` gave it; a walk
multiplies it by the weight of its type, so that ablations need no other index.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError

if TYPE_CHECKING:
    import igraph
    import networkx


class EdgeType(IntEnum):
    """What an edge says of its two ends."""

    TITLE = 0
    """The passage is about the entity: its title, or the name it opens with, names it."""
    MENTION = 1
    """The passage's text names the entity."""
    PHRASE = 2
    """The passage's text holds the entity as a capitalised phrase that no title is."""
    SOURCE = 3
    """The passage states a fact of which the entity is subject or object."""
    FACT = 4
    """The two entities are subject and object of one fact."""
    SYNONYMY = 5
    """The two entities' names are near-identical spellings."""


@dataclass(frozen=True)
class EntityGraph:
    """Undirected typed graph in CSR.

    Attributes
    ----------
    n_passages, n_entities : int
    indptr : ndarray of int64, shape (n_nodes + 1,)
    neighbours : ndarray of int32, shape (2 * n_edges,)
    weights : ndarray of float32, shape (2 * n_edges,)
        0 or more; an edge of weight 0 is never walked.
    types : ndarray of uint8, shape (2 * n_edges,)
        ``EdgeType`` of each entry.
    """

    n_passages: int
    n_entities: int
    indptr: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float32]
    types: NDArray[np.uint8]

    @classmethod
    def from_edges(
        cls,
        n_passages: int,
        n_entities: int,
        *,
        ends: NDArray[np.int32],
        weights: NDArray[np.float32],
        types: NDArray[np.uint8],
    ) -> "EntityGraph":
        """Graph of an edge list: ``ends`` of shape (n_edges, 2), weights of 0 or more.

        Rows are sorted by neighbour, then type, so that the graph does not depend on the order
        in which its edges came. ``UsageError`` for a node out of range, a self-loop, a weight
        below 0 or not finite, and an edge that stands there twice within a type.
        """
        n_nodes = n_passages + n_entities
        _check_edges(ends, weights, n_nodes)
        sources = np.concatenate([ends[:, 0], ends[:, 1]])
        targets = np.concatenate([ends[:, 1], ends[:, 0]])
        both_types = np.concatenate([types, types]).astype(np.uint8)
        order = np.lexsort((both_types, targets, sources))
        sources, targets, both_types = sources[order], targets[order], both_types[order]
        _check_distinct(sources, targets, both_types)
        indptr = np.zeros(n_nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(sources, minlength=n_nodes), out=indptr[1:])
        return cls(
            n_passages,
            n_entities,
            indptr,
            targets.astype(np.int32),
            np.concatenate([weights, weights])[order].astype(np.float32),
            both_types,
        )

    @property
    def n_nodes(self) -> int:
        return self.n_passages + self.n_entities

    def edge_counts(self) -> dict[str, int]:
        """Number of undirected edges of each type, by lower-case name."""
        counts = np.bincount(self.types, minlength=len(EdgeType)) // 2
        return {kind.name.lower(): int(counts[kind]) for kind in EdgeType}

    def transitions(
        self, type_weights: Mapping[EdgeType, float]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Probabilities of a random step, and weighted degrees.

        P[u, v] = w(u, v) / d(u) with w the edge's weight times its type's weight and
        d(u) = sum over v of w(u, v).

        Returns
        -------
        probabilities : ndarray of float32, shape (2 * n_edges,)
            Rows sum to 1, or are empty or all 0 for a node that no weighted edge touches.
        degrees : ndarray of float64, shape (n_nodes,)
        """
        scaled = self._scaled(type_weights)
        degrees = np.zeros(self.n_nodes, dtype=np.float64)
        rows = np.flatnonzero(np.diff(self.indptr))
        if len(rows):
            degrees[rows] = np.add.reduceat(scaled, self.indptr[rows], dtype=np.float64)
        safe = np.where(degrees > 0, degrees, 1.0)
        per_entry = np.repeat(safe, np.diff(self.indptr))
        return (scaled / per_entry).astype(np.float32), degrees

    def to_igraph(self, type_weights: Mapping[EdgeType, float]) -> "igraph.Graph":
        """The same graph for igraph, edge attribute ``weight``; edges of weight 0 left out."""
        import igraph

        sources, targets, weights = self._half(type_weights)
        graph = igraph.Graph(n=self.n_nodes, edges=np.column_stack([sources, targets]))
        graph.es["weight"] = weights.tolist()  # igraph takes a float32 for a 1 and says nothing
        return graph

    def to_networkx(self, type_weights: Mapping[EdgeType, float]) -> "networkx.Graph[int]":
        """The same graph for networkx; parallel edges of several types become one, summed."""
        import networkx

        graph: networkx.Graph[int] = networkx.Graph()
        graph.add_nodes_from(range(self.n_nodes))
        for source, target, weight in zip(*self._half(type_weights), strict=True):
            known = graph.get_edge_data(int(source), int(target), default={"weight": 0.0})
            graph.add_edge(int(source), int(target), weight=known["weight"] + float(weight))
        return graph

    def _half(
        self, type_weights: Mapping[EdgeType, float]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """Each undirected edge once: (lower end, upper end, weight), weight above 0."""
        sources = np.repeat(np.arange(self.n_nodes), np.diff(self.indptr))
        weights = self._scaled(type_weights)
        keep = (sources < self.neighbours) & (weights > 0)
        return sources[keep], self.neighbours[keep], weights[keep]

    def _scaled(self, type_weights: Mapping[EdgeType, float]) -> NDArray[np.float32]:
        """Weight of each entry times the weight of its type; a type without one counts 0."""
        scale = np.array([type_weights.get(kind, 0.0) for kind in EdgeType], dtype=np.float32)
        if not bool(np.all(scale >= 0)):
            raise UsageError(f"type weights {dict(type_weights)}: give weights of 0 or more")
        return self.weights * scale[self.types]


def _check_edges(ends: NDArray[np.int32], weights: NDArray[np.float32], n_nodes: int) -> None:
    bad = np.flatnonzero((ends < 0).any(axis=1) | (ends >= n_nodes).any(axis=1))
    if len(bad):
        raise UsageError(f"edge {ends[bad[0]].tolist()}: nodes count from 0 to {n_nodes - 1}")
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if len(loops):
        raise UsageError(f"edge {ends[loops[0]].tolist()}: a self-loop; leave it out")
    below = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if len(below):
        raise UsageError(
            f"edge {ends[below[0]].tolist()}: weight {weights[below[0]]}; give 0 or more"
        )


def _check_distinct(
    sources: NDArray[np.int32], targets: NDArray[np.int32], types: NDArray[np.uint8]
) -> None:
    """``UsageError`` when two neighbouring entries of a sorted edge list are the same edge."""
    same = (sources[1:] == sources[:-1]) & (targets[1:] == targets[:-1]) & (types[1:] == types[:-1])
    twice = np.flatnonzero(same)
    if len(twice):
        edge = [int(sources[twice[0]]), int(targets[twice[0]])]
        kind = EdgeType(int(types[twice[0]])).name
        raise UsageError(f"edge {edge}: twice of type {kind}; join the two into one")
