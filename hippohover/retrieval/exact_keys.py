"""Exact keys of a claim: identifiers and quotations that one passage alone holds."""

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.names.affixes import Stems
from hippohover.names.codes import find_codes
from hippohover.names.key_table import ABSENT
from hippohover.names.normal_forms import entity_key, tokens
from hippohover.retrieval.walk.candidates import Allowed, Rows
from hippohover.store.tables import IndexArrays

MOST_KEYS: Final = 3
"""Passages that keys put first: further ones would leave no place to what the claim asks."""

_MOST_TRIED: Final = 20
_LEAST_QUOTED: Final = 2  # words: a single one in quotes is quoted for its meaning
_MOST_READ: Final = 1000  # of more, several hold it
_QUOTED = re.compile('["“„«「]([^"“”„«»「」]{3,200})["“”»」]')


def keys_in(claim: str) -> list[str]:
    """Return the keys of a claim's quotations, then of its codes (``names.codes``)."""
    quoted = [part for part in _QUOTED.findall(claim) if len(part.split()) >= _LEAST_QUOTED]
    codes = find_codes(claim, tokens(claim)[0], ())
    return [*map(entity_key, quoted), *(code.key for code in codes)][:_MOST_TRIED]


class ExactKeys:
    """Finds the passages that alone hold a key of a claim."""

    def __init__(self, arrays: IndexArrays) -> None:
        self._arrays = arrays
        self._stemmer = Stemmer(Stems.of_bytes(arrays.name_affixes))

    def __call__(self, claim: str, allowed: Allowed = None) -> Rows:
        """Return the first ``MOST_KEYS`` such passages, in the order of their keys."""
        found: dict[int, None] = {}
        for key in keys_in(claim):
            rows = self._holding(key)
            if len(rows) == 1 and (allowed is None or allowed[rows[0]]):
                found[int(rows[0])] = None
        return np.fromiter(found, np.int64, len(found))[:MOST_KEYS]

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
