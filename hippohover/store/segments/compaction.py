"""An index with segments -> the files of one without any.

Removed rows take no room, and there are spare rows again. What stays keeps its order: rows,
entities, terms, facts and predicates get lower numbers, so no row of a graph and no list of
postings has to be sorted. Such an index answers like a built one, to the last bit of a score, but
has other bytes: a build also numbers things that it later drops, such as a fact from an entity to
itself, and packs all texts with a dictionary made of the first of them. Only a build gives those
bytes.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hippohover.disk import door
from hippohover.language.name_forms import sorted_columns
from hippohover.spans import Spans, blocks_of, lengths_of, places_in, spans_of
from hippohover.store.layout import REPEATS
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.revision import Revision
from hippohover.store.tables import TEXT_TABLES, IndexArrays, array_file, spare_rows
from hippohover.store.version_files import VersionFiles

Numbers = NDArray[np.int32]

_ENTRIES_AT_ONCE: Final = 1 << 20
_ROWS_AT_ONCE: Final = 1 << 16


def write_compacted(revision: Revision, files: VersionFiles) -> None:
    """Write every table of an index as it is now.

    Raises
    ------
    IndexStoreError
        The folder cannot be written to.
    """
    _Compaction(revision, files).run()


class _Kept:
    """What remains of numbered things, and its new numbers, or -1."""

    def __init__(self, stays: NDArray[np.bool_]) -> None:
        self.old = np.flatnonzero(stays)
        self.n = len(self.old)
        self.numbers = np.full(len(stays) + 1, -1, np.int32)  # the last is of -1
        self.numbers[self.old] = np.arange(self.n, dtype=np.int32)


class _Compaction:
    def __init__(self, revision: Revision, files: VersionFiles) -> None:
        self._r, self._files = revision, files
        view = revision.view
        facts, stated = view("facts"), view("fact_df") > 0
        self.rows = _Kept(view("documents") >= 0)
        self.n_rows = self.rows.n + spare_rows(self.rows.n)
        self.facts = _Kept(stated)
        self.terms = _Kept(view("term_df") > 0)
        shift = revision.n_rows
        named = (view("entity_standing") != 0) | (lengths_of(view("graph_spans")[shift:]) > 0)
        predicates = np.zeros(revision.n_predicates, np.bool_)
        for own in _blocks(len(facts)):
            of_stated = facts[own][stated[own]]
            named[of_stated[:, [0, 2]]] = predicates[of_stated[:, 1]] = True
        self.entities, self.predicates = _Kept(named), _Kept(predicates)

    def run(self) -> None:
        self._r.gazetteer()  # its arrays are what names moved to only then
        self._passages()
        self._entities()
        self._words()
        self._facts()
        self._graph()
        self._strings()

    def _passages(self) -> None:
        view, rows, n = self._r.view, self.rows, self.n_rows
        _, documents = np.unique(view("documents")[rows.old], return_inverse=True)
        title_entities = self.entities.numbers[view("title_entities")[rows.old]]
        self._save(
            passage_keys=_padded(view("passage_keys")[rows.old], n, 0),
            documents=_padded(documents.astype(np.int32), n, -1),
            title_entities=_padded(title_entities, n, -1),
            title_lengths=_padded(view("title_lengths")[rows.old], n, 0),
            head_hashes=_padded(view("head_hashes")[rows.old], n, 0),
        )
        for name in ("passage_codes", "passage_scales"):
            values = view(name)
            self._save(**{name: values[rows.old] if len(values) else values})
        for name in ("tail", "run", "phrase", "target"):
            of_rows, hashes = view(f"{name}_rows"), view(f"{name}_hashes")
            there = of_rows >= 0
            of_rows = rows.numbers[of_rows[there]]
            self._save(**{f"{name}_rows": of_rows, f"{name}_hashes": hashes[there]})

    def _entities(self) -> None:
        view, entities = self._r.view, self.entities
        for name in ("entity_standing", "entity_df", "entity_blocks", "gazetteer_rules"):
            self._save(**{name: view(name)[entities.old]})
        self._gather("owner_spans", entities.old, owner_passages=self.rows.numbers)
        self._keys("name", entities)
        there = np.flatnonzero(view("form_hashes"))
        names = entities.numbers[view("form_names")[there]]
        forms = sorted_columns(view("form_hashes")[there], names)
        self._save(form_hashes=forms.hashes, form_names=forms.names)
        numbers = view("gazetteer_numbers")
        is_name = (numbers >= 0) & (numbers < len(entities.numbers) - 1)
        numbers = np.where(is_name, entities.numbers[np.where(is_name, numbers, -1)], numbers)
        arrays = self._r.base
        self._save(
            gazetteer_hashes=view("gazetteer_hashes"),
            gazetteer_numbers=numbers,
            name_affixes=arrays.name_affixes,
            text_dictionary=arrays.text_dictionary,
            fact_vectors=arrays.fact_vectors,
            term_count=view("term_count"),
        )
        columns = {"mentions": entities.numbers}
        self._gather("mention_spans", self.rows.old, self.n_rows, **columns)

    def _words(self) -> None:
        view, rows = self._r.view, self.rows
        for name, indptr in (("terms", "term_indptr"), ("text_frames", "text_indptr")):
            bounds = view(indptr)
            spans = np.column_stack([bounds[:-1], bounds[1:]])[rows.old]
            numbers = self.terms.numbers if name == "terms" else None
            self._columns(spans, {name: numbers})
            lengths = np.zeros(self.n_rows + 1, np.int64)
            lengths[1 : rows.n + 1] = lengths_of(spans)
            self._save(**{indptr: np.cumsum(lengths)})
        df = view("term_df")[self.terms.old]
        spans = view("posting_spans")[self.terms.old]
        self._save(term_df=df, posting_spans=spans_of(df))
        there = {"posting_passages": rows.numbers, "posting_weights": None}
        self._columns(spans, there, n=int(df.sum()), of="posting_weights")
        self._keys("term", self.terms)

    def _facts(self) -> None:
        view, facts = self._r.view, self.facts
        with self._new("facts", (facts.n, 3)) as written:
            for own in _blocks(facts.n):
                old = view("facts")[facts.old[own]]
                written[own, 0] = self.entities.numbers[old[:, 0]]
                written[own, 1] = self.predicates.numbers[old[:, 1]]
                written[own, 2] = self.entities.numbers[old[:, 2]]
        self._save(fact_df=view("fact_df")[facts.old])
        self._gather("fact_spans", self.rows.old, self.n_rows, passage_facts=facts.numbers)
        self._keys("predicate", self.predicates)

    def _graph(self) -> None:
        view, shift = self._r.view, self._r.n_rows
        spans = np.zeros((self.n_rows + self.entities.n, 2), np.int64)
        degrees = np.zeros(len(spans))
        nodes = self.rows.numbers[:-1], self.entities.numbers[:-1] + np.int32(self.n_rows)
        of_entities = shift + self.entities.old
        for first, old in ((0, self.rows.old), (self.n_rows, of_entities)):
            own = slice(first, first + len(old))
            spans[own], degrees[own] = view("graph_spans")[old], view("graph_degrees")[old]
        columns = {"graph_neighbours": np.concatenate(nodes), "graph_weights": None}
        self._columns(spans, {**columns, "graph_types": None})
        self._save(graph_spans=spans_of(lengths_of(spans)), graph_degrees=degrees)

    def _strings(self) -> None:
        tables = self._r.tables(whole=False)
        names = self._r.names_now().take(self.entities.old)
        self._files.save_table("entities.arrow", pa.table({"name": names}))
        predicates = tables.predicates.take(self.predicates.old)
        self._files.save_table("predicates.arrow", predicates)
        self._files.save_table("passages.arrow", tables.passages.take(self.rows.old))

    # --- how each is written

    def _gather(
        self, spans: str, old: NDArray[np.int64], n: int = 0, **columns: Numbers | None
    ) -> None:
        """Gather rows of arrays, of which the last ``n`` - ``len(old)`` are empty."""
        found = self._r.view(spans)[old]
        lengths = np.zeros(max(n, len(old)), np.int64)
        lengths[: len(old)] = lengths_of(found)
        self._save(**{spans: spans_of(lengths)})
        self._columns(found, columns)

    def _columns(
        self,
        spans: Spans,
        columns: dict[str, Numbers | None],
        *,
        n: int | None = None,
        of: str = "",
    ) -> None:
        """Write rows of arrays in order; the first column by new numbers, where given.

        ``n`` entries stay of those, which are not 0 in the array that ``of`` names.
        """
        total = int(lengths_of(spans).sum()) if n is None else n
        for name, numbers in columns.items():
            values = self._r.view(name)
            done = 0
            with self._new(name, (total, *values.shape[1:])) as written:
                for some in blocks_of(spans, _ENTRIES_AT_ONCE):
                    places = places_in(spans[some])
                    there = places[self._r.view(of)[places] > 0] if of else places
                    found = values[there]
                    if numbers is not None:
                        first = found if found.ndim == 1 else found[:, 0]
                        first[:] = numbers[first]
                    written[done : done + len(found)] = found
                    done += len(found)

    def _keys(self, name: str, kept: _Kept) -> None:
        hashes, values = self._r.key_table(name)
        numbers = kept.numbers[values]
        stays = numbers >= 0
        self._save(**{f"{name}_hashes": hashes[stays], f"{name}_values": numbers[stays]})

    def _new(self, name: str, shape: tuple[int, ...]) -> Any:  # noqa: ANN401  (a context manager)
        return self._files.new_array(array_file(name), self._r.view(name).dtype, shape)

    def _save(self, **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            self._files.save_array(array_file(name), array)


def _blocks(n: int) -> Iterator[slice]:
    return (slice(first, min(first + _ROWS_AT_ONCE, n)) for first in range(0, n, _ROWS_AT_ONCE))


def _padded(values: NDArray[Any], n: int, spare: int) -> NDArray[Any]:
    """Pad values of passages for the spare rows."""
    room = np.full((n - len(values), *values.shape[1:]), spare, values.dtype)
    return np.concatenate([values, room])


def link_others(base: StoredIndex, files: VersionFiles) -> None:
    """Take over the files of a version that segments never change: those of its encoder."""
    own = {array_file(field.name) for field in fields(IndexArrays)}
    own |= {f"{name}.arrow" for name in TEXT_TABLES} | {REPEATS}
    for name in sorted(base.manifest.files.keys() - own):
        with files.writing(name) as path:
            door.link(base.folder / name, path)
