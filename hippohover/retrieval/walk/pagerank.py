"""Personalized PageRank: a reset distribution -> scores of nodes.

    p = (1 - d) s + d P^T p

with s the reset distribution, P the transition matrix and d the damping (1 - restart).
``LocalWalk`` approximates p near the seeds by forward push, ``ExactWalk`` solves the equation on
the whole graph.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph, type_scale
from hippohover.errors import UsageError
from hippohover.kernels import HALVES
from hippohover.processors import available_processors
from hippohover.retrieval.walk.push import DEGREE, LEFT, SCORE, TOO_LONG, push

MOST_STEPS: Final = 1 << 27
"""Edges that one walk looks at, at most; a push counts as eight. That takes some seconds."""

_LEAST_EPS = 1e-12  # keeps every residual that is pushed far above 2**-50


class LocalWalk:
    """Forward push over a graph; several threads may walk at once.

    Andersen, Chung and Lang, "Local Graph Partitioning using PageRank Vectors" (FOCS 2006), with
    the plain walk in place of their lazy one: residual mass r(u) is pushed from a node u while
    r(u) > eps d(u), d(u) its weighted degree. What is left is r(u) <= eps d(u) everywhere, and
    the solution p differs from the estimate by sum over u of r(u) p_u(v), with p_u the solution
    for the reset to u alone. On an undirected graph d(u) p_u(v) = d(v) p_v(u), so that
    0 <= p(v) - estimate(v) <= eps d(v). Adding (1 - damping) r(v), the part of the residual that
    stops where it is, costs nothing and leaves 0 <= p(v) - score(v) <= damping eps d(v).
    The degrees of the nodes pushed, each as often as it is pushed, sum to at most
    1 / (eps (1 - damping)), whatever the size of the graph.

    Nodes are pushed in rounds, and amounts are multiples of 2**-50, whose sums are exact: the
    scores are the same to the last bit however nodes are numbered and edges stand.

    A walk that starts on a node without edges restarts, as in ``ExactWalk``. When m is the mass
    of such seeds, that divides the scores, and so the bound, by 1 - damping m.

    A walk is linear in its reset: two parts of one are pushed together, a node when the residuals
    of both sum to more than eps d(u), which takes half the time of two walks. Everything said
    above holds for the sum of the parts.

    Parameters
    ----------
    graph : EntityGraph
    type_weights : mapping
        Weight of each type of edge.
    degrees : ndarray of float64, shape (n_nodes,)
        ``graph.degrees(type_weights)``.
    """

    def __init__(
        self,
        graph: EntityGraph,
        type_weights: Mapping[EdgeType, float],
        degrees: NDArray[np.float64],
    ) -> None:
        self._graph = graph
        self._scale = type_scale(type_weights)
        self._degrees = degrees
        self._turns = threading.BoundedSemaphore(available_processors())
        self._spaces: list[_Workspace] = []

    def __call__(
        self,
        nodes: NDArray[np.int64],
        mass: NDArray[np.float64],
        *,
        damping: float,
        eps: float,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nodes that the walk reached, ascending, and their scores; sum at most 1.

        Parameters
        ----------
        nodes : ndarray of int64, shape (n_seeds,)
            Distinct nodes where the walk restarts; without one, no node is reached.
        mass : ndarray of float64, shape (n_seeds, 2)
            Probability of each, by part; both parts together sum to 1.
        damping : float
            In [0, 1).
        eps : float
            Residual per unit of degree up to which a node is not pushed; 1e-12 or more.

        Returns
        -------
        nodes : ndarray of int64, shape (n_reached,)
        scores : ndarray of float64, shape (n_reached, 2)
            By part; a row's sum is the score of the whole walk and above 0.

        Raises
        ------
        UsageError
            An argument is out of its range, or the walk takes more than ``MOST_STEPS``.
        """
        _check_seeds(nodes, mass, self._graph.n_nodes)
        _check_settings(damping, eps)
        with self._turns:
            space = self._take_workspace()
            count = push(
                self._graph.spans,
                self._graph.neighbours,
                self._graph.weights.view(np.uint16),
                self._graph.types,
                HALVES,
                self._scale,
                nodes,
                mass,
                damping,
                eps,
                MOST_STEPS,
                *space,
            )
            if count == TOO_LONG:
                raise UsageError(
                    f"query.eps {eps:g} and query.damping {damping:g}: the walk looked at "
                    f"{MOST_STEPS:,} edges and was not done; raise eps or lower damping"
                )
            reached = np.sort(space.reached[:count]).astype(np.int64)
            state = space.states[reached]
            space.states[reached, :DEGREE] = 0.0
            self._spaces.append(space)  # only here, when it is clean again
        scores = state[:, SCORE : SCORE + 2] + (1.0 - damping) * state[:, LEFT : LEFT + 2]
        isolated = float(mass[self._degrees[nodes] == 0.0].sum())
        return reached, scores / (1.0 - damping * isolated)

    def _take_workspace(self) -> "_Workspace":
        """Take arrays that no other call has; an interrupted call drops them."""
        with suppress(IndexError):
            return self._spaces.pop()
        n = self._graph.n_nodes
        states = np.zeros((n, DEGREE + 1))
        states[:, DEGREE] = self._degrees
        return _Workspace(states, np.zeros(n, np.int32), np.zeros(n, np.int32))


class _Workspace(NamedTuple):
    """Arrays that a walk writes to.

    ``states`` has a row a node, so that a step of the walk touches one place in memory: scores
    and residuals by part, 0 between two calls, and the degree. ``reached`` and ``queue`` have
    shape (n_nodes,).
    """

    states: NDArray[np.float64]
    reached: NDArray[np.int32]
    queue: NDArray[np.int32]


class ExactWalk:
    """The walk solved on the whole graph by igraph's PRPACK; called like a ``LocalWalk``.

    Parameters
    ----------
    graph : EntityGraph
        Copied into igraph: about 100 bytes an edge.
    type_weights : mapping
        Weight of each type of edge.
    """

    def __init__(self, graph: EntityGraph, type_weights: Mapping[EdgeType, float]) -> None:
        self._n_nodes = graph.n_nodes
        self._view = graph.to_igraph(type_weights)
        self._isolated = graph.degrees(type_weights) == 0.0

    def __call__(
        self,
        nodes: NDArray[np.int64],
        mass: NDArray[np.float64],
        *,
        damping: float,
        eps: float,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nodes whose score is above 0, as ``LocalWalk``; ignores ``eps``."""
        _check_seeds(nodes, mass, self._n_nodes)
        _check_settings(damping, eps)
        scores = np.zeros((self._n_nodes, 2))
        for part in range(2):
            total = float(mass[:, part].sum())
            if total > 0:
                reset = np.zeros(self._n_nodes)
                reset[nodes] = mass[:, part] / total
                # Solved alone, a part restarts at its own seeds; in the joint walk at all seeds.
                scale = 1.0 - damping * float(reset[self._isolated].sum())
                scores[:, part] = total * scale * self.solve(reset, damping=damping)
        scores /= 1.0 - damping * float(mass[self._isolated[nodes]].sum())
        reached = np.flatnonzero(scores.sum(axis=1) > 0)
        return reached, scores[reached]

    def solve(self, reset: NDArray[np.float64], *, damping: float) -> NDArray[np.float64]:
        """Return scores of all nodes, shape (n_nodes,), summing to 1.

        ``reset`` has shape (n_nodes,) and is scaled to sum 1. A node without edges jumps back to
        it. ``UsageError`` when it has another shape, a value below 0, or no value above 0.
        """
        if reset.shape != (self._n_nodes,):
            raise UsageError(
                f"reset of shape {reset.shape}: give one value a node ({self._n_nodes})"
            )
        if not (bool(np.all(reset >= 0)) and 0 < float(reset.sum()) < np.inf):
            raise UsageError("reset: give values of 0 or more, and at least one above 0")
        _check_settings(damping)
        scores = self._view.personalized_pagerank(
            damping=damping, reset=reset.tolist(), weights="weight", implementation="prpack"
        )
        return np.asarray(scores, dtype=np.float64)


def _check_seeds(nodes: NDArray[np.int64], mass: NDArray[np.float64], n_nodes: int) -> None:
    if mass.shape != (len(nodes), 2):
        raise UsageError(f"{len(nodes)} seeds but masses of shape {mass.shape}: give two a seed")
    if not len(nodes):
        return
    if int(nodes.min()) < 0 or int(nodes.max()) >= n_nodes:
        raise UsageError(f"seeds {nodes.min()} to {nodes.max()}: nodes go from 0 to {n_nodes - 1}")
    total = float(mass.sum())
    if not (float(mass.min()) >= 0 and abs(total - 1.0) < 1e-6):
        raise UsageError(f"seed masses sum to {total}: give masses of 0 or more that sum to 1")


def _check_settings(damping: float, eps: float = 1.0) -> None:
    if not 0 <= damping < 1:
        raise UsageError(f"damping {damping}: give a number from 0 to below 1")
    if not eps >= _LEAST_EPS:
        raise UsageError(f"eps {eps}: give a number of {_LEAST_EPS} or more")
