"""One pass over the words of every passage: search terms, known names, capitalised phrases."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hippohover.lexical import NO_TERM, Stemmer
from hippohover.mentions import KnownNames, find_phrases
from hippohover.names import tokens, tokens_and_breaks
from hippohover.records import Passage


@dataclass(frozen=True)
class Scan:
    """What a pass over some passages found; passages are numbered from 0 within it.

    Attributes
    ----------
    mentions : ndarray of int32, shape (n_mentions, 4)
        Passage, name number, first token, token after the last. Tokens count from the title's
        first.
    phrases : list of str
        Entity keys of the phrases found.
    phrase_places : ndarray of int32, shape (len(phrases), 3)
        Passage, first token, token after the last.
    vocabulary : list of str
        Distinct search terms, in the order in which they are first met.
    terms : ndarray of int32, shape (n_tokens,)
        Position in ``vocabulary`` of every token of title and text; ``NO_TERM`` for stop tokens.
    lengths, title_lengths : ndarray of int32, shape (n_passages,)
        Tokens of title and text together, and of the title alone.
    """

    mentions: NDArray[np.int32]
    phrases: list[str]
    phrase_places: NDArray[np.int32]
    vocabulary: list[str]
    terms: NDArray[np.int32]
    lengths: NDArray[np.int32]
    title_lengths: NDArray[np.int32]


class _TermNumbers(dict[str, int]):
    """Token to the number of its search term; terms are numbered as they are first met."""

    def __init__(self, stemmer: Stemmer) -> None:
        super().__init__()
        self.vocabulary: list[str] = []
        self._stemmer = stemmer
        self._numbers: dict[str, int] = {"": NO_TERM}

    def __missing__(self, token: str) -> int:
        (term,) = self._stemmer.terms((token,))
        number = self._numbers.setdefault(term, len(self.vocabulary))
        if number == len(self.vocabulary):
            self.vocabulary.append(term)
        self[token] = number
        return number


class PassageScanner:
    """Scans passages for the names of an index; one object serves one process."""

    def __init__(self, names: KnownNames) -> None:
        self._names = names
        self._stemmer = Stemmer()

    def __call__(self, passages: Sequence[Passage]) -> Scan:
        mentions: list[tuple[int, int, int, int]] = []
        phrases: list[str] = []
        places: list[tuple[int, int, int]] = []
        numbers = _TermNumbers(self._stemmer)
        terms: list[int] = []
        lengths: list[tuple[int, int]] = []
        for row, passage in enumerate(passages):
            title, _ = tokens(passage.title)
            folded, written, breaks = tokens_and_breaks(passage.text)
            offset = len(title)
            known = self._names.find(folded, written)
            mentions += [(row, name, offset + start, offset + stop) for name, start, stop in known]
            for key, start, stop in find_phrases(folded, written, known, breaks):
                phrases.append(key)
                places.append((row, offset + start, offset + stop))
            terms += map(numbers.__getitem__, chain(title, folded))
            lengths.append((offset + len(folded), offset))
        both = np.array(lengths, dtype=np.int32).reshape(-1, 2)
        return Scan(
            np.array(mentions, dtype=np.int32).reshape(-1, 4),
            phrases,
            np.array(places, dtype=np.int32).reshape(-1, 3),
            numbers.vocabulary,
            np.array(terms, dtype=np.int32),
            both[:, 0].copy(),
            both[:, 1].copy(),
        )


def join_scans(scans: Sequence[Scan]) -> Scan:
    """One scan of all the passages, as if they had been scanned together."""
    numbers: dict[str, int] = {}
    first_row = 0
    mentions: list[NDArray[np.int32]] = []
    places: list[NDArray[np.int32]] = []
    terms: list[NDArray[np.int32]] = []
    for scan in scans:
        shift = np.array([first_row, 0, 0, 0], dtype=np.int32)
        mentions.append(scan.mentions + shift)
        places.append(scan.phrase_places + shift[:3])
        table = [numbers.setdefault(term, len(numbers)) for term in scan.vocabulary]
        renumbered = np.array([*table, NO_TERM], dtype=np.int32)  # NO_TERM = -1 finds the last
        terms.append(renumbered[scan.terms])
        first_row += len(scan.lengths)
    return Scan(
        np.concatenate([np.zeros((0, 4), np.int32), *mentions]),
        list(chain.from_iterable(scan.phrases for scan in scans)),
        np.concatenate([np.zeros((0, 3), np.int32), *places]),
        list(numbers),
        np.concatenate([np.zeros(0, np.int32), *terms]),
        np.concatenate([np.zeros(0, np.int32), *(scan.lengths for scan in scans)]),
        np.concatenate([np.zeros(0, np.int32), *(scan.title_lengths for scan in scans)]),
    )
