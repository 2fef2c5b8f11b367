"""A node -> the strongest paths of a walk from its seeds to that node.

The walk ends at a node along a path s, u1, .., v with probability

    mass = seed(s) * d P[s, u1] * .. * d P[.., v] * (1 - d)

with d the damping. The score of a node is the sum over all paths that end there, so a path's
mass says how much of the score it explains.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph
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
    scale : ndarray of float32, shape (N_TYPES,)
        Weight of each type of edge.
    degrees : ndarray of float64, shape (n_nodes,)
        ``EntityGraph.degrees`` with the same weights.
    order : ndarray of uint64, shape (n_nodes,)
        Decides between paths of one mass, and does not depend on how nodes are numbered: a build,
        an update and a compaction number them each in another way.
    """

    graph: EntityGraph
    scale: NDArray[np.float32]
    degrees: NDArray[np.float64]
    order: NDArray[np.uint64]

    def into(self, node: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the distinct neighbours, and the probability of a step to ``node``.

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


class _State(NamedTuple):
    """A path from some node to the target, and its sort key."""

    value: float
    order: tuple[int, ...]
    path: tuple[int, ...]


class _Search:
    """One best-first search."""

    def __init__(self, steps: WalkSteps, seeds: Seeds, damping: float, n: int) -> None:
        self._steps = steps
        order = np.argsort(seeds.nodes)
        self._seed_nodes, self._seed_mass = seeds.nodes[order], seeds.mass[order]
        self._damping = damping
        self._most = float(seeds.mass.max(initial=0.0)) * (1.0 - damping)
        self._n = n
        self._heap: list[_State] = []  # of a probability with the sign turned
        self._best: list[_State] = []  # of a mass with the sign turned, in their order

    def run(self, target: int) -> None:
        if not len(self._seed_nodes) or self._n < 1:
            return
        none = _State(-1.0, (), ())
        self._keep(np.array([target]), np.ones(1), none)
        for state in self._longer(np.array([target]), np.ones(1), np.zeros(1, np.int64), 1, none):
            heappush(self._heap, state)
        entries = 0
        for _ in range(_MAX_EXPANSIONS):
            # A state that is not yet at a seed takes one more step at least.
            if not self._heap or entries > _MAX_ENTRIES or self._hopeless(-self._heap[0].value):
                return
            entries += self._expand(heappop(self._heap))

    def found(self) -> list[NodePath]:
        return [NodePath(one.path, -one.value) for one in self._best]

    def _floor(self) -> float:
        """Return the mass that a path must have to be among the best."""
        return -self._best[-1].value if len(self._best) == self._n else 0.0

    def _hopeless(self, reach: float) -> bool:
        """Return whether no path through a state of this probability can be among the best."""
        most = reach * self._damping * self._most
        return most < self._floor() or most == 0

    def _expand(self, state: _State) -> int:
        nodes, probabilities = self._steps.into(state.path[0])
        n_entries = len(nodes)
        new = nodes != state.path[0]
        for node in state.path[1:]:
            new &= nodes != node
        nodes, reaches = nodes[new], -state.value * self._damping * probabilities[new]
        self._keep(nodes, reaches, state)
        if len(state.path) < MAX_EDGES:
            least = self._floor() / (self._damping * self._most)
            hopeful = np.flatnonzero((reaches >= least) & (reaches > 0))
            for longer in self._longer(nodes, reaches, hopeful, _FAN_OUT, state):
                heappush(self._heap, longer)
        return n_entries

    def _keep(self, nodes: NDArray[np.int64], reaches: NDArray[np.float64], state: _State) -> None:
        """Add the paths that begin at a seed to the best found."""
        at = np.minimum(np.searchsorted(self._seed_nodes, nodes), len(self._seed_nodes) - 1)
        mass = np.where(self._seed_nodes[at] == nodes, self._seed_mass[at], 0.0)
        mass *= reaches * (1.0 - self._damping)
        hopeful = np.flatnonzero((mass >= self._floor()) & (mass > 0))
        if not len(hopeful):
            return
        self._best += self._longer(nodes, mass, hopeful, self._n, state)
        self._best.sort(key=lambda one: (one.value, len(one.path), one.order))
        del self._best[self._n :]

    def _longer(
        self,
        nodes: NDArray[np.int64],
        values: NDArray[np.float64],
        places: NDArray[np.int64],
        n: int,
        state: _State,
    ) -> list[_State]:
        """Extend a state's path by one node before it: by those of the ``n`` largest values.

        Only some places of the nodes and values count.
        """
        if len(places) > n:
            of_places = values[places]
            floor = np.partition(of_places, len(places) - n)[len(places) - n]
            places = places[of_places >= floor]
        orders, sizes = self._steps.order[nodes[places]], -values[places]
        chosen = np.lexsort((orders, sizes))[:n]
        columns = (sizes[chosen], orders[chosen], nodes[places][chosen])
        return [
            _State(value, (order, *state.order), (node, *state.path))
            for value, order, node in zip(*(column.tolist() for column in columns), strict=True)
        ]
