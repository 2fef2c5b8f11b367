"""Claim -> candidate facts: those stated near it, the closest in meaning first."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.index_tables import IndexArrays

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


def fact_pool(
    arrays: IndexArrays, *, passages: NDArray[np.int64], entities: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Facts worth comparing with a claim, ascending rows of ``IndexArrays.facts``.

    They are what the best lexical ``passages`` state, and what the passages state that go by a
    name of the claim (``entities``): some hundred facts, whatever the size of the index.
    """
    n_known = len(arrays.owner_indptr) - 1
    owners = [
        arrays.owner_passages[arrays.owner_indptr[e] : arrays.owner_indptr[e + 1]][:20]
        for e in entities.tolist()
        if e < n_known
    ]
    near = np.unique(np.concatenate([passages, *owners])).tolist()
    stated = [
        arrays.passage_facts[arrays.fact_indptr[p] : arrays.fact_indptr[p + 1], 0] for p in near
    ]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *stated]))[:MAX_POOL].astype(np.int64)


def closest_facts(
    pool: NDArray[np.int64], vectors: NDArray[np.float32], vector: NDArray[np.float32], n: int
) -> CandidateFacts:
    """The ``n`` facts of a pool that are closest to a claim; ties by row.

    Parameters
    ----------
    pool : ndarray of int64, shape (n_pool,)
        Ascending rows of ``IndexArrays.facts``.
    vectors : ndarray of float32, shape (n_pool, dim)
        Their unit vectors.
    vector : ndarray of float32, shape (dim,)
        Unit vector of the claim.
    """
    similarities = vectors @ vector
    best = np.lexsort((pool, -similarities))[:n]
    return CandidateFacts(pool[best], similarities[best])
