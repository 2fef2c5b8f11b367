"""The results of stages, chunk by chunk -> the tables of an index.

In memory, only arrays grow with the corpus: numbers of names, terms and entities, facts, edges.
Strings, and data with one entry per token, are read and written chunk by chunk.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hippohover.disk.columns import Columns, joined_strings
from hippohover.entity_graph import KNOWN, OUTSIDE, PHRASE, type_weights
from hippohover.graph_builder import (
    GraphParts,
    blocks_of,
    graph_arrays,
    is_phrase,
    linked_first,
    mention_arrays,
    owner_arrays,
    phrase_type,
    title_entities_of,
)
from hippohover.indexing.corpus.passage_store import keys_of
from hippohover.indexing.corpus.passage_table import joined, kept_values
from hippohover.indexing.document_numbers import DocumentNumbers, link_targets
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.indexing.fact_table import FactTable
from hippohover.indexing.field_values import joined_keys
from hippohover.indexing.passage_scan import (
    MENTION_WIDTH,
    TRIPLE_WIDTH,
)
from hippohover.indexing.sequences import text_terms
from hippohover.indexing.work_folder import WorkFolder
from hippohover.lexical import NO_TERM, count_postings, fill_postings
from hippohover.names.affixes import STEM_MARK
from hippohover.names.interning import StringInterner, hashed
from hippohover.names.key_table import KeyTable, key_hashes
from hippohover.names.mentions import CaseRule
from hippohover.recipe import IndexRecipe
from hippohover.spans import spans_of
from hippohover.store.tables import array_file, spare_rows
from hippohover.store.writer import IndexWriter

_STRINGS_AT_ONCE = 1 << 16

Pairs = NDArray[np.int32]


class Assembled(NamedTuple):
    """Counts of triples, of links, and of links without a document."""

    n_triples: int
    n_links: int
    n_unresolved_links: int


def assemble(
    work: WorkFolder,
    entities: EntityNumbers,
    writer: IndexWriter,
    recipe: IndexRecipe,
    progress: Callable[[int, int], None] | None = None,
) -> Assembled:
    """Write every table but texts and vectors.

    Entities are numbered known names first, then phrases, values of fields that passages are
    joined by, and arguments of facts, each in the
    order in which they are first met; and then those with edges first. ``progress`` is told how
    many steps are done, and how many there are.
    """
    assembly = _Assembly(work, entities, writer, recipe)
    steps = (
        assembly.documents,
        assembly.words,
        assembly.facts,
        assembly.mentions,
        assembly.graph,
        assembly.passages,
    )
    for done, step in enumerate(steps):
        if progress is not None:
            progress(done, len(steps))
        step()
    if progress is not None:
        progress(len(steps), len(steps))
    return assembly.counted()


class _Chunk(NamedTuple):
    """What the scan found in a chunk, and the row of its first passage."""

    columns: Columns
    first_row: int


class _Assembly:
    """The steps of ``assemble``, and what they pass on."""

    def __init__(
        self,
        work: WorkFolder,
        entities: EntityNumbers,
        writer: IndexWriter,
        recipe: IndexRecipe,
    ) -> None:
        self._work = work
        self._entities = entities
        self._writer = writer
        self._recipe = recipe
        self._n_passages = work.passages.n_passages
        self._n_rows = self._n_passages + spare_rows(self._n_passages)
        self.n_triples = 0
        self._sources = self._ends = np.zeros((0, 2), np.int32)
        self._order = np.zeros(0, np.int32)
        self._phrases = np.zeros((0, 3), np.int32)
        self._mentions = self._links = self._joins = np.zeros((0, 2), np.int32)

    def documents(self) -> None:
        """Write the number of every passage's document."""
        store = self._work.passages
        tables = (store.table(number) for number in range(store.n_chunks))
        self._documents = DocumentNumbers(tables, self._entities)
        self._save(documents=_padded(self._documents.numbers, self._n_rows, -1))

    def counted(self) -> Assembled:
        """Return the counts so far."""
        documents = self._documents
        return Assembled(self.n_triples, documents.n_links, documents.n_unresolved_links)

    def words(self) -> None:
        """Write terms of every passage, and the postings of every term."""
        # Terms of the chunks get one numbering, in the order in which they are first met.
        lengths = _padded(self._column("lengths"), self._n_rows, 0)
        title_lengths = _padded(self._column("title_lengths"), self._n_rows, 0)
        self._save(title_lengths=title_lengths, term_indptr=_indptr(lengths))
        numbers = StringInterner()
        hashes = [np.zeros(0, np.uint64)]
        indptr = _indptr(lengths)
        with self._writer.new_array("terms.npy", np.int32, (int(indptr[-1]),)) as terms:
            done = 0
            for columns, _ in self._chunks():
                of_chunk, new = numbers.add(*_hashed(columns, "term"))
                hashes.append(columns.numbers("term_hash", np.uint64)[new])
                local = columns.numbers("terms", np.int32)
                renumbered = np.append(of_chunk, np.int32(NO_TERM))  # NO_TERM = -1 finds the last
                terms[done : done + len(local)] = renumbered[local]
                done += len(local)
        table = KeyTable.from_hashes(np.concatenate(hashes), np.arange(len(numbers)))
        self._save(term_hashes=table.hashes, term_values=table.values)
        # Counted first, so that postings are written where they stay.
        terms = self._writer.array("terms.npy")
        indptr = indptr[: self._n_passages + 1]  # spare rows would count in the mean length
        df, in_passage = count_postings(terms, indptr, len(numbers))
        spans, n = spans_of(df), int(df.sum())
        weights = np.empty(n, np.float32)
        with self._writer.new_array("posting_passages.npy", np.int32, (n,)) as passages:
            fill_postings(
                terms,
                indptr,
                spans=spans,
                lengths=in_passage,
                passages=passages,
                weights=weights,
            )
        halves = weights.astype(np.float16)
        self._save(posting_spans=spans, posting_weights=halves, term_df=df)
        self._save(term_count=in_passage.sum(keepdims=True))

    def facts(self) -> None:
        """Turn phrases and arguments into entities, and triples into facts."""
        phrases, joins = self._kept_phrases(), self._joined_values()
        table = FactTable.of(self._stated())
        ends = table.facts[:, [0, 2]]
        passage, fact = table.sources[:, 0], table.sources[:, 1]
        sources = np.column_stack([passage.repeat(2), ends[fact].reshape(-1)])
        # All entities are known now: those with edges take the first numbers, here and in all
        # that is kept for the graph.
        order, self._n_linked = linked_first(
            (phrases[:, :2], sources, joins),
            len(self._entities),
            n_passages=self._n_passages,
            n_known=self._entities.n_known,
        )
        self._order = order
        self._phrases = _renumbered(phrases, order)
        self._sources, self._joins = _renumbered(sources, order), _renumbered(joins, order)
        self._ends = order[ends]
        columns = [order[table.facts[:, 0]], table.facts[:, 1], order[table.facts[:, 2]]]
        self._save(
            facts=np.column_stack(columns).astype(np.int32),
            fact_df=np.bincount(fact, minlength=len(table.facts)).astype(np.int32),
            fact_spans=spans_of(np.bincount(passage, minlength=self._n_rows)),
            passage_facts=table.sources[:, 1:],
        )

    def _stated(self) -> NDArray[np.int32]:
        """Return triples as numbers of entities, predicates, passages; write predicates."""
        predicates = StringInterner()
        written: list[Any] = []  # Arrow has no types
        hashes = [np.zeros(0, np.uint64)]
        stated = [np.zeros((0, TRIPLE_WIDTH), np.int32)]
        for columns, first_row in self._chunks():
            # The chunk's arguments become entities, and its passages rows of the index.
            numbers = self._entities.add(
                columns.strings("argument"),
                columns.strings("argument_display"),
                *_hashed(columns, "argument"),
            )
            triples = columns.numbers("triples", np.int32, width=TRIPLE_WIDTH)
            self.n_triples += len(triples)
            rows = np.column_stack(
                [
                    numbers[triples[:, 0]],
                    triples[:, 1],
                    numbers[triples[:, 2]],
                    triples[:, 3] + np.int32(first_row),
                    triples[:, 4],
                ]
            )
            rows = rows[rows[:, 0] != rows[:, 2]]  # what a thing says of itself is no fact
            # The predicates that are left are numbered as they are first met.
            used, first, places = np.unique(rows[:, 1], return_index=True, return_inverse=True)
            by_place = np.argsort(first)
            of_columns, checks = _hashed(columns, "predicate")
            in_use = used[by_place]
            of_chunk, new = predicates.add(of_columns[in_use], checks[in_use])
            hashes.append(of_columns[in_use[new]])
            written.append(columns.strings("predicate").take(in_use[new]))
            in_order = np.empty(len(used), np.int32)
            in_order[by_place] = of_chunk
            rows[:, 1] = in_order[places]
            stated.append(rows)
        every = joined_strings(written)
        self._save_names("predicates.arrow", every)
        table = KeyTable.from_hashes(np.concatenate(hashes), np.arange(len(every)))
        self._save(predicate_hashes=table.hashes, predicate_values=table.values)
        return np.concatenate(stated)

    def mentions(self) -> None:
        """Write which passages name whom: by title, and in the text of others."""
        # By title: the passages of each name, and the names of each passage.
        names = self._entities
        owners, n_known = names.owners, names.n_known
        self._save(
            title_entities=title_entities_of(owners, self._n_rows),
            **owner_arrays(owners, len(names)),
        )
        # In texts: for the graph what names or links, for the features where others are named.
        named, linked, formed = ([np.zeros((0, 2), np.int32)] for _ in range(3))
        others: list[NDArray[np.int32]] = [np.zeros((0, MENTION_WIDTH), np.int32)]
        targets: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        for columns, first_row in self._chunks():
            targets += link_targets(columns, first_row)
            mentions = columns.numbers("mentions", np.int32, width=MENTION_WIDTH).copy()
            mentions[:, 0] += np.int32(first_row)
            links = self._documents.links(columns)
            links[:, 0] += np.int32(first_row)
            forms = columns.numbers("form_pairs", np.int32, width=2)
            formed.append(forms + np.array([first_row, 0], np.int32))
            named.append(mentions[:, :2])
            linked.append(links[:, :2])
            # A link is a mention of what it leads to, where the text does not have the name.
            is_named = np.isin(_codes(links, n_known), _codes(mentions, n_known))
            both = np.concatenate([mentions, links[~is_named]])
            last_row = first_row + len(columns.numbers("lengths", np.int32))
            own = owners[slice(*np.searchsorted(owners[:, 0], (first_row, last_row)))]
            is_own = np.isin(_codes(both, n_known), _codes(own, n_known))
            others.append(both[~is_own])
        self._mentions, self._links = np.concatenate(named), np.concatenate(linked)
        self._forms = np.concatenate(formed)
        kept = np.concatenate(others)
        hashes, rows = _joined_pairs(targets)
        by_row = np.argsort(rows, kind="stable")  # else the bytes would tell where chunks end
        self._save(target_hashes=hashes[by_row], target_rows=rows[by_row])
        self._save(**mention_arrays(kept, self._n_rows))

    def graph(self) -> None:
        """Write the graph, and the names of its entities."""
        order, n_linked = self._order, self._n_linked
        by_number = np.argsort(order, kind="stable")
        standing = np.full(len(order), OUTSIDE, np.uint8)
        standing[:n_linked] = PHRASE
        standing[: self._entities.n_known] = KNOWN
        # The graph: all that was kept for it goes as soon as it is used.
        keys = self._entities.keys().take(by_number[:n_linked])
        parts = GraphParts(
            n_passages=self._n_rows,
            n_counted=self._n_passages,
            standing=standing,
            keys=_strings(keys),
            owners=self._entities.owners,
            documents=_padded(self._documents.numbers, self._n_rows, -1),
            mentions=self._mentions,
            forms=self._forms,
            links=self._links,
            neighbours=self._documents.neighbours(),
            sequences=self._sequences(),
            phrases=self._phrases,
            sources=self._sources,
            joins=self._joins,
            facts=self._ends,
        )
        self._phrases = np.zeros((0, 3), np.int32)
        self._mentions = self._links = self._forms = np.zeros((0, 2), np.int32)
        self._sources = self._ends = np.zeros((0, 2), np.int32)
        blocks = blocks_of(islice(parts.keys, n_linked), len(order))
        made = graph_arrays(parts, blocks, type_weights(self._recipe.query.weights))
        del parts, keys
        self._save(**made)
        del made
        heads = np.zeros(self._n_rows, np.uint64)
        heads[self._entities.head_rows] = self._entities.head_hashes
        self._save(entity_blocks=blocks, head_hashes=heads)
        self._save(tail_hashes=self._entities.tail_hashes, tail_rows=self._entities.tail_rows)
        # Names to numbers. Known names, which alone have aliases, stay where they are.
        hashes = self._entities.hashes()[by_number]
        aliases = self._entities.aliases
        of_aliases = key_hashes(list(aliases))
        rest = ~np.isin(hashes, of_aliases)
        table = KeyTable.from_hashes(
            np.concatenate([hashes[rest], of_aliases]),
            np.concatenate([np.flatnonzero(rest), np.array(list(aliases.values()), np.int64)]),
        )
        names = Columns(self._work.names())
        affixes = names.numbers("affixes", np.uint8)
        self._save(name_hashes=table.hashes, name_values=table.values, name_affixes=affixes)
        forms = Columns(self._work.forms())
        self._save(
            form_hashes=forms.numbers("hashes", np.uint64),
            form_names=forms.numbers("names", np.int32),
        )
        rules = names.numbers("rules", np.uint8)
        self._save(
            gazetteer_hashes=names.numbers("hashes", np.uint64),
            gazetteer_numbers=names.numbers("numbers", np.int32),
            gazetteer_rules=_padded(rules, len(order), CaseRule.NEVER),
        )
        self._save_names("entities.arrow", self._entities.displays().take(by_number))

    def _sequences(self) -> Pairs:
        """Return passages that follow each other in series, the lower row first."""
        terms, indptr, titles = (
            self._writer.array(array_file(name))
            for name in ("terms", "term_indptr", "title_lengths")
        )

        def terms_of(row: int) -> set[int]:
            start, stop = indptr[row : row + 2].tolist()
            return text_terms(terms, start + int(titles[row]), stop)

        return self._documents.sequences(terms_of)

    def passages(self) -> None:
        """Write the passages themselves, without their texts."""
        store = self._work.passages
        tables = [store.table(number) for number in range(store.n_chunks)]
        whole = joined(tables).drop_columns(["text"])
        self._writer.save_table("passages.arrow", whole)
        keys = keys_of(whole.column("pid").to_pylist())
        self._save(passage_keys=_padded(keys, self._n_rows, 0))

    def _kept_phrases(self) -> Pairs:
        """Return (passage, entity, ``EdgeType``) of the phrases that are entities."""
        # Passages that hold each phrase are counted over all chunks.
        numbers = StringInterner()
        frequency = np.zeros(1024, np.int64)
        for columns, _ in self._chunks():
            of_chunk, _ = numbers.add(*_hashed(columns, "phrase"))
            if len(numbers) > len(frequency):
                frequency = np.append(frequency, np.zeros(len(numbers), np.int64))
            pairs = columns.numbers("phrase_pairs", np.int32, width=2)
            frequency[of_chunk] += np.bincount(pairs[:, 1], minlength=len(of_chunk))
        kept = is_phrase(frequency, self._n_passages)
        # A second pass makes entities of those that are kept.
        every = [np.zeros((0, 3), np.int32)]
        held: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        runs: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        for columns, first_row in self._chunks():
            of_runs = columns.numbers("run_rows", np.int32) + np.int32(first_row)
            runs.append((columns.numbers("run_hashes", np.uint64), of_runs))
            hashes, checks = _hashed(columns, "phrase")
            every_number = numbers.numbers(hashes)
            places = np.flatnonzero(kept[every_number])
            entity = np.full(len(hashes), -1, np.int32)
            keys = columns.strings("phrase").take(places)
            shown = pc.replace_substring(keys, STEM_MARK, "")  # pyright: ignore[reportAttributeAccessIssue]
            entity[places] = self._entities.add(keys, shown, hashes[places], checks[places])
            kinds = np.zeros(len(hashes), np.int32)
            counts = frequency[every_number[places]].tolist()
            kinds[places] = list(map(phrase_type, keys.to_pylist(), counts))
            pairs = columns.numbers("phrase_pairs", np.int32, width=2)
            rows = pairs[:, 0] + np.int32(first_row)
            held.append((hashes[pairs[:, 1]], rows))
            pairs = np.column_stack([rows, entity[pairs[:, 1]], kinds[pairs[:, 1]]])
            every.append(pairs[pairs[:, 1] >= 0])
        hashes_of_rows, rows_of = _joined_pairs(held)
        self._save(phrase_hashes=hashes_of_rows, phrase_rows=rows_of)
        hashes_of_rows, rows_of = _joined_pairs(runs)
        self._save(run_hashes=hashes_of_rows, run_rows=rows_of)
        return np.concatenate(every)

    def _joined_values(self) -> Pairs:
        """Return (passage, entity) of what passages have in the fields that join them."""
        store, pairs, first_row = self._work.passages, [np.zeros((0, 2), np.int32)], 0
        for number in range(store.n_chunks if self._recipe.corpus.join else 0):
            table = store.table(number)
            values = [kept_values(table, name) for name in self._recipe.corpus.join]
            rows = map(joined_keys, zip(*values, strict=True))
            of_keys = [(row, key) for row, keys in enumerate(rows, first_row) for key in keys]
            keys = [key for _, key in of_keys]
            entities = self._entities.add(keys, keys, *hashed(keys))
            rows_of = np.array([row for row, _ in of_keys], np.int32)
            pairs.append(np.column_stack([rows_of, entities]).astype(np.int32))
            first_row += len(table)
        return np.concatenate(pairs)

    def _chunks(self) -> Iterator[_Chunk]:
        first_row = 0
        for number in range(self._work.passages.n_chunks):
            columns = Columns(self._work.found(number))
            yield _Chunk(columns, first_row)
            first_row += len(columns.numbers("lengths", np.int32))

    def _column(self, name: str) -> NDArray[np.int32]:
        """Return a column that has an entry for each passage."""
        parts = [columns.numbers(name, np.int32) for columns, _ in self._chunks()]
        return np.concatenate([np.zeros(0, np.int32), *parts])

    def _save(self, **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            self._writer.save_array(array_file(name), array)

    def _save_names(self, name: str, names: Any) -> None:  # noqa: ANN401
        self._writer.save_table(name, pa.table({"name": names}))


def _hashed(columns: Columns, name: str) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    return columns.numbers(f"{name}_hash", np.uint64), columns.numbers(f"{name}_check", np.uint32)


def _renumbered(pairs: Pairs, order: NDArray[np.int32]) -> Pairs:
    return np.column_stack([pairs[:, 0], order[pairs[:, 1]], *pairs[:, 2:].T])


def _codes(rows: NDArray[np.int32], n_known: int) -> NDArray[np.int64]:
    """Return one number for passage and name."""
    return rows[:, 0].astype(np.int64) * n_known + rows[:, 1]


def _joined_pairs(
    parts: list[tuple[NDArray[np.uint64], NDArray[np.int32]]],
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    hashes = [np.zeros(0, np.uint64), *(hashes for hashes, _ in parts)]
    return np.concatenate(hashes), np.concatenate([np.zeros(0, np.int32), *(r for _, r in parts)])


def _padded(values: NDArray[Any], n: int, spare: int) -> NDArray[Any]:
    """Pad values of passages for the spare rows."""
    return np.append(values, np.full(n - len(values), spare, values.dtype))


def _indptr(lengths: NDArray[np.signedinteger]) -> NDArray[np.int64]:
    indptr = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def _strings(array: Any) -> Iterator[str]:  # noqa: ANN401  (Arrow has no types)
    for start in range(0, len(array), _STRINGS_AT_ONCE):
        yield from array.slice(start, _STRINGS_AT_ONCE).to_pylist()
