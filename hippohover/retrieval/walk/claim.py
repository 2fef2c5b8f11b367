"""Claim -> what the index knows of it: search terms and entities."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.lexical import Stemmer
from hippohover.names.key_table import ABSENT
from hippohover.names.mentions import (
    MAX_NAME_TOKENS,
    find_by_lookup,
    find_phrases,
    is_written_as_name,
)
from hippohover.names.normal_forms import tokens_and_breaks
from hippohover.store.tables import IndexArrays

MAX_CLAIM_CHARS = 10_000


@dataclass(frozen=True)
class ReadClaim:
    """A claim as the index sees it.

    Attributes
    ----------
    text : str
    terms : ndarray of int64, shape (n_terms,)
        Distinct search terms that some passage holds, ascending.
    sequence : ndarray of int64, shape (n,)
        The same as the claim has them, one after the other; stop tokens and unknown ones left out.
    rarity : ndarray of float32, shape (n_terms,)
        ln((N + 1) / (df + 0.5)) of each.
    entities : ndarray of int64, shape (n_entities,)
        Distinct entities that the claim names and that have edges, ascending.
    """

    text: str
    terms: NDArray[np.int64]
    rarity: NDArray[np.float32]
    entities: NDArray[np.int64]
    sequence: NDArray[np.int64]


def check_claim(text: object) -> None:
    """``UsageError`` unless this is a claim: text, not blank, ``MAX_CLAIM_CHARS`` at most."""
    if not isinstance(text, str):
        raise UsageError(f"the claim is of type {type(text).__name__}: give a str")
    if not text.strip():
        raise UsageError("the claim is empty: give a sentence to search for")
    if len(text) > MAX_CLAIM_CHARS:
        raise UsageError(
            f"the claim has {len(text):,} characters: give at most {MAX_CLAIM_CHARS:,}"
        )
    if text.encode("utf-8", "ignore").decode() != text:
        raise UsageError("the claim holds a lone surrogate, which no text has: mend its encoding")


class ClaimReader:
    """Reads claims against one index; safe from several threads."""

    def __init__(self, arrays: IndexArrays) -> None:
        self._names = arrays.names
        self._lexical = arrays.lexical
        self._n_known = len(arrays.owner_indptr) - 1
        self._stemmer = Stemmer()

    def __call__(self, text: str) -> ReadClaim:
        """What is known of a claim.

        Raises
        ------
        UsageError
            ``check_claim`` refuses the claim.
        """
        check_claim(text)
        folded, written, breaks = tokens_and_breaks(text)
        sequence = self._lexical.term_sequence(self._stemmer.terms(folded))
        terms = np.unique(sequence)
        frequency = self._lexical.document_frequency(terms)
        rarity = np.log((self._lexical.n_passages + 1) / (frequency + 0.5)).astype(np.float32)
        entities = self._entities(folded, written, breaks)
        return ReadClaim(text, terms, rarity, entities, sequence)

    def _entities(
        self, folded: Sequence[str], written: Sequence[str], breaks: Sequence[int]
    ) -> NDArray[np.int64]:
        starts = [
            at
            for at, token in enumerate(written)
            if token[0].isupper() or is_written_as_name(folded, written, at)
        ]
        grams = {  # hashing is what takes time, so only what may begin a name or a phrase
            " ".join(folded[start:stop])
            for start in starts
            for stop in range(start + 1, min(len(folded), start + MAX_NAME_TOKENS) + 1)
        }
        keys = sorted(grams)
        numbers = dict(zip(keys, self._names.numbers(keys).tolist(), strict=True))

        def known(key: str) -> int:
            number: int = numbers[key]
            return number if number < self._n_known else ABSENT

        mentions = find_by_lookup(folded, written, known)
        entities = {mention.name for mention in mentions}
        phrases = find_phrases(folded, written, mentions, breaks)
        entities.update(numbers.get(phrase.key, ABSENT) for phrase in phrases)
        entities.discard(ABSENT)
        return np.array(sorted(entities), dtype=np.int64)
