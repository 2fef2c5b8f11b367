"""BM25 over passages: every posting is weighed once, a compiled loop adds them up for a query."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled
from hippohover.key_table import ABSENT, KeyTable
from hippohover.mentions import STOP_TOKENS

NO_TERM = -1
"""Stands where a token is no search term: a stop token, or a term no passage holds."""

K1 = 0.9
B = 0.4


class Stemmer:
    """Token to search term: Snowball's English stem; the empty string for a stop token.

    Snowball leaves tokens of other scripts as they are. Safe from several threads: the answers
    are remembered in a dictionary, and the stemmer itself is locked.
    """

    def __init__(self) -> None:
        from Stemmer import Stemmer as SnowballStemmer

        self._stem = SnowballStemmer("english").stemWord
        self._lock = threading.Lock()
        self._known: dict[str, str] = dict.fromkeys(STOP_TOKENS, "")

    def terms(self, tokens: Iterable[str]) -> list[str]:
        """Search term of each token, in order."""
        known = self._known
        return [
            term if (term := known.get(token)) is not None else self._learn(token)
            for token in tokens
        ]

    def _learn(self, token: str) -> str:
        with self._lock:
            term: str = self._stem(token)
        if len(self._known) < 2_000_000:
            self._known[token] = term
        return term


@dataclass(frozen=True)
class LexicalIndex:
    """BM25 postings, and the terms of every passage in reading order.

    Attributes
    ----------
    vocabulary : KeyTable
        Term to term number.
    indptr : ndarray of int64, shape (n_terms + 1,)
    passages : ndarray of int32, shape (n_postings,)
        Rows of the passages that hold a term, ascending within the term.
    weights : ndarray of float32, shape (n_postings,)
        The term's BM25 score in that passage, idf tf / (tf + k1 (1 - b + b length / mean length))
        with k1 = 0.9, b = 0.4 and idf = ln(1 + (n - df + 0.5) / (df + 0.5)): Robertson and
        Zaragoza, "The Probabilistic Relevance Framework" (2009), in Lucene's variant. A length
        counts the search terms of title and text, without stop tokens.
    term_indptr : ndarray of int64, shape (n_passages + 1,)
    terms : ndarray of int32, shape (n_tokens,)
        Term number of every token of title and text, ``NO_TERM`` for stop tokens.
    title_lengths : ndarray of int32, shape (n_passages,)
        How many of a passage's tokens belong to its title.
    """

    vocabulary: KeyTable
    indptr: NDArray[np.int64]
    passages: NDArray[np.int32]
    weights: NDArray[np.float32]
    term_indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    title_lengths: NDArray[np.int32]

    @property
    def n_passages(self) -> int:
        return len(self.title_lengths)

    def query_terms(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Distinct term numbers of a query, ascending; unknown terms and stop tokens dropped."""
        numbers = self.vocabulary.numbers([term for term in terms if term])
        return np.unique(numbers[numbers != ABSENT]).astype(np.int64)

    def document_frequency(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of passages that hold each term, shape (len(terms),)."""
        return self.indptr[terms + 1] - self.indptr[terms]

    def scores(self, terms: NDArray[np.int64]) -> NDArray[np.float32]:
        """BM25 score of every passage, shape (n_passages,), 0 where no term occurs."""
        scores = np.zeros(self.n_passages, dtype=np.float32)
        _add_postings(self.indptr, self.passages, self.weights, terms, scores)
        return scores


def top_rows(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Rows of the ``k`` highest positive scores, best first; ties by the lower row."""
    k = min(k, len(scores))
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(scores > 0)
    if len(rows) > k:
        positive = scores[rows]
        rows = rows[positive >= np.partition(positive, len(rows) - k)[len(rows) - k]]
    return rows[np.lexsort((rows, -scores[rows]))][:k]


def build_postings(
    terms: NDArray[np.int32], term_indptr: NDArray[np.int64], n_terms: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """(indptr, passages, weights) of ``LexicalIndex`` from the terms of every passage."""
    n_passages = len(term_indptr) - 1
    rows = np.repeat(np.arange(n_passages), np.diff(term_indptr))[terms != NO_TERM]
    lengths = np.bincount(rows, minlength=n_passages)
    pairs = terms[terms != NO_TERM].astype(np.int64) * n_passages + rows  # in order of postings
    pairs, frequencies = np.unique(pairs, return_counts=True)
    term_of, passages = np.divmod(pairs, max(n_passages, 1))
    document_frequency = np.bincount(term_of, minlength=n_terms)
    indptr = np.zeros(n_terms + 1, dtype=np.int64)
    np.cumsum(document_frequency, out=indptr[1:])
    idf = np.log1p((n_passages - document_frequency + 0.5) / (document_frequency + 0.5))
    saturation = K1 * (1 - B + B * lengths / max(lengths.sum() / max(n_passages, 1), 1e-9))
    weights = idf[term_of] * frequencies / (frequencies + saturation[passages])
    return indptr, passages.astype(np.int32), weights.astype(np.float32)


@compiled
def _add_postings(
    indptr: NDArray[np.int64],
    passages: NDArray[np.int32],
    weights: NDArray[np.float32],
    terms: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> None:
    for term in terms:
        for at in range(indptr[term], indptr[term + 1]):
            scores[passages[at]] += weights[at]
