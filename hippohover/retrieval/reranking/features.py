"""Candidates -> plain features: what each holds of a claim, and which candidates name it."""

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.names.titles import TitleKind
from hippohover.retrieval.reranking.feature_kernels import (
    LINK_FEATURES,
    PAIR_FEATURES,
    TEXT_FEATURES,
    pair_code,
    read_links,
    read_pairs,
    read_texts,
)
from hippohover.retrieval.walk.candidates import RRF_K, Candidates, SecondCandidates
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.retrieval.walk.inside import Inside
from hippohover.retrieval.walk.seeds import rarity
from hippohover.spans import lengths_of
from hippohover.store.tables import IndexArrays

FEATURES = (
    *TEXT_FEATURES,
    *LINK_FEATURES,
    *PAIR_FEATURES,
    "walk",  # ln of the share of the best score of the whole walk
    "walk_rank",
    "entity_walk",  # of the walk from entities alone
    "entity_walk_rank",
    "passage_walk",  # of the walk from passages alone
    "passage_walk_rank",
    "bm25_share",  # share of the best BM25 score
    "bm25_rank",
    "dense_rank",
    "simple_rank",  # by the sum of 1 / (60 + rank) over the two
    "named_full",  # the claim names its title
    "named_bare",  # the title without its bracketed qualifier
    "named_opening",  # the name that the text opens with
    "named_head",  # what stands before the colon of its title
    "named_alias",  # a further name
    "name_rarity",  # of that name: ln(N / df)
    "name_owners",  # passages that go by it
    "claim_terms",
    "claim_entities",
    "claim_owners",  # entities of the claim that some passage goes by
    "similarity",  # cosine of claim and passage; 0 without an encoder
    "similarity_rank",  # by it, among the candidates
    "document_walk",  # best "walk" of the passages of its document that are candidates
    "document_bm25",  # best "bm25_share"
    "document_similarity",  # best "similarity"
    "document_passages",  # how many they are
)
"""Names of the columns, in order: part of the contract with the learned weights."""

_PRIOR_FEATURES = ("unshared", *LINK_FEATURES)
_PAIR_PRIORS = ("pair_unshared", "opening_unshared")
SECOND_FEATURES = (
    *FEATURES,
    *(f"{name}_by_score" for name in _PAIR_PRIORS),
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
    """Features of candidates in one index; safe to share between calls."""

    def __init__(self, arrays: IndexArrays) -> None:
        self._arrays = arrays
        self._term_rarity = arrays.lexical.rarity(np.arange(len(arrays.term_df)))

    def within(self, inside: Inside) -> "FeatureReader":
        """Return the same reader for passages inside a part of the index."""
        other = copy(self)
        other._arrays, other._term_rarity = inside.arrays, inside.term_rarity
        return other

    def __call__(self, claim: ReadClaim, candidates: Candidates) -> NDArray[np.float32]:
        """Return a matrix of shape (n_candidates, len(FEATURES)).

        The prior of a candidate is the root of its share of the best walk score, in [0, 1].
        """
        (of_walk,) = self._read(claim, candidates.rows, [_prior(candidates.walk)])
        return matrix(self._columns(claim, candidates, of_walk), FEATURES)

    def again(self, claim: ReadClaim, candidates: SecondCandidates) -> NDArray[np.float32]:
        """Return a matrix of shape (n_candidates, len(SECOND_FEATURES))."""
        first = candidates.first
        priors = [_prior(first.walk), candidates.sureness, _prior(candidates.walk)]
        of_walk, by_score, by_walk = self._read(claim, first.rows, priors)
        columns = self._columns(claim, first, of_walk)
        for feature in _PRIOR_FEATURES:
            columns[f"{feature}_by_score"] = by_score[feature]
            columns[f"{feature}_by_second_walk"] = by_walk[feature]
        columns |= {f"{feature}_by_score": by_score[feature] for feature in _PAIR_PRIORS}
        columns |= {
            "score": candidates.score,
            "score_rank": candidates.score_rank,
            "sureness": candidates.sureness,
            "second_walk": _log(candidates.walk),
            "second_walk_rank": candidates.walk_rank,
            "second_walk_passages": _log(candidates.passage_walk),
        }
        return matrix(columns, SECOND_FEATURES)

    def _columns(
        self, claim: ReadClaim, candidates: Candidates, read: FeatureColumns
    ) -> FeatureColumns:
        """Return the columns of ``FEATURES``; ``read`` uses the walk's prior."""
        n = len(candidates.rows)
        walk = _log(candidates.walk)
        bm25 = candidates.bm25 / max(float(candidates.bm25.max(initial=0.0)), 1e-9)
        n_owners = lengths_of(self._arrays.owner_spans[claim.entities])
        return {
            **read,
            "walk": walk,
            "walk_rank": candidates.walk_rank,
            "entity_walk": _log(candidates.entity_walk),
            "entity_walk_rank": candidates.entity_walk_rank,
            "passage_walk": _log(candidates.passage_walk),
            "passage_walk_rank": candidates.passage_walk_rank,
            "bm25_share": bm25,
            "bm25_rank": candidates.bm25_rank,
            "dense_rank": candidates.dense_rank,
            "simple_rank": _rank_of(
                1.0 / (RRF_K + candidates.bm25_rank) + 1.0 / (RRF_K + candidates.dense_rank)
            ),
            **self._naming(claim, candidates.rows),
            "claim_terms": np.full(n, len(claim.terms)),
            "claim_entities": np.full(n, len(claim.entities)),
            "claim_owners": np.full(n, np.count_nonzero(n_owners)),
            "similarity": candidates.similarity,
            "similarity_rank": _rank_of(candidates.similarity),
            **self._of_documents(candidates, walk, bm25),
        }

    def _of_documents(
        self, candidates: Candidates, walk: NDArray[np.float64], bm25: NDArray[np.float64]
    ) -> FeatureColumns:
        """Return what a passage's document has, over its passages among the candidates."""
        documents = self._arrays.documents[candidates.rows]
        _, number, counts = np.unique(documents, return_inverse=True, return_counts=True)
        columns: FeatureColumns = {"document_passages": counts[number]}
        values = {"walk": walk, "bm25": bm25, "similarity": candidates.similarity}
        for name, column in values.items():
            best = np.full(len(counts), -np.inf)
            np.maximum.at(best, number, column)
            columns[f"document_{name}"] = best[number]
        return columns

    def _read(
        self, claim: ReadClaim, rows: NDArray[np.int64], priors: Sequence[NDArray[np.float64]]
    ) -> list[FeatureColumns]:
        """Return ``TEXT_FEATURES``, ``LINK_FEATURES`` and ``PAIR_FEATURES`` for each prior."""
        arrays = self._arrays
        by_prior = np.array(priors, np.float64)
        total = max(float(claim.rarity.sum(dtype=np.float64)), 1e-9)
        rarity = (claim.rarity / total).astype(np.float32)
        texts = arrays.term_indptr, arrays.terms, arrays.title_lengths
        text, links, pairs = (
            np.zeros((len(priors), len(rows), len(names)))  # rounded once they are summed
            for names in (TEXT_FEATURES, LINK_FEATURES, PAIR_FEATURES)
        )
        read_texts(rows, by_prior, claim.terms, rarity, *texts, self._term_rarity, text)
        read_links(
            rows,
            np.argsort(rows, kind="stable"),
            by_prior,
            claim.terms,
            rarity,
            *texts,
            arrays.mention_spans,
            arrays.mentions,
            arrays.owner_spans,
            arrays.owner_passages,
            links,
        )
        codes, weights = _claim_pairs(claim)
        read_pairs(rows, by_prior, claim.terms, rarity, codes, weights, *texts, pairs)
        names = (*TEXT_FEATURES, *LINK_FEATURES, *PAIR_FEATURES)
        return [
            dict(zip(names, np.concatenate(of_prior, axis=1).T, strict=True))
            for of_prior in zip(text, links, pairs, strict=True)
        ]

    def _naming(self, claim: ReadClaim, rows: NDArray[np.int64]) -> FeatureColumns:
        """Return which of a passage's own names the claim names, and facts about that name."""
        names = self._arrays.title_entities[rows]
        named = np.isin(names, claim.entities) & (names >= 0)
        column = np.where(named.any(axis=1), named.argmax(axis=1), (names >= 0).argmax(axis=1))
        name = names[np.arange(len(rows)), column].astype(np.int64)
        known = name >= 0
        owners = np.zeros(len(rows))
        rare = np.zeros(len(rows))
        owners[known] = lengths_of(self._arrays.owner_spans[name[known]])
        rare[known] = rarity(self._arrays, name[known], claim.inside)
        return {
            "named_full": named[:, TitleKind.FULL],
            "named_bare": named[:, TitleKind.BARE],
            "named_opening": named[:, TitleKind.OPENING],
            "named_head": named[:, TitleKind.HEAD],
            "named_alias": named[:, TitleKind.ALIAS],
            "name_rarity": rare,
            "name_owners": owners,
        }


def _claim_pairs(claim: ReadClaim) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return codes of adjacent terms in a claim, and their weights."""
    places = np.searchsorted(claim.terms, claim.sequence).tolist()
    n_terms = len(claim.terms)
    codes = np.array(
        sorted({pair_code(a, b, n_terms) for a, b in pairwise(places) if a != b}), np.int64
    )
    weights = np.minimum(claim.rarity[codes // n_terms], claim.rarity[codes % n_terms])
    total = max(float(weights.sum(dtype=np.float64)), 1e-9)
    return codes, (weights / total).astype(np.float32)


def joined_share(features: NDArray[np.float32]) -> float:
    """Return the share in [0, 1] of candidates that name, link, or are named by another."""
    columns = [FEATURES.index(name) for name in ("in_sum", "out_sum")]
    joined = features[:, columns].any(axis=1)  # each is 0 where the prior of the other passage is
    return int(joined.sum()) / max(len(features), 1)


def have_names(arrays: IndexArrays, passages: NDArray[np.bool_]) -> bool:
    """Return whether half the passages have titles, or open with names of their own.

    Untitled abstracts open with what they are about, four of five by a name of their own. Where
    texts open with "When", "Note" or "The Regulator", such names join what has nothing to do with
    each other, and a claim's words say more than the walk (benchmarks/untitled_corpora.py).
    """
    kinds = [TitleKind.FULL, TitleKind.OPENING]
    titles, openings = arrays.title_entities[passages][:, kinds].T
    own = lengths_of(arrays.owner_spans)[openings[openings >= 0]] == 1
    named = max(np.count_nonzero(titles >= 0), np.count_nonzero(own))
    return bool(2 * named >= len(titles))


def matrix(columns: FeatureColumns, names: Sequence[str]) -> NDArray[np.float32]:
    """Join the columns in the order of ``names``, (n_candidates, len(names)).

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
    """Return the root of each score's share of the best, in [0, 1]."""
    return np.sqrt(walk / max(float(walk.max(initial=0.0)), 1e-300))


def _log(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln of each score's share of the best, -20 at least."""
    return np.log(scores / max(float(scores.max(initial=0.0)), 1e-300) + 2e-9)


def _rank_of(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Rank scores from 0; equal ones share the first of their ranks."""
    return np.searchsorted(np.sort(-scores), -scores).astype(np.float64)
