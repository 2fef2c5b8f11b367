"""Candidates -> plain features: what of a claim each holds, and how they name each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.index_tables import IndexArrays
from hippohover.retrieval.claim import Claim
from hippohover.retrieval.feature_kernels import read_links, read_texts
from hippohover.retrieval.seeds import rarity

NO_RANK = 1000.0

_TEXT_FEATURES = (
    "claim_share",  # share of the claim's rarity that the passage's terms hold
    "title_share",  # share of the title's rarity that the claim holds
    "title_terms_missing",  # terms of the title that the claim lacks
    "title_terms",  # terms of the title that the claim holds
    "n_terms",  # terms of the passage
    "unshared",  # claim terms, each less the prior of the best other candidate that holds it
    "unusual",  # claim terms, each divided by the number of candidates that hold it
)
_LINK_FEATURES = (
    "in_sum", "in_max",  # prior of candidates that name this one: sum, best
    "in_context",  # best share of the claim's rarity around a mention of this one
    "in_context_prior",  # the best of that share times the naming candidate's prior
    "out_sum", "out_max", "out_context_prior",  # the same for the candidates that this one names
)  # fmt: skip
FEATURES = (
    *_TEXT_FEATURES,
    *_LINK_FEATURES,
    "walk", "walk_rank",  # ln of the score of the whole walk, and the rank in it
    "entity_walk", "entity_walk_rank",  # of the walk from entities alone
    "passage_walk", "passage_walk_rank",  # of the walk from passages alone
    "bm25_share", "bm25_rank",  # share of the best BM25 score, and the rank
    "named_full", "named_bare", "named_opening",  # the claim names its title, bare title, opening
    "name_rarity", "name_owners",  # of that name: ln(N / df), passages that go by it
    "claim_terms", "claim_entities",
    "similarity",  # cosine of claim and passage; 0 without an encoder
)  # fmt: skip
"""Names of the columns, in order: part of the contract with the learned weights."""


@dataclass(frozen=True)
class Candidates:
    """Passages to be scored, with the rankings they come from.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
    walk, entity_walk, passage_walk, bm25 : ndarray of float64, shape (n,)
        Scores, 0 where a ranking does not hold the passage.
    walk_rank, entity_walk_rank, passage_walk_rank, bm25_rank : ndarray of float64, shape (n,)
        From 0; ``NO_RANK`` where a ranking does not hold the passage.
    similarity : ndarray of float32, shape (n,)
    """

    rows: NDArray[np.int64]
    walk: NDArray[np.float64]
    entity_walk: NDArray[np.float64]
    passage_walk: NDArray[np.float64]
    bm25: NDArray[np.float64]
    walk_rank: NDArray[np.float64]
    entity_walk_rank: NDArray[np.float64]
    passage_walk_rank: NDArray[np.float64]
    bm25_rank: NDArray[np.float64]
    similarity: NDArray[np.float32]


class FeatureReader:
    """Features of candidates in one index; holds only what a call may share with another."""

    def __init__(self, arrays: IndexArrays) -> None:
        self._arrays = arrays
        frequency = np.diff(arrays.posting_indptr)
        n = arrays.n_passages
        self._term_rarity = np.log((n + 1) / (frequency + 0.5)).astype(np.float32)

    def __call__(self, claim: Claim, candidates: Candidates) -> NDArray[np.float32]:
        """Matrix of shape (n_candidates, len(FEATURES)).

        The prior of a candidate is the root of its share of the best walk score, in [0, 1].
        """
        arrays = self._arrays
        n = len(candidates.rows)
        prior = np.sqrt(candidates.walk / max(float(candidates.walk.max(initial=0.0)), 1e-300))
        order = np.argsort(candidates.rows, kind="stable")
        text = np.zeros((n, len(_TEXT_FEATURES)), np.float32)
        links = np.zeros((n, len(_LINK_FEATURES)), np.float32)
        total = max(float(claim.rarity.sum()), 1e-9)
        read_texts(
            candidates.rows,
            prior,
            claim.terms,
            claim.rarity / total,
            arrays.term_indptr,
            arrays.terms,
            arrays.title_lengths,
            self._term_rarity,
            text,
        )
        read_links(
            candidates.rows, order, prior, claim.terms, claim.rarity / total,
            arrays.term_indptr, arrays.terms, arrays.title_lengths,
            arrays.mention_indptr, arrays.mentions, arrays.owner_indptr, arrays.owner_passages,
            links,
        )  # fmt: skip
        columns = [
            text,
            links,
            _log(candidates.walk), candidates.walk_rank,
            _log(candidates.entity_walk), candidates.entity_walk_rank,
            _log(candidates.passage_walk), candidates.passage_walk_rank,
            candidates.bm25 / max(float(candidates.bm25.max(initial=0.0)), 1e-9),
            candidates.bm25_rank,
            self._naming(claim, candidates.rows),
            np.full(n, len(claim.terms)), np.full(n, len(claim.entities)),
            candidates.similarity,
        ]  # fmt: skip
        return np.column_stack(columns).astype(np.float32)

    def _naming(self, claim: Claim, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Columns named_full, named_bare, named_opening, name_rarity, name_owners."""
        heads = self._arrays.heads[rows]
        named = np.isin(heads, claim.entities) & (heads >= 0)
        column = np.where(named.any(axis=1), named.argmax(axis=1), (heads >= 0).argmax(axis=1))
        name = heads[np.arange(len(rows)), column].astype(np.int64)
        known = name >= 0
        owners = np.zeros(len(rows))
        rare = np.zeros(len(rows))
        indptr = self._arrays.owner_indptr
        owners[known] = indptr[name[known] + 1] - indptr[name[known]]
        rare[known] = rarity(self._arrays, name[known])
        return np.column_stack([named.astype(np.float64), rare, owners])


def _log(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(scores + 1e-9)
