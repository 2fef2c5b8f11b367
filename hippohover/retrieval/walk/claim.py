"""A claim -> its search terms and entities in the index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.language.name_forms import NameForms
from hippohover.language.stemming import Stemmer
from hippohover.lexical import LexicalIndex
from hippohover.names.affixes import Stems
from hippohover.names.key_table import ABSENT
from hippohover.names.normal_forms import token_spans, tokens, tokens_and_breaks
from hippohover.retrieval.walk.claim_names import ClaimNames, Words
from hippohover.retrieval.walk.claim_question import asking_parts
from hippohover.retrieval.walk.claim_words import ClaimWords
from hippohover.store.tables import IndexArrays

MAX_CLAIM_CHARS = 10_000


@dataclass(frozen=True)
class ReadClaim:
    """A claim as the index sees it.

    Attributes
    ----------
    text : str
        The claim as it was given.
    asked : str
        What is searched: the part that asks, its misspelt words corrected.
    terms : ndarray of int64, shape (n_terms,)
        Distinct search terms that some passage holds, ascending.
    sequence : ndarray of int64, shape (n,)
        The same as the claim has them, one after the other; stop tokens and unknown ones left out.
    rarity : ndarray of float32, shape (n_terms,)
        ln((N + 1) / (df + 0.5)) of each.
    entities : ndarray of int64, shape (n_entities,)
        Distinct entities that the claim names and that have edges, ascending.
    named_by : mapping of int to ndarray of int64
        Of each entity the search terms that name it in the claim, one after the other; terms that
        no passage holds have numbers that the index has not.
    corrections : tuple of (str, str)
        Misspelt words as they were typed, and as they are searched.
    placed : tuple of int
        The search term of each token of ``asked``; ``ABSENT`` of one that no passage holds.
    """

    text: str
    asked: str
    terms: NDArray[np.int64]
    rarity: NDArray[np.float32]
    entities: NDArray[np.int64]
    sequence: NDArray[np.int64]
    named_by: Mapping[int, NDArray[np.int64]] = field(default_factory=dict[int, NDArray[np.int64]])
    corrections: tuple[tuple[str, str], ...] = ()
    placed: tuple[int, ...] = ()

    def naming(self, text: str, entities: NDArray[np.int64]) -> "ReadClaim":
        """Return this claim as that of a text which names these entities too."""
        return replace(self, text=text, entities=np.union1d(self.entities, entities))


def check_claim(text: object) -> None:
    """Raise ``UsageError`` unless a claim is text, not blank, ``MAX_CLAIM_CHARS`` at most."""
    check_text("claim", text, MAX_CLAIM_CHARS)
    if not str(text).strip():
        raise UsageError("the claim is empty: give a sentence to search for")


def check_text(what: str, text: object, most: int, how: str = "") -> None:
    """Raise ``UsageError`` unless this is text that can be written, of ``most`` characters."""
    if not isinstance(text, str):
        raise UsageError(f"the {what} is of type {type(text).__name__}: give a str")
    if len(text) > most:
        raise UsageError(f"the {what} has {len(text):,} characters: give at most {most:,}{how}")
    if text.encode("utf-8", "ignore").decode() != text:
        raise UsageError(f"the {what} holds a lone surrogate, which no text has: fix its encoding")


def check_count(name: str, value: object, most: int, why: str = "") -> None:
    """Raise ``UsageError`` unless an argument is a whole number from 1 to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        kind = type(value).__name__
        raise UsageError(f"{name} is {value!r:.80}, of type {kind}: give an int, 1 to {most}{why}")
    if not 1 <= value <= most:
        raise UsageError(f"{name} is {value}: give 1 to {most}{why}")


class ClaimReader:
    """Reads claims against one index; safe from several threads."""

    def __init__(self, arrays: IndexArrays, forms: NameForms | None = None) -> None:
        self._stemmer = Stemmer(Stems.of_bytes(arrays.name_affixes))
        self._lexical = arrays.lexical
        self._correct = ClaimWords(self._lexical, arrays.names, self._stemmer)
        self._find_names = ClaimNames(arrays, self._stemmer, forms)

    def __call__(self, text: str) -> ReadClaim:
        """Read a claim: of a long one, the part that asks, if it names anything.

        ``UsageError`` when ``check_claim`` refuses it.
        """
        check_claim(text)
        for part in asking_parts(text):
            claim = self._read(text, part)
            if len(claim.entities):
                return claim
        return self._read(text, text)

    def _read(self, text: str, part: str) -> ReadClaim:
        """Read part of a claim, with misspelt words corrected."""
        lexical = self._lexical
        folded, written = tokens(part)
        corrected = self._correct(folded, written)
        asked = _with(part, written, corrected) if corrected else part
        words = Words(*tokens_and_breaks(asked))
        placed = lexical.placed_terms(self._stemmer.terms(words.folded))
        sequence = placed[placed != ABSENT]
        terms = np.unique(sequence)
        names = self._find_names(words)
        return ReadClaim(
            text=text,
            asked=asked,
            terms=terms,
            rarity=lexical.rarity(terms),
            entities=np.fromiter(names, np.int64, len(names)),
            sequence=sequence,
            named_by={
                entity: _numbered(lexical, self._stemmer.in_a_row(key.split()))
                for entity, key in names.items()
            },
            corrections=tuple((written[at], word) for at, word in corrected.items()),
            placed=tuple(placed.tolist()),
        )


def _numbered(lexical: LexicalIndex, terms: Sequence[str]) -> NDArray[np.int64]:
    """Return numbers of terms, stop tokens left out; unknown ones get numbers of their own."""
    real = [term for term in terms if term]
    numbers = lexical.vocabulary.numbers(real).astype(np.int64)
    unknown = [len(lexical.df) + crc32(term.encode("utf-8", "surrogatepass")) for term in real]
    return np.where(numbers == ABSENT, np.array(unknown, np.int64), numbers)


def _with(text: str, written: Sequence[str], corrected: Mapping[int, str]) -> str:
    """Replace some tokens of a text by other words, in the same case."""
    spans = token_spans(text)
    for at in sorted(corrected, reverse=True):
        word = corrected[at]
        if len(written[at]) > 1 and written[at].isupper():
            word = word.upper()
        elif not written[at].islower():
            word = word.title()
        start, stop = spans[at]
        text = f"{text[:start]}{word}{text[stop:]}"
    return text
