"""The compiled walk of ``pagerank.LocalWalk``: pushes mass from node to node."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled

TOO_LONG: Final = -1
"""Returned once a walk took more steps than it may."""

# Columns of a walk's states.
SCORE: Final = 0
LEFT: Final = 2
DEGREE: Final = 4


@compiled
def push(  # noqa: PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    bits: NDArray[np.uint16],
    types: NDArray[np.uint8],
    halves: NDArray[np.float32],
    scale: NDArray[np.float32],
    seeds: NDArray[np.int64],
    mass: NDArray[np.float64],
    damping: float,
    eps: float,
    most_steps: int,
    states: NDArray[np.float64],
    reached: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> int:
    """Fill the workspace; return how many nodes were reached, or ``TOO_LONG``.

    The walk goes in rounds. In each, all nodes whose residual is above the limit push what they
    have at its beginning, and ``queue`` collects the nodes that this lifts above the limit, for the
    next round. Amounts are whole multiples of 2**-50, so their sums are exact, and the order of
    nodes and edges does not matter.
    """
    count = 0
    waiting = 0
    steps = 0
    # Seeds: the whole mass is residual, and whoever has more than the limit waits.
    for at in range(seeds.shape[0]):
        node = seeds[at]
        state = states[node]
        before = state[LEFT] + state[LEFT + 1]
        if mass[at, 0] + mass[at, 1] > 0.0 and before == 0.0:
            reached[count] = node
            count += 1
        state[LEFT] += _whole(mass[at, 0])
        state[LEFT + 1] += _whole(mass[at, 1])
        if before <= eps * state[DEGREE] < state[LEFT] + state[LEFT + 1]:
            queue[waiting] = node
            waiting += 1
    while waiting > 0:
        # Each keeps the share that stops here, and lets go of the rest.
        front = queue[:waiting].copy()
        amounts = _let_go(states, front, damping)
        waiting = 0
        for at in range(len(front)):
            node = front[at]
            steps += 8 + spans[node, 1] - spans[node, 0]  # a push costs as much as some edges
            if steps > most_steps:
                return TOO_LONG
            rate = damping / max(states[node, DEGREE], 1e-300)  # 0 without edges
            first = rate * amounts[at, 0]
            second = rate * amounts[at, 1]
            # The rest goes to its neighbours by weight; those that it lifts above the limit wait.
            for place in range(spans[node, 0], spans[node, 1]):
                weight = halves[bits[place]] * scale[types[place]]
                if weight == 0.0:
                    continue
                given = _whole(first * weight)
                too = _whole(second * weight)
                if given + too == 0.0:
                    continue
                other = neighbours[place]
                state = states[other]
                before = state[LEFT] + state[LEFT + 1]
                if before == 0.0 and state[SCORE] + state[SCORE + 1] == 0.0:
                    reached[count] = other
                    count += 1
                state[LEFT] += given
                state[LEFT + 1] += too
                if before <= eps * state[DEGREE] < before + (given + too):
                    queue[waiting] = other
                    waiting += 1
    return count


@compiled
def _let_go(
    states: NDArray[np.float64], nodes: NDArray[np.int32], damping: float
) -> NDArray[np.float64]:
    """Take the residuals of some nodes, shape (n, 2), and set them to 0: a share stops."""
    amounts = np.empty((len(nodes), 2))
    for at in range(len(nodes)):
        for part in range(2):
            amounts[at, part] = states[nodes[at], LEFT + part]
            states[nodes[at], SCORE + part] += (1.0 - damping) * amounts[at, part]
            states[nodes[at], LEFT + part] = 0.0
    return amounts


@compiled
def _whole(amount: float) -> float:
    """Round to a multiple of 2**-50; amounts are 0 to 1."""
    return (amount + 6.0) - 6.0
