"""Personalized PageRank over a whole graph by the Chebyshev iteration, for published methods."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hippohover.errors import HippoHoverError, UsageError

_TOLERANCE: Final = 1e-8
_MAX_STEPS: Final = 500


def chebyshev_pagerank(
    adjacency: sparse.csr_array,
    resets: NDArray[np.float64],
    *,
    damping: float,
    tolerance: float = _TOLERANCE,
    max_steps: int = _MAX_STEPS,
) -> NDArray[np.float64]:
    """Compute Personalized PageRank on an undirected graph, exact up to ``tolerance``.

        p = (1 - d) s + d (P^T p + m s),    P = D^-1 A,    m = mass on nodes without edges

    A walk on a node without edges restarts, as in igraph; the m s changes but the sum of p, so
    x = (1 - d) s + d P^T x is solved and scaled to sum 1. P is similar to a symmetric matrix
    with eigenvalues in [-1, 1]: those of I - d P^T lie in [1 - d, 1 + d], and the Chebyshev
    iteration on that interval (Golub and Varga, 1961) takes half the steps of the power method at
    d = 0.5. Its residual r bounds the error: ||x - x*||_1 <= ||r||_1 / (1 - d).

    Parameters
    ----------
    adjacency : sparse.csr_array of float64, shape (n_nodes, n_nodes)
        Symmetric weights of 0 or more.
    resets : ndarray of float64, shape (n_nodes, n_claims)
        A reset distribution a column, 0 or more, not all 0; it is scaled to sum 1.
    damping : float
        In [0, 1).
    tolerance : float
        L1 error of x, at most; that of the scores is at most 2 / (1 - d) times as much.
    max_steps : int
        Products with the graph, at most.

    Returns
    -------
    ndarray of float64, shape (n_nodes, n_claims)
        Columns sum to 1. A column does not depend on the others.

    Raises
    ------
    UsageError
        An argument is out of its range.
    HippoHoverError
        ``max_steps`` steps did not do.
    """
    _check_walk(adjacency, resets, damping)
    degrees = adjacency.sum(axis=1)
    inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)[:, None]
    scores = np.zeros_like(resets)
    residuals = (1.0 - damping) * resets / resets.sum(axis=0)
    moves = residuals.copy()
    rate, left = damping, np.full(resets.shape[1], np.inf)
    for _ in range(max_steps):
        scores += moves
        residuals -= moves - damping * (adjacency @ (inverse * moves))
        left = np.abs(residuals).sum(axis=0) / (1.0 - damping)
        done = left <= tolerance
        if done.all():
            np.maximum(scores, 0.0, out=scores)
            return scores / scores.sum(axis=0)
        # A column that is done stands still: it must not depend on how long others take.
        if done.any():
            residuals[:, done] = 0.0
            moves[:, done] = 0.0
        previous, rate = rate, _next_rate(rate, damping)
        moves *= previous * rate
        moves += (2.0 * rate / damping) * residuals
    raise HippoHoverError(
        f"the reference walk did not converge in {max_steps} steps (error {float(left.max()):.1e}, "
        f"wanted {tolerance:.0e}): allow more steps or a larger tolerance"
    )


def _next_rate(rate: float, damping: float) -> float:
    """Return Chebyshev's next rate 1 / (2 / d - rate); the interval is [1 - d, 1 + d]."""
    return damping / (2.0 - damping * rate)


def _check_walk(adjacency: sparse.csr_array, resets: NDArray[np.float64], damping: float) -> None:
    n = len(adjacency.indptr) - 1
    if resets.ndim != 2 or len(resets) != n:
        raise UsageError(f"resets of shape {resets.shape}: give ({n}, n_claims)")
    totals = resets.sum(axis=0)
    if not (bool(np.all(resets >= 0)) and bool(np.all((totals > 0) & np.isfinite(totals)))):
        raise UsageError("resets: give values of 0 or more, and at least one above 0 a column")
    if not 0 <= damping < 1:
        raise UsageError(f"damping {damping}: give a number from 0 to below 1")
