"""A node -> the strongest paths of a walk from its seeds to that node.

The walk ends at a node along a path s, u1, .., v with probability

    mass = seed(s) * d P[s, u1] * .. * d P[.., v] * (1 - d)

with d the damping. The score of a node is the sum over all paths that end there, so a path's
mass says how much of the score it explains.
"""

from dataclasses import dataclass, replace
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph
from hippohover.retrieval.walk.inside import Inside
from hippohover.retrieval.walk.seeds import Seeds

MAX_EDGES = 7
"""Longest path that is looked for: from a named entity to its passage, then three hops of two."""

_MAX_EXPANSIONS = 330
_MAX_ENTRIES = 1_000_000  # of adjacency, so that a hub with a million neighbours ends the search
_FAN_OUT = 40


@dataclass(frozen=True, slots=True)
class NodePath:
    """Distinct nodes from a seed to the target, both included, and the path's mass."""

    nodes: tuple[int, ...]
    mass: float


@dataclass(frozen=True)
class WalkSteps:
    """The walk's steps, read backwards.

    Attributes
    ----------
    graph : EntityGraph
    scale : ndarray of float32, shape (len(EdgeType),)
        Weight of each type of edge.
    degrees : ndarray of float64, shape (n_nodes,)
        ``EntityGraph.degrees`` with the same weights.
    """

    graph: EntityGraph
    scale: NDArray[np.float32]
    degrees: NDArray[np.float64]

    def within(self, inside: Inside | None) -> "WalkSteps":
        """Return the same steps within the part of the index that is walked."""
        if inside is None:
            return self
        arrays = inside.arrays
        return replace(self, graph=arrays.graph, degrees=arrays.graph_degrees)

    def into(self, node: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the distinct neighbours, ascending, and the probability of each step to ``node``.

        Weights are symmetric, so P[u, v] = w(v, u) / d(u) is read from the row of v.
        """
        own = slice(*self.graph.spans[node])
        weights = self.graph.weights[own] * self.scale[self.graph.types[own]]
        neighbours = self.graph.neighbours[own].astype(np.int64)
        if not len(neighbours):
            return neighbours, weights.astype(np.float64)
        is_first = np.ones(len(neighbours), dtype=bool)
        np.not_equal(neighbours[1:], neighbours[:-1], out=is_first[1:])
        first = np.flatnonzero(is_first)
        summed = np.add.reduceat(weights, first, dtype=np.float64)
        distinct, summed = neighbours[first][summed > 0], summed[summed > 0]
        return distinct, summed / self.degrees[distinct]

    def types(self, node: int, other: int) -> tuple[EdgeType, ...]:
        """Return the types of the edges between two nodes that the walk uses."""
        row = slice(*self.graph.spans[node])
        start, stop = np.searchsorted(self.graph.neighbours[row], (other, other + 1))
        entries = slice(row.start + start, row.start + stop)
        kinds = self.graph.types[entries]
        is_walked = (self.scale[kinds] > 0) & (self.graph.weights[entries] > 0)
        return tuple(map(EdgeType, dict.fromkeys(kinds[is_walked].tolist())))


def strongest_paths(
    steps: WalkSteps, seeds: Seeds, *, target: int, damping: float, n: int
) -> list[NodePath]:
    """Return the ``n`` paths of most mass from a seed to ``target``, strongest first.

    Best-first from the target, against the walk, over at most ``MAX_EDGES`` edges and without
    visiting a node twice. The work is bounded: a node's 40 likeliest predecessors are followed,
    and the search ends after 330 nodes or a million edges. A graph that stays below gets the
    exact answer; above, a weaker path may be missed, a path shown is always right.

    Parameters
    ----------
    seeds : Seeds
        All seeds of the walk; masses sum to 1.
    """
    search = _Search(steps, seeds, damping, n)
    search.run(target)
    return search.found()


class _Search:
    """One best-first search; a state is a path from some node to the target."""

    def __init__(self, steps: WalkSteps, seeds: Seeds, damping: float, n: int) -> None:
        self._steps = steps
        order = np.argsort(seeds.nodes)
        self._seed_nodes, self._seed_mass = seeds.nodes[order], seeds.mass[order]
        self._damping = damping
        self._most = float(seeds.mass.max(initial=0.0)) * (1.0 - damping)
        self._n = n
        self._heap: list[tuple[float, tuple[int, ...]]] = []
        self._best: list[tuple[float, tuple[int, ...]]] = []  # a heap, the weakest first

    def run(self, target: int) -> None:
        if not len(self._seed_nodes) or self._n < 1:
            return
        self._keep(np.array([target]), np.ones(1), ())
        heappush(self._heap, (-1.0, (target,)))
        entries = 0
        for _ in range(_MAX_EXPANSIONS):
            # A state that is not yet at a seed takes one more step at least.
            if not self._heap or entries > _MAX_ENTRIES or self._hopeless(-self._heap[0][0]):
                return
            reach, path = heappop(self._heap)
            entries += self._expand(-reach, path)

    def found(self) -> list[NodePath]:
        ordered = sorted(self._best, key=lambda entry: (-entry[0], len(entry[1]), entry[1]))
        return [NodePath(nodes, mass) for mass, nodes in ordered]

    def _floor(self) -> float:
        """Return the mass that a path must exceed to be among the best."""
        return self._best[0][0] if len(self._best) == self._n else 0.0

    def _hopeless(self, reach: float) -> bool:
        """Return whether no path through a state of this probability can be among the best."""
        return reach * self._damping * self._most <= self._floor()

    def _expand(self, reach: float, path: tuple[int, ...]) -> int:
        nodes, probabilities = self._steps.into(path[0])
        n_entries = len(nodes)
        new = nodes != path[0]
        for node in path[1:]:
            new &= nodes != node
        nodes, reaches = nodes[new], reach * self._damping * probabilities[new]
        self._keep(nodes, reaches, path)
        if len(path) < MAX_EDGES:
            least = self._floor() / (self._damping * self._most)
            hopeful = np.flatnonzero(reaches > least)
            for at in _largest(reaches, hopeful, _FAN_OUT):
                heappush(self._heap, (-float(reaches[at]), (int(nodes[at]), *path)))
        return n_entries

    def _keep(
        self, nodes: NDArray[np.int64], reaches: NDArray[np.float64], path: tuple[int, ...]
    ) -> None:
        """Add the paths that begin at a seed to the best found."""
        at = np.minimum(np.searchsorted(self._seed_nodes, nodes), len(self._seed_nodes) - 1)
        mass = np.where(self._seed_nodes[at] == nodes, self._seed_mass[at], 0.0)
        mass *= reaches * (1.0 - self._damping)
        for place in _largest(mass, np.flatnonzero(mass > self._floor()), self._n):
            heappush(self._best, (float(mass[place]), (int(nodes[place]), *path)))
        while len(self._best) > self._n:
            heappop(self._best)


def _largest(values: NDArray[np.float64], places: NDArray[np.int64], n: int) -> list[int]:
    """Return which ``n`` of some places have the largest values; the first of equal ones."""
    if len(places) > n:
        of_places = values[places]
        floor = np.partition(of_places, len(places) - n)[len(places) - n]
        places = places[of_places >= floor]
    return places[np.argsort(-values[places], kind="stable")][:n].tolist()
