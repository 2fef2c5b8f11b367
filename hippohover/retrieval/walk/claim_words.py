"""Corrects words of a claim that no passage holds."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.stemming import Stemmer
from hippohover.lexical import LexicalIndex
from hippohover.names.key_table import ABSENT, KeysThere
from hippohover.names.mentions import STOP_TOKENS
from hippohover.names.spelling import parted, spellings

_MAX_CORRECTED: Final = 8
_LEAST_CHARS: Final = 5  # shorter words have too many neighbours
_MAX_CHARS: Final = 40
_MAX_SPELLINGS: Final = 40
_LEAST_PASSAGES: Final = 3  # a rarer word is no better guess than another's slip
_NEAR: Final = 3


class ClaimWords:
    """Corrects words of claims by the words and names of one index."""

    def __init__(self, lexical: LexicalIndex, names: KeysThere, stemmer: Stemmer) -> None:
        self._lexical = lexical
        self._names = names
        self._stemmer = stemmer

    def __call__(self, folded: Sequence[str], written: Sequence[str]) -> dict[int, str]:
        """Return corrections of the first few unknown words, by their places.

        A word that spells a known name without blanks is that name; else it is the spelling at a
        distance of 1 that makes the longest known name with the words beside it, or that most
        passages hold. A word without either is left as it is.
        """
        words = list(folded)
        choices: dict[int, list[str]] = {}
        for at in self._unknown(folded):
            name = self._name_of(folded[at], written[at])
            choices[at] = [name] if name else self._held_spellings(folded[at])
        choices = {at: some for at, some in choices.items() if some}
        # First by frequency, so that each is then judged beside what the others have become.
        for at, some in choices.items():
            words[at] = some[0]
        for at, some in choices.items():
            words[at] = self._best(words, at, some) or folded[at]
        return {at: words[at] for at in choices if words[at] != folded[at]}

    def _unknown(self, folded: Sequence[str]) -> list[int]:
        """Return the places of the first words of letters that no passage holds."""
        frequency = self._frequency(self._stemmer.terms(folded))
        return [
            at
            for at, token in enumerate(folded)
            if not frequency[at]
            and _LEAST_CHARS <= len(token) <= _MAX_CHARS
            and not any(map(str.isdigit, token))
        ][:_MAX_CORRECTED]

    def _frequency(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return how many passages hold each term; all, for a stop token."""
        numbers = self._lexical.vocabulary.numbers(terms).astype(np.int64)
        held = numbers != ABSENT
        frequency = np.zeros(len(terms), np.int64)
        frequency[held] = self._lexical.document_frequency(numbers[held])
        frequency[[not term for term in terms]] = self._lexical.n_passages
        return frequency

    def _name_of(self, folded: str, written: str) -> str:
        """Return the key of a known name that a word spells without blanks; "" for none."""
        keys = [" ".join(words) for words in parted(folded, written)]
        known = np.flatnonzero(self._names.numbers(keys) != ABSENT)
        return keys[known[0]] if len(known) else ""

    def _held_spellings(self, word: str) -> list[str]:
        """Return spellings that some passage holds, the most frequent first."""
        every = spellings(word)
        [of_word, *terms] = self._stemmer.unremembered([word, *every])
        frequency = self._frequency(terms)
        near = {"", of_word, *spellings(of_word)}
        frequency[[term not in near for term in terms]] = 0
        order = np.argsort(-frequency, kind="stable")[:_MAX_SPELLINGS].tolist()
        return [every[place] for place in order if frequency[place]]

    def _best(self, words: Sequence[str], at: int, choices: Sequence[str]) -> str:
        """Choose the spelling that makes the longest known name in its place, else the first.

        "" where that is a rare word and no name by itself.
        """
        grams: list[tuple[int, int]] = []
        keys: list[str] = []
        for place, choice in enumerate(choices):
            beside = [*words[:at], choice, *words[at + 1 :]]
            for first in range(max(0, at - _NEAR), at + 1):
                for last in range(at + 1, min(len(words), at + 1 + _NEAR) + 1):
                    if sum(word not in STOP_TOKENS for word in beside[first:last]) > 1:
                        grams.append((first - last, place))
                        keys.append(" ".join(beside[first:last]))
        numbers = self._names.numbers(keys).tolist()
        known = [gram for gram, number in zip(grams, numbers, strict=True) if number != ABSENT]
        if known:
            return choices[min(known)[1]]
        frequency = self._frequency(self._stemmer.unremembered(choices[:1]))
        is_name = self._names.numbers(choices[:1]) != ABSENT
        return choices[0] if frequency[0] >= _LEAST_PASSAGES or is_name[0] else ""
