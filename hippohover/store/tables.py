"""The list of an index's tables, which a build writes and an engine opens."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.errors import REBUILD, message, not_json
from hippohover.entity_graph import OUTSIDE, EntityGraph
from hippohover.errors import IndexDamagedError
from hippohover.lexical import LexicalIndex
from hippohover.metadata import OWN_NAMES, MetadataValue, name_of_field
from hippohover.names.key_table import KeysThere, KeyTable
from hippohover.records import PassageSection, Triple
from hippohover.spans import Spans, lengths_of
from hippohover.store.text_store import TextStore
from hippohover.vectors.unit_vectors import UnitVectors

if TYPE_CHECKING:
    import pyarrow

LEAST_WITH_SPARE: Final = 1000
SPARE_SHARE: Final = 16

_TEXTS_A_BATCH: Final = 8192
METADATA_PREFIX: Final = "metadata."
"""Stands before the names of the columns of ``Passage.metadata``."""
JSON_PREFIX: Final = "json."
"""Before those that say where such a value is a number or a truth value, written as JSON."""

Rows = TypeVar("Rows", bound=np.integer[Any])


class IndexFiles(Protocol):
    """The files of a version, or of one that is being written."""

    def array(self, name: str) -> NDArray[Any]:
        """Open an array of a ".npy" file, mapped read-only."""
        ...

    def table(self, name: str) -> Any:  # noqa: ANN401  (Arrow has no types)
        """Open a table of an ".arrow" file, over a memory map."""
        ...


TEXT_TABLES: Final = ("passages", "entities", "predicates")


@dataclass(frozen=True, kw_only=True)
class IndexArrays:
    """Every array of an index; ``array_file`` names the file of each.

    A row belongs to a passage, or is spare. An entity that is not a name, and that only one passage
    has, is outside: its edges weigh nothing. ``x_spans`` are the rows of the array after it
    (``hippohover.spans``), ``x_indptr`` rows that are in order, as in CSR. No answer depends on how
    rows, terms, entities and facts are numbered.

    Attributes
    ----------
    passage_keys : ndarray of uint64, shape (n_rows,)
        Ids of the passages as numbers: what orders passages of equal score.
    title_entities : ndarray of int32, shape (n_rows, len(TitleKind))
        Entity of each of a passage's own names, by ``TitleKind``; -1 where there is none.
    documents : ndarray of int32, shape (n_rows,)
        Number of the document that the passage is of; -1 of a row that holds no passage.
    owner_spans, owner_passages : ndarray, shapes (n_entities, 2), (n_owners,)
        Passages that go by each name.
    entity_standing : ndarray of uint8, shape (n_entities,)
        ``OUTSIDE``, ``PHRASE`` or ``KNOWN`` of ``entity_graph``.
    entity_df : ndarray of int32, shape (n_entities,)
        Number of passages that name the entity.
    mention_spans : ndarray of int64, shape (n_rows, 2)
    mentions : ndarray of int32, shape (n_mentions, 3)
        Entity, first token, token after the last; tokens count from the title's first. A
        passage's own names are left out.
    graph_spans, graph_neighbours, graph_weights, graph_types
        See ``EntityGraph``.
    graph_degrees : ndarray of float64, shape (n_nodes,)
        ``EntityGraph.degrees`` with the edge weights of the recipe.
    name_hashes, name_values, term_hashes, term_values, predicate_hashes, predicate_values
        ``KeyTable`` of entities' keys, of search terms, and of predicates.
    name_affixes, gazetteer_hashes, gazetteer_numbers, gazetteer_rules
        ``Affixes``, and ``Gazetteer`` of the known names; rules of all entities.
    posting_spans, posting_passages, posting_weights, term_df, term_indptr, terms, title_lengths
        See ``LexicalIndex``.
    facts : ndarray of int32, shape (n_facts, 3)
        Subject entity, predicate, object entity.
    fact_df : ndarray of int32, shape (n_facts,)
        Number of passages that state each.
    fact_spans : ndarray of int64, shape (n_rows, 2)
    passage_facts : ndarray of int32, shape (n_sources, 2)
        Fact and number of the sentence that states it.
    text_indptr, text_frames, text_dictionary
        See ``TextStore``.
    passage_codes, passage_scales
        See ``UnitVectors``; no row when the recipe asks for none.
    fact_vectors : ndarray of float16, shape (n, dim)
        Unit rows; no row when the recipe asks for none.
    term_count : ndarray of int64, shape (1,)
        Search terms of all passages together.
    entity_blocks : ndarray of uint64, shape (n_entities, 3)
        ``spelling_blocks`` of those that are not outside; 0 for none.
    head_hashes : ndarray of uint64, shape (n_rows,)
        Key of the head of each passage's title; 0 for none.
    tail_hashes, tail_rows, phrase_hashes, ..., run_hashes, run_rows : ndarray, shape (n,)
        Keys of each passage's tails, phrases, link targets and ids, and ``run_hashes`` of it;
        ``form_hashes``, ``form_names``: ``FormColumns`` of the known names.
    """

    passage_keys: NDArray[np.uint64]
    title_entities: NDArray[np.int32]
    documents: NDArray[np.int32]
    owner_spans: Spans
    owner_passages: NDArray[np.int32]
    entity_standing: NDArray[np.uint8]
    entity_df: NDArray[np.int32]
    mention_spans: Spans
    mentions: NDArray[np.int32]
    graph_spans: Spans
    graph_neighbours: NDArray[np.int32]
    graph_weights: NDArray[np.float16]
    graph_types: NDArray[np.uint8]
    graph_degrees: NDArray[np.float64]
    name_hashes: NDArray[np.uint64]
    name_values: NDArray[np.int32]
    predicate_hashes: NDArray[np.uint64]
    predicate_values: NDArray[np.int32]
    name_affixes: NDArray[np.uint8]
    gazetteer_hashes: NDArray[np.uint64]
    gazetteer_numbers: NDArray[np.int32]
    gazetteer_rules: NDArray[np.uint8]
    term_hashes: NDArray[np.uint64]
    term_values: NDArray[np.int32]
    posting_spans: Spans
    posting_passages: NDArray[np.int32]
    posting_weights: NDArray[np.float16]
    term_df: NDArray[np.int32]
    term_indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    title_lengths: NDArray[np.int32]
    facts: NDArray[np.int32]
    fact_df: NDArray[np.int32]
    fact_spans: Spans
    passage_facts: NDArray[np.int32]
    text_indptr: NDArray[np.int64]
    text_frames: NDArray[np.uint8]
    text_dictionary: NDArray[np.uint8]
    passage_codes: NDArray[np.int8]
    passage_scales: NDArray[np.float32]
    fact_vectors: NDArray[np.float16]
    term_count: NDArray[np.int64]
    entity_blocks: NDArray[np.uint64]
    head_hashes: NDArray[np.uint64]
    tail_hashes: NDArray[np.uint64]
    tail_rows: NDArray[np.int32]
    form_hashes: NDArray[np.uint64]
    form_names: NDArray[np.int32]
    run_hashes: NDArray[np.uint64]
    run_rows: NDArray[np.int32]
    phrase_hashes: NDArray[np.uint64]
    phrase_rows: NDArray[np.int32]
    target_hashes: NDArray[np.uint64]
    target_rows: NDArray[np.int32]

    @property
    def n_rows(self) -> int:
        """Rows of passages and spare ones; the first entity is the node of this number."""
        return len(self.title_entities)

    @cached_property
    def n_passages(self) -> int:
        return int(np.count_nonzero(self.documents >= 0))

    @property
    def n_counted(self) -> int:
        """Passages out of which counts are taken, as in the rarity of a name or a term."""
        return self.n_passages

    @cached_property
    def n_mentions(self) -> int:
        return int(lengths_of(self.mention_spans).sum())

    @cached_property
    def n_documents(self) -> int:
        there = self.documents[self.documents >= 0]
        return int(np.count_nonzero(np.bincount(there)))  # np.unique takes a second

    def are_linked(self, entities: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each entity is in the graph, and not outside."""
        return self.entity_standing[entities] != OUTSIDE

    def by_key(self, rows: NDArray[Rows]) -> NDArray[Rows]:
        """Sort some rows by the passages' ids, which do not depend on their numbers."""
        return rows[np.argsort(self.passage_keys[rows], kind="stable")]

    @property
    def passage_vectors(self) -> UnitVectors:
        """Vectors of the passages, rows of length 1 or 0."""
        return UnitVectors(self.passage_codes, self.passage_scales)

    @property
    def graph(self) -> EntityGraph:
        return EntityGraph(
            n_passages=self.n_rows,
            n_entities=len(self.entity_df),
            spans=self.graph_spans,
            neighbours=self.graph_neighbours,
            weights=self.graph_weights,
            types=self.graph_types,
        )

    @property
    def names(self) -> KeysThere:
        """Numbers of the entities that are not outside."""
        return KeysThere(KeyTable(self.name_hashes, self.name_values), self.entity_standing)

    @cached_property
    def lexical(self) -> LexicalIndex:
        return LexicalIndex(
            vocabulary=KeyTable(self.term_hashes, self.term_values),
            spans=self.posting_spans,
            df=self.term_df,
            passages=self.posting_passages,
            weights=self.posting_weights,
            term_indptr=self.term_indptr,
            terms=self.terms,
            title_lengths=self.title_lengths,
            keys=self.passage_keys,
            n_passages=self.n_counted,
        )


def spare_rows(n_passages: int) -> int:
    """Return how many rows an index keeps for new passages; none if it is small."""
    return n_passages // SPARE_SHARE if n_passages >= LEAST_WITH_SPARE else 0


def array_file(name: str) -> str:
    """Return the file of an array."""
    return f"{name}.npy"


def fact_texts(stored: IndexFiles) -> Iterator[str]:
    """Yield ``IndexTables.fact_texts`` of an index whose vectors are not made yet."""
    tables = stored.table("entities.arrow"), stored.table("predicates.arrow")
    return _fact_texts(stored.array("facts.npy"), *tables, None)


def _fact_texts(
    facts: NDArray[np.int32],
    entities: Any,  # noqa: ANN401  (Arrow has no types)
    predicates: Any,  # noqa: ANN401
    rows: NDArray[np.int64] | None,
) -> Iterator[str]:
    names, relations = entities.column("name"), predicates.column("name")
    n = len(facts) if rows is None else len(rows)
    for first in range(0, n, _TEXTS_A_BATCH):
        part = slice(first, first + _TEXTS_A_BATCH)
        some = facts[part] if rows is None else facts[rows[part]]
        words = names.take(some[:, 0]), relations.take(some[:, 1]), names.take(some[:, 2])
        for fact in zip(*(column.to_pylist() for column in words), strict=True):
            yield " ".join(fact)


def kept_value(text: str, *, is_json: bool) -> MetadataValue:
    """Return the value of a field as its record had it, from its stored form.

    Raises
    ------
    IndexDamagedError
        That is no JSON, and should be.
    """
    try:
        return json.loads(text) if is_json else text
    except (ValueError, RecursionError) as error:
        raise IndexDamagedError(
            message("a field of a passage", not_json(error), REBUILD)
        ) from error


def passage_text(title: str, heading: str, text: str) -> str:
    """Return a passage as an encoder reads it."""
    return ". ".join(filter(None, (title, heading, text)))


@dataclass(frozen=True, kw_only=True)
class IndexTables:
    """The arrays and text columns of an index.

    Attributes
    ----------
    arrays : IndexArrays
    passages : pyarrow.Table
        pid, title, document, heading (large_string); part (int32), start (int64); links, aliases
        (lists of large_string); metadata.NAME (large_string) for each field that the recipe keeps.
        Where some passage has a value, and null in those that have none: path, anchor
        (large_string); page (int32); sections (lists of heading, anchor and n_tokens); json.NAME
        (bool).
    entities : pyarrow.Table
        name: how each entity is written where it was first met.
    predicates : pyarrow.Table
        name.
    """

    arrays: IndexArrays
    passages: "pyarrow.Table"  # pyright: ignore[reportUnknownParameterType]
    entities: "pyarrow.Table"  # pyright: ignore[reportUnknownParameterType]
    predicates: "pyarrow.Table"  # pyright: ignore[reportUnknownParameterType]

    @cached_property
    def living(self) -> "pyarrow.Table":  # pyright: ignore[reportUnknownParameterType]
        """The table of the passages without those that are gone."""
        import pyarrow

        there = self.is_there
        return self.passages if there.all() else self.passages.filter(pyarrow.array(there))

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """Whether each passage of ``passages`` exists, or is gone."""
        return self.arrays.documents[: self.passages.num_rows] >= 0

    @property
    def kept_fields(self) -> list[str]:
        """Fields of the corpus that the recipe keeps."""
        names: list[str] = self.passages.column_names
        kept = (name for name in names if name.startswith(METADATA_PREFIX))
        return [name.removeprefix(METADATA_PREFIX) for name in kept]

    @property
    def conditions_on(self) -> list[str]:
        """Fields that a condition may name: title, pid, our own, and those that are kept."""
        own = [name for name in self._own_metadata if name not in self.kept_fields]
        return ["title", "pid", *own, *self.kept_fields]

    def condition_column(self, field: str) -> Any:  # noqa: ANN401  (Arrow has no types)
        """Return the texts of one of ``conditions_on``; null where a passage has none."""
        if field in self.kept_fields:
            return self.passages.column(f"{METADATA_PREFIX}{field}")
        own = self._own_metadata.get(field)
        return self.passages.column(field) if own is None else own.cast("large_string")

    def metadata_of(self, row: int) -> dict[str, MetadataValue]:
        """Return a passage's metadata, as in ``RankedPassage.metadata``."""
        own = {name: column[row].as_py() for name, column in self._own_metadata.items()}
        told = {name: value for name, value in own.items() if value}
        for name, column, is_json in self._kept_metadata:
            value = column[row].as_py()
            if value is not None:
                told[name] = kept_value(value, is_json=is_json is not None and is_json[row].as_py())
        return told

    @cached_property
    def has_headings(self) -> bool:
        """Whether some passage begins under a heading."""
        # By the bounds of the texts: to have Arrow measure them costs the first query an import.
        chunks: list[Any] = self.passages.column("heading").chunks
        for chunk in filter(len, chunks):
            bounds = np.frombuffer(chunk.buffers()[1], np.int64)[chunk.offset :]
            if bounds[len(chunk)] > bounds[0]:
                return True
        return False

    @property
    def has_sections(self) -> bool:
        """Whether sections begin within some passages."""
        return self._sections is not None

    def sections_of(self, row: int) -> tuple[PassageSection, ...]:
        """Return the sections that begin within a passage; see ``Passage.sections``."""
        column = self._sections
        own = None if column is None else column[row].as_py()
        return tuple(PassageSection(**section) for section in own or ())

    def sections_within(self, field: str) -> tuple[NDArray[np.int64], Any] | None:
        """Return each section that begins within a passage: its row, and heading or anchor.

        None where there are no such sections, or the field is another one.
        """
        import pyarrow
        import pyarrow.compute as arrow

        if self._sections is None or field not in ("heading", "anchor"):
            return None
        column = self._sections.combine_chunks()
        rows = arrow.call_function("list_parent_indices", [column]).to_numpy()
        sections = arrow.call_function("list_flatten", [column])
        return rows, pyarrow.chunked_array([sections.field(field)])

    def rows_equal(self, column: str, value: str) -> NDArray[np.int64]:
        """Return rows of passages with that value in a text column, ascending, shape (n,)."""
        import pyarrow.compute as arrow

        # A lone surrogate is in no table, and Arrow would not take it.
        there = column in self.passages.column_names
        if not there or value.encode("utf-8", "ignore").decode() != value:
            return np.zeros(0, np.int64)
        equal = arrow.call_function("equal", [self.passages.column(column), value])
        return np.flatnonzero(equal.fill_null(False).to_numpy() & self.is_there)

    def passage_texts(self) -> Iterator[str]:
        """Yield passages as an encoder reads them: title, heading, text, joined by full stops."""
        texts = iter(self.texts)
        for batch in self.passages.select(["title", "heading"]).to_batches(_TEXTS_A_BATCH):
            for title, heading in zip(batch[0].to_pylist(), batch[1].to_pylist(), strict=True):
                yield passage_text(title, heading, next(texts))

    def fact_texts(self, rows: NDArray[np.int64] | None = None) -> Iterator[str]:
        """Yield facts as an encoder reads them: subject, predicate, object, joined by blanks.

        Parameters
        ----------
        rows : ndarray of int64, shape (n,), optional
            Rows of ``arrays.facts``; all of them when not given.
        """
        return _fact_texts(self.arrays.facts, self.entities, self.predicates, rows)

    def node_name(self, node: int) -> str:
        """Return the title of a passage node, or the name of an entity node."""
        n = self.arrays.n_rows
        return (self._titles[node] if node < n else self._names[node - n]).as_py()

    def part_of(self, node: int) -> int:
        """Return which passage of its document a node is, from 1; 1 for an entity node."""
        if node >= self.arrays.n_rows:
            return 1
        return int(self._parts[node].as_py()) + 1

    def triples(self, rows: NDArray[np.int64]) -> tuple[Triple, ...]:
        """Return facts in words, by their rows."""
        entities = self._names
        predicates = self.predicates.column("name")
        return tuple(
            Triple(entities[s].as_py(), predicates[p].as_py(), entities[o].as_py())
            for s, p, o in self.arrays.facts[rows].tolist()
        )

    @cached_property
    def texts(self) -> TextStore:
        """Texts of the passages, without their titles."""
        arrays = self.arrays
        return TextStore(
            indptr=arrays.text_indptr,
            frames=arrays.text_frames,
            dictionary=arrays.text_dictionary,
        )

    # Taking a column out of its table takes as long as reading a value.
    @cached_property
    def _own_metadata(self) -> dict[str, Any]:
        import pyarrow

        names = {name: "document" if name == "id" else name for name in OWN_NAMES}
        there = self.passages.column_names
        own = {own: self.passages.column(name) for own, name in names.items() if name in there}
        if "sections" in there and "anchor" not in own:  # those within passages alone have one
            nothing = pyarrow.nulls(self.passages.num_rows, pyarrow.large_string())
            own["anchor"] = pyarrow.chunked_array([nothing])
        return own

    @cached_property
    def _sections(self) -> Any:  # noqa: ANN401
        there = "sections" in self.passages.column_names
        return self.passages.column("sections") if there else None

    @cached_property
    def _kept_metadata(self) -> list[tuple[str, Any, Any]]:
        columns = {name: self.passages.column(name) for name in self.passages.column_names}
        return [
            (name_of_field(field), column, columns.get(f"{JSON_PREFIX}{field}"))
            for name, column in columns.items()
            if (field := name.removeprefix(METADATA_PREFIX)) != name
        ]

    @cached_property
    def _titles(self) -> Any:  # noqa: ANN401  (Arrow has no types)
        return self.passages.column("title")

    @cached_property
    def _parts(self) -> Any:  # noqa: ANN401
        return self.passages.column("part")

    @cached_property
    def _names(self) -> Any:  # noqa: ANN401
        return self.entities.column("name")

    @classmethod
    def open(cls, stored: IndexFiles) -> "IndexTables":
        """Open every table by memory map, of a version or of one that is being written."""
        # Plain views: every part that is taken out of a memory map would be one, at a price.
        arrays: dict[str, Any] = {
            array.name: np.asarray(stored.array(array_file(array.name)))
            for array in fields(IndexArrays)
        }
        texts: dict[str, Any] = {name: stored.table(f"{name}.arrow") for name in TEXT_TABLES}
        return cls(arrays=IndexArrays(**arrays), **texts)
