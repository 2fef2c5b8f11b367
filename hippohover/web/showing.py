"""What the page shows with an answer: highlights, parts of documents, examples."""

import threading
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.entity_graph import KNOWN, EdgeType
from hippohover.indexing.corpus.passage_store import keys_of
from hippohover.names.normal_forms import normal_title, tokens
from hippohover.overview.themes import Themes, themes_of
from hippohover.recipe import EdgeWeights
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexTables
from hippohover.web.highlights import Highlighter, Told

_N_TITLES: Final = 8
_N_QUESTIONS: Final = 4
_FEWEST_NAMING: Final = 2
_MOST_NAMING: Final = 8
_TITLES_TRIED: Final = 200
_BRIDGES_TRIED: Final = 200


class Showing:
    """Highlights and examples of one version of an index; safe from several threads."""

    def __init__(self, tables: IndexTables) -> None:
        self.tables = tables
        self._highlighter = Highlighter(tables.arrays.lexical)
        self._themes: Themes | None = None
        self._lock = threading.Lock()

    def has(self, passages: Sequence[Told]) -> bool:
        """Return whether this version has all passages of an answer that no source found."""
        wanted = keys_of([one["pid"] for one in with_others(passages) if not one["source"]])
        arrays = self.tables.arrays
        rows = np.flatnonzero(np.isin(arrays.passage_keys, wanted) & (arrays.documents >= 0))
        return len(rows) == len(np.unique(wanted))

    def add_to(self, claim: str, passages: Sequence[Told]) -> list[str]:
        """Add ``highlights``, ``part`` and ``n_parts`` to all passages of an answer.

        ``highlights`` are spans (start, stop) in characters of the text, in order. Returns the
        sentence that says most, or "", for each passage of ``with_others``.
        """
        every = with_others(passages)
        best = self._highlighter.add_to(claim, every)
        for one, (part, n_parts) in zip(every, self._parts(every), strict=True):
            one["part"], one["n_parts"] = part, n_parts
        return best

    @cached_property
    def examples(self) -> dict[str, list[str]]:
        """Titles that most passages name, and ``questions`` that take two documents or more.

        A question asks what joins two documents that name a third one, which few others name.
        """
        by_naming = self._names_of_documents()
        titles: dict[str, None] = {}
        for entity in by_naming[:_TITLES_TRIED].tolist():
            if len(titles) < _N_TITLES and self._is_called(entity):
                titles[self._title_of(entity)] = None
        return {"titles": list(titles), "questions": self._questions(by_naming)}

    def themes(self, weights: EdgeWeights) -> Themes:
        """Return what the index is about; the first call finds out, others wait for it."""
        with self._lock:
            if self._themes is None:
                self._themes = themes_of(self.tables, weights)
            return self._themes

    def _parts(self, passages: Sequence[Told]) -> list[tuple[int, int]]:
        """Return each passage's part of its document, from 1, and the number of parts.

        A passage that a source found is whole.
        """
        arrays = self.tables.arrays
        wanted = keys_of([one["pid"] for one in passages if not one["source"]])
        rows = np.flatnonzero(np.isin(arrays.passage_keys, wanted) & (arrays.documents >= 0))
        row_of = dict(zip(arrays.passage_keys[rows].tolist(), rows.tolist(), strict=True))
        documents = arrays.documents[rows]
        held = arrays.documents[np.isin(arrays.documents, documents)]
        counts = np.unique(held, return_counts=True)
        n_parts = dict(zip(*(some.tolist() for some in counts), strict=True))
        parts = self.tables.passages.column("part")
        keys = iter(wanted.tolist())
        of_each = (None if one["source"] else row_of[next(keys)] for one in passages)
        return [
            (1, 1)
            if row is None
            else (int(parts[row].as_py()) + 1, n_parts[int(arrays.documents[row])])
            for row in of_each
        ]

    def _names_of_documents(self) -> NDArray[np.int64]:
        """Return names of documents that passages mention, the most frequent first."""
        arrays = self.tables.arrays
        n = len(arrays.owner_spans)
        named = arrays.entity_df[:n]
        standing = arrays.entity_standing == KNOWN
        known = np.flatnonzero(standing & (lengths_of(arrays.owner_spans) > 0) & (named > 1))
        return known[np.argsort(-named[known].astype(np.int64), kind="stable")]

    def _is_called(self, entity: int) -> bool:
        """Return whether the name is the document's whole title and a word: not "2"."""
        title = self._title_of(entity)
        name = self.tables.node_name(self.tables.arrays.n_rows + entity)
        return normal_title(title) == normal_title(name) and sum(map(str.isalpha, title)) > 1

    def _title_of(self, entity: int) -> str:
        row = int(self.tables.arrays.owner_passages[self.tables.arrays.owner_spans[entity, 0]])
        return self.tables.node_name(row)

    def _questions(self, by_naming: NDArray[np.int64]) -> list[str]:
        naming = self.tables.arrays.entity_df[by_naming]
        bridges = by_naming[(naming >= _FEWEST_NAMING) & (naming <= _MOST_NAMING)]
        found: list[str] = []
        used: set[str] = set()
        for bridge in bridges[:_BRIDGES_TRIED].tolist():
            pairs = combinations([one for one in self._naming(bridge) if one not in used], 2)
            ends = next((pair for pair in pairs if _share_no_word(*pair)), None)
            if ends is not None and self._is_called(bridge):
                used.update(ends)
                found.append(f"What do {ends[0]} and {ends[1]} have in common?")
            if len(found) == _N_QUESTIONS:
                break
        return found

    def _naming(self, entity: int) -> list[str]:
        """Return titles of other documents whose passages name an entity, sorted."""
        arrays = self.tables.arrays
        start, stop = arrays.graph_spans[arrays.n_rows + entity].tolist()
        near, kinds = arrays.graph_neighbours[start:stop], arrays.graph_types[start:stop]
        says = np.isin(kinds, (EdgeType.MENTION, EdgeType.LINK))
        own = normal_title(self._title_of(entity))
        titles = {
            self.tables.node_name(row) for row in near[says & (near < arrays.n_rows)].tolist()
        }
        return sorted(title for title in titles if title and normal_title(title) != own)


def with_others(passages: Sequence[Told]) -> list[Told]:
    """Return passages, each before those listed behind it."""
    return [one for passage in passages for one in (passage, *passage["others"])]


def _share_no_word(first: str, second: str) -> bool:
    return not set(tokens(first)[0]) & set(tokens(second)[0])
