"""The part of an index that a claim is bound to: passages inside, and the graph as they make it.

What is walked, read and named comes from the passages inside alone. An entity that only passages
outside name is not there; one that is the title of a passage outside is what any phrase of a text
is. Edges weigh what a build gives them, by how many passages inside name an entity, of all that the
index has. Edges of facts between two names are left out: the passage that states a fact joins them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import MOST_LINKS, EdgeType, entity_rarity
from hippohover.kernels import compiled
from hippohover.lexical import LexicalIndex
from hippohover.names.key_table import ABSENT, KeyTable
from hippohover.store.tables import IndexArrays

_OUTSIDE: Final = 0
_PHRASE: Final = 1
_KNOWN: Final = 2
"""What an entity is inside: nothing, a phrase of two passages or more, or a known name."""

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
    passages : ndarray of bool, shape (n_passages,)
        Whether each is inside.
    standing : ndarray of uint8, shape (n_entities,)
    name_weights, title_weights : ndarray of float32, shape (n_entities,)
        Weights of the edges to an entity, before those of their types.
    link_shares : ndarray of float32, shape (n_passages,)
        What a passage's links weigh of that.
    degrees : ndarray of float64, shape (n_nodes,)
        0 outside.
    """

    scale: NDArray[np.float32]
    passages: NDArray[np.bool_]
    standing: NDArray[np.uint8]
    name_weights: NDArray[np.float32]
    title_weights: NDArray[np.float32]
    link_shares: NDArray[np.float32]
    degrees: NDArray[np.float64]


NO_BOUNDS: Final = Bounds(
    np.zeros(0, np.float32),
    np.zeros(0, np.bool_),
    np.zeros(0, np.uint8),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
    np.zeros(0),
)


class NamesInside:
    """The names of an index that passages inside know; looked up as in a ``KeyTable``."""

    def __init__(self, names: KeyTable, standing: NDArray[np.uint8]) -> None:
        self._names = names
        self._standing = standing

    def numbers(self, keys: Sequence[str]) -> NDArray[np.int32]:
        """Number of each key, ``ABSENT`` where no passage inside knows it."""
        numbers = self._names.numbers(keys)
        rest = np.flatnonzero(numbers != ABSENT)
        numbers[rest[self._standing[numbers[rest]] == _OUTSIDE]] = ABSENT
        return numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class Inside:
    """What passages inside make of an index; made once for many claims by ``inside_of``.

    Attributes
    ----------
    bounds : Bounds
    entity_df : ndarray of int32, shape (n_entities,)
        Number of passages inside that name each entity; 0 of those that are not there.
    lexical : LexicalIndex
        Of the passages inside.
    names : NamesInside
    mentions_of_one : float
        How often a passage inside names or links another one, on average.
    """

    bounds: Bounds
    entity_df: NDArray[np.int32]
    lexical: LexicalIndex
    names: NamesInside
    mentions_of_one: float

    @property
    def passages(self) -> NDArray[np.bool_]:
        """Whether each passage is inside, shape (n_passages,)."""
        return self.bounds.passages

    def holds(self, entities: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each entity is there."""
        return self.bounds.standing[entities] != _OUTSIDE

    def knows(self, entity: int) -> bool:
        """Whether an entity is a known name: the title of a passage inside, say."""
        return bool(self.bounds.standing[entity] == _KNOWN)

    def steps(
        self, node: int, neighbours: NDArray[np.int32], kinds: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Weight of each edge of a node, 0 of those that lead outside, and the types as they count.

        Parameters
        ----------
        neighbours, kinds : ndarray, shape (n,)
            Of a part of the node's row of the graph.
        """
        weights, counted = np.zeros(len(kinds), np.float32), kinds.copy()
        _weigh(self.bounds, node, neighbours, counted, weights)
        return weights, counted


def inside_of(
    arrays: IndexArrays, passages: NDArray[np.bool_], scale: NDArray[np.float32]
) -> Inside:
    """The part of an index that some passages make; reads the graph's rows of these alone.

    Parameters
    ----------
    arrays : IndexArrays
    passages : ndarray of bool, shape (n_passages,)
        Whether each is inside.
    scale : ndarray of float32
        ``type_scale`` of the edges' weights.
    """
    graph = arrays.graph
    rows, n = np.flatnonzero(passages), arrays.n_passages
    n_owners, df, df_in_text = (np.zeros(graph.n_entities, np.int32) for _ in range(3))
    _count_names(
        rows, n, arrays.graph_indptr, arrays.graph_neighbours, arrays.graph_types,
        n_owners, df, df_in_text,
    )  # fmt: skip
    is_known = (n_owners > 0) | ((df > 0) & _without_owners(arrays))
    standing = np.where(is_known, _KNOWN, np.where(df_in_text > 1, _PHRASE, _OUTSIDE))
    df = np.where(is_known, df, np.where(df_in_text > 1, df_in_text, 0)).astype(np.int32)
    # As the graph keeps them: rounded to float16.
    of_names = entity_rarity(df, n).astype(np.float16).astype(np.float32)
    of_titles = (1.0 / np.sqrt(np.maximum(n_owners, 1))).astype(np.float16).astype(np.float32)
    bounds = Bounds(
        scale=scale,
        passages=np.ascontiguousarray(passages),
        standing=standing.astype(np.uint8),
        name_weights=of_names,
        title_weights=of_titles,
        link_shares=np.ones(n, np.float32),
        degrees=np.zeros(graph.n_nodes),
    )
    _share_links(rows, bounds, arrays.graph_indptr, arrays.graph_neighbours, arrays.graph_types)
    _add_degrees(rows, bounds, arrays.graph_indptr, arrays.graph_neighbours, arrays.graph_types)
    n_mentions = _count_mentions(rows, bounds.standing, arrays.mention_indptr, arrays.mentions)
    return Inside(
        bounds=bounds,
        entity_df=df,
        lexical=replace(arrays.lexical, inside=bounds.passages),
        names=NamesInside(arrays.names, bounds.standing),
        mentions_of_one=n_mentions / max(len(rows), 1),
    )


def _without_owners(arrays: IndexArrays) -> NDArray[np.bool_]:
    """Whether each entity is a known name without a passage: the end of an alias."""
    unowned = np.zeros(len(arrays.entity_df), np.bool_)
    unowned[: len(arrays.owner_indptr) - 1] = np.diff(arrays.owner_indptr) == 0
    return unowned


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
    if bounds.standing[entity] == _OUTSIDE:
        return np.float32(0.0)
    if low >= n:
        is_there = kind == _SYNONYMY and bounds.standing[low - n] != _OUTSIDE
        return scale[kind] if is_there else np.float32(0.0)
    if not bounds.passages[low]:
        return np.float32(0.0)
    if kind == _TITLE:
        return bounds.title_weights[entity] * scale[kind]
    if kind == _LINK:
        if bounds.standing[entity] != _KNOWN:
            return np.float32(0.0)
        return bounds.name_weights[entity] * bounds.link_shares[low] * scale[kind]
    if kind == _MENTION and bounds.standing[entity] != _KNOWN:
        return bounds.name_weights[entity] * scale[_PHRASE_EDGE]
    return bounds.name_weights[entity] * scale[kind]


@compiled
def _weigh(  # a compiled loop takes arrays, not objects
    bounds: Bounds,
    node: int,
    neighbours: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    weights: NDArray[np.float32],
) -> None:
    n = len(bounds.passages)
    for at in range(len(kinds)):
        weights[at] = step_weight(bounds, node, neighbours[at], kinds[at])
        if kinds[at] == _MENTION and bounds.standing[max(node, neighbours[at]) - n] != _KNOWN:
            kinds[at] = _PHRASE_EDGE


@compiled
def _count_names(  # noqa: PLR0913, PLR0917
    rows: NDArray[np.int64],
    n_passages: int,
    indptr: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
    n_owners: NDArray[np.int32],
    df: NDArray[np.int32],
    df_in_text: NDArray[np.int32],
) -> None:
    """Count passages that go by each entity, name it in any way, and do so in their text."""
    for row in rows:
        last = -1
        for at in range(indptr[row], indptr[row + 1]):
            entity = neighbours[at] - n_passages
            if entity < 0:
                continue
            if types[at] == _TITLE:
                n_owners[entity] += 1
            if entity != last:  # a row is sorted by neighbour, then type, and links come last
                df[entity] += 1
                df_in_text[entity] += types[at] != _LINK
            last = entity


@compiled
def _share_links(
    rows: NDArray[np.int64],
    bounds: Bounds,
    indptr: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
) -> None:
    n = len(bounds.passages)
    for row in rows:
        n_links = 0
        for at in range(indptr[row], indptr[row + 1]):
            if types[at] == _LINK and bounds.standing[neighbours[at] - n] == _KNOWN:
                n_links += 1
        bounds.link_shares[row] = MOST_LINKS / max(n_links, MOST_LINKS)


@compiled
def _add_degrees(
    rows: NDArray[np.int64],
    bounds: Bounds,
    indptr: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
) -> None:
    n = len(bounds.passages)
    for row in rows:
        for at in range(indptr[row], indptr[row + 1]):
            weight = step_weight(bounds, row, neighbours[at], types[at])
            bounds.degrees[row] += weight
            if neighbours[at] >= n:
                bounds.degrees[neighbours[at]] += weight
    # Of an entity's row only what joins it with other entities: its passages have counted it.
    for entity in range(len(bounds.standing)):
        if bounds.standing[entity] != _OUTSIDE:
            for at in range(indptr[n + entity + 1] - 1, indptr[n + entity] - 1, -1):
                if neighbours[at] < n:
                    break
                bounds.degrees[n + entity] += step_weight(
                    bounds, n + entity, neighbours[at], types[at]
                )


@compiled
def _count_mentions(
    rows: NDArray[np.int64],
    standing: NDArray[np.uint8],
    indptr: NDArray[np.int64],
    mentions: NDArray[np.int32],
) -> int:
    """Mentions and links of known names."""
    count = 0
    for row in rows:
        for at in range(indptr[row], indptr[row + 1]):
            count += standing[mentions[at, 0]] == _KNOWN
    return count
