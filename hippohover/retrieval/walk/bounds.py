"""The compiled walk, over a whole graph or as passages inside make it: what a step weighs there.

No other graph is built: edges are those of the index, weighed as a build weighs them, by how many
passages inside name an entity of all that the index has. An entity that is the title of no passage
inside is what any phrase of a text is. Edges of facts between two names are left out: the passage
that states a fact joins them.

All of it stands in one file: numba keeps machine code by the file of a loop, and would not see that
a loop of another file, which it has taken in, has changed.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import (
    KNOWN,
    MOST_LINKS,
    OUTSIDE,
    EdgeType,
    EntityGraph,
    entity_rarity,
)
from hippohover.kernels import compiled
from hippohover.spans import Spans, spans_of

# Columns of a walk's states.
SCORE: Final = 0
LEFT: Final = 2
DEGREE: Final = 4

_LISTED_SHARE: Final = 0.25
"""Share of the passages below which the rows of entities are listed: 5 bytes an edge inside."""

_TITLE: Final = int(EdgeType.TITLE)
_MENTION: Final = int(EdgeType.MENTION)
_PHRASE_EDGE: Final = int(EdgeType.PHRASE)
_SYNONYMY: Final = int(EdgeType.SYNONYMY)
_LINK: Final = int(EdgeType.LINK)


class Bounds(NamedTuple):
    """What a step of the walk asks of a node; empty arrays where the walk goes over all.

    Attributes
    ----------
    scale : ndarray of float32
        ``type_scale`` of the edges' weights; of a walk over all, too.
    passages : ndarray of bool, shape (n_rows,)
        Whether each is inside.
    standing : ndarray of uint8, shape (n_entities,)
    name_weights, title_weights : ndarray of float32, shape (n_entities,)
        Weights of the edges to an entity, before those of their types.
    link_shares : ndarray of float32, shape (n_rows,)
        What a passage's links weigh of that.
    degrees : ndarray of float64, shape (n_nodes,)
        0 outside.
    row_spans : ndarray of int64, shape (n_entities, 2)
    row_nodes, row_kinds : ndarray of int32 and uint8, shape (n,)
        Neighbours inside of each entity, and types of the edges: of a hub that is named outside
        most often, the walk reads these alone. Empty where most passages are inside.
    """

    scale: NDArray[np.float32]
    passages: NDArray[np.bool_]
    standing: NDArray[np.uint8]
    name_weights: NDArray[np.float32]
    title_weights: NDArray[np.float32]
    link_shares: NDArray[np.float32]
    degrees: NDArray[np.float64]
    row_spans: Spans
    row_nodes: NDArray[np.int32]
    row_kinds: NDArray[np.uint8]


NO_BOUNDS: Final = Bounds(
    np.zeros(0, np.float32),
    np.zeros(0, np.bool_),
    np.zeros(0, np.uint8),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
    np.zeros(0),
    np.zeros((0, 2), np.int64),
    np.zeros(0, np.int32),
    np.zeros(0, np.uint8),
)


def bounds_of(  # noqa: PLR0913
    graph: EntityGraph,
    standing: NDArray[np.uint8],
    *,
    passages: NDArray[np.bool_],
    df: NDArray[np.int32],
    n_owners: NDArray[np.int32],
    n_of_all: int,
    scale: NDArray[np.float32],
) -> Bounds:
    """What a walk among some passages asks; reads the graph's rows of these alone.

    Parameters
    ----------
    graph : EntityGraph
    standing : ndarray of uint8, shape (n_entities,)
        What each entity is inside.
    passages : ndarray of bool, shape (n_rows,)
    df, n_owners : ndarray of int32, shape (n_entities,)
        Passages inside that name each, and that go by it.
    n_of_all : int
        Passages of the whole index.
    scale : ndarray of float32
        ``type_scale`` of the edges' weights.
    """
    n, edges = graph.n_passages, (graph.spans, graph.neighbours, graph.types)
    bounds = NO_BOUNDS._replace(
        scale=scale,
        passages=np.ascontiguousarray(passages),
        standing=standing,
        # As the graph keeps them: rounded to float16.
        name_weights=entity_rarity(df, n_of_all).astype(np.float16).astype(np.float32),
        title_weights=(1.0 / np.sqrt(np.maximum(n_owners, 1)))
        .astype(np.float16)
        .astype(np.float32),
        link_shares=np.ones(n, np.float32),
        degrees=np.zeros(graph.n_nodes),
    )
    rows, counts = np.flatnonzero(passages), np.zeros(graph.n_entities, np.int64)
    _share_links(rows, bounds, *edges)
    _add_degrees(rows, bounds, *edges, counts)
    if len(rows) >= _LISTED_SHARE * n:
        return bounds
    n_edges = int(counts.sum())
    nodes, kinds = np.empty(n_edges, np.int32), np.empty(n_edges, np.uint8)
    bounds = bounds._replace(row_spans=spans_of(counts), row_nodes=nodes, row_kinds=kinds)
    _list_rows(rows, bounds, *edges, bounds.row_spans[:, 0].copy())
    return bounds


@compiled
def step_weight(  # noqa: PLR0911  # one return a kind of edge
    bounds: Bounds, node: int, other: int, kind: int
) -> np.float32:
    """Weight of an edge inside; 0 where it leads outside, or is none there."""
    n, scale = len(bounds.passages), bounds.scale
    low, entity = min(node, other), max(node, other) - n
    if entity < 0:  # two passages of one document
        both = bounds.passages[node] and bounds.passages[other]
        return scale[kind] if both else np.float32(0.0)
    if bounds.standing[entity] == OUTSIDE:
        return np.float32(0.0)
    if low >= n:
        is_there = kind == _SYNONYMY and bounds.standing[low - n] != OUTSIDE
        return scale[kind] if is_there else np.float32(0.0)
    if not bounds.passages[low]:
        return np.float32(0.0)
    if kind == _TITLE:
        return bounds.title_weights[entity] * scale[kind]
    if kind == _LINK:
        if bounds.standing[entity] != KNOWN:
            return np.float32(0.0)
        return bounds.name_weights[entity] * bounds.link_shares[low] * scale[kind]
    if kind == _MENTION and bounds.standing[entity] != KNOWN:
        return bounds.name_weights[entity] * scale[_PHRASE_EDGE]
    return bounds.name_weights[entity] * scale[kind]


@compiled
def weigh(  # a compiled loop takes arrays, not objects
    bounds: Bounds,
    node: int,
    neighbours: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    weights: NDArray[np.float32],
) -> None:
    n = len(bounds.passages)
    for at in range(len(kinds)):
        weights[at] = step_weight(bounds, node, neighbours[at], kinds[at])
        if kinds[at] == _MENTION and bounds.standing[max(node, neighbours[at]) - n] != KNOWN:
            kinds[at] = _PHRASE_EDGE


@compiled
def _share_links(
    rows: NDArray[np.int64],
    bounds: Bounds,
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
) -> None:
    n = len(bounds.passages)
    for row in rows:
        n_links = 0
        for at in range(spans[row, 0], spans[row, 1]):
            if types[at] == _LINK and bounds.standing[neighbours[at] - n] == KNOWN:
                n_links += 1
        bounds.link_shares[row] = MOST_LINKS / max(n_links, MOST_LINKS)


@compiled
def _add_degrees(  # noqa: PLR0913, PLR0917
    rows: NDArray[np.int64],
    bounds: Bounds,
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    """Fill the degrees, and count the edges of each entity that lead inside."""
    n = len(bounds.passages)
    for row in rows:
        for at in range(spans[row, 0], spans[row, 1]):
            weight = step_weight(bounds, row, neighbours[at], types[at])
            bounds.degrees[row] += weight
            if weight > 0 and neighbours[at] >= n:
                bounds.degrees[neighbours[at]] += weight
                counts[neighbours[at] - n] += 1
    # Of an entity's row only what joins it with other entities: its passages have counted it.
    for entity in range(len(bounds.standing)):
        if bounds.standing[entity] != OUTSIDE:
            node = n + entity
            for at in range(spans[node, 1] - 1, spans[node, 0] - 1, -1):
                if neighbours[at] < n:
                    break
                weight = step_weight(bounds, node, neighbours[at], types[at])
                bounds.degrees[node] += weight
                counts[entity] += weight > 0


@compiled
def _list_rows(  # noqa: PLR0913, PLR0917
    rows: NDArray[np.int64],
    bounds: Bounds,
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
    free: NDArray[np.int64],
) -> None:
    """Fill ``row_nodes`` and ``row_kinds``; ``free`` has the first place of each entity."""
    n = len(bounds.passages)
    for row in rows:
        for at in range(spans[row, 0], spans[row, 1]):
            entity = neighbours[at] - n
            if entity >= 0 and step_weight(bounds, row, neighbours[at], types[at]) > 0:
                bounds.row_nodes[free[entity]] = row
                bounds.row_kinds[free[entity]] = types[at]
                free[entity] += 1
    for entity in range(len(bounds.standing)):
        if bounds.standing[entity] != OUTSIDE:
            start = spans[n + entity, 0]
            own = neighbours[start : spans[n + entity, 1]]
            for at in range(int(np.searchsorted(own, np.int32(n))), len(own)):
                kind = int(types[start + at])
                if step_weight(bounds, n + entity, own[at], kind) > 0:
                    bounds.row_nodes[free[entity]] = own[at]
                    bounds.row_kinds[free[entity]] = kind
                    free[entity] += 1


@compiled
def push(  # noqa: PLR0912, PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    bits: NDArray[np.uint16],
    types: NDArray[np.uint8],
    halves: NDArray[np.float32],
    bounds: Bounds,
    seeds: NDArray[np.int64],
    mass: NDArray[np.float64],
    damping: float,
    eps: float,
    states: NDArray[np.float64],
    reached: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> int:
    """Fill the workspace; how many nodes were reached.

    The walk goes in rounds: all nodes whose residual is above the limit let go of what they have
    at the beginning of a round, and ``queue`` takes those that this lifts above it, for the next.
    Amounts are whole multiples of 2**-50, so that sums of them are exact: nothing depends on the
    order in which nodes or edges stand.
    """
    count = 0
    waiting = 0
    bounded = len(bounds.degrees) > 0
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
            rate = damping / max(states[node, DEGREE], 1e-300)  # 0 without edges
            first = rate * amounts[at, 0]
            second = rate * amounts[at, 1]
            # The rest goes to its neighbours by weight; those that it lifts above the limit wait.
            listed = len(bounds.row_spans) > 0 and node >= len(bounds.passages)
            entity = node - len(bounds.passages)
            own = bounds.row_spans[entity] if listed else spans[node]
            for place in range(own[0], own[1]):
                other = bounds.row_nodes[place] if listed else neighbours[place]
                if bounded:
                    kind = bounds.row_kinds[place] if listed else types[place]
                    weight = step_weight(bounds, node, other, kind)
                else:
                    weight = halves[bits[place]] * bounds.scale[types[place]]
                if weight == 0.0:
                    continue
                given = _whole(first * weight)
                too = _whole(second * weight)
                if given + too == 0.0:
                    continue
                state = states[other]
                before = state[LEFT] + state[LEFT + 1]
                if before == 0.0 and state[SCORE] + state[SCORE + 1] == 0.0:
                    reached[count] = other
                    count += 1
                    if bounded:
                        state[DEGREE] = bounds.degrees[other]
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
    """Residuals of some nodes, shape (n, 2), which are 0 then: a share of each has stopped."""
    amounts = np.empty((len(nodes), 2))
    for at in range(len(nodes)):
        for part in range(2):
            amounts[at, part] = states[nodes[at], LEFT + part]
            states[nodes[at], SCORE + part] += (1.0 - damping) * amounts[at, part]
            states[nodes[at], LEFT + part] = 0.0
    return amounts


@compiled
def _whole(amount: float) -> float:
    """The nearest multiple of 2**-50; amounts are 0 to 1."""
    return (amount + 6.0) - 6.0
