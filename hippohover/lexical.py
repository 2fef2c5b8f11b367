"""BM25 over passages: a compiled loop adds up postings weighed in advance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import HALVES, compiled
from hippohover.names.key_table import ABSENT, KeyTable
from hippohover.spans import Spans

NO_TERM = -1
"""Marks a token that is not a search term: a stop token, or a term that no passage has."""

_SCORED_AGAIN = 2000
_ALL = np.zeros(0, np.bool_)

K1 = 0.9
B = 0.4


@dataclass(frozen=True, kw_only=True)
class LexicalIndex:
    """BM25 postings, and the terms of every passage in reading order.

    The score of a passage is the sum over the terms of idf times the posting's weight, with idf =
    ln(1 + (n - df + 0.5) / (df + 0.5)): Robertson and Zaragoza, "The Probabilistic Relevance
    Framework" (2009), in Lucene's variant.

    Attributes
    ----------
    vocabulary : KeyTable
        Term to term number.
    spans : ndarray of int64, shape (n_terms, 2)
        Postings of each term; see ``hippohover.spans``.
    df : ndarray of int32, shape (n_terms,)
        Number of passages that hold each term.
    passages : ndarray of int32, shape (n_postings,)
        Rows of the passages that hold a term, ascending within the term.
    weights : ndarray of float16, shape (n_postings,)
        tf / (tf + k1 (1 - b + b length / mean length)) with k1 = 0.9 and b = 0.4; 0 of a passage
        that is gone. A length counts the search terms of title and text, without stop tokens; the
        mean is ``rough_mean`` of all.
    term_indptr : ndarray of int64, shape (n_rows + 1,)
    terms : ndarray of int32, shape (n_tokens,)
        Term number of every token of title and text, ``NO_TERM`` for stop tokens.
    title_lengths : ndarray of int32, shape (n_rows,)
        How many of a passage's tokens belong to its title.
    keys : ndarray of uint64, shape (n_rows,)
        Of passages of equal score, that of the lower key is the better.
    n_passages : int
        Rows that hold a passage.
    inside : ndarray of bool, shape (n_rows,), or None
        Passages that are read: the others hold no term, and have no score. What a term weighs then
        comes from how many of them hold it, out of all that the index has, and from the mean of
        their lengths: of the best 2,000, that is; scores of the others keep to the mean of all.
    mean_length : float
        ``rough_mean`` of the passages inside; see ``within``.
    """

    vocabulary: KeyTable
    spans: Spans
    df: NDArray[np.int32]
    passages: NDArray[np.int32]
    weights: NDArray[np.float16]
    term_indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    title_lengths: NDArray[np.int32]
    keys: NDArray[np.uint64]
    n_passages: int
    inside: NDArray[np.bool_] | None = None
    mean_length: float = 0.0

    def within(self, inside: NDArray[np.bool_]) -> "LexicalIndex":
        """Restrict the index to some passages; reads the terms of each of them once."""
        rows = np.flatnonzero(inside)
        n_terms = _count_terms(rows, self.term_indptr, self.terms)
        return replace(self, inside=inside, mean_length=rough_mean(n_terms / max(len(rows), 1)))

    def term_sequence(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return a query's term numbers in order; drops stop tokens and unknown terms."""
        numbers = self.placed_terms(terms)
        return numbers[numbers != ABSENT]

    def placed_terms(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each term of a query; ``ABSENT`` of stop tokens and unknown ones."""
        real = [at for at, term in enumerate(terms) if term]
        placed = np.full(len(terms), ABSENT, np.int64)
        placed[real] = self.vocabulary.numbers([terms[at] for at in real])
        known = np.flatnonzero(placed != ABSENT)
        placed[known[self.document_frequency(placed[known]) == 0]] = ABSENT
        return placed

    def query_terms(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return a query's distinct term numbers, ascending, without stop and unknown ones."""
        return np.unique(self.term_sequence(terms))

    def document_frequency(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many passages hold each term, shape (len(terms),)."""
        if self.inside is None:
            return self.df[terms].astype(np.int64)
        counts = np.zeros(len(terms), np.int64)
        _count_inside(self.spans, self.passages, terms, self.inside, counts)
        return counts

    def rarity(self, terms: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return ln((n + 1) / (df + 0.5)) of each term, shape (len(terms),)."""
        frequency = self.document_frequency(terms)
        return np.log((self.n_passages + 1) / (frequency + 0.5)).astype(np.float32)

    def idf(self, terms: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return BM25's weight of each term, shape (len(terms),)."""
        return _idf(self.document_frequency(terms), self.n_passages)

    def holders(self, term: int) -> NDArray[np.int32]:
        """Return the rows of the passages that hold a term, ascending."""
        own = slice(*self.spans[term])
        rows = self.passages[own]
        if self.inside is not None:
            return rows[self.inside[rows]]
        return rows if len(rows) == self.df[term] else rows[self.weights[own] > 0]

    def follow(self, row: int, wanted: NDArray[np.int32]) -> bool:
        """Return whether a passage has these terms, one after the other, stop tokens included."""
        own = self.terms[self.term_indptr[row] : self.term_indptr[row + 1]]
        n = len(own) - len(wanted) + 1
        if n <= 0:
            return False
        stands = own[:n] == wanted[0]
        for at in range(1, len(wanted)):
            stands &= own[at : n + at] == wanted[at]
        return bool(stands.any())

    def scores(self, terms: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the BM25 score of every passage, shape (n_rows,), 0 where no term occurs.

        Summed in whole numbers, so that a score does not depend on the order of the terms.
        """
        idf = self.idf(terms)
        unit = 2.0 ** (math.ceil(math.log2(max(math.fsum(idf), 1.0))) - 30)
        sums = np.zeros(len(self.title_lengths), np.int32)
        _add_postings(
            self.spans,
            self.passages,
            self.weights.view(np.uint16),
            HALVES,
            terms,
            (idf / unit).astype(np.float32),
            _ALL if self.inside is None else self.inside,
            sums,
        )
        scores = sums.astype(np.float32)
        scores *= np.float32(unit)
        if self.inside is not None:
            best = top_rows(scores, _SCORED_AGAIN, self.keys)
            mean = self.mean_length
            _score_again(best, terms, idf, mean, self.term_indptr, self.terms, scores)
        return scores


def top_rows(scores: NDArray[np.float32], k: int, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the rows of the ``k`` highest positive scores, best first; ties by lower key.

    Parameters
    ----------
    scores : ndarray of float32, shape (n_rows,)
    k : int
    keys : ndarray of uint64, shape (n_rows,)
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    best = np.empty(k, np.float32)
    n = _keep_best(scores, best)
    rows = np.flatnonzero(scores >= best[0] if n == k else scores > 0)
    return rows[np.lexsort((keys[rows], -scores[rows]))][:k]


def rough_mean(mean: float) -> float:
    """Round to a power of the eighth root of 2: it stays when a few passages come or go."""
    return 2.0 ** (round(8 * math.log2(max(mean, 1.0))) / 8)


def count_postings(
    terms: NDArray[np.int32], term_indptr: NDArray[np.int64], n_terms: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Count the passages that hold each term; return passages' lengths too.

    A length counts search terms, without stop tokens.
    """
    df = np.zeros(n_terms, np.int32)
    lengths = np.zeros(len(term_indptr) - 1, np.int64)
    _count(terms, term_indptr, df, lengths, np.full(n_terms, -1, np.int32))
    return df, lengths


def fill_postings(  # two arrays to read, two to fill, their shape
    terms: NDArray[np.int32],
    term_indptr: NDArray[np.int64],
    *,
    spans: Spans,
    lengths: NDArray[np.int64],
    passages: NDArray[np.int32],
    weights: NDArray[np.float32],
) -> None:
    """Fill ``LexicalIndex.passages`` and ``weights`` within the spans, as counted before."""
    mean = int(lengths.sum()) / max(len(lengths), 1)
    saturation = saturation_of(lengths, rough_mean(mean))
    frequencies = np.zeros(len(spans), np.int32)
    _fill(terms, term_indptr, spans[:, 0].copy(), saturation, passages, weights, frequencies)


def saturation_of(lengths: NDArray[np.int64], mean: float) -> NDArray[np.float64]:
    """Return k1 (1 - b + b length / mean): the term frequency that gives half a weight."""
    return K1 * (1 - B + B * lengths.astype(np.float64) / mean)


def _idf(document_frequency: NDArray[np.int64], n_passages: int) -> NDArray[np.float64]:
    return np.log1p((n_passages - document_frequency + 0.5) / (document_frequency + 0.5))


@compiled
def _count(
    terms: NDArray[np.int32],
    term_indptr: NDArray[np.int64],
    document_frequency: NDArray[np.int32],
    lengths: NDArray[np.int64],
    last: NDArray[np.int32],
) -> None:
    for row in range(len(lengths)):
        for at in range(term_indptr[row], term_indptr[row + 1]):
            term = terms[at]
            if term != NO_TERM:
                lengths[row] += 1
                if last[term] != row:
                    last[term] = row
                    document_frequency[term] += 1


@compiled
def _fill(  # a compiled loop takes arrays, not objects
    terms: NDArray[np.int32],
    term_indptr: NDArray[np.int64],
    free: NDArray[np.int64],
    saturation: NDArray[np.float64],
    passages: NDArray[np.int32],
    weights: NDArray[np.float32],
    frequencies: NDArray[np.int32],
) -> None:
    for row in range(len(saturation)):
        tokens = terms[term_indptr[row] : term_indptr[row + 1]]
        for term in tokens:
            if term != NO_TERM:
                frequencies[term] += 1
        for term in tokens:
            if term != NO_TERM and frequencies[term] > 0:
                tf = frequencies[term]
                at = free[term]
                passages[at] = row
                weights[at] = tf / (tf + saturation[row])
                free[term] = at + 1
                frequencies[term] = 0


@compiled
def _keep_best(scores: NDArray[np.float32], heap: NDArray[np.float32]) -> int:
    """Fill a heap with the best positive scores, lowest first; return how many."""
    n = 0
    least = np.float32(0.0)
    for score in scores:
        if not score > least:
            continue
        if n < len(heap):
            at = n
            n += 1
            while at > 0 and heap[(at - 1) // 2] > score:
                heap[at] = heap[(at - 1) // 2]
                at = (at - 1) // 2
        else:
            at = 0
            while 2 * at + 1 < n:
                child = 2 * at + 1
                if child + 1 < n and heap[child + 1] < heap[child]:
                    child += 1
                if not heap[child] < score:
                    break
                heap[at] = heap[child]
                at = child
        heap[at] = score
        if n == len(heap):
            least = heap[0]
    return n


@compiled
def _add_postings(  # noqa: PLR0913, PLR0917  # a compiled loop takes arrays, not objects
    spans: NDArray[np.int64],
    passages: NDArray[np.int32],
    bits: NDArray[np.uint16],
    halves: NDArray[np.float32],
    terms: NDArray[np.int64],
    factors: NDArray[np.float32],
    inside: NDArray[np.bool_],
    sums: NDArray[np.int32],
) -> None:
    """Add weight times factor of every posting, rounded up so that every hit is above 0."""
    for number in range(len(terms)):
        factor = factors[number]
        for at in range(spans[terms[number], 0], spans[terms[number], 1]):
            if bits[at] and (len(inside) == 0 or inside[passages[at]]):
                sums[passages[at]] += np.int32(halves[bits[at]] * factor) + 1


@compiled
def _count_inside(
    spans: NDArray[np.int64],
    passages: NDArray[np.int32],
    terms: NDArray[np.int64],
    inside: NDArray[np.bool_],
    counts: NDArray[np.int64],
) -> None:
    for number in range(len(terms)):
        for at in range(spans[terms[number], 0], spans[terms[number], 1]):
            counts[number] += inside[passages[at]]


@compiled
def _count_terms(
    rows: NDArray[np.int64], term_indptr: NDArray[np.int64], terms: NDArray[np.int32]
) -> int:
    """Return the search terms of some passages, without stop tokens."""
    count = 0
    for row in rows:
        for at in range(term_indptr[row], term_indptr[row + 1]):
            count += terms[at] != NO_TERM
    return count


@compiled
def _score_again(
    rows: NDArray[np.int64],
    wanted: NDArray[np.int64],
    idf: NDArray[np.float64],
    mean_length: float,
    term_indptr: NDArray[np.int64],
    terms: NDArray[np.int32],
    scores: NDArray[np.float32],
) -> None:
    """Write BM25 for another mean length; ``wanted`` are distinct terms, ascending."""
    frequencies = np.zeros(len(wanted), np.int64)
    for row in rows:
        frequencies[:] = 0
        length = 0
        for at in range(term_indptr[row], term_indptr[row + 1]):
            if terms[at] == NO_TERM:
                continue
            length += 1
            place = np.searchsorted(wanted, terms[at])
            if place < len(wanted) and wanted[place] == terms[at]:
                frequencies[place] += 1
        saturation = K1 * (1 - B + B * length / mean_length)
        score = 0.0
        for place in range(len(wanted)):
            score += idf[place] * frequencies[place] / (frequencies[place] + saturation)
        scores[row] = score
