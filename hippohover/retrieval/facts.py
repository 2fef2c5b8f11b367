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


def candidate_facts(
    arrays: IndexArrays,
    vector: NDArray[np.float32],
    *,
    passages: NDArray[np.int64],
    entities: NDArray[np.int64],
    n: int,
) -> CandidateFacts:
    """The ``n`` facts closest to a claim, of those that some passages state.

    The pool is what the best lexical ``passages`` state, and what the passages state that go by
    a name of the claim (``entities``), so only some hundred facts are compared, whatever the
    size of the index. Empty when the index has no fact vectors.

    Parameters
    ----------
    vector : ndarray of float32, shape (dim,)
        Unit vector of the claim.
    """
    if not len(arrays.fact_vectors):
        return CandidateFacts(np.zeros(0, np.int64), np.zeros(0, np.float32))
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
    pool = np.unique(np.concatenate([np.zeros(0, np.int32), *stated]))[:MAX_POOL].astype(np.int64)
    similarities = arrays.fact_vectors[pool].astype(np.float32) @ vector
    best = np.lexsort((pool, -similarities))[:n]
    return CandidateFacts(pool[best], similarities[best])
