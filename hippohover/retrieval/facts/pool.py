"""Claim -> candidate facts: those stated near it, the closest in meaning first."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hippohover.language_model.ledger import Usage
from hippohover.names.normal_forms import tokens
from hippohover.records import Triple
from hippohover.store.tables import IndexArrays
from hippohover.vectors.nearest import similarities_of

MAX_POOL = 4000


@dataclass(frozen=True)
class CandidateFacts:
    """Facts, best first.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
        Rows of ``IndexArrays.facts``.
    similarities : ndarray of float32, shape (n,)
        Cosine of claim and fact.
    """

    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]


NO_FACTS = CandidateFacts(np.zeros(0, np.int64), np.zeros(0, np.float32))

ROUTE_WITHOUT_FILTER = "no-filter"
ROUTE_OF_FAILURE = "filter-failed"


FallbackReason = Literal[
    "", "no answer", "unreadable reply", "refused", "not asked", "empty choice"
]


@dataclass(frozen=True)
class FactChoice:
    """The result of the choice among a claim's candidate facts; see ``records.Trace``.

    Attributes
    ----------
    facts : CandidateFacts
        Those that lend their entities to the seeds.
    route : str
    candidates : CandidateFacts
        Those that could be chosen.
    invented : tuple of tuple of str
    usage : Usage
        What language-model calls took.
    failure : str
        Why there was no usable answer.
    fallback : str
        Why ``facts`` are none that the model chose, in a word or two, to count by: the same, or
        that it chose none, and the settings take the most similar ones instead.
    """

    facts: CandidateFacts = NO_FACTS
    route: str = ROUTE_WITHOUT_FILTER
    candidates: CandidateFacts = NO_FACTS
    invented: tuple[tuple[str, ...], ...] = ()
    usage: Usage = field(default_factory=Usage)
    failure: str = ""
    fallback: FallbackReason = ""

    @property
    def n_fallbacks(self) -> int:
        return int(bool(self.fallback))


NO_CHOICE = FactChoice()


class FactChooser(Protocol):
    """Chooses which candidate facts matter for a claim; safe from several threads."""

    def __call__(
        self, claim: str, candidates: CandidateFacts, triples: tuple[Triple, ...]
    ) -> FactChoice:
        """Choose among candidates, most similar first; ``triples`` are the same in words."""
        ...


def fact_pool(
    arrays: IndexArrays,
    *,
    passages: NDArray[np.int64],
    entities: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return facts worth comparing with a claim, distinct rows of ``IndexArrays.facts``.

    They are what the best lexical ``passages`` state, and what the passages state that go by a
    name of the claim (``entities``): some hundred facts, whatever the size of the index.
    """
    owners = [
        arrays.owner_passages[start:stop] for start, stop in arrays.owner_spans[entities].tolist()
    ]
    owned = [arrays.by_key(rows)[:20] for rows in owners]
    near = arrays.by_key(np.unique(np.concatenate([passages, *owned])))
    stated = [
        arrays.passage_facts[start:stop, 0] for start, stop in arrays.fact_spans[near].tolist()
    ]
    every = np.concatenate([np.zeros(0, np.int32), *stated]).astype(np.int64)
    _, first = np.unique(every, return_index=True)
    return every[np.sort(first)][:MAX_POOL]


def closest_facts(
    pool: NDArray[np.int64], vectors: NDArray[np.float32], vector: NDArray[np.float32], n: int
) -> CandidateFacts:
    """Return the ``n`` facts of a pool that are closest to a claim; ties by their order.

    Parameters
    ----------
    pool : ndarray of int64, shape (n_pool,)
        Rows of ``IndexArrays.facts``.
    vectors : ndarray of float32, shape (n_pool, dim)
        Their unit vectors.
    vector : ndarray of float32, shape (dim,)
        Unit vector of the claim.
    """
    similarities = similarities_of(vectors, vector)
    best = np.argsort(-similarities, kind="stable")[:n]
    return CandidateFacts(pool[best], similarities[best])


def closest_by_words(
    pool: NDArray[np.int64], texts: Sequence[str], claim: str, n: int
) -> CandidateFacts:
    """Return what ``closest_facts`` does, by words: for an index without vectors.

    A word weighs ln(1 + facts of the pool / those that hold it); one that none holds, nothing.

    Parameters
    ----------
    texts : sequence of str
        The facts of the pool.
    """
    words = [set(tokens(text)[0]) for text in texts]
    n_holding = Counter(word for held in words for word in held)
    squares = {word: math.log1p(len(words) / count) ** 2 for word, count in n_holding.items()}
    asked = set(tokens(claim)[0]) & squares.keys()

    def length(held: Collection[str]) -> float:
        return math.sqrt(sum(squares[word] for word in sorted(held)))

    whole = length(asked)
    shared = [length(held & asked) ** 2 / max(whole * length(held), 1e-12) for held in words]
    similarities = np.array(shared, np.float32)
    best = np.argsort(-similarities, kind="stable")[:n]
    return CandidateFacts(pool[best], similarities[best])
