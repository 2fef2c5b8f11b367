"""Own names, mentions, phrases and facts -> EntityGraph."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import (
    MOST_LINKS,
    OF_PASSAGE,
    OF_PHRASES,
    OUTSIDE,
    EdgeGroup,
    EdgeType,
    EntityGraph,
    entity_rarity,
    join_weights,
    rough_count,
)
from hippohover.names.mentions import ROW_MARK
from hippohover.names.spelling_blocks import MAX_BLOCK, N_BLOCKS, spelling_blocks
from hippohover.names.titles import TitleKind
from hippohover.spans import spans_of

MAX_PHRASE_SHARE = 0.005
MAX_PHRASE_PASSAGES = 20
MAX_TERM_PASSAGES = 5
"""Passages that a term may be in: more of them say the less."""

MAX_CASELESS_PASSAGES = 2
"""The same for a row of words or letters in a script without case."""

Pairs = NDArray[np.int32]

_PASSAGES_A_BLOCK = 1 << 16


@dataclass(frozen=True, kw_only=True)
class GraphParts:
    """What the edges are made of; entities are numbered from 0.

    Attributes
    ----------
    n_passages : int
        Numbers of passages, spare ones with them.
    n_counted : int
        Passages that the rarity of a name is counted among.
    standing : ndarray of uint8, shape (n_entities,)
        ``OUTSIDE``, ``PHRASE`` or ``KNOWN`` of each entity: edges of those outside weigh nothing.
    keys : iterable of str
        Entity keys, at least of all but those outside; ``blocks_of`` reads them.
    owners : ndarray of int32, shape (n, 3)
        From ``EntityNumbers``.
    documents : ndarray of int32, shape (n_passages,)
        Number of each passage's document; -1 of spare ones.
    mentions, links, sources : ndarray of int32, shape (n, 2)
        (passage, entity) that the text names, links, states a fact about, by passage; repeats
        count once.
    forms : ndarray of int32, shape (n, 2)
        Those of ``mentions`` that the text has in other forms alone.
    phrases : ndarray of int32, shape (n, 3)
        Likewise those that it holds, with the ``EdgeType`` of each, of ``phrase_type``.
    neighbours : ndarray of int32, shape (n, 2)
        Passages that follow each other in one document.
    sequences : ndarray of int32, shape (n, 2)
        Passages that follow each other in series of documents.
    joins : ndarray of int32, shape (n, 2)
        (passage, entity) that is the value of a field that the recipe joins by, by passage.
    facts : ndarray of int32, shape (n, 2)
        (subject, object) of every fact, once for each predicate.
    """

    n_passages: int
    n_counted: int
    standing: NDArray[np.uint8]
    keys: Iterable[str]
    owners: NDArray[np.int32]
    documents: NDArray[np.int32]
    mentions: Pairs
    forms: Pairs
    links: Pairs
    phrases: Pairs
    sources: Pairs
    neighbours: Pairs
    sequences: Pairs
    joins: Pairs
    facts: Pairs


def linked_first(
    kinds: Sequence[Pairs], n_entities: int, *, n_passages: int, n_known: int
) -> tuple[NDArray[np.int32], int]:
    """Return a new number for every entity, those with edges first, and their count.

    Known names stay where they are. Any other entity has edges when two passages or more hold
    it: one that a single passage knows cannot lead to another.

    Parameters
    ----------
    kinds : sequence of ndarray of int32, shape (n, 2)
        ``phrases``, ``sources`` and ``joins``, as in ``GraphParts``.
    n_entities, n_passages, n_known : int
        The first ``n_known`` entities are known names.
    """
    linked = _passages_that_name(kinds, n_entities, n_passages) >= 2
    linked[:n_known] = True
    order = np.argsort(~linked, kind="stable")
    numbers = np.empty(n_entities, dtype=np.int32)
    numbers[order] = np.arange(n_entities, dtype=np.int32)
    return numbers, int(linked.sum())


def build_graph(parts: GraphParts, blocks: NDArray[np.uint64]) -> EntityGraph:
    """Build the graph of passages and entities; entities outside get edges of weight 0.

    Weights, with N passages of which df(e) name the entity e in one way or another:

    - title: 1 / sqrt(passages that go by the name * documents that do), so that a name of one
      document joins its passages, and a name that documents share ("notes") is no bridge
    - mention, form, link, phrase, term, row, source: rarity(e) = ln(N' / (df(e) + 1)) / ln(N'), 0
      at least and N' the ``rough_count`` of N, 16 at least, so that hubs draw little of a walk
    - join: the same, but 0 where one passage in four has the value
    - fact: the mean of its two ends' rarities, times 1 + ln(number of facts that join them)
    - synonymy, neighbour, sequence: 1

    A link of a passage with more than ``MOST_LINKS`` of them counts ``MOST_LINKS`` / their number
    of that: an index page is everyone's neighbour, and no bridge.

    A text's mention of its passage's own name is not an edge, because the title's edge is there. A
    fact about it is: facts without titles must lead to the passages that state them.
    """
    is_there = parts.standing != OUTSIDE
    rarity = entity_rarity(document_frequency(parts), parts.n_counted) * is_there
    n_entities = len(parts.standing)
    of_title = title_weights(
        parts.owners[:, 1], parts.documents[parts.owners[:, 0]], n_entities=n_entities
    )
    shift = np.int32(parts.n_passages)
    groups: list[EdgeGroup] = []
    # Edges of passages and entities: one for each pair of a type, whatever the repeats.
    for kind in OF_PASSAGE:
        ends = _passage_edges(parts, kind)
        of_entity = of_title if kind == EdgeType.TITLE else rarity
        weights = of_entity.astype(np.float16)[ends[:, 1]]
        if kind == EdgeType.LINK and len(ends):
            n_links = np.bincount(ends[:, 0])[ends[:, 0]]
            weights = (weights * np.minimum(MOST_LINKS / n_links, 1.0)).astype(np.float16)
        elif kind == EdgeType.JOIN:
            weights = join_weights(weights, parts.n_counted)
        ends[:, 1] += shift
        groups.append(EdgeGroup(kind, ends, weights))
    # Edges between entities: those that facts join, and names of near-identical spelling.
    ends, counts = _fact_ends(parts.facts)
    mean = (rarity[ends[:, 0]] + rarity[ends[:, 1]]) / 2 * is_there[ends].all(axis=1)
    weights = (mean * (1.0 + np.log(counts))).astype(np.float16)
    ends += shift
    groups.append(EdgeGroup(EdgeType.FACT, ends, weights))
    for kind, ends in (
        (EdgeType.SYNONYMY, synonym_pairs(blocks) + shift),
        (EdgeType.NEIGHBOUR, parts.neighbours),
        (EdgeType.SEQUENCE, parts.sequences),
    ):
        groups.append(EdgeGroup(kind, ends, np.ones(len(ends), np.float16)))
    del ends, weights, counts, mean
    return EntityGraph.from_groups(parts.n_passages, n_entities, groups)


def title_weights(
    entities: NDArray[np.integer], documents: NDArray[np.int32], *, n_entities: int
) -> NDArray[np.float64]:
    """Return the weight of each entity's title edges; 1 without an owner.

    ``entities`` and ``documents``, both of shape (n,), are the entity and the owner's document of
    each (passage, entity) that goes by the name.
    """
    n_owners = np.bincount(entities, minlength=n_entities)
    distinct = distinct_pairs(np.column_stack([documents, entities]).astype(np.int32))
    n_documents = np.bincount(distinct[:, 1], minlength=n_entities)
    return 1.0 / np.sqrt(np.maximum(n_owners * n_documents, 1))


def is_phrase(frequency: NDArray[np.int64], n_passages: int) -> NDArray[np.bool_]:
    """Return whether a phrase is an entity: two passages or more hold it.

    A phrase that very many passages have ("American") is not a name: at most 0.5 % of the
    ``rough_count`` of all may have it, or 20.
    """
    most = max(MAX_PHRASE_PASSAGES, MAX_PHRASE_SHARE * rough_count(n_passages))
    return (frequency >= 2) & (frequency <= most)


def phrase_type(key: str, frequency: int) -> EdgeType:
    """Return the type of edges to a phrase: a term if few hold it, and it is no mere row of words.

    Chance repeats words, and hardly a name, a code, or words with their number. In a script
    without case a row may be a name, for all one sees: there two passages alone may hold it.
    """
    is_row, most = key.startswith(ROW_MARK), MAX_TERM_PASSAGES
    if is_row and not any(map(str.isdigit, key)):
        most = MAX_CASELESS_PASSAGES if key.upper() == key.lower() else 0
    if frequency <= most:
        return EdgeType.TERM
    return EdgeType.ROW if is_row else EdgeType.PHRASE


def graph_arrays(
    parts: GraphParts, blocks: NDArray[np.uint64], weights: Mapping[EdgeType, float]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of an index that its graph makes; degrees are with these ``weights``."""
    frequency, graph = document_frequency(parts), build_graph(parts, blocks)
    return {
        "entity_df": frequency,
        "entity_standing": parts.standing,
        "graph_spans": graph.spans,
        "graph_neighbours": graph.neighbours,
        "graph_weights": graph.weights,
        "graph_types": graph.types,
        "graph_degrees": graph.degrees(weights),
    }


def owner_arrays(owners: NDArray[np.int32], n_entities: int) -> dict[str, NDArray[Any]]:
    """Return the passages of each name, from (passage, entity, ...)."""
    by_name = owners[np.lexsort((owners[:, 0], owners[:, 1]))]
    counts = np.bincount(by_name[:, 1], minlength=n_entities)
    return {"owner_spans": spans_of(counts), "owner_passages": by_name[:, 0].copy()}


def mention_arrays(mentions: NDArray[np.int32], n_rows: int) -> dict[str, NDArray[Any]]:
    """Return the mentions of each passage, from (passage, entity, first token, token after)."""
    in_order = mentions[np.lexsort((mentions[:, 2], mentions[:, 0]))]
    counts = np.bincount(in_order[:, 0], minlength=n_rows)
    return {"mention_spans": spans_of(counts), "mentions": in_order[:, 1:].copy()}


def document_frequency(parts: GraphParts) -> NDArray[np.int32]:
    """Return how many passages name each entity, in any way."""
    named = (parts.mentions, parts.links, parts.phrases[:, :2], parts.sources, parts.joins)
    pairs = (parts.owners[:, :2], *named)
    return _passages_that_name(pairs, len(parts.standing), parts.n_passages).astype(np.int32)


def _passages_that_name(
    kinds: Sequence[Pairs], n_entities: int, n_passages: int
) -> NDArray[np.int64]:
    counts = np.zeros(n_entities, np.int64)
    for block in _blocks_of_passages(n_passages, kinds):
        pairs = distinct_pairs(np.concatenate(block))
        counts += np.bincount(pairs[:, 1], minlength=n_entities)
    return counts


def _passage_edges(parts: GraphParts, kind: EdgeType) -> Pairs:
    """Return the distinct (passage, entity) of a type of edge."""
    own, forms = parts.owners[:, :2], parts.forms
    of_kind = {
        EdgeType.TITLE: own,
        EdgeType.MENTION: parts.mentions,
        EdgeType.FORM: forms,
        EdgeType.LINK: parts.links,
        **{kind: parts.phrases[parts.phrases[:, 2] == kind, :2] for kind in OF_PHRASES},
        EdgeType.SOURCE: parts.sources,
        EdgeType.JOIN: parts.joins,
    }
    edges = [np.zeros((0, 2), np.int32)]
    for owned, formed, named in _blocks_of_passages(parts.n_passages, (own, forms, of_kind[kind])):
        pairs = distinct_pairs(named)
        if kind not in (EdgeType.TITLE, EdgeType.SOURCE):
            pairs = without(pairs, distinct_pairs(owned))
        if kind == EdgeType.MENTION:
            pairs = without(pairs, distinct_pairs(formed))
        edges.append(pairs)
    return np.concatenate(edges)


def _blocks_of_passages(n_passages: int, kinds: Sequence[Pairs]) -> Iterator[list[Pairs]]:
    """Yield rows of the arrays, sorted by passage, for some passages at a time."""
    for first in range(0, n_passages, _PASSAGES_A_BLOCK):
        bounds = (first, first + _PASSAGES_A_BLOCK)
        yield [pairs[slice(*np.searchsorted(pairs[:, 0], bounds))] for pairs in kinds]


def synonym_pairs(blocks: NDArray[np.uint64]) -> Pairs:
    """Return pairs of entities with nearly the same spelling, (lower, higher), ascending.

    Names meet in a block; no pair of the whole table is ever compared. ``blocks`` as of
    ``blocks_of``.
    """
    pairs: set[tuple[int, int]] = set()
    for members in _blocks(blocks):
        for at, first in enumerate(members):
            pairs.update((first, second) for second in members[at + 1 :])
    return np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)


def blocks_of(keys: Iterable[str], n_entities: int) -> NDArray[np.uint64]:
    """Return ``spelling_blocks`` of the first entities, shape (n_entities, N_BLOCKS)."""
    flat = np.zeros(n_entities * N_BLOCKS, np.uint64)
    for number, key in enumerate(keys):
        for at, block in enumerate(spelling_blocks(key)):
            flat[number * N_BLOCKS + at] = block
    return flat.reshape(-1, N_BLOCKS)


def _blocks(blocks: NDArray[np.uint64]) -> Iterator[list[int]]:
    """Yield entities that share a block, ascending, of blocks of 2 to ``MAX_BLOCK``."""
    places = np.flatnonzero(blocks.ravel())
    codes, numbers = blocks.ravel()[places], places // N_BLOCKS
    # Sorted by block, the names of a block stand side by side, from where its hash first stands.
    order = np.lexsort((numbers, codes))
    starts = np.flatnonzero(np.diff(codes[order], prepend=codes[order][:1] ^ 1))
    sizes = np.diff(starts, append=len(order))
    wanted = (sizes > 1) & (sizes <= MAX_BLOCK)
    for start, size in zip(starts[wanted].tolist(), sizes[wanted].tolist(), strict=True):
        yield numbers[order[start : start + size]].tolist()


def title_entities_of(owners: NDArray[np.int32], n_passages: int) -> NDArray[np.int32]:
    """Return the title entities of each passage by kind; -1 where it has none.

    Shape (n_passages, len(TitleKind)); of several aliases it is the first.
    """
    entities = np.full((n_passages, len(TitleKind)), -1, dtype=np.int32)
    backwards = owners[::-1].copy()  # as a view it would be assigned forwards
    entities[backwards[:, 0], backwards[:, 2]] = backwards[:, 1]
    return entities


def without(pairs: Pairs, own: Pairs) -> Pairs:
    """Remove rows (passage, entity, ...) whose entity is the passage's own name."""
    return pairs[~np.isin(pair_codes(pairs), pair_codes(own))]


def _fact_ends(facts: Pairs) -> tuple[Pairs, NDArray[np.int64]]:
    """Return the (lower, higher) ends of the facts, and how many facts join them."""
    inside = facts[facts[:, 0] != facts[:, 1]]
    codes, counts = np.unique(pair_codes(np.sort(inside, axis=1)), return_counts=True)
    return _pairs(codes), counts


def distinct_pairs(pairs: Pairs) -> Pairs:
    """Return distinct rows, ascending. Numbers are 0 or more.

    As ``np.unique(pairs, axis=0)``, in a tenth of its time: a pair is one number of 64 bits here.
    """
    return _pairs(np.unique(pair_codes(pairs)))


def pair_codes(pairs: Pairs) -> NDArray[np.int64]:
    """Return one number for the first two of each row."""
    return (pairs[:, 0].astype(np.int64) << 32) | pairs[:, 1].astype(np.int64)


def _pairs(codes: NDArray[np.int64]) -> Pairs:
    return np.column_stack([codes >> 32, codes & 0xFFFFFFFF]).astype(np.int32)
