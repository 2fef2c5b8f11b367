"""What the stages found -> the tables of an index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.index_tables import IndexArrays, IndexTables
from hippohover.indexing.aliases import NOTHING_MERGED, Merged
from hippohover.indexing.fact_table import FactCollector, FactTable
from hippohover.indexing.graph_builder import (
    GraphParts,
    build_graph,
    distinct_pairs,
    document_frequency,
    head_owners,
    linked_first,
)
from hippohover.indexing.own_names import OwnName
from hippohover.indexing.passage_scan import Scan
from hippohover.indexing.passage_table import passage_table
from hippohover.key_table import KeyTable
from hippohover.lexical import build_postings
from hippohover.names import entity_key, without_qualifier
from hippohover.records import Passage

_MAX_PHRASE_SHARE = 0.005
_MAX_PHRASE_PASSAGES = 20


@dataclass(frozen=True)
class Names:
    """Entities as they are numbered while a build gathers them.

    Attributes
    ----------
    numbers : dict of str to int
        Entity key to number: known names, then phrases, then arguments of facts.
    displays : list of str
        How each is written.
    n_known : int
    owners : ndarray of int32, shape (n, 3)
        From ``own_names``.
    aliases : dict of str to int
        Other entity keys of known names to their numbers.
    """

    numbers: dict[str, int]
    displays: list[str]
    n_known: int
    owners: NDArray[np.int32]
    aliases: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(
        cls,
        passages: Sequence[Passage],
        known: dict[str, int],
        owners: NDArray[np.int32],
        merged: Merged = NOTHING_MERGED,
    ) -> "Names":
        """Known names, written as the aliases' file or the first title that bears them."""
        displays = list(known)
        for row, number, kind in owners[::-1].tolist():
            title = passages[row].title
            if kind != OwnName.OPENING:
                displays[number] = title if kind == OwnName.FULL else without_qualifier(title)
        for key, written in merged.written.items():
            displays[known[key]] = written
        aliases = {alias: known[name] for alias, name in merged.keys.items()}
        return cls(dict(known), displays, len(known), owners, aliases)

    def number(self, key: str) -> int:
        """Number of an entity, by one of its keys; -1 when there is none."""
        return self.aliases.get(key, self.numbers.get(key, -1))


def keep_phrases(scan: Scan, names: Names, n_passages: int) -> NDArray[np.int32]:
    """(passage, entity) of the phrases that two passages or more hold; they join ``names``.

    A phrase that very many passages hold ("American") is no name: at most 0.5 % of them, or 20.
    """
    numbers: dict[str, int] = {}
    codes = np.fromiter(
        (numbers.setdefault(key, len(numbers)) for key in scan.phrases),
        dtype=np.int32,
        count=len(scan.phrases),
    )
    pairs = distinct_pairs(np.column_stack([scan.phrase_places[:, 0], codes]))
    frequency = np.bincount(pairs[:, 1], minlength=len(numbers))
    most = max(_MAX_PHRASE_PASSAGES, _MAX_PHRASE_SHARE * n_passages)
    kept = (frequency >= 2) & (frequency <= most)
    entity = np.full(len(numbers), -1, np.int32)
    for key, number in numbers.items():
        if kept[number]:
            entity[number] = names.numbers.setdefault(key, len(names.displays))
            if entity[number] == len(names.displays):
                names.displays.append(key)
    pairs = pairs[kept[pairs[:, 1]]]
    return np.column_stack([pairs[:, 0], entity[pairs[:, 1]]])


def assemble(  # noqa: PLR0913
    passages: Sequence[Passage],
    names: Names,
    *,
    scan: Scan,
    phrases: NDArray[np.int32],
    collector: FactCollector,
    metadata: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> IndexTables:
    """Tables of an index, all but the vectors. Entities are renumbered: those with edges first.

    ``metadata`` names the fields of ``Passage.metadata``; ``progress`` is told how many steps are
    done, and how many there are.
    """

    def step(done: int) -> None:
        if progress is not None:
            progress(done, 4)

    step(0)
    facts = collector.table()
    step(1)
    n = len(passages)
    parts = GraphParts(
        n_passages=n,
        n_known=names.n_known,
        keys=list(names.numbers),
        owners=names.owners,
        mentions=np.concatenate([scan.mentions[:, :2], _linked_titles(passages, names)]),
        phrases=phrases,
        sources=_fact_sources(facts),
        facts=facts.facts[:, [0, 2]],
    )
    order, n_linked = linked_first(parts)
    parts = _renumbered(parts, order)
    displays = _permuted(names.displays, order)
    graph = build_graph(parts, n_linked)
    step(2)
    # Known names, which alone have aliases, stay where they are.
    keys = {key: i for i, key in enumerate(parts.keys[:n_linked])}
    keys |= names.aliases
    known = KeyTable.from_mapping(keys)
    vocabulary = KeyTable.from_mapping({term: i for i, term in enumerate(scan.vocabulary)})
    term_indptr = _indptr(scan.lengths)
    postings = build_postings(scan.terms, term_indptr, len(scan.vocabulary))
    step(3)
    mentions = _other_mentions(scan.mentions, names)
    owners = names.owners[np.lexsort((names.owners[:, 0], names.owners[:, 1]))]
    none = np.zeros((0, 0), np.float16)
    arrays = IndexArrays(
        heads=head_owners(names.owners, n),
        owner_indptr=_indptr(np.bincount(owners[:, 1], minlength=names.n_known)),
        owner_passages=owners[:, 0].copy(),
        entity_df=document_frequency(parts, n_linked),
        mention_indptr=_indptr(np.bincount(mentions[:, 0], minlength=n)),
        mentions=mentions[:, 1:].copy(),
        graph_indptr=graph.indptr,
        graph_neighbours=graph.neighbours,
        graph_weights=graph.weights,
        graph_types=graph.types,
        name_hashes=known.hashes,
        name_values=known.values,
        term_hashes=vocabulary.hashes,
        term_values=vocabulary.values,
        posting_indptr=postings[0],
        posting_passages=postings[1],
        posting_weights=postings[2],
        term_indptr=term_indptr,
        terms=scan.terms,
        title_lengths=scan.title_lengths,
        facts=_renumbered_facts(facts, order),
        fact_indptr=_indptr(np.bincount(facts.sources[:, 0], minlength=n)),
        passage_facts=facts.sources[:, 1:].copy(),
        passage_vectors=none,
        fact_vectors=none,
    )
    texts = passage_table(passages, metadata)
    step(4)
    return IndexTables(arrays, texts, _name_table(displays), _name_table(collector.predicates))


def _linked_titles(passages: Sequence[Passage], names: Names) -> NDArray[np.int32]:
    """(passage, entity) of the links that the corpus itself has, where their titles are known."""
    pairs = [
        (row, number)
        for row, passage in enumerate(passages)
        for title in passage.links
        if 0 <= (number := names.number(entity_key(title))) < names.n_known
    ]
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _fact_sources(facts: FactTable) -> NDArray[np.int32]:
    """(passage, entity) of the subjects and objects of the facts that a passage states."""
    passage, fact = facts.sources[:, 0], facts.sources[:, 1]
    both = [np.column_stack([passage, facts.facts[fact, side]]) for side in (0, 2)]
    return np.concatenate(both).astype(np.int32)


def _renumbered(parts: GraphParts, order: NDArray[np.int32]) -> GraphParts:
    def renumber(pairs: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.column_stack([pairs[:, 0], order[pairs[:, 1]]]).astype(np.int32)

    return GraphParts(
        n_passages=parts.n_passages,
        n_known=parts.n_known,
        keys=_permuted(list(parts.keys), order),
        owners=parts.owners,
        mentions=parts.mentions,
        phrases=renumber(parts.phrases),
        sources=renumber(parts.sources),
        facts=order[parts.facts].reshape(-1, 2),
    )


def _renumbered_facts(facts: FactTable, order: NDArray[np.int32]) -> NDArray[np.int32]:
    rows = facts.facts
    return np.column_stack([order[rows[:, 0]], rows[:, 1], order[rows[:, 2]]]).astype(np.int32)


def _permuted(values: list[str], order: NDArray[np.int32]) -> list[str]:
    return [values[at] for at in np.argsort(order, kind="stable").tolist()]


def _other_mentions(mentions: NDArray[np.int32], names: Names) -> NDArray[np.int32]:
    """Mentions that are none of the passage's own names, by passage and place."""
    codes = mentions[:, 0].astype(np.int64) * names.n_known + mentions[:, 1]
    own = names.owners[:, 0].astype(np.int64) * names.n_known + names.owners[:, 1]
    kept = mentions[~np.isin(codes, own)]
    return kept[np.lexsort((kept[:, 2], kept[:, 0]))]


def _indptr(lengths: NDArray[np.signedinteger]) -> NDArray[np.int64]:
    indptr = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def _name_table(names: Sequence[str]) -> pa.Table:  # pyright: ignore[reportUnknownParameterType]
    return pa.table({"name": pa.array(names, pa.large_string())})
