"""Words of claims and evidence: their rarity and similarity."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.lexical import LexicalIndex
from hippohover.names.key_table import ABSENT
from hippohover.names.normal_forms import tokens

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True)
class Terms:
    """The distinct search terms of a text.

    Attributes
    ----------
    words : tuple of str
        The first word, folded, that each stands for.
    stems : tuple of str
    rarity : ndarray of float64, shape (n,)
        ln((N + 1) / (df + 0.5)), in nats: what a term tells in a corpus of N passages.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    rarity: NDArray[np.float64]


class TermReader:
    """Reads texts with an index's vocabulary; safe from several threads.

    Attributes
    ----------
    most : float
        Rarity of a term that no passage holds, in nats.
    """

    def __init__(self, lexical: LexicalIndex) -> None:
        self._lexical = lexical
        self._stemmer = Stemmer()
        self.most = float(np.log(2 * (lexical.n_passages + 1)))

    def __call__(self, text: str) -> Terms:
        """Return terms of a text in order, without stop tokens; df is 0 for one in no passage."""
        folded = tokens(text)[0]
        first: dict[str, str] = {}
        for word, stem in zip(folded, self._stemmer.terms(folded), strict=True):
            if stem:
                first.setdefault(stem, word)
        stems = tuple(first)
        return Terms(tuple(first.values()), stems, self._rarities(stems))

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return search terms of folded words, without those of stop tokens."""
        return [stem for stem in self._stemmer.terms(words) if stem]

    def rarity_of(self, stem: str) -> float:
        """Return a term's rarity, as a share of that of a term in no passage, [0, 1]."""
        return float(self._rarities([stem])[0]) / self.most

    def _rarities(self, stems: Sequence[str]) -> NDArray[np.float64]:
        numbers = self._lexical.vocabulary.numbers(list(stems)) if stems else np.zeros(0, np.int64)
        frequency = np.zeros(len(stems))
        known = numbers != ABSENT
        frequency[known] = self._lexical.document_frequency(numbers[known].astype(np.int64))
        return np.maximum(np.log((self._lexical.n_passages + 1) / (frequency + 0.5)), 0.0)


def closeness(
    claim: Terms,
    evidence: Terms,
    encode: Encode | None,
    otherwise: frozenset[str] = frozenset(),
) -> NDArray[np.float64]:
    """Return how close the evidence comes to each term of a claim, shape (n,), in [0, 1].

    1 for a term that it holds, or says ``otherwise``; else the largest cosine of the term's word
    and one of its words, or 0 without an encoder.
    """
    known = otherwise.union(evidence.stems)
    held = np.array([stem in known for stem in claim.stems], bool)
    close = held.astype(np.float64)
    missing = np.flatnonzero(~held)
    if encode is not None and len(missing) and evidence.words:
        wanted = encode([claim.words[at] for at in missing.tolist()])
        close[missing] = np.clip((wanted @ encode(list(evidence.words)).T).max(axis=1), 0.0, 1.0)
    return close
