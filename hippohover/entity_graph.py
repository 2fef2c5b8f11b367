"""The graph of the walk: passages and entities, joined by typed, weighted edges.

Nodes ``0 .. n_passages - 1`` are passages, the rest are entities; numbers may be spare. Every edge
is in the rows of both of its ends. ``graph_builder`` gives an edge its weight; a walk multiplies it
by the weight of its type, so that ablations do not need another index.
"""

import math
import random
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.kernels import HALVES, compiled
from hippohover.spans import Spans, lengths_of, places_in, spans_of

if TYPE_CHECKING:
    import igraph
    import networkx

    from hippohover.recipe import EdgeWeights

MOST_LINKS: Final = 12
"""Number of links of one passage above which its links share the weight of this many."""

OUTSIDE: Final = 0
PHRASE: Final = 1
KNOWN: Final = 2
"""What an entity is in an index, or a part of one: nothing, something that two or more passages
have, or a known name."""

_ROWS_A_BLOCK: Final = 1 << 16
_LARGEST_WEIGHT: Final = 65_504
_FEWEST_FOR_RARITY: Final = 16.0
_MOST_JOINED: Final = 4
"""What one in so many passages have in a field, such as a status, joins none of them."""

_RANDOM_NUMBERS: Final = threading.Lock()
"""Held where igraph's random numbers, which the whole process has in common, are fixed."""


class EdgeType(IntEnum):
    """Types of edges: what joins two nodes."""

    TITLE = 0
    """The passage is about the entity: its title, or the name it opens with, names it."""
    MENTION = 1
    """The passage's text names the entity."""
    PHRASE = 2
    """The passage's text has the entity as a phrase or a code, and no title."""
    SOURCE = 3
    """The passage states a fact of which the entity is subject or object."""
    FACT = 4
    """The two entities are subject and object of one fact."""
    SYNONYMY = 5
    """The two entities' names are near-identical spellings."""
    LINK = 6
    """The corpus itself links the entity's document from the passage."""
    NEIGHBOUR = 7
    """The two passages follow each other in one document."""
    TERM = 8
    """As PHRASE, where few passages have it: a name, a code, or words in a row with a number."""
    SEQUENCE = 9
    """Their documents follow each other in a series: turns of one talk, rules of one book."""
    JOIN = 10
    """The entity is what the passage has in a field that the recipe joins by: ticket, author."""
    ROW = 11
    """As PHRASE: mere words in a row, in any case."""
    FORM = 12
    """As MENTION, by another form of the name alone: shortened, turned round, abbreviated."""


N_TYPES: Final = max(EdgeType) + 1
"""Above the number of every type of edge; not all numbers below it are one."""


OF_PASSAGE: Final = (
    EdgeType.TITLE,
    EdgeType.MENTION,
    EdgeType.FORM,
    EdgeType.LINK,
    EdgeType.PHRASE,
    EdgeType.TERM,
    EdgeType.ROW,
    EdgeType.SOURCE,
    EdgeType.JOIN,
)

OF_PHRASES: Final = (EdgeType.PHRASE, EdgeType.TERM, EdgeType.ROW)
"""Edges that join passages with entities."""

MAKES_ENTITIES: Final = (*OF_PHRASES, EdgeType.SOURCE, EdgeType.JOIN)
"""Those of which two make an entity of something that is no known name."""


class EdgeGroup(NamedTuple):
    """Edges of one type: their ends, shape (n, 2), and weights, shape (n,)."""

    kind: EdgeType
    ends: NDArray[np.int32]
    weights: NDArray[np.floating[Any]]


@dataclass(frozen=True, kw_only=True)
class EntityGraph:
    """Undirected typed graph.

    Attributes
    ----------
    n_passages, n_entities : int
        Nodes of each kind, those without edges and spare ones with them.
    spans : ndarray of int64, shape (n_nodes, 2)
        Row of each node in what follows; see ``hippohover.spans``.
    neighbours : ndarray of int32, shape (n,)
    weights : ndarray of float16, shape (n,)
        0 or more; an edge of weight 0 is never walked.
    types : ndarray of uint8, shape (n,)
        ``EdgeType`` of each entry.
    """

    n_passages: int
    n_entities: int
    spans: Spans
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float16]
    types: NDArray[np.uint8]

    @classmethod
    def from_groups(
        cls, n_passages: int, n_entities: int, groups: "list[EdgeGroup]"
    ) -> "EntityGraph":
        """Build the graph from edges by type; empties the list, to free each group.

        Rows are sorted by neighbour, then type, so that the graph does not depend on the order
        in which its edges came. ``UsageError`` for a node out of range, a self-loop, a weight
        below 0, above 65,504 or not finite, and an edge that stands there twice within a type.
        """
        n_nodes = n_passages + n_entities
        lengths = np.zeros(n_nodes, dtype=np.int64)
        for group in groups:
            _check_edges(group.ends, group.weights, n_nodes)
            for side in (0, 1):
                lengths += np.bincount(group.ends[:, side], minlength=n_nodes)
        spans, n = spans_of(lengths), int(lengths.sum())
        neighbours = np.empty(n, np.int32)
        bits, types = np.empty(n, np.uint16), np.empty(n, np.uint8)
        free = spans[:, 0].copy()
        while groups:
            kind, ends, weights = groups.pop()
            edge_bits = weights.astype(np.float16).view(np.uint16)
            _fill_rows(
                np.ascontiguousarray(ends, np.int32),
                edge_bits,
                int(kind),
                free,
                neighbours,
                bits,
                types,
            )
            del ends, weights, edge_bits
        twice = _sort_rows(spans, neighbours, bits, types)
        if twice >= 0:
            at = int(np.searchsorted(spans[:, 1], twice, side="right"))
            raise UsageError(
                f"edge {[at, int(neighbours[twice])]}: twice of type "
                f"{EdgeType(int(types[twice])).name}; join the two into one"
            )
        return cls(
            n_passages=n_passages,
            n_entities=n_entities,
            spans=spans,
            neighbours=neighbours,
            weights=bits.view(np.float16),
            types=types,
        )

    @property
    def n_nodes(self) -> int:
        return self.n_passages + self.n_entities

    def edge_counts(self) -> dict[str, int]:
        """Return the number of undirected edges of each type that have weight, by name."""
        counts = np.zeros(N_TYPES, np.int64)
        for _, places in self.blocks(self.n_nodes):  # each type becomes 8 bytes there
            walked = places[self.weights[places] > 0]
            counts += np.bincount(self.types[walked], minlength=N_TYPES)
        counts //= 2
        return {kind.name.lower(): int(counts[kind]) for kind in EdgeType}

    def passages_joined(self, documents: NDArray[np.int32]) -> dict[str, int]:
        """Return how many passages an entity joins with a passage of another document.

        Parameters
        ----------
        documents : ndarray of int32, shape (n_passages,)
            Number of each passage's document.

        Returns
        -------
        dict of str to int
            By the type of the passage's edge, of those that join passages with entities, in lower
            case; and of any type, by ``"any"``. An edge of weight 0 joins nothing.
        """
        # First and last document of each entity: one that has two joins all that lead to it.
        first = np.full(self.n_entities, np.iinfo(np.int32).max, np.int32)
        last = np.full(self.n_entities, -1, np.int32)
        for rows, entities, _ in self._passage_edges():
            np.minimum.at(first, entities, documents[rows])
            np.maximum.at(last, entities, documents[rows])
        joins = first < last
        counts = np.zeros(N_TYPES, np.int64)
        n_any = 0
        for rows, entities, types in self._passage_edges():
            joined = joins[entities]
            n_any += len(np.unique(rows[joined]))
            pairs = np.unique(rows[joined] * N_TYPES + types[joined])
            counts += np.bincount(pairs % N_TYPES, minlength=N_TYPES)
        return {**{kind.name.lower(): int(counts[kind]) for kind in OF_PASSAGE}, "any": n_any}

    def _passage_edges(
        self,
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]]:
        """Yield passage, entity and type of each edge between the two, in blocks."""
        for rows, places in self.blocks(self.n_passages):
            entities = self.neighbours[places] - np.int32(self.n_passages)
            kept = (entities >= 0) & (self.weights[places] > 0)
            yield rows[kept], entities[kept], self.types[places][kept]

    def blocks(self, n_nodes: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield node and place of every entry of the first nodes, in blocks."""
        for first in range(0, n_nodes, _ROWS_A_BLOCK):
            spans = self.spans[first : min(first + _ROWS_A_BLOCK, n_nodes)]
            yield (
                np.repeat(np.arange(first, first + len(spans)), lengths_of(spans)),
                places_in(spans),
            )

    def degrees(self, type_weights: Mapping[EdgeType, float]) -> NDArray[np.float64]:
        """Return the weighted degrees d(u) = sum over v of w(u, v), shape (n_nodes,).

        w is the edge's weight times its type's weight.
        """
        degrees = np.zeros(self.n_nodes, dtype=np.float64)
        scale, nodes = type_scale(type_weights), np.arange(self.n_nodes)
        sum_degrees(self.spans, self.weights, self.types, scale, nodes, degrees)
        return degrees

    def to_igraph(self, type_weights: Mapping[EdgeType, float]) -> "igraph.Graph":
        """Convert to igraph, without edges of weight 0; the attribute is ``weight``."""
        import igraph

        sources, targets, weights = self._half(type_weights)
        graph = igraph.Graph(n=self.n_nodes, edges=np.column_stack([sources, targets]))
        graph.es["weight"] = weights.tolist()  # igraph takes a float32 for a 1 and says nothing
        return graph

    def communities(self, type_weights: Mapping[EdgeType, float]) -> "Communities":
        """Find groups of nodes with more edges among themselves than to others.

        Two iterations of Leiden's algorithm for modularity (Traag, Waltman, van Eck 2019,
        doi:10.1038/s41598-019-41695-z), from fixed random numbers: the same graph gives the same
        groups.
        """
        import igraph

        graph = self.to_igraph(type_weights)
        with _RANDOM_NUMBERS:
            igraph.set_random_number_generator(random.Random(0))  # noqa: S311  # no secret is made
            try:
                found = graph.community_leiden("modularity", weights="weight")
            finally:
                igraph.set_random_number_generator(random)
        return Communities(np.array(found.membership, np.int32), graph)

    def to_networkx(self, type_weights: Mapping[EdgeType, float]) -> "networkx.Graph[int]":
        """Convert to networkx; sums parallel edges of several types into one."""
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
        """Return each undirected edge once: (lower, upper, weight above 0)."""
        sources = np.repeat(np.arange(self.n_nodes), lengths_of(self.spans))
        places = places_in(self.spans)
        neighbours = self.neighbours[places]
        weights = self.weights[places] * type_scale(type_weights)[self.types[places]]
        keep = (sources < neighbours) & (weights > 0)
        return sources[keep], neighbours[keep], weights[keep]


@dataclass(frozen=True)
class Communities:
    """Communities of a graph.

    Attributes
    ----------
    members : ndarray of int32, shape (n_nodes,)
        Number of each node's community, from 0.
    graph : igraph.Graph
        The graph that they were found in.
    """

    members: NDArray[np.int32]
    graph: "igraph.Graph"

    def inside(self, community: int) -> "CommunityNodes":
        """Return the nodes of a community, and how central each is in it."""
        nodes = np.flatnonzero(self.members == community)
        part = self.graph.induced_subgraph(nodes.tolist())
        degrees = np.array(self.graph.degree(nodes.tolist()), np.float64)
        return CommunityNodes(
            nodes,
            np.array(part.pagerank(weights="weight")),
            np.array(part.degree()) / np.maximum(degrees, 1.0),
        )


class CommunityNodes(NamedTuple):
    """Nodes of one community, ascending, with two columns of shape (n,).

    ``pagerank`` is each node's PageRank in it, which sums to 1, and ``shares_inside`` the share of
    its edges that stay in it.
    """

    nodes: NDArray[np.int64]
    pagerank: NDArray[np.float64]
    shares_inside: NDArray[np.float64]


def rough_count(n_passages: int) -> float:
    """Round to a power of the square root of 2, 3 at least.

    An index uses this instead of its exact size, so that one added or removed passage does not
    change the weights of all edges.
    """
    return max(2.0 ** (round(2 * math.log2(max(n_passages, 1))) / 2), 3.0)


def entity_rarity(df: NDArray[np.int32], n_passages: int) -> NDArray[np.float64]:
    """Return ln(N / (df + 1)) / ln(N) of each entity, in [0, 1]; N is ``rough_count``.

    N is 16 at least: among three notes a name of two would count nothing, and no link join them.
    """
    n = max(rough_count(n_passages), _FEWEST_FOR_RARITY)
    return np.clip(np.log(n / (df + 1)) / math.log(n), 0.0, 1.0)


def join_weights(rarity: NDArray[np.float16], n_passages: int) -> NDArray[np.float16]:
    """Return the weight of what passages have in a field: its rarity, 0 if many have it."""
    n = max(rough_count(n_passages), _FEWEST_FOR_RARITY)
    return np.where(rarity > math.log(_MOST_JOINED) / math.log(n), rarity, np.float16(0))


def type_weights(weights: "EdgeWeights") -> dict[EdgeType, float]:
    """Return edge weights by type, in the form that the graph takes."""
    return {kind: getattr(weights, kind.name.lower()) for kind in EdgeType}


def type_scale(type_weights: Mapping[EdgeType, float]) -> NDArray[np.float32]:
    """Return the weight of each type of edge, shape (N_TYPES,); 0 by default."""
    scale = np.zeros(N_TYPES, np.float32)
    scale[list(type_weights)] = list(type_weights.values())
    if not bool(np.all(scale >= 0)):
        raise UsageError(f"type weights {dict(type_weights)}: give weights of 0 or more")
    return scale


def sum_degrees(  # a graph's arrays, what they are summed by, and where
    spans: Spans,
    weights: NDArray[np.float16],
    types: NDArray[np.uint8],
    scale: NDArray[np.float32],
    nodes: NDArray[np.int64],
    degrees: NDArray[np.float64],
) -> None:
    """Fill in the weighted degrees of some nodes; ``scale`` as ``type_scale``."""
    _sum_degrees(spans, weights.view(np.uint16), types, HALVES, scale, nodes, degrees)


def _check_edges(ends: NDArray[np.int32], weights: NDArray[np.floating[Any]], n_nodes: int) -> None:
    bad = np.flatnonzero((ends < 0).any(axis=1) | (ends >= n_nodes).any(axis=1))
    if len(bad):
        raise UsageError(f"edge {ends[bad[0]].tolist()}: nodes count from 0 to {n_nodes - 1}")
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if len(loops):
        raise UsageError(f"edge {ends[loops[0]].tolist()}: a self-loop; leave it out")
    out = np.flatnonzero(~((weights >= 0) & (weights <= _LARGEST_WEIGHT)))
    if len(out):
        raise UsageError(
            f"edge {ends[out[0]].tolist()}: weight {weights[out[0]]}; give 0 to {_LARGEST_WEIGHT:,}"
        )


@compiled
def _sum_degrees(  # a compiled loop takes arrays, not objects
    spans: NDArray[np.int64],
    bits: NDArray[np.uint16],
    types: NDArray[np.uint8],
    halves: NDArray[np.float32],
    scale: NDArray[np.float32],
    nodes: NDArray[np.int64],
    degrees: NDArray[np.float64],
) -> None:
    """Sum each node's row in its order, so that a degree never depends on the blocks."""
    for node in nodes:
        total = 0.0
        for at in range(spans[node, 0], spans[node, 1]):
            total += halves[bits[at]] * scale[types[at]]
        degrees[node] = total


@compiled
def _fill_rows(  # a compiled loop takes arrays, not objects
    ends: NDArray[np.int32],
    edge_weights: NDArray[np.uint16],
    kind: int,
    free: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.uint16],
    types: NDArray[np.uint8],
) -> None:
    """Put each edge into the rows of both its ends, at the first free place."""
    for edge in range(len(ends)):
        for side in range(2):
            at = free[ends[edge, side]]
            free[ends[edge, side]] = at + 1
            neighbours[at] = ends[edge, 1 - side]
            weights[at] = edge_weights[edge]
            types[at] = kind


@compiled
def _sort_rows(
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.uint16],
    types: NDArray[np.uint8],
) -> int:
    """Sort each row by neighbour, then type; return the place of a duplicate, or -1."""
    for row in range(len(spans)):
        start, stop = spans[row]
        keys = neighbours[start:stop].astype(np.int64) * 256 + types[start:stop]
        order = np.argsort(keys, kind="mergesort")
        keys = keys[order]
        of_row = weights[start:stop][order]
        for at in range(stop - start):
            neighbours[start + at] = keys[at] // 256
            types[start + at] = keys[at] % 256
            weights[start + at] = of_row[at]
            if at > 0 and keys[at] == keys[at - 1]:
                return start + at
    return -1
