"""The compiled walk: residual mass pushed from node to node, as ``pagerank.LocalWalk`` says."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled

# Columns of a walk's states.
SCORE: Final = 0
LEFT: Final = 2
DEGREE: Final = 4


@compiled
def push(  # noqa: PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    indptr: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    bits: NDArray[np.uint16],
    types: NDArray[np.uint8],
    halves: NDArray[np.float32],
    scale: NDArray[np.float32],
    seeds: NDArray[np.int64],
    mass: NDArray[np.float64],
    damping: float,
    eps: float,
    states: NDArray[np.float64],
    reached: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> int:
    """Fill the workspace; how many nodes were reached.

    A node waits in the ring ``queue`` exactly while its residual is above the limit, so it is in
    there once at most and the ring is never full.
    """
    count = 0
    head = 0
    tail = 0
    waiting = 0
    capacity = queue.shape[0]
    # Seeds: the whole mass is residual, and whoever has more than the limit waits.
    for at in range(seeds.shape[0]):
        node = seeds[at]
        if mass[at, 0] + mass[at, 1] > 0.0 and _is_untouched(states, node):
            reached[count] = node
            count += 1
        if _receive(states, node, mass[at, 0], mass[at, 1], eps):
            queue[tail] = node
            tail = (tail + 1) % capacity
            waiting += 1
    while waiting > 0:
        # The one that waits longest keeps the share that stops here, and lets go of the rest.
        node = queue[head]
        head = (head + 1) % capacity
        waiting -= 1
        first = states[node, LEFT]
        second = states[node, LEFT + 1]
        states[node, SCORE] += (1.0 - damping) * first
        states[node, SCORE + 1] += (1.0 - damping) * second
        states[node, LEFT] = 0.0
        states[node, LEFT + 1] = 0.0
        # The rest goes to its neighbours by weight; those that it lifts above the limit wait.
        for place in range(indptr[node], indptr[node + 1]):
            other = neighbours[place]
            weight = halves[bits[place]] * scale[types[place]]
            if weight == 0.0:
                continue
            share = damping * np.float32(weight / states[node, DEGREE])
            if (first + second) * share == 0.0:
                continue
            if _is_untouched(states, other):
                reached[count] = other
                count += 1
            if _receive(states, other, first * share, second * share, eps):
                queue[tail] = other
                tail = (tail + 1) % capacity
                waiting += 1
    return count


@compiled
def _is_untouched(states: NDArray[np.float64], node: int) -> bool:
    left = states[node, LEFT] + states[node, LEFT + 1]
    return left == 0.0 and states[node, SCORE] + states[node, SCORE + 1] == 0.0


@compiled
def _receive(
    states: NDArray[np.float64], node: int, first: float, second: float, eps: float
) -> bool:
    """Add to a node's residual; whether that lifts it above the limit."""
    before = states[node, LEFT] + states[node, LEFT + 1]
    states[node, LEFT] += first
    states[node, LEFT + 1] += second
    after = states[node, LEFT] + states[node, LEFT + 1]
    return before <= eps * states[node, DEGREE] < after
