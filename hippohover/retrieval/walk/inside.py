"""The part of an index to which a claim is limited, like a build of that part.

Entities and terms that only passages outside have do not exist in it. Texts are cut into names by
the names of passages inside, and the graph is made of these. Edges of facts between two names are
left out: the passage that states a fact joins them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, OUTSIDE, PHRASE, EdgeType, EntityGraph, type_weights
from hippohover.graph_builder import (
    GraphParts,
    blocks_of,
    build_graph,
    distinct_pairs,
    document_frequency,
    is_phrase,
    pair_codes,
    without,
)
from hippohover.lexical import LexicalIndex
from hippohover.names.aliases import NOTHING_MERGED, Merged
from hippohover.names.key_table import KeyTable, key_hashes
from hippohover.names.normal_forms import entity_key
from hippohover.recipe import EdgeWeights
from hippohover.retrieval.walk.pagerank import LocalWalk
from hippohover.retrieval.walk.recut import Cut, Numbers, cut_texts, known_inside, names_inside
from hippohover.spans import Spans, lengths_of, places_in, spans_of
from hippohover.store.tables import IndexArrays, IndexTables

Pairs = NDArray[np.int32]

_NONE: Final = np.zeros((0, 2), np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class Inside:
    """What passages inside make of an index; ``inside_of`` makes it once for many claims.

    Attributes
    ----------
    passages : ndarray of bool, shape (n_rows,)
        Whether each is inside.
    arrays : IndexArrays
        Of the index, but names, owners, mentions and the graph are those of passages inside.
        Entities have the index's numbers, and those that it does not know come after them.
    known : ndarray of bool, shape (n_entities,)
        Whether each entity is a known name: the title of a passage inside, say.
    keys : tuple of str
        Entity keys of those that the index does not know.
    lexical : LexicalIndex
        Of the passages inside.
    term_rarity : ndarray of float32, shape (n_terms,)
        ``LexicalIndex.rarity`` of every term of the index.
    walk : LocalWalk
        Over the graph of ``arrays``.
    """

    passages: NDArray[np.bool_]
    arrays: IndexArrays
    known: NDArray[np.bool_]
    keys: tuple[str, ...]
    lexical: LexicalIndex
    term_rarity: NDArray[np.float32]
    walk: LocalWalk

    @property
    def mentions_of_one(self) -> float:
        """How often a passage inside names or links another one, on average."""
        return self.arrays.n_mentions / max(int(self.passages.sum()), 1)

    def holds(self, entities: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each entity occurs inside."""
        return self.arrays.entity_df[entities] > 0

    def new_key(self, entity: int) -> str:
        """Return the entity key of one that the index does not know; "" of the others."""
        first = len(self.known) - len(self.keys)
        return self.keys[entity - first] if entity >= first else ""


def inside_of(
    tables: IndexTables,
    passages: NDArray[np.bool_],
    *,
    weights: EdgeWeights,
    merged: Merged = NOTHING_MERGED,
    by_names: bool = False,
) -> Inside:
    """Make the part of an index that some passages are; reads their texts.

    Parameters
    ----------
    tables : IndexTables
    passages : ndarray of bool, shape (n_rows,)
        Whether each is inside.
    weights : EdgeWeights
        What the edges of each type weigh.
    merged : Merged
        The names that the index's aliases stand for.
    by_names : bool
        Facts were read between names, which all titles cut: they are no edges then.
    """
    arrays, rows = tables.arrays, np.flatnonzero(passages)
    known = known_inside(arrays, passages, merged)
    names, keys = names_inside(tables, known, passages, merged)
    cut = cut_texts(tables, rows, names)
    of_passages = _edges_inside(arrays.graph, rows, passages)
    numbers = Numbers(arrays.names.table, len(known))
    phrases = _kept_phrases(cut, numbers, arrays.n_passages)
    sources = _NONE if by_names else _sources(tables, rows)
    known = np.append(known, np.zeros(len(numbers.new), np.bool_))
    is_there = known | (_holders(np.concatenate([phrases, sources]), len(known)) > 1)
    owners, links = of_passages[EdgeType.TITLE], of_passages[EdgeType.LINK]
    standing = np.where(known, KNOWN, np.where(is_there, PHRASE, OUTSIDE)).astype(np.uint8)
    parts = GraphParts(
        n_passages=arrays.n_rows,
        n_counted=arrays.n_passages,
        standing=standing,
        keys=_keys(tables, is_there, {**keys, **{at: key for key, at in numbers.new.items()}}),
        owners=np.column_stack([owners, np.zeros(len(owners), np.int32)]),
        documents=arrays.documents,
        mentions=cut.mentions[:, :2],
        links=links[known[links[:, 1]]],
        phrases=phrases[is_there[phrases[:, 1]]],
        sources=sources[is_there[sources[:, 1]]],
        neighbours=of_passages[EdgeType.NEIGHBOUR],
        facts=_NONE,
    )
    within = replace(
        _arrays(arrays, parts, numbers.new, cut.mentions, type_weights(weights)),
        entity_standing=standing,
        gazetteer_rules=np.append(names.rules, np.zeros(len(numbers.new), np.uint8)),
    )
    lexical = arrays.lexical.within(passages)
    return Inside(
        passages=passages,
        arrays=within,
        known=known,
        keys=tuple(numbers.new),
        lexical=lexical,
        term_rarity=lexical.rarity(np.arange(len(lexical.df))),
        walk=LocalWalk(within.graph, type_weights(weights), within.graph_degrees),
    )


def _arrays(
    arrays: IndexArrays,
    parts: GraphParts,
    new: dict[str, int],
    mentions: NDArray[np.int32],
    weights: Mapping[EdgeType, float],
) -> IndexArrays:
    """Return the index with names, owners, mentions and graph of passages inside."""
    graph = build_graph(parts, blocks_of(parts.keys, len(parts.standing)))
    within = _with_names(arrays, parts, document_frequency(parts), new)
    return replace(
        within,
        **_mentions(arrays, parts, mentions),
        graph_spans=graph.spans,
        graph_neighbours=graph.neighbours,
        graph_weights=graph.weights,
        graph_types=graph.types,
        graph_degrees=graph.degrees(weights),
    )


def _edges_inside(
    graph: EntityGraph, rows: NDArray[np.int64], passages: NDArray[np.bool_]
) -> dict[EdgeType, Pairs]:
    """Return (passage, entity) of titles and links inside, and neighbours."""
    own, places = _entries(graph.spans, rows)
    ends = np.column_stack([own, graph.neighbours[places]]).astype(np.int32)
    kinds = graph.types[places]
    shift = np.array([0, graph.n_passages], np.int32)
    edges = {kind: ends[kinds == kind] - shift for kind in (EdgeType.TITLE, EdgeType.LINK)}
    pairs = ends[kinds == EdgeType.NEIGHBOUR]
    both = passages[pairs[:, 1]] & (pairs[:, 0] < pairs[:, 1])
    return {**edges, EdgeType.NEIGHBOUR: pairs[both]}


def _entries(spans: Spans, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and place of every entry of some rows."""
    own = spans[rows]
    return np.repeat(rows, lengths_of(own)), places_in(own)


def _kept_phrases(cut: Cut, numbers: Numbers, n_passages: int) -> Pairs:
    """Return (passage, entity) of phrases in two or more passages inside."""
    frequency = np.bincount(cut.phrases[:, 1], minlength=len(cut.keys))
    kept = is_phrase(frequency, n_passages)
    places = np.flatnonzero(kept)
    entities = np.zeros(len(cut.keys), np.int32)
    entities[places] = numbers([cut.keys[at] for at in places.tolist()])
    pairs = cut.phrases[kept[cut.phrases[:, 1]]]
    return np.column_stack([pairs[:, 0], entities[pairs[:, 1]]])


def _sources(tables: IndexTables, rows: NDArray[np.int64]) -> Pairs:
    """Return (passage, entity) of the facts that passages inside state."""
    arrays = tables.arrays
    own, places = _entries(arrays.fact_spans, rows)
    ends = arrays.facts[arrays.passage_facts[places, 0]][:, [0, 2]].reshape(-1)
    return distinct_pairs(np.column_stack([own.repeat(2), ends]).astype(np.int32))


def _holders(pairs: Pairs, n_entities: int) -> NDArray[np.int64]:
    """Count the passages that hold each entity."""
    return np.bincount(distinct_pairs(pairs)[:, 1], minlength=n_entities)


def _keys(tables: IndexTables, is_there: NDArray[np.bool_], read: dict[int, str]) -> list[str]:
    """Return the key of every entity that occurs inside, "" of the others."""
    keys = [""] * len(is_there)
    there = np.flatnonzero(is_there)
    rest = there[~np.isin(there, np.fromiter(read, np.int64))]
    names = tables.entities.column("name").take(rest).to_pylist()
    for number, name in zip(rest.tolist(), names, strict=True):
        keys[number] = entity_key(name)
    for number, key in read.items():
        keys[number] = key if is_there[number] else ""
    return keys


def _with_names(
    arrays: IndexArrays, parts: GraphParts, df: NDArray[np.int32], new: dict[str, int]
) -> IndexArrays:
    """Return the index with only the owners and names inside."""
    owners = parts.owners[np.lexsort((parts.owners[:, 0], parts.owners[:, 1]))]
    counts = np.bincount(owners[:, 1], minlength=len(parts.standing))
    stay = df[arrays.name_values] > 0
    table = KeyTable.from_hashes(
        np.concatenate([arrays.name_hashes[stay], key_hashes(list(new))]),
        np.concatenate([arrays.name_values[stay], np.array(list(new.values()), np.int32)]),
    )
    return replace(
        arrays,
        entity_df=df,
        owner_spans=spans_of(counts),
        owner_passages=owners[:, 0].copy(),
        name_hashes=table.hashes,
        name_values=table.values,
    )


def _mentions(
    arrays: IndexArrays, parts: GraphParts, mentions: NDArray[np.int32]
) -> dict[str, NDArray[np.signedinteger]]:
    """Return where passages inside name or link others, as ``IndexArrays`` has it."""
    n = arrays.n_rows
    # A link is a mention of what it leads to, where the text does not have the name.
    links = without(parts.links, mentions)
    own, places = _entries(arrays.mention_spans, np.unique(links[:, 0]).astype(np.int64))
    linked = np.column_stack([own, arrays.mentions[places]]).astype(np.int32)
    linked = linked[np.isin(pair_codes(linked), pair_codes(links))]
    every = without(np.concatenate([mentions, linked]), parts.owners)
    every = every[np.lexsort((every[:, 2], every[:, 0]))]
    counts = np.bincount(every[:, 0], minlength=n)
    return {"mention_spans": spans_of(counts), "mentions": every[:, 1:].copy()}
