"""Finds names by letters: postings have no stop words and no capitals."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import regex
from numpy.typing import NDArray

from hippohover.lexical import NO_TERM
from hippohover.store.tables import IndexTables

_ROWS_AT_ONCE: Final = 1 << 16
_BETWEEN: Final = r"[\W_]+"
_MARKS: Final = regex.compile(r"\p{M}+")


def holders_of(words: Sequence[str], tables: IndexTables) -> list[int]:
    """Return rows of passages whose text may hold stop words in a row, and a few more.

    A passage that has not as many of any stop words together is not read.

    Parameters
    ----------
    words : sequence of str
        Folded, and ASCII.
    tables : IndexTables
    """
    pattern = Pattern(words)
    return [
        row for row in _with_as_many(len(words), tables) if pattern.may_be_in(tables.texts[row])
    ]


class Pattern:
    """Words in a row; the first, or after an article the second, has a capital.

    A name of only stop words is found in a text in this way: ``CaseRule.NEVER``.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._longest_first = sorted(words, key=len, reverse=True)
        some = [re.escape(word) for word in words]
        self._anywhere = re.compile(_BETWEEN.join(some))
        capitals = (
            [*some[:at], some[at][0].upper() + some[at][1:], *some[at + 1 :]]
            for at in range(min(2, len(some)))
        )
        each = (
            _BETWEEN.join(
                f"{word[0]}(?i:{word[1:]})" if word[0].isupper() else f"(?i:{word})"
                for word in those
            )
            for those in capitals
        )
        self._whole = re.compile(rf"(?<![^\W_])(?:{'|'.join(each)})(?![^\W_])")

    def may_be_in(self, text: str) -> bool:
        """Return whether a text may hold them; beyond ASCII, a guess that misses none."""
        plain = text.lower() if text.isascii() else _plain(text)
        if not all(word in plain for word in self._longest_first):
            return False
        if text.isascii():
            return self._whole.search(text) is not None
        # A letter may be a token of its own there, beside which another token begins.
        return self._anywhere.search(plain) is not None


def _with_as_many(n: int, tables: IndexTables) -> Iterator[int]:
    """Yield rows of passages in which at least so many stop words are adjacent."""
    arrays = tables.arrays
    for first in range(0, arrays.n_rows, _ROWS_AT_ONCE):
        bounds = arrays.term_indptr[first : first + _ROWS_AT_ONCE + 1]
        is_stop = arrays.terms[bounds[0] : bounds[-1]] == NO_TERM
        places = np.flatnonzero(_runs(is_stop, n)) + bounds[0]
        rows = first + np.searchsorted(bounds, places, side="right") - 1
        rows = np.unique(rows)
        yield from rows[arrays.documents[rows] >= 0].tolist()


def _runs(flags: NDArray[np.bool_], n: int) -> NDArray[np.bool_]:
    """Return the starts of runs of so many flags that are all set."""
    if len(flags) < n:
        return flags[:0]
    begins = flags[: len(flags) - n + 1].copy()
    for at in range(1, n):
        begins &= flags[at : at + len(begins)]
    return begins


def _plain(text: str) -> str:
    """Return a text in the letters of its folded tokens, where these are ASCII."""
    return _MARKS.sub("", unicodedata.normalize("NFKD", text)).casefold()
