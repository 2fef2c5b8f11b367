"""Found passages -> what joins each two of them in the graph, and how strongly."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.chain_records import JoinKind
from hippohover.entity_graph import N_TYPES, OF_PHRASES, EdgeType, EntityGraph
from hippohover.spans import lengths_of, places_in
from hippohover.store.tables import IndexArrays

Matrix = NDArray[np.float64]

_NAMES: Final = (EdgeType.MENTION, EdgeType.FORM, EdgeType.TERM)


class _Rule(NamedTuple):
    """Which edges to one entity join two passages, and what their weight counts."""

    kind: JoinKind
    one: tuple[EdgeType, ...]
    other: tuple[EdgeType, ...]
    worth: float


# What one passage says of the other joins more than what both say of a third thing.
_RULES: Final = (
    _Rule("link", (EdgeType.LINK,), (EdgeType.TITLE,), 1.0),
    _Rule("mention", (EdgeType.MENTION, EdgeType.FORM), (EdgeType.TITLE,), 1.0),
    _Rule("key", (EdgeType.JOIN,), (EdgeType.JOIN,), 1.0),
    _Rule("name", _NAMES, _NAMES, 0.5),
    _Rule("name", (EdgeType.TITLE,), (EdgeType.TITLE,), 0.5),
    _Rule("name", OF_PHRASES, OF_PHRASES, 0.1),
)
_IS_ONE_OF: Final = {
    types: np.isin(np.arange(N_TYPES), types) for rule in _RULES for types in rule[1:3]
}
_NAMING: Final = _IS_ONE_OF[_RULES[0].one] | _IS_ONE_OF[_RULES[1].one]
_MOST_NAMING: Final = 1000
"""A name that more passages have joins weakly, and takes long to read."""
_BOTH_ASKED: Final = 0.01
"""Strength between two that the claim names: it may compare what nothing else joins."""
_BESIDE: Final[dict[EdgeType, tuple[JoinKind, float]]] = {
    EdgeType.SEQUENCE: ("series", 0.5),
    EdgeType.NEIGHBOUR: ("document", 0.5),
}
_KINDS: Final[tuple[JoinKind, ...]] = (
    *(rule.kind for rule in _RULES),
    *(kind for kind, _ in _BESIDE.values()),
    "claim",
)


@dataclass(frozen=True)
class Joins:
    """What joins passages, numbered from 0.

    Attributes
    ----------
    strength : ndarray of float64, shape (n, n)
        In [0, 1], symmetric; 0 where nothing joins two, and of a passage with itself.
    kinds : tuple of str
        Kinds of joins, one a layer.
    layers : ndarray of float64, shape (n_layers, n, n)
        How strongly the first of two passages is joined to the second in each way.
    nodes : ndarray of int64, shape (n_nodes,)
        Entities that join passages.
    roles : ndarray of float64, shape (n_rules, 2, n, n_nodes)
        Weight of each passage's edge to each, as the first and the second of each rule.
    """

    strength: Matrix
    kinds: tuple[JoinKind, ...]
    layers: Matrix
    nodes: NDArray[np.int64]
    roles: Matrix

    def best(self, one: int, other: int) -> tuple[int, bool]:
        """Return the strongest layer between two, and whether it leads from the first."""
        there, back = self.layers[:, one, other], self.layers[:, other, one]
        layer = int(np.maximum(there, back).argmax())
        return layer, bool(there[layer] >= back[layer])

    def entities(self, layer: int, one: int, other: int) -> list[int]:
        """Return the entities by which a layer joins two, of equal weight."""
        if layer >= len(_RULES):
            return []
        both = np.minimum(self.roles[layer, 0, one], self.roles[layer, 1, other])
        return self.nodes[both == both.max(initial=-1.0)].tolist()


class Edges(NamedTuple):
    """Edges of the documents of some passages, shape (n_edges,) each.

    Attributes
    ----------
    places, rows : ndarray of int64
        Number of the document's passage among these, and the row of the passage with the edge.
    nodes : ndarray of int64
        The node at the other end.
    kinds : ndarray of uint8
    weights : ndarray of float64
    """

    places: NDArray[np.int64]
    rows: NDArray[np.int64]
    nodes: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    weights: Matrix


def edges_of(arrays: IndexArrays, rows: NDArray[np.int64]) -> Edges:
    """Read the edges of passages, and which other parts of their documents name one of them.

    What leads to the next document often stands where it begins, and not where it answers.
    """
    graph = arrays.graph
    own = _read(graph, rows, np.arange(len(rows)))
    names = np.unique(own.nodes[own.kinds == EdgeType.TITLE])
    names = names[lengths_of(graph.spans[names]) <= _MOST_NAMING]
    naming = _read(graph, names, names)  # as the names see them: place is the name
    documents = arrays.documents[rows]
    order = np.argsort(documents, kind="stable")
    of_edge = arrays.documents[np.minimum(naming.nodes, arrays.n_rows - 1)]
    at = np.minimum(np.searchsorted(documents[order], of_edge), len(rows) - 1)
    kept = (documents[order][at] == of_edge) & _NAMING[naming.kinds]
    kept &= naming.nodes < arrays.n_rows
    edges = Edges(
        np.concatenate([own.places, order[at[kept]]]),
        np.concatenate([own.rows, naming.nodes[kept]]),
        np.concatenate([own.nodes, naming.places[kept]]),
        np.concatenate([own.kinds, naming.kinds[kept]]),
        np.concatenate([own.weights, naming.weights[kept]]),
    )
    # A title weighs 1 / √(n · d), n passages and d documents having it: how long they are is no
    # matter here, so it becomes 1 / d.
    is_title = edges.kinds == EdgeType.TITLE
    n_owners = lengths_of(arrays.owner_spans[edges.nodes[is_title] - arrays.n_rows])
    edges.weights[is_title] = np.minimum(edges.weights[is_title] ** 2 * n_owners, 1.0)
    return edges


def _read(graph: EntityGraph, nodes: NDArray[np.int64], places: NDArray[np.int64]) -> Edges:
    """Read the edges of nodes that have weight."""
    spans = graph.spans[nodes]
    at = places_in(spans)
    weights = graph.weights[at].astype(np.float64)
    kept = weights > 0
    lengths = lengths_of(spans)
    return Edges(
        np.repeat(places, lengths)[kept],
        np.repeat(nodes, lengths)[kept],
        graph.neighbours[at].astype(np.int64)[kept],
        graph.types[at][kept],
        weights[kept],
    )


def joins_of(
    edges: Edges, rows: NDArray[np.int64], n_rows: int, is_named: NDArray[np.bool_]
) -> Joins:
    """Return what joins passages: entities that two of them share, or an edge between them.

    Parameters
    ----------
    edges : Edges
        Theirs.
    rows : ndarray of int64, shape (n,)
    n_rows : int
        The first entity is the node of this number.
    is_named : ndarray of bool, shape (n,)
        Whether the claim names each.
    """
    n = len(rows)
    nodes, roles = _roles(edges, n, n_rows)
    by_entity = [
        rule.worth * np.minimum(one[:, None], other[None]).max(axis=2, initial=0.0)
        for rule, (one, other) in zip(_RULES, roles, strict=True)
    ]
    both = _BOTH_ASKED * np.outer(is_named, is_named)
    layers: Matrix = np.array([*by_entity, *_beside(edges, rows), both], np.float64)
    layers[:, np.arange(n), np.arange(n)] = 0.0
    strength = layers.max(axis=0)
    return Joins(np.maximum(strength, strength.T), _KINDS, layers, nodes, roles)


def _roles(edges: Edges, n: int, n_rows: int) -> tuple[NDArray[np.int64], Matrix]:
    """Return the entities that two passages have, and the weights of edges to them by role."""
    first_entity = np.flatnonzero(edges.nodes >= n_rows)
    every, number, counts = np.unique(
        edges.nodes[first_entity], return_inverse=True, return_counts=True
    )
    shared = counts > 1
    column = (np.cumsum(shared) - 1)[number]
    kept = first_entity[shared[number]]
    column = column[shared[number]]
    roles = np.zeros((len(_RULES), 2, n, int(shared.sum())))
    for rule, of_rule in zip(_RULES, roles, strict=True):
        for types, of_side in zip((rule.one, rule.other), of_rule, strict=True):
            own = _IS_ONE_OF[types][edges.kinds[kept]]
            at = edges.places[kept[own]], column[own]
            np.maximum.at(of_side, at, edges.weights[kept[own]])
    return every[shared], roles


def _beside(edges: Edges, rows: NDArray[np.int64]) -> list[Matrix]:
    """Return a layer for each type of edge that joins two passages."""
    order = np.argsort(rows)
    at = np.minimum(np.searchsorted(rows[order], edges.nodes), len(rows) - 1)
    is_found = rows[order][at] == edges.nodes
    layers: list[Matrix] = []
    for edge, (_, worth) in _BESIDE.items():
        own = is_found & (edges.kinds == edge)
        layer = np.zeros((len(rows), len(rows)))
        layer[edges.places[own], order[at[own]]] = worth
        layers.append(layer)
    return layers
