"""Personalized PageRank: reset distribution -> node scores.

    p = (1 - d) s + d P^T p

with s the reset distribution, P the transition matrix and d the damping (1 - restart).
``push`` approximates p near the seeds, ``exact`` solves the equation on the whole graph.
"""

import threading
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hippohover.entity_graph import EdgeType, EntityGraph
from hippohover.errors import UsageError

_LEAST_EPS = 1e-15  # keeps every amount that is pushed far above the smallest float


class LocalWalk:
    """Forward push over a graph; one workspace a thread, so it is safe from several threads.

    Andersen, Chung and Lang, "Local Graph Partitioning using PageRank Vectors" (FOCS 2006), with
    the plain walk in place of their lazy one: residual mass r(u) is pushed from a node u while
    r(u) > eps d(u), d(u) its weighted degree. What is left is r(u) <= eps d(u) everywhere, and
    the solution p differs from the estimate by sum over u of r(u) p_u(v), with p_u the solution
    for the reset to u alone. On an undirected graph d(u) p_u(v) = d(v) p_v(u), so that
    0 <= p(v) - estimate(v) <= eps d(v). Adding (1 - damping) r(v), the part of the residual that
    stops where it is, costs nothing and leaves 0 <= p(v) - score(v) <= damping eps d(v).
    The degrees of the nodes pushed, each as often as it is pushed, sum to at most
    1 / (eps (1 - damping)), whatever the size of the graph.

    A walk that starts on a node without edges begins anew, as in ``exact``. When m is the mass
    of such seeds, that divides the scores, and so the bound, by 1 - damping m.

    Parameters
    ----------
    graph : EntityGraph
    probabilities, degrees : ndarray
        From ``EntityGraph.transitions``.
    """

    def __init__(
        self,
        graph: EntityGraph,
        *,
        probabilities: NDArray[np.float32],
        degrees: NDArray[np.float64],
    ) -> None:
        self._graph = graph
        self._probabilities = probabilities
        self._degrees = degrees
        self._local = threading.local()

    def __call__(
        self, nodes: NDArray[np.int64], mass: NDArray[np.float64], *, damping: float, eps: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Nodes that the walk reached, ascending, and their scores, which sum to at most 1.

        Parameters
        ----------
        nodes : ndarray of int64, shape (n_seeds,)
            Distinct nodes where the walk restarts; without one, no node is reached.
        mass : ndarray of float64, shape (n_seeds,)
            Probability of each; sums to 1.
        damping : float
            In [0, 1).
        eps : float
            Residual per unit of degree up to which a node is not pushed; 1e-15 or more.

        Raises
        ------
        UsageError
            An argument is out of its range.
        """
        _check_seeds(nodes, mass, self._graph.n_nodes)
        _check_settings(damping, eps)
        space = self._take_workspace()
        count = _push(
            self._graph.indptr, self._graph.neighbours, self._probabilities, self._degrees,
            nodes, mass, damping, eps, *space,
        )  # fmt: skip
        found = np.sort(space.reached[:count]).astype(np.int64)
        values = space.scores[found] + (1.0 - damping) * space.residuals[found]
        space.scores[found] = 0.0
        space.residuals[found] = 0.0
        self._local.space = space  # only here, when it is clean again
        isolated = float(mass[self._degrees[nodes] == 0.0].sum())
        return found, values / (1.0 - damping * isolated)

    def _take_workspace(self) -> "_Workspace":
        """This thread's arrays. A call that breaks off keeps them, and the next makes new ones."""
        space: _Workspace | None = getattr(self._local, "space", None)
        self._local.space = None
        if space is not None:
            return space
        n = self._graph.n_nodes
        return _Workspace(
            np.zeros(n), np.zeros(n), np.zeros(n, np.int32), np.zeros(n, np.bool_),
            np.zeros(n, np.int32),
        )  # fmt: skip


class _Workspace(NamedTuple):
    """Arrays of shape (n_nodes,), all 0 between two calls but for ``reached`` and ``queue``."""

    scores: NDArray[np.float64]
    residuals: NDArray[np.float64]
    reached: NDArray[np.int32]
    queued: NDArray[np.bool_]
    queue: NDArray[np.int32]


def exact(
    graph: EntityGraph,
    type_weights: Mapping[EdgeType, float],
    reset: NDArray[np.float64],
    *,
    damping: float,
) -> NDArray[np.float64]:
    """Scores of all nodes by igraph's PRPACK, shape (n_nodes,), summing to 1.

    ``reset`` has shape (n_nodes,) and is scaled to sum 1. A node without edges jumps back to it.
    ``UsageError`` when it has another shape, a value below 0, or no value above 0.
    """
    if reset.shape != (graph.n_nodes,):
        raise UsageError(f"reset of shape {reset.shape}: give one value a node ({graph.n_nodes})")
    if not (bool(np.all(reset >= 0)) and 0 < float(reset.sum()) < np.inf):
        raise UsageError("reset: give values of 0 or more, and at least one above 0")
    _check_settings(damping)
    view = graph.to_igraph(type_weights)
    scores = view.personalized_pagerank(
        damping=damping, reset=reset.tolist(), weights="weight", implementation="prpack"
    )
    return np.asarray(scores, dtype=np.float64)


def _check_seeds(nodes: NDArray[np.int64], mass: NDArray[np.float64], n_nodes: int) -> None:
    if nodes.shape != mass.shape:
        raise UsageError(f"{len(nodes)} seeds but {len(mass)} masses: give one mass a seed")
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


@njit(cache=True, nogil=True)
def _push(  # noqa: PLR0913, PLR0917
    indptr: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    probabilities: NDArray[np.float32],
    degrees: NDArray[np.float64],
    seeds: NDArray[np.int64],
    mass: NDArray[np.float64],
    damping: float,
    eps: float,
    scores: NDArray[np.float64],
    residuals: NDArray[np.float64],
    reached: NDArray[np.int32],
    queued: NDArray[np.bool_],
    queue: NDArray[np.int32],
) -> int:
    count = 0
    head = 0
    tail = 0
    waiting = 0
    capacity = queue.shape[0]
    for at in range(seeds.shape[0]):
        if mass[at] == 0.0:
            continue
        node = seeds[at]
        if residuals[node] == 0.0 and scores[node] == 0.0:
            reached[count] = node
            count += 1
        residuals[node] += mass[at]
        if not queued[node] and residuals[node] > eps * degrees[node]:
            queued[node] = True
            queue[tail] = node
            tail = (tail + 1) % capacity
            waiting += 1
    while waiting > 0:
        node = queue[head]
        head = (head + 1) % capacity
        waiting -= 1
        queued[node] = False
        moved = residuals[node]
        residuals[node] = 0.0
        scores[node] += (1.0 - damping) * moved
        for at in range(indptr[node], indptr[node + 1]):
            step = damping * moved * probabilities[at]
            if step == 0.0:
                continue
            neighbour = neighbours[at]
            if residuals[neighbour] == 0.0 and scores[neighbour] == 0.0:
                reached[count] = neighbour
                count += 1
            residuals[neighbour] += step
            if not queued[neighbour] and residuals[neighbour] > eps * degrees[neighbour]:
                queued[neighbour] = True
                queue[tail] = neighbour
                tail = (tail + 1) % capacity
                waiting += 1
    return count
