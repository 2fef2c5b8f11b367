"""What the tests of graphs share: the matrix of steps that a walk takes."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph


def step_probabilities(
    graph: EntityGraph, type_weights: Mapping[EdgeType, float]
) -> NDArray[np.float64]:
    """P[u, v] = w(u, v) / d(u) of every entry of the graph, 0 where d(u) is 0."""
    scale = np.array([type_weights.get(kind, 0.0) for kind in EdgeType])
    weights = graph.weights.astype(np.float64) * scale[graph.types]
    degrees = np.repeat(graph.degrees(type_weights), np.diff(graph.indptr))
    return np.divide(weights, degrees, out=np.zeros_like(weights), where=degrees > 0)
