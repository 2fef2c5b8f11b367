"""The part of an index to which a claim is limited, as the tables of a build of that part.

Entities and terms that only passages outside have do not exist in it. Texts are cut into names by
the names of passages inside, and the graph is made of these. Edges of facts between two names are
left out: the passage that states a fact joins them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, OUTSIDE, PHRASE, EdgeType, EntityGraph, type_weights
from hippohover.graph_builder import (
    GraphParts,
    blocks_of,
    distinct_pairs,
    graph_arrays,
    is_phrase,
    mention_arrays,
    owner_arrays,
    pair_codes,
    phrase_type,
    without,
)
from hippohover.lexical import LexicalIndex
from hippohover.names.aliases import merge
from hippohover.names.key_table import KeyTable, key_hashes
from hippohover.names.normal_forms import entity_key, token_spans, tokens
from hippohover.recipe import EdgeWeights, IndexRecipe
from hippohover.records import Triple
from hippohover.retrieval.scope_names import (
    Cut,
    Numbers,
    cut_texts,
    known_inside,
    names_inside,
    own_name,
)
from hippohover.spans import Spans, lengths_of, places_in
from hippohover.store.tables import IndexArrays, IndexTables

Pairs = NDArray[np.int32]

_OF_NODES = (EdgeType.TITLE, EdgeType.LINK, EdgeType.JOIN)
_NONE: Final = np.zeros((0, 2), np.int32)
_TEXTS_READ: Final = 3


@dataclass(frozen=True, kw_only=True)
class ScopedArrays(IndexArrays):
    """Arrays of an index in which only passages inside a scope are there.

    Names, owners, mentions and the graph are those of passages inside; texts, vectors and facts are
    the index's, and so is the number of passages out of which counts are taken. Entities have the
    index's numbers, and those that it does not know come after them.

    Attributes
    ----------
    whole : IndexArrays
        Of the index.
    """

    whole: IndexArrays

    @property
    def n_counted(self) -> int:
        return self.whole.n_passages

    @cached_property
    def lexical(self) -> LexicalIndex:
        return self.whole.lexical.within(self.documents >= 0)

    def are_linked(self, entities: NDArray[np.int64]) -> NDArray[np.bool_]:
        return self.whole.are_linked(entities) & (self.entity_df[entities] > 0)


@dataclass(frozen=True, kw_only=True)
class ScopedTables(IndexTables):
    """Tables of an index in which only passages inside a scope are there.

    Attributes
    ----------
    whole : IndexTables
        Of the index. It writes an entity as the first passage that has it. Where that is outside,
        the name is that of the first passage inside which goes by it, or as the first texts inside
        have it.
    new_keys : tuple of str
        Entity keys of those that the index does not know.
    """

    whole: IndexTables
    new_keys: tuple[str, ...]

    def node_name(self, node: int) -> str:
        entity = node - self.arrays.n_rows
        return self.whole.node_name(node) if entity < 0 else self._entity_name(entity)

    def triples(self, rows: NDArray[np.int64]) -> tuple[Triple, ...]:
        return tuple(
            Triple(self._entity_name(subject), triple.predicate, self._entity_name(target))
            for (subject, _, target), triple in zip(
                self.arrays.facts[rows].tolist(), self.whole.triples(rows), strict=True
            )
        )

    def _entity_name(self, entity: int) -> str:
        n, arrays = self.arrays.n_rows, self.arrays
        row = slice(*arrays.graph_spans[n + entity])
        neighbours, kinds = arrays.graph_neighbours[row], arrays.graph_types[row]
        first_new = len(arrays.entity_df) - len(self.new_keys)
        new = self.new_keys[entity - first_new] if entity >= first_new else ""
        name = new or self.whole.node_name(n + entity)
        key = new or entity_key(name)
        if arrays.entity_standing[entity] == KNOWN:
            owners = arrays.by_key(neighbours[kinds == EdgeType.TITLE]).tolist()
            if not owners or owners[0] == _first_owner(self.whole.arrays, entity):
                return name
            return own_name(self.whole, owners[0], key) or name
        texts = arrays.by_key(np.unique(neighbours[neighbours < n]))[:_TEXTS_READ].tolist()
        return next(filter(None, (_written(self.texts[text], key) for text in texts)), key)


def scope_tables(
    tables: IndexTables,
    passages: NDArray[np.bool_],
    recipe: IndexRecipe | None = None,
) -> ScopedTables:
    """Make the tables of the part of an index that some passages are; reads their texts.

    Parameters
    ----------
    tables : IndexTables
    passages : ndarray of bool, shape (n_rows,)
        Whether each is inside.
    recipe : IndexRecipe, optional
        Of the index. It has its aliases, the weights of its edges, and how facts were read: where
        that was between names, which all titles cut, they are no edges.
    """
    arrays = tables.arrays
    merged = merge(recipe.aliases if recipe else {})
    known = known_inside(arrays, passages, merged)
    names, keys = names_inside(tables, known, passages, merged)
    cut = cut_texts(tables, np.flatnonzero(passages), names)
    numbers = Numbers(arrays.names.table, len(known))
    phrases = _kept_phrases(cut, numbers, arrays.n_passages)
    of_new = np.zeros(len(numbers.new), np.uint8)
    keys = {**keys, **{number: key for key, number in numbers.new.items()}}
    sources = _NONE if recipe and recipe.extractor == "between" else _sources(tables, passages)
    parts = _graph_parts(
        tables,
        passages,
        np.append(known, of_new > 0),
        keys,
        _Named(cut.mentions[:, :2], cut.forms, phrases, sources),
    )
    weights = type_weights(recipe.query.weights if recipe else EdgeWeights())
    made = graph_arrays(parts, blocks_of(parts.keys, len(parts.standing)), weights)
    made |= owner_arrays(parts.owners, len(parts.standing))
    made |= mention_arrays(_mentions(arrays, parts, cut.mentions), arrays.n_rows)
    made |= _names(arrays, made["entity_df"], numbers.new)
    made["documents"] = np.where(passages, arrays.documents, np.int32(-1))
    made["gazetteer_rules"] = np.append(names.rules, of_new)
    own = {array.name: getattr(arrays, array.name) for array in fields(IndexArrays)}
    return ScopedTables(
        arrays=ScopedArrays(**{**own, **made}, whole=arrays),
        passages=tables.passages,
        entities=tables.entities,
        predicates=tables.predicates,
        whole=tables,
        new_keys=tuple(numbers.new),
    )


class _Named(NamedTuple):
    """(Passage, entity) of known names in texts, those in other forms alone, phrases and facts."""

    mentions: Pairs
    forms: Pairs
    phrases: Pairs
    sources: Pairs


def _graph_parts(
    tables: IndexTables,
    passages: NDArray[np.bool_],
    known: NDArray[np.bool_],
    keys: Mapping[int, str],
    named: _Named,
) -> GraphParts:
    """Return what the graph of passages inside is made of."""
    arrays = tables.arrays
    edges = _edges_inside(arrays.graph, passages)
    owners, links = edges[EdgeType.TITLE], edges[EdgeType.LINK]
    phrases, sources = named.phrases, named.sources
    joins = edges[EdgeType.JOIN]
    pairs = np.concatenate([phrases[:, :2], sources, joins])
    is_there = known | (_holders(pairs, len(known)) > 1)
    standing = np.where(known, KNOWN, np.where(is_there, PHRASE, OUTSIDE)).astype(np.uint8)
    return GraphParts(
        n_passages=arrays.n_rows,
        n_counted=arrays.n_passages,
        standing=standing,
        keys=_keys(tables, is_there, keys),
        owners=np.column_stack([owners, np.zeros(len(owners), np.int32)]),
        documents=arrays.documents,
        mentions=named.mentions,
        forms=named.forms,
        links=links[known[links[:, 1]]],
        phrases=phrases[is_there[phrases[:, 1]]],
        sources=sources[is_there[sources[:, 1]]],
        neighbours=edges[EdgeType.NEIGHBOUR],
        sequences=edges[EdgeType.SEQUENCE],
        joins=joins[is_there[joins[:, 1]]],
        facts=_NONE,
    )


def _edges_inside(graph: EntityGraph, passages: NDArray[np.bool_]) -> dict[EdgeType, Pairs]:
    """Return (passage, entity) of titles, links and fields inside, and pairs of passages."""
    own, places = _entries(graph.spans, np.flatnonzero(passages))
    ends = np.column_stack([own, graph.neighbours[places]]).astype(np.int32)
    kinds = graph.types[places]
    shift = np.array([0, graph.n_passages], np.int32)
    edges = {kind: ends[kinds == kind] - shift for kind in _OF_NODES}
    for kind in (EdgeType.NEIGHBOUR, EdgeType.SEQUENCE):
        pairs = ends[kinds == kind]
        edges[kind] = pairs[passages[pairs[:, 1]] & (pairs[:, 0] < pairs[:, 1])]
    return edges


def _entries(spans: Spans, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and place of every entry of some rows."""
    own = spans[rows]
    return np.repeat(rows, lengths_of(own)), places_in(own)


def _kept_phrases(cut: Cut, numbers: Numbers, n_passages: int) -> Pairs:
    """Return (passage, entity, ``EdgeType``) of phrases in two or more passages inside."""
    frequency = np.bincount(cut.phrases[:, 1], minlength=len(cut.keys))
    kept = is_phrase(frequency, n_passages)
    places = np.flatnonzero(kept)
    entities = np.zeros(len(cut.keys), np.int32)
    entities[places] = numbers([cut.keys[at] for at in places.tolist()])
    pairs = cut.phrases[kept[cut.phrases[:, 1]]]
    kinds = np.zeros(len(cut.keys), np.int32)
    kinds[places] = [phrase_type(cut.keys[at], frequency[at]) for at in places.tolist()]
    return np.column_stack([pairs[:, 0], entities[pairs[:, 1]], kinds[pairs[:, 1]]])


def _sources(tables: IndexTables, passages: NDArray[np.bool_]) -> Pairs:
    """Return (passage, entity) of the facts that passages inside state."""
    arrays = tables.arrays
    own, places = _entries(arrays.fact_spans, np.flatnonzero(passages))
    ends = arrays.facts[arrays.passage_facts[places, 0]][:, [0, 2]].reshape(-1)
    return distinct_pairs(np.column_stack([own.repeat(2), ends]).astype(np.int32))


def _holders(pairs: Pairs, n_entities: int) -> NDArray[np.int64]:
    """Count the passages that hold each entity."""
    return np.bincount(distinct_pairs(pairs)[:, 1], minlength=n_entities)


def _keys(tables: IndexTables, is_there: NDArray[np.bool_], read: Mapping[int, str]) -> list[str]:
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


def _names(
    arrays: IndexArrays, df: NDArray[np.int32], new: dict[str, int]
) -> dict[str, NDArray[Any]]:
    """Return the table of the names that passages inside have."""
    stay = df[arrays.name_values] > 0
    table = KeyTable.from_hashes(
        np.concatenate([arrays.name_hashes[stay], key_hashes(list(new))]),
        np.concatenate([arrays.name_values[stay], np.array(list(new.values()), np.int32)]),
    )
    return {"name_hashes": table.hashes, "name_values": table.values}


def _mentions(
    arrays: IndexArrays, parts: GraphParts, mentions: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return where passages inside name or link others: passage, entity, first and last token."""
    # A link is a mention of what it leads to, where the text does not have the name.
    links = without(parts.links, mentions)
    own, places = _entries(arrays.mention_spans, np.unique(links[:, 0]).astype(np.int64))
    linked = np.column_stack([own, arrays.mentions[places]]).astype(np.int32)
    linked = linked[np.isin(pair_codes(linked), pair_codes(links))]
    return without(np.concatenate([mentions, linked]), parts.owners)


def _first_owner(arrays: IndexArrays, entity: int) -> int:
    """Return the passage whose spelling of its name the index has."""
    return int(arrays.by_key(arrays.owner_passages[slice(*arrays.owner_spans[entity])])[0])


def _written(text: str, key: str) -> str:
    """Return a name as a text writes it; "" where it does not."""
    folded, wanted = tokens(text)[0], key.split(" ")
    for at in range(len(folded) - len(wanted) + 1):
        if folded[at : at + len(wanted)] == wanted:
            spans = token_spans(text)[at : at + len(wanted)]
            return " ".join(text[spans[0][0] : spans[-1][1]].split())
    return ""
