"""What a corpus is about: communities of its graph, with central titles and names."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import (
    Communities,
    CommunityNodes,
    entity_rarity,
    type_weights,
)
from hippohover.overview.mentioned import Mentions, distinct
from hippohover.recipe import EdgeWeights
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.opening import opened_tables
from hippohover.store.tables import IndexTables

MOST_THEMES: Final = 12
_FEWEST_DOCUMENTS: Final = 2
_SHOWN: Final = 5
_TRIED: Final = 60


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A group of documents with more edges among themselves than to others.

    Attributes
    ----------
    n_documents, n_passages : int
        A document is of the theme that most of its passages are of.
    titles : tuple of str
        Of the documents that the others of the theme name most, at most 5; none that no other
        document mentions.
    names : tuple of str
        That the theme has more than the rest of the corpus, as passages write them: at most 5 that
        are none of the titles, nor what a title has before its colon.
    """

    n_documents: int
    n_passages: int
    titles: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Themes:
    """The largest themes of a corpus, and their share of it.

    Attributes
    ----------
    largest : tuple of Theme
        By their number of documents.
    n_themes : int
        Number of all themes of two documents or more.
    n_documents : int
        Documents in these.
    n_alone : int
        Documents in no theme, because no name joins them with another.
    """

    largest: tuple[Theme, ...]
    n_themes: int
    n_documents: int
    n_alone: int

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def themes(index: str | Path, *, n: int = MOST_THEMES) -> Themes:
    """Find what the documents of an index are about; asks no model.

    Parameters
    ----------
    index : str or Path
        Folder of an index, or of one version of it.
    n : int
        How many of the largest themes to return, 1 or more.

    Raises
    ------
    IndexStoreError
        There is no index, it was made by another format version, or is damaged.
    """
    with StoredIndex.open(index) as stored:
        return themes_of(opened_tables(stored), stored.recipe().query.weights, n)


def themes_of(tables: IndexTables, weights: EdgeWeights, n: int = MOST_THEMES) -> Themes:
    """Find the themes of an open index; ``n`` as of ``themes``.

    Parameters
    ----------
    tables : IndexTables
    weights : EdgeWeights
        Of the edges by type: what joins documents for the walk joins them here.

    Notes
    -----
    Themes are the communities that ``EntityGraph.communities`` finds among passages and entities
    alike. Takes about 0.4 KB of memory and 10 microseconds an edge.
    """
    communities = tables.arrays.graph.communities(type_weights(weights))
    of_documents = _of_documents(communities, tables)
    n_documents = np.bincount(of_documents, minlength=1)
    order = np.argsort(-n_documents, kind="stable")
    is_theme = n_documents[order] >= _FEWEST_DOCUMENTS
    mentions = Mentions(tables)
    in_themes = int(n_documents[order[is_theme]].sum())
    return Themes(
        largest=tuple(
            _theme(mentions, communities.inside(int(community)), int(n_documents[community]))
            for community in order[is_theme][:n]
        ),
        n_themes=int(is_theme.sum()),
        n_documents=in_themes,
        n_alone=len(of_documents) - in_themes,
    )


def _of_documents(communities: Communities, tables: IndexTables) -> NDArray[np.int32]:
    """Return the community of each document: the one of most of its passages."""
    documents = tables.arrays.documents
    rows = np.flatnonzero(documents >= 0)
    pairs = np.stack([documents[rows], communities.members[rows]])
    (of_document, community), n = np.unique(pairs, axis=1, return_counts=True)
    best_last = np.lexsort([n, of_document])
    is_last = np.diff(of_document[best_last], append=-1) != 0
    return community[best_last[is_last]]


def _theme(mentions: Mentions, inside: CommunityNodes, n_documents: int) -> Theme:
    tables = mentions.tables
    n_rows = tables.arrays.n_rows
    is_passage = inside.nodes < n_rows
    rows = inside.nodes[is_passage]
    central = _of_distinct_titles(tables, _central_passages(tables, inside))
    mentioned = filter(mentions.has_title, islice(central, _TRIED))
    titles = distinct(map(tables.node_name, mentioned), _SHOWN)
    entities = _telling_names(tables, inside) - n_rows
    if not titles:
        entities = np.concatenate([entities, mentions.most_named(rows)])
    entities = entities[mentions.n_naming[entities] > 0][:_TRIED]
    return Theme(
        n_documents=n_documents,
        n_passages=int(np.count_nonzero(tables.arrays.documents[rows] >= 0)),
        titles=titles,
        names=distinct(map(mentions.name_of, entities.tolist()), _SHOWN, titles),
    )


def _of_distinct_titles(tables: IndexTables, rows: NDArray[np.int64]) -> Iterator[int]:
    seen: set[str] = set()
    for row in rows.tolist():
        title = tables.node_name(row)
        if title not in seen:
            seen.add(title)
            yield row


def _central_passages(tables: IndexTables, inside: CommunityNodes) -> NDArray[np.int64]:
    """Return passages of a community, those first whose document it names most.

    By the PageRank of the name that is their title: that of a passage itself is high where it is
    long. Those whose title is of another community follow by their own.
    """
    n_rows = tables.arrays.n_rows
    of_node = np.zeros(tables.arrays.graph.n_nodes)
    of_node[inside.nodes] = inside.pagerank
    rows = inside.nodes[inside.nodes < n_rows]
    rows = rows[tables.arrays.documents[rows] >= 0]
    entities = tables.arrays.title_entities[rows, 0].astype(np.int64)
    by_title = np.where(entities >= 0, of_node[n_rows + entities], 0.0)
    return rows[np.lexsort([rows, -of_node[rows], -by_title])]


def _telling_names(tables: IndexTables, inside: CommunityNodes) -> NDArray[np.int64]:
    """Rank entities by PageRank, times share of edges inside, times rarity squared."""
    n_rows = tables.arrays.n_rows
    is_name = inside.nodes >= n_rows
    nodes = inside.nodes[is_name]
    rarity = entity_rarity(tables.arrays.entity_df[nodes - n_rows], tables.arrays.n_passages)
    score = inside.pagerank[is_name] * inside.shares_inside[is_name] * rarity**2
    return nodes[np.lexsort([nodes, -score])]
