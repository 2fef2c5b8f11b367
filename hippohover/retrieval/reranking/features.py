"""Candidates -> plain features: what of a claim each holds, and how they name each other."""

import numpy as np
from numpy.typing import NDArray

from hippohover.retrieval.reranking.feature_kernels import read_links, read_texts
from hippohover.retrieval.walk.candidates import Candidates, SecondCandidates
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.retrieval.walk.seeds import rarity
from hippohover.store.tables import IndexArrays

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

_PRIOR_FEATURES = ("unshared", *_LINK_FEATURES)
SECOND_FEATURES = (
    *FEATURES,
    *(f"{name}_by_score" for name in _PRIOR_FEATURES),  # the same, the prior being the sureness
    *(f"{name}_by_second_walk" for name in _PRIOR_FEATURES),  # and the prior of the second walk
    "score", "score_rank", "sureness",  # of the first scoring
    "second_walk", "second_walk_rank", "second_walk_passages",  # ln of score and of its part
)  # fmt: skip
"""Names of the columns of the second scoring."""


class FeatureReader:
    """Features of candidates in one index; holds only what a call may share with another."""

    def __init__(self, arrays: IndexArrays) -> None:
        self._arrays = arrays
        frequency = np.diff(arrays.posting_indptr)
        n = arrays.n_passages
        self._term_rarity = np.log((n + 1) / (frequency + 0.5)).astype(np.float32)

    def __call__(self, claim: ReadClaim, candidates: Candidates) -> NDArray[np.float32]:
        """Matrix of shape (n_candidates, len(FEATURES)).

        The prior of a candidate is the root of its share of the best walk score, in [0, 1].
        """
        n = len(candidates.rows)
        text, links = self._read(claim, candidates.rows, _prior(candidates.walk))
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

    def again(self, claim: ReadClaim, candidates: SecondCandidates) -> NDArray[np.float32]:
        """Matrix of shape (n_candidates, len(SECOND_FEATURES))."""
        rows = candidates.first.rows
        columns = [self(claim, candidates.first)]
        for prior in (candidates.sureness, _prior(candidates.walk)):
            text, links = self._read(claim, rows, prior)
            columns += [text[:, _TEXT_FEATURES.index("unshared")], links]
        columns += [
            candidates.score, candidates.score_rank, candidates.sureness,
            _log(candidates.walk), candidates.walk_rank, _log(candidates.passage_walk),
        ]  # fmt: skip
        return np.column_stack(columns).astype(np.float32)

    def _read(
        self, claim: ReadClaim, rows: NDArray[np.int64], prior: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Columns ``_TEXT_FEATURES`` and ``_LINK_FEATURES``."""
        arrays = self._arrays
        text = np.zeros((len(rows), len(_TEXT_FEATURES)), np.float32)
        links = np.zeros((len(rows), len(_LINK_FEATURES)), np.float32)
        rarity = claim.rarity / max(float(claim.rarity.sum()), 1e-9)
        read_texts(
            rows, prior, claim.terms, rarity,
            arrays.term_indptr, arrays.terms, arrays.title_lengths, self._term_rarity, text,
        )  # fmt: skip
        read_links(
            rows, np.argsort(rows, kind="stable"), prior, claim.terms, rarity,
            arrays.term_indptr, arrays.terms, arrays.title_lengths,
            arrays.mention_indptr, arrays.mentions, arrays.owner_indptr, arrays.owner_passages,
            links,
        )  # fmt: skip
        return text, links

    def _naming(self, claim: ReadClaim, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Columns named_full, named_bare, named_opening, name_rarity, name_owners."""
        names = self._arrays.title_entities[rows]
        named = np.isin(names, claim.entities) & (names >= 0)
        column = np.where(named.any(axis=1), named.argmax(axis=1), (names >= 0).argmax(axis=1))
        name = names[np.arange(len(rows)), column].astype(np.int64)
        known = name >= 0
        owners = np.zeros(len(rows))
        rare = np.zeros(len(rows))
        indptr = self._arrays.owner_indptr
        owners[known] = indptr[name[known] + 1] - indptr[name[known]]
        rare[known] = rarity(self._arrays, name[known])
        return np.column_stack([named.astype(np.float64), rare, owners])


def _prior(walk: NDArray[np.float64]) -> NDArray[np.float64]:
    """Root of each score's share of the best, in [0, 1]."""
    return np.sqrt(walk / max(float(walk.max(initial=0.0)), 1e-300))


def _log(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(scores + 1e-9)
