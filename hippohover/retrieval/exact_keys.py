"""Exact keys of a claim: codes and quotations that one passage alone holds, and numbered parts."""

import re
from collections.abc import Sequence
from itertools import combinations, islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.names.affixes import Stems
from hippohover.names.codes import find_codes
from hippohover.names.key_table import ABSENT
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.names.references import part_names, parts_of
from hippohover.records import Passage, PassageId, PassageSection
from hippohover.retrieval.walk.candidates import Allowed, Rows
from hippohover.spans import places_in
from hippohover.store.tables import IndexTables

MOST_KEYS: Final = 3
"""Passages that keys put first: further ones would leave no place to what the claim asks."""

_MOST_TRIED: Final = 20
_MOST_WORDS: Final = 8  # of the title that a part is one of
_LEAST_QUOTED: Final = 2  # words: a single one in quotes is quoted for its meaning
_MOST_READ: Final = 1000  # of more, several hold it
_QUOTED = re.compile('["“„«「]([^"“”„«»「」]{3,200})["“”»」]')


def keys_in(claim: str) -> list[str]:
    """Return the keys of a claim's quotations, then of its codes (``names.codes``)."""
    quoted = [part for part in _QUOTED.findall(claim) if len(part.split()) >= _LEAST_QUOTED]
    codes = find_codes(claim, tokens(claim)[0], ())
    return [*map(entity_key, quoted), *(code.key for code in codes)][:_MOST_TRIED]


class ExactKeys:
    """Finds the passages that alone hold a key of a claim, or are a part that it names."""

    def __init__(self, tables: IndexTables) -> None:
        self._passages, self._arrays = tables.passages, tables.arrays
        self._stemmer = Stemmer(Stems.of_bytes(self._arrays.name_affixes))

    def __call__(self, claim: str, allowed: Allowed = None) -> Rows:
        """Return the first ``MOST_KEYS`` such passages, in the order of their keys."""
        found: dict[int, None] = {}
        for key in keys_in(claim):
            rows = self._holding(key)
            if len(rows) == 1 and (allowed is None or allowed[rows[0]]):
                found[int(rows[0])] = None
        parts = (name for name in part_names(claim) if name.split()[0].lower() not in STOP_TOKENS)
        for name in islice(parts, _MOST_TRIED):
            rows = self._part(entity_key(name), claim)
            rows = rows if allowed is None else rows[allowed[rows]]
            found |= dict.fromkeys(rows[:1].tolist())
        return np.fromiter(found, np.int64, len(found))[:MOST_KEYS]

    def _part(self, key: str, claim: str) -> Rows:
        """Return the passages of the numbered part of a key, the likeliest first.

        Of several documents that have such a part, as acts have an "Article 12", the claim names
        one before or behind it; else it is none of them.
        """
        rows, words = self._named([key]), tokens(claim)[0]
        if self._n_documents(rows) != 1:
            spans = combinations(range(len(words) + 1), 2)
            series = (words[start:stop] for start, stop in spans if stop - start <= _MOST_WORDS)
            rows = self._named([" ".join([*name, key]) for name in series])
        if self._n_documents(rows) != 1 or not any(
            self._is_part(row, key) for row in rows.tolist()
        ):
            return rows[:0]
        lexical = self._arrays.lexical
        terms = np.unique(lexical.vocabulary.numbers(self._stemmer.terms(words)))
        scores = lexical.scores(terms[terms != ABSENT].astype(np.int64))[rows]
        return rows[np.lexsort((self._arrays.passage_keys[rows], -scores))]

    def _is_part(self, row: int, key: str) -> bool:
        """Return whether a key is of a part of a passage's document, or of a series of files.

        Anything may be numbered: of the articles of Wikipedia that claims name so, as "No. 9" and
        "Route 13", half are not what they ask for.
        """
        passage = self._headed(row)
        part = next((one for one in parts_of(passage) if entity_key(one.name) == key), None)
        if part is None or part.series == passage.title:
            return part is not None
        if not passage.path or not part.number.isdecimal():
            return False
        near = (int(part.number) + step for step in (-2, -1, 1, 2))
        numbers = self._arrays.names.numbers([entity_key(f"{part.word} {n}") for n in near])
        return bool(np.count_nonzero(numbers != ABSENT) > 1)

    def _headed(self, row: int) -> Passage:
        """Return a passage by its title, its headings and its file, without its text."""
        known = self._passages.column_names  # what no passage of an index has, is no column
        names = [name for name in ("title", "heading", "path", "sections") if name in known]
        of: dict[str, Any] = {
            name: self._passages.column(name)[row].as_py() or "" for name in names
        }
        of["sections"] = tuple(PassageSection(**section) for section in of.get("sections") or ())
        return Passage(PassageId(""), text="", **of)

    def _named(self, keys: Sequence[str]) -> Rows:
        """Return the passages that go by one of these names, each once."""
        entities = self._arrays.names.numbers(keys)
        places = places_in(self._arrays.owner_spans[entities[entities != ABSENT]])
        return np.unique(self._arrays.owner_passages[places]).astype(np.int64)

    def _n_documents(self, rows: Rows) -> int:
        return len(np.unique(self._arrays.documents[rows]))

    def _holding(self, key: str) -> NDArray[np.int32]:
        """Return the passages that hold the words of a key, one after the other."""
        lexical = self._arrays.lexical
        terms = self._stemmer.in_a_row(key.split())
        wanted = lexical.vocabulary.numbers(terms)
        real = np.unique(wanted[[bool(term) for term in terms]]).astype(np.int64)
        if not len(real) or real[0] == ABSENT:
            return np.zeros(0, np.int32)
        rarest, *others = real[np.argsort(lexical.document_frequency(real), kind="stable")].tolist()
        rows = lexical.holders(rarest)
        for term in others:
            rows = np.intersect1d(rows, lexical.holders(term), assume_unique=True)
        if len(rows) > _MOST_READ:
            return rows
        return rows[[lexical.follow(row, wanted) for row in rows.tolist()]]
