"""The part of an index that a claim is bound to: what passages inside know, and nothing else.

An entity that only passages outside name is not there, nor is a term that only they hold. How their
texts were cut into words and names is the index's: that was decided by all titles, at the build.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, OUTSIDE, PHRASE, EdgeType, EntityGraph
from hippohover.kernels import compiled
from hippohover.lexical import LexicalIndex
from hippohover.names.key_table import KeysThere
from hippohover.retrieval.walk.bounds import Bounds, bounds_of, weigh
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexArrays

_TITLE: Final = int(EdgeType.TITLE)
_LINK: Final = int(EdgeType.LINK)


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
    names : KeysThere
    mentions_of_one : float
        How often a passage inside names or links another one, on average.
    """

    bounds: Bounds
    entity_df: NDArray[np.int32]
    lexical: LexicalIndex
    names: KeysThere
    mentions_of_one: float

    @property
    def passages(self) -> NDArray[np.bool_]:
        """Whether each passage is inside, shape (n_rows,)."""
        return self.bounds.passages

    def holds(self, entities: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each entity is there."""
        return self.bounds.standing[entities] != OUTSIDE

    def knows(self, entity: int) -> bool:
        """Whether an entity is a known name: the title of a passage inside, say."""
        return bool(self.bounds.standing[entity] == KNOWN)

    def row(self, graph: EntityGraph, node: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Neighbours of a node, ascending, and types of its edges: at least those inside."""
        bounds, entity = self.bounds, node - len(self.passages)
        if entity < 0 or not len(bounds.row_spans):
            own = slice(*graph.spans[node])
            return graph.neighbours[own], graph.types[own]
        own = slice(*bounds.row_spans[entity])
        return bounds.row_nodes[own], bounds.row_kinds[own]

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
        weigh(self.bounds, node, neighbours, counted, weights)
        return weights, counted


def inside_of(
    arrays: IndexArrays, passages: NDArray[np.bool_], scale: NDArray[np.float32]
) -> Inside:
    """The part of an index that some passages make; reads the graph's rows of these alone.

    Parameters
    ----------
    arrays : IndexArrays
    passages : ndarray of bool, shape (n_rows,)
        Whether each is inside.
    scale : ndarray of float32
        ``type_scale`` of the edges' weights.
    """
    graph, rows = arrays.graph, np.flatnonzero(passages)
    n_owners, df, df_in_text = (np.zeros(graph.n_entities, np.int32) for _ in range(3))
    edges = arrays.graph_spans, arrays.graph_neighbours, arrays.graph_types
    _count_names(rows, arrays.n_rows, *edges, n_owners, df, df_in_text)
    is_known = (n_owners > 0) | ((df > 0) & _without_owners(arrays))
    # A build makes an entity of a phrase that two passages have: links to what is not there count
    # for none.
    is_phrase = ~is_known & (df_in_text > 1)
    df = np.select([is_known, is_phrase], [df, df_in_text], 0).astype(np.int32)
    standing = np.select([is_known, is_phrase], [KNOWN, PHRASE], OUTSIDE).astype(np.uint8)
    bounds = bounds_of(
        graph,
        standing,
        passages=passages,
        df=df,
        n_owners=n_owners,
        n_of_all=arrays.n_passages,
        scale=scale,
    )
    n_mentions = _count_mentions(rows, bounds.standing, arrays.mention_spans, arrays.mentions)
    return Inside(
        bounds=bounds,
        entity_df=df,
        lexical=arrays.lexical.within(bounds.passages),
        names=KeysThere(arrays.names.table, bounds.standing),
        mentions_of_one=n_mentions / max(len(rows), 1),
    )


def _without_owners(arrays: IndexArrays) -> NDArray[np.bool_]:
    """Whether each entity is a known name without a passage: the end of an alias."""
    return (arrays.entity_standing == KNOWN) & (lengths_of(arrays.owner_spans) == 0)


@compiled
def _count_names(  # noqa: PLR0913, PLR0917
    rows: NDArray[np.int64],
    n_rows: int,
    spans: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    types: NDArray[np.uint8],
    n_owners: NDArray[np.int32],
    df: NDArray[np.int32],
    df_in_text: NDArray[np.int32],
) -> None:
    """Count passages that go by each entity, name it in any way, and do so in their text."""
    for row in rows:
        last = -1
        for at in range(spans[row, 0], spans[row, 1]):
            entity = neighbours[at] - n_rows
            if entity < 0:
                continue
            if types[at] == _TITLE:
                n_owners[entity] += 1
            if entity != last:  # a row is sorted by neighbour, then type, and links come last
                df[entity] += 1
                df_in_text[entity] += types[at] != _LINK
            last = entity


@compiled
def _count_mentions(
    rows: NDArray[np.int64],
    standing: NDArray[np.uint8],
    spans: NDArray[np.int64],
    mentions: NDArray[np.int32],
) -> int:
    """Mentions and links of known names."""
    count = 0
    for row in rows:
        for at in range(spans[row, 0], spans[row, 1]):
            count += standing[mentions[at, 0]] == KNOWN
    return count
