"""What the tests of graphs share: graphs of edge lists, the matrix of steps of a walk."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeGroup, EdgeType, EntityGraph, type_scale
from hippohover.spans import lengths_of


def graph_of_edges(
    n_passages: int,
    n_entities: int,
    *,
    ends: NDArray[np.int32],
    weights: NDArray[np.float32],
    types: NDArray[np.uint8],
) -> EntityGraph:
    """Graph of an edge list: ``ends`` of shape (n_edges, 2)."""
    kinds = [EdgeType(int(kind)) for kind in np.unique(types)]
    groups = [EdgeGroup(kind, ends[types == kind], weights[types == kind]) for kind in kinds]
    return EntityGraph.from_groups(n_passages, n_entities, groups)


def step_probabilities(
    graph: EntityGraph, type_weights: Mapping[EdgeType, float]
) -> NDArray[np.float64]:
    """P[u, v] = w(u, v) / d(u) of every entry of the graph, 0 where d(u) is 0."""
    scale = type_scale(type_weights)
    weights = graph.weights.astype(np.float64) * scale[graph.types]
    degrees = np.repeat(graph.degrees(type_weights), lengths_of(graph.spans))
    return np.divide(weights, degrees, out=np.zeros_like(weights), where=degrees > 0)
