"""An index in memory that takes segments: equal to a build, under other numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, N_TYPES, EdgeType
from hippohover.lexical import rough_mean
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.mentions import case_rule
from hippohover.names.normal_forms import entity_key
from hippohover.store.segments.growing import Growing, GrowingRows
from hippohover.store.tables import IndexArrays, IndexTables

Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_OF_ENTITIES: Final = (
    "entity_df",
    "entity_standing",
    "entity_blocks",
    "owner_spans",
    "graph_spans",
    "graph_degrees",
    "gazetteer_rules",
)
_KEY_TABLES: Final = ("name", "term", "predicate")
_NEVER_CHANGED: Final = ("name_affixes", "text_dictionary", "fact_vectors")


class Revision:
    """Tables of an index that change in memory; the files that they map do not.

    Parameters
    ----------
    tables : IndexTables
    scale : ndarray of float32
        ``type_scale`` of the edge weights that the index keeps its degrees for.

    Attributes
    ----------
    base : IndexArrays
        As they were when nothing had changed.
    n_rows, n_used : int
        Rows that there are, and those that a passage has or had.
    mean : float
        ``rough_mean`` of the passages' lengths.
    graph, owners, mentions, stated, postings : GrowingRows
        Rows of the arrays of these names.
    """

    def __init__(self, tables: IndexTables, scale: NDArray[np.float32]) -> None:
        arrays = tables.arrays
        self.scale = scale
        self.n_rows, self.n_used = arrays.n_rows, tables.passages.num_rows
        self.mean = rough_mean(int(arrays.term_count[0]) / max(arrays.n_passages, 1))
        self.base = arrays
        self._key_tables = {
            name: (getattr(arrays, f"{name}_hashes"), getattr(arrays, f"{name}_values"))
            for name in _KEY_TABLES
        }
        self._new_keys: dict[str, dict[int, int]] = {name: {} for name in _KEY_TABLES}
        of_tables = {f"{name}_{part}" for name in _KEY_TABLES for part in ("hashes", "values")}
        self.grown = {
            field.name: Growing(getattr(arrays, field.name))
            for field in fields(IndexArrays)
            if field.name not in {*of_tables, *_NEVER_CHANGED}
        }
        self.graph = self._rows("graph", "graph_neighbours", "graph_weights", "graph_types")
        self.owners = self._rows("owner", "owner_passages")
        self.mentions = self._rows("mention", "mentions")
        self.stated = self._rows("fact", "passage_facts")
        self.postings = self._rows("posting", "posting_passages", "posting_weights")
        keys = arrays.passage_keys[: self.n_used]
        self._by_key = np.argsort(keys)  # a base that was made of segments has them as they came
        self._first_keys = keys[self._by_key]
        self._new_rows: dict[int, int] = {}
        self._names_of_texts: Gazetteer | None = None
        self._names_moved: dict[str, int] = {}
        self._passages = [tables.passages]
        self._names = tables.entities.column("name")
        self._new_names: list[str] = []
        self._written: dict[int, str] = {}
        self._predicates = [*tables.predicates.column("name").chunks]
        self._ends_moved = np.zeros(N_TYPES, np.int64)

    def _rows(self, name: str, *columns: str) -> GrowingRows:
        return GrowingRows(self.grown[f"{name}_spans"], *(self.grown[one] for one in columns))

    def view(self, name: str) -> NDArray[Any]:
        """Return an array of ``IndexArrays`` as it is now, to be changed in place."""
        return self.grown[name].view

    @property
    def n_passages(self) -> int:
        return int(np.count_nonzero(self.view("documents") >= 0))

    @property
    def n_predicates(self) -> int:
        return sum(map(len, self._predicates))

    def tables(self, *, whole: bool = True, named: bool = True) -> IndexTables:
        """Return the tables as they are now; later changes may show in them.

        Without ``whole`` they have not what ``numbers`` and ``written`` say of names and terms;
        without ``named``, not how names are written that came, or are written otherwise.
        """
        views: dict[str, Any] = {name: growing.view for name, growing in self.grown.items()}
        for name in ("name", "term") if whole else ():  # none asks for predicates by what they say
            views[f"{name}_hashes"], views[f"{name}_values"] = self.key_table(name)
        return IndexTables(
            arrays=replace(self.base, **views),
            passages=pa.concat_tables(self._passages, promote_options="default"),
            entities=pa.table({"name": self.names_now() if whole and named else self._names}),
            predicates=pa.table({"name": pa.chunked_array(self._predicates, pa.large_string())}),
        )

    def names_now(self) -> Any:  # noqa: ANN401  (Arrow has no types)
        """Return the spelling of each entity."""
        if self._new_names:
            chunks = [*self._names.chunks, pa.array(self._new_names, pa.large_string())]
            self._names, self._new_names = pa.chunked_array(chunks), []
        if self._written:
            import pyarrow.compute as arrow  # costs each query that opens an index

            whole = self._names.combine_chunks()
            mask = np.zeros(len(whole), np.bool_)
            mask[list(self._written)] = True
            new = pa.array([self._written[at] for at in sorted(self._written)], whole.type)
            changed = arrow.call_function("replace_with_mask", [whole, pa.array(mask), new])
            self._names, self._written = pa.chunked_array([changed]), {}
        return self._names

    def written_beyond(self, may_be: Callable[[Any], Any]) -> Iterator[tuple[int, str]]:
        """Yield entities with a given spelling, by a vectorized guess, and new ones."""
        first, texts = 0, self._names
        for chunk in texts.chunks:
            for at in np.flatnonzero(may_be(chunk).to_numpy(zero_copy_only=False)).tolist():
                if first + at not in self._written:
                    yield first + at, chunk[at].as_py()
            first += len(chunk)
        yield from self._written.items()
        yield from enumerate(self._new_names, first)

    def written(self, entity: int) -> str:
        """Return the spelling of an entity."""
        if entity in self._written:
            return self._written[entity]
        n = len(self._names)
        return self._names[entity].as_py() if entity < n else self._new_names[entity - n]

    # --- what things are called -> their numbers

    def rows_of(self, keys: Iterable[int]) -> Rows:
        """Return rows of passages, by their ids as numbers; -1 for missing ones."""
        wanted = np.array(list(keys), np.uint64)
        if not len(wanted):
            return np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(self._first_keys, wanted), len(self._first_keys) - 1)
        rows = np.where(self._first_keys[at] == wanted, self._by_key[at], -1).astype(np.int64)
        for place, key in enumerate(wanted.tolist()):
            if key in self._new_rows:
                rows[place] = self._new_rows[key]
        rows[self.view("documents")[rows] < 0] = -1
        return rows

    def numbers(self, table: str, hashes: Hashes) -> Rows:
        """Return numbers of names, terms or predicates; -1 for missing ones."""
        known, values = self._key_tables[table]
        numbers = np.full(len(hashes), -1, np.int64)
        if len(known):
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            numbers[:] = np.where(known[at] == hashes, values[at], -1)
        new = self._new_keys[table]
        for place in np.flatnonzero(numbers < 0).tolist() if new else ():
            numbers[place] = new.get(int(hashes[place]), -1)
        return numbers

    def key_table(self, table: str) -> tuple[Hashes, NDArray[np.int32]]:
        """Return hashes of names, terms or predicates, ascending, and their numbers."""
        known, values = self._key_tables[table]
        if not self._new_keys[table]:
            return known, values
        new = sorted(self._new_keys[table].items())
        hashes = np.array([value for value, _ in new], np.uint64)
        at = np.searchsorted(known, hashes)
        numbers = np.array([number for _, number in new], np.int32)
        return np.insert(known, at, hashes), np.insert(values, at, numbers)

    def hashes_of(self, entities: Iterable[int]) -> dict[int, int]:
        """Return hashes of the keys of some entities, by their numbers."""
        hashes, values = self._key_tables["name"]
        wanted = np.zeros(self.grown["entity_df"].n, np.bool_)
        wanted[list(entities)] = True
        at = np.flatnonzero(wanted[values])
        new = {number: value for value, number in self._new_keys["name"].items() if wanted[number]}
        return new | dict(zip(values[at].tolist(), hashes[at].tolist(), strict=True))

    def entity_numbers(self, hashes: Hashes, written: Mapping[int, str]) -> Rows:
        """Return numbers of entities; new ones get one."""

        def first_of(new: list[int]) -> int:
            self._new_names += [written.get(value, "") for value in new]
            return self.extended(_OF_ENTITIES, len(new))

        return self._numbered("name", hashes, first_of)

    def term_numbers(self, hashes: Hashes) -> Rows:
        """Return numbers of terms; new ones get one."""
        of_terms = ("term_df", "posting_spans")
        return self._numbered("term", hashes, lambda new: self.extended(of_terms, len(new)))

    def predicate_numbers(self, hashes: Hashes, written: Mapping[int, str]) -> Rows:
        """Return numbers of predicates; new ones get one."""

        def first_of(new: list[int]) -> int:
            first, texts = self.n_predicates, [written[value] for value in new]
            self._predicates.append(pa.array(texts, pa.large_string()))
            return first

        return self._numbered("predicate", hashes, first_of)

    def _numbered(self, table: str, hashes: Hashes, first_of: Callable[[list[int]], int]) -> Rows:
        """Return numbers; ``first_of`` makes room for new hashes, and gives the first its own."""
        distinct = np.unique(hashes)
        new = distinct[self.numbers(table, distinct) < 0].tolist()
        if new:
            first = first_of(new)
            self._new_keys[table].update(zip(new, range(first, first + len(new)), strict=True))
        return self.numbers(table, hashes)

    def gazetteer(self) -> Gazetteer:
        """Return names to be found in texts, as ``name`` has them."""
        if self._names_of_texts is None:
            parts = (self.view(f"gazetteer_{name}") for name in ("hashes", "numbers", "rules"))
            self._names_of_texts = Gazetteer.of(*parts)
        self._names_of_texts.become(self._names_moved)
        self._names_of_texts.follow(self.view("gazetteer_rules"))
        self._names_moved = {}
        return self._names_of_texts

    def name(self, entity: int, written: str) -> None:
        """Make an entity a known name from now on."""
        self.view("gazetteer_rules")[entity] = case_rule(written)
        self._names_moved[entity_key(written)] = entity

    def unname(self, entity: int) -> None:
        """Make an entity no known name."""
        self._names_moved[entity_key(self.written(entity))] = -1

    def extended(self, names: Sequence[str], n: int) -> int:
        """Extend some arrays by zeros; return the number of the first new place."""
        first = self.grown[names[0]].n
        for name in names:
            growing = self.grown[name]
            start = growing.extend(n)
            growing.view[start:] = 0
        return first

    # --- what comes

    def add_rows(self, passages: Any) -> Rows:  # noqa: ANN401  (Arrow has no types)
        """Return rows for new passages, a table of ``IndexTables.passages``."""
        keys = [int(pid, 16) for pid in passages.column("pid").to_pylist()]
        rows = np.arange(self.n_used, self.n_used + len(keys))
        self.n_used += len(keys)
        self._new_rows.update(zip(keys, rows.tolist(), strict=True))
        self.view("passage_keys")[rows] = np.array(keys, np.uint64)
        self._passages.append(passages)
        return rows

    def count_edges(self, kinds: NDArray[Any], weights: NDArray[np.float16], change: int) -> None:
        """Count ends of edges that come (1) or go (-1); those without weight count for nothing."""
        self._ends_moved += change * np.bincount(kinds[weights > 0], minlength=N_TYPES)

    def edges_moved(self) -> dict[str, int]:
        """Return how many more edges of each type have weight than in the base."""
        return {kind.name.lower(): int(self._ends_moved[kind]) // 2 for kind in EdgeType}

    def parts_of(self, rows: Rows) -> NDArray[np.int32]:
        """Return which part of its document each of some passages is."""
        every = [table.column("part").to_numpy() for table in self._passages]
        return np.concatenate(every)[rows]

    def write_names(self, written: Mapping[int, str]) -> None:
        """Change spellings of entities, by hashes of their keys."""
        numbers = self.numbers("name", np.array(list(written), np.uint64))
        standing = self.view("entity_standing")
        for number, text in zip(numbers.tolist(), written.values(), strict=True):
            if number >= 0:
                self._written[number] = text
                if standing[number] == KNOWN:
                    self.name(number, text)
