"""Candidates -> plain features: what of a claim each holds, and how they name each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.names.titles import TitleKind
from hippohover.retrieval.reranking.feature_kernels import (
    LINK_FEATURES,
    TEXT_FEATURES,
    read_links,
    read_texts,
)
from hippohover.retrieval.walk.candidates import Candidates, SecondCandidates
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.retrieval.walk.seeds import rarity
from hippohover.store.tables import IndexArrays

FEATURES = (
    *TEXT_FEATURES,
    *LINK_FEATURES,
    "walk",  # ln of the score of the whole walk
    "walk_rank",
    "entity_walk",  # of the walk from entities alone
    "entity_walk_rank",
    "passage_walk",  # of the walk from passages alone
    "passage_walk_rank",
    "bm25_share",  # share of the best BM25 score
    "bm25_rank",
    "named_full",  # the claim names its title
    "named_bare",  # the title without its bracketed qualifier
    "named_opening",  # the name that the text opens with
    "name_rarity",  # of that name: ln(N / df)
    "name_owners",  # passages that go by it
    "claim_terms",
    "claim_entities",
    "similarity",  # cosine of claim and passage; 0 without an encoder
)
"""Names of the columns, in order: part of the contract with the learned weights."""

_PRIOR_FEATURES = ("unshared", *LINK_FEATURES)
SECOND_FEATURES = (
    *FEATURES,
    *(f"{name}_by_score" for name in _PRIOR_FEATURES),  # the same, the prior being the sureness
    *(f"{name}_by_second_walk" for name in _PRIOR_FEATURES),  # and the prior of the second walk
    "score",  # of the first scoring
    "score_rank",
    "sureness",
    "second_walk",  # ln of the score of the second walk
    "second_walk_rank",
    "second_walk_passages",  # ln of the part of that score that comes from passages
)
"""Names of the columns of the second scoring."""

FeatureColumns = dict[str, NDArray[Any]]
"""A value a candidate, by the name of the feature."""


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
        return matrix(self._columns(claim, candidates), FEATURES)

    def again(self, claim: ReadClaim, candidates: SecondCandidates) -> NDArray[np.float32]:
        """Matrix of shape (n_candidates, len(SECOND_FEATURES))."""
        rows = candidates.first.rows
        columns = self._columns(claim, candidates.first)
        priors = {"score": candidates.sureness, "second_walk": _prior(candidates.walk)}
        for name, prior in priors.items():
            read = self._read(claim, rows, prior)
            columns |= {f"{feature}_by_{name}": read[feature] for feature in _PRIOR_FEATURES}
        columns |= {
            "score": candidates.score,
            "score_rank": candidates.score_rank,
            "sureness": candidates.sureness,
            "second_walk": _log(candidates.walk),
            "second_walk_rank": candidates.walk_rank,
            "second_walk_passages": _log(candidates.passage_walk),
        }
        return matrix(columns, SECOND_FEATURES)

    def _columns(self, claim: ReadClaim, candidates: Candidates) -> FeatureColumns:
        n = len(candidates.rows)
        return {
            **self._read(claim, candidates.rows, _prior(candidates.walk)),
            "walk": _log(candidates.walk),
            "walk_rank": candidates.walk_rank,
            "entity_walk": _log(candidates.entity_walk),
            "entity_walk_rank": candidates.entity_walk_rank,
            "passage_walk": _log(candidates.passage_walk),
            "passage_walk_rank": candidates.passage_walk_rank,
            "bm25_share": candidates.bm25 / max(float(candidates.bm25.max(initial=0.0)), 1e-9),
            "bm25_rank": candidates.bm25_rank,
            **self._naming(claim, candidates.rows),
            "claim_terms": np.full(n, len(claim.terms)),
            "claim_entities": np.full(n, len(claim.entities)),
            "similarity": candidates.similarity,
        }

    def _read(
        self, claim: ReadClaim, rows: NDArray[np.int64], prior: NDArray[np.float64]
    ) -> FeatureColumns:
        """Those of ``TEXT_FEATURES`` and ``LINK_FEATURES``."""
        arrays = self._arrays
        text = np.zeros((len(rows), len(TEXT_FEATURES)), np.float32)
        links = np.zeros((len(rows), len(LINK_FEATURES)), np.float32)
        rarity = claim.rarity / max(float(claim.rarity.sum()), 1e-9)
        read_texts(
            rows,
            prior,
            claim.terms,
            rarity,
            arrays.term_indptr,
            arrays.terms,
            arrays.title_lengths,
            self._term_rarity,
            text,
        )
        read_links(
            rows,
            np.argsort(rows, kind="stable"),
            prior,
            claim.terms,
            rarity,
            arrays.term_indptr,
            arrays.terms,
            arrays.title_lengths,
            arrays.mention_indptr,
            arrays.mentions,
            arrays.owner_indptr,
            arrays.owner_passages,
            links,
        )
        names = (*TEXT_FEATURES, *LINK_FEATURES)
        return dict(zip(names, (*text.T, *links.T), strict=True))

    def _naming(self, claim: ReadClaim, rows: NDArray[np.int64]) -> FeatureColumns:
        """Which of a passage's own names the claim names, and what is known of that name."""
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
        return {
            "named_full": named[:, TitleKind.FULL],
            "named_bare": named[:, TitleKind.BARE],
            "named_opening": named[:, TitleKind.OPENING],
            "name_rarity": rare,
            "name_owners": owners,
        }


def matrix(columns: FeatureColumns, names: Sequence[str]) -> NDArray[np.float32]:
    """The columns side by side in the order of ``names``, shape (n_candidates, len(names)).

    ``ValueError`` when a name has no column, or a column has none of the names.
    """
    missing, unknown = set(names) - columns.keys(), columns.keys() - set(names)
    if missing or unknown:
        raise ValueError(
            f"features without a column: {', '.join(sorted(missing)) or 'none'}; "
            f"columns that are no feature: {', '.join(sorted(unknown)) or 'none'}"
        )
    # Columns are filled as rows, and turned once: twice as fast as ``np.stack`` along axis 1.
    return np.ascontiguousarray(np.array([columns[name] for name in names], np.float32).T)


def _prior(walk: NDArray[np.float64]) -> NDArray[np.float64]:
    """Root of each score's share of the best, in [0, 1]."""
    return np.sqrt(walk / max(float(walk.max(initial=0.0)), 1e-300))


def _log(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(scores + 1e-9)
