"""What the page shows with an answer: highlights, parts of documents, examples."""

import threading
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np

from hippohover.indexing.corpus.passage_store import keys_of
from hippohover.metadata import citation
from hippohover.names.normal_forms import tokens
from hippohover.overview.mentioned import Mentions, distinct
from hippohover.overview.themes import Themes, themes_of
from hippohover.recipe import EdgeWeights
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexTables
from hippohover.web.highlights import Highlighter, Told

_N_TITLES: Final = 8
_N_QUESTIONS: Final = 4
_FEWEST_NAMING: Final = 2
_MOST_NAMING: Final = 8
_TRIED: Final = 200


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
        """Titles that most passages mention, and ``questions`` that take two documents or more.

        ``names`` stand in place of the titles, where no passage mentions any. A question asks what
        joins two documents that mention a third one, which few others mention.
        """
        mentions = Mentions(self.tables)
        naming = mentions.n_naming
        named = np.flatnonzero(naming > 0)
        by_naming = named[np.argsort(-naming[named], kind="stable")]
        owned = by_naming[by_naming < len(self.tables.arrays.owner_spans)]
        owned = owned[lengths_of(self.tables.arrays.owner_spans[owned]) > 0]
        titles = distinct(map(mentions.mentioned_title, owned[:_TRIED].tolist()), _N_TITLES)
        names = () if titles else map(mentions.name_of, by_naming[:_TRIED].tolist())
        few = owned[(naming[owned] >= _FEWEST_NAMING) & (naming[owned] <= _MOST_NAMING)]
        return {
            "titles": list(titles),
            "names": list(distinct(names, _N_TITLES)),
            "questions": _questions(mentions, few[:_TRIED].tolist()),
        }

    def documents(self, words: str, start: int, n: int) -> tuple[int, list[Told]]:
        """Return how many documents have words in their titles, and some of them by title.

        Each with ``title``, ``place`` (its path, or what cites it), ``n_passages`` and metadata.
        """
        wanted = words.casefold().split()
        rows = [row for title, row in self._by_title if all(one in title for one in wanted)]
        tables, documents = self.tables, self.tables.arrays.documents
        told: list[Told] = []
        for row in rows[start : start + n]:
            title, metadata = tables.node_name(row), tables.metadata_of(row)
            place = str(metadata.get("path") or citation(title, metadata))
            n_passages = int(np.count_nonzero(documents == documents[row]))
            about = {"title": title, "place": place, "n_passages": n_passages}
            told.append({**about, "metadata": metadata})
        return len(rows), told

    @cached_property
    def _by_title(self) -> list[tuple[str, int]]:
        """Casefolded title and first passage of each document, by title."""
        documents = self.tables.arrays.documents
        parts = np.asarray(self.tables.passages.column("part"))
        first = np.flatnonzero((documents >= 0) & (parts == 0))
        return sorted((self.tables.node_name(row).casefold(), row) for row in first.tolist())

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


def with_others(passages: Sequence[Told]) -> list[Told]:
    """Return passages, each before those listed behind it."""
    return [one for passage in passages for one in (passage, *passage["others"])]


def _questions(mentions: Mentions, bridges: Sequence[int]) -> list[str]:
    titles = {bridge: _titles_of(mentions, mentions.naming(bridge)) for bridge in bridges}
    common = _common_words({title for some in titles.values() for title in some})
    found: list[str] = []
    used: set[str] = set()
    for bridge in bridges:
        ends = _ends(titles[bridge], used, common)
        if ends is not None:  # before texts are read
            ends = _ends(_titles_of(mentions, mentions.by_title(bridge)), used, common)
        if ends is not None:
            used.update(ends)
            found.append(f"What do {ends[0]} and {ends[1]} have in common?")
        if len(found) == _N_QUESTIONS:
            break
    return found


def _titles_of(mentions: Mentions, rows: Sequence[int]) -> list[str]:
    return sorted(filter(None, {mentions.short_title(row) for row in rows}))


def _ends(
    titles: Sequence[str], used: Collection[str], common: frozenset[str]
) -> tuple[str, str] | None:
    """Return the first two titles that share no word, none of them used; None without."""
    pairs = combinations([one for one in titles if one not in used], 2)
    return next((pair for pair in pairs if _share_no_word(*pair, common)), None)


def _common_words(titles: Collection[str]) -> frozenset[str]:
    """Return words that a quarter of some titles share: "PEP" tells none from another."""
    counts = Counter(word for title in titles for word in set(tokens(title)[0]))
    return frozenset(word for word, n in counts.items() if n > max(3, len(titles) / 4))


def _share_no_word(first: str, second: str, common: frozenset[str]) -> bool:
    return not (set(tokens(first)[0]) & set(tokens(second)[0])) - common
