"""Candidates -> plain features: what each holds of a claim, and which candidates name it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

_NO_TERMS = np.zeros(0, np.int64)

FeatureColumns = dict[str, NDArray[Any]]
"""A value a candidate, by the name of the feature."""


class FeatureReader:
    """Features of candidates in one index; safe to share between calls."""

    def __init__(self, arrays: IndexArrays) -> None:
        self._arrays = arrays
        self._term_rarity = arrays.lexical.rarity(np.arange(len(arrays.term_df)))

    def __call__(self, claim: ReadClaim, candidates: Candidates) -> NDArray[np.float32]:
        """Return a matrix of shape (n_candidates, len(FEATURES)).

        The prior of a candidate is the root of its share of the best walk score, in [0, 1].
        """
        called = self._called(claim, candidates.rows)
        (of_walk,) = self._read(called, candidates.rows, [_prior(candidates.walk)])
        return matrix(self._columns(called, candidates, of_walk), FEATURES)

    def again(self, claim: ReadClaim, candidates: SecondCandidates) -> NDArray[np.float32]:
        """Return a matrix of shape (n_candidates, len(SECOND_FEATURES))."""
        first = candidates.first
        priors = [_prior(first.walk), candidates.sureness, _prior(candidates.walk)]
        called = self._called(claim, first.rows)
        of_walk, by_score, by_walk = self._read(called, first.rows, priors)
        columns = self._columns(called, first, of_walk)
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
        self, called: "CalledClaim", candidates: Candidates, read: FeatureColumns
    ) -> FeatureColumns:
        """Return the columns of ``FEATURES``; ``read`` uses the walk's prior."""
        claim = called.claim
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
            **self._naming(called, candidates.rows),
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
        self, called: "CalledClaim", rows: NDArray[np.int64], priors: Sequence[NDArray[np.float64]]
    ) -> list[FeatureColumns]:
        """Return ``TEXT_FEATURES``, ``LINK_FEATURES`` and ``PAIR_FEATURES`` for each prior."""
        arrays, claim = self._arrays, called.claim
        by_prior = np.array(priors, np.float64)
        total = max(float(claim.rarity.sum(dtype=np.float64)), 1e-9)
        rarity = (claim.rarity / total).astype(np.float32)
        texts = arrays.term_indptr, arrays.terms, arrays.title_lengths
        text, links, pairs = (
            np.zeros((len(priors), len(rows), len(names)))  # rounded once they are summed
            for names in (TEXT_FEATURES, LINK_FEATURES, PAIR_FEATURES)
        )
        more = called.terms(len(rows))
        read_texts(rows, by_prior, claim.terms, rarity, *texts, self._term_rarity, *more, text)
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
        codes, weights = called.pairs()
        read_pairs(rows, by_prior, claim.terms, rarity, codes, weights, *texts, *more, pairs)
        names = (*TEXT_FEATURES, *LINK_FEATURES, *PAIR_FEATURES)
        return [
            dict(zip(names, np.concatenate(of_prior, axis=1).T, strict=True))
            for of_prior in zip(text, links, pairs, strict=True)
        ]

    def _naming(self, called: "CalledClaim", rows: NDArray[np.int64]) -> FeatureColumns:
        """Return which of a passage's own names the claim names, and facts about that name."""
        claim = called.claim
        names = self._arrays.title_entities[rows]
        named = np.isin(names, claim.entities) & (names >= 0)
        column = np.where(named.any(axis=1), named.argmax(axis=1), (names >= 0).argmax(axis=1))
        name = names[np.arange(len(rows)), column].astype(np.int64)
        by_further = np.isin(np.arange(len(rows)), list(called.further))
        name[by_further] = [called.further[at] for at in np.flatnonzero(by_further).tolist()]
        known = name >= 0
        owners = np.zeros(len(rows))
        rare = np.zeros(len(rows))
        owners[known] = lengths_of(self._arrays.owner_spans[name[known]])
        rare[known] = rarity(self._arrays, name[known])
        return {
            "named_full": named[:, TitleKind.FULL] | by_further,
            "named_bare": named[:, TitleKind.BARE],
            "named_opening": named[:, TitleKind.OPENING],
            "named_head": named[:, TitleKind.HEAD] | named[:, TitleKind.TAIL],
            "named_alias": named[:, TitleKind.ALIAS],
            "name_rarity": rare,
            "name_owners": owners,
        }

    def _called(self, claim: ReadClaim, rows: NDArray[np.int64]) -> "CalledClaim":
        """Find the candidates that the claim calls by a further name alone."""
        arrays = self._arrays
        titles = np.delete(arrays.title_entities[rows], TitleKind.ALIAS, axis=1)
        is_named = (np.isin(titles, claim.entities) & (titles >= 0)).any(axis=1)
        further: dict[int, int] = {}
        for entity in claim.entities.tolist():
            owners = arrays.owner_passages[slice(*arrays.owner_spans[entity])]
            for at in np.flatnonzero(np.isin(rows, owners) & ~is_named).tolist():
                further.setdefault(at, entity)
        named_by = [claim.named_by.get(entity, _NO_TERMS) for entity in further.values()]
        # Terms that no passage holds are as rare as can be.
        new = np.setdiff1d(np.concatenate([_NO_TERMS, *named_by]), claim.terms)
        rarest = np.log((arrays.lexical.n_passages + 1) / 0.5)
        order = np.argsort(np.concatenate([claim.terms, new]), kind="stable")
        return CalledClaim(
            replace(
                claim,
                terms=np.concatenate([claim.terms, new])[order],
                rarity=np.concatenate([claim.rarity, np.full(len(new), rarest, np.float32)])[order],
            ),
            further,
        )


@dataclass(frozen=True, slots=True)
class CalledClaim:
    """A claim, and the candidates that it calls by a further name alone.

    An alias or the name of a file is as good as a title, but need not stand in the text. So its
    words in the claim count as words of the passage.

    Attributes
    ----------
    claim : ReadClaim
        Its terms have the words of these names, even if no passage holds them.
    further : dict of int to int
        Places among the candidates, and the entity of the name.
    """

    claim: ReadClaim
    further: dict[int, int]

    def terms(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the terms of ``n`` candidates' names begin, (n + 1,), and all these."""
        own = [
            self.claim.named_by.get(self.further[at], _NO_TERMS)
            if at in self.further
            else _NO_TERMS
            for at in range(n)
        ]
        indptr = np.zeros(n + 1, np.int64)
        np.cumsum([len(terms) for terms in own], out=indptr[1:])
        return indptr, np.concatenate([_NO_TERMS, *own])

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return codes of adjacent terms in the claim, and their weights."""
        claim = self.claim
        n_terms = len(claim.terms)
        further = [claim.named_by.get(entity, _NO_TERMS) for entity in self.further.values()]
        codes: set[int] = set()
        for sequence in (claim.sequence, *further):
            places = np.searchsorted(claim.terms, sequence).tolist()
            codes |= {pair_code(a, b, n_terms) for a, b in pairwise(places) if a != b}
        ordered = np.array(sorted(codes), np.int64)
        weights = np.minimum(claim.rarity[ordered // n_terms], claim.rarity[ordered % n_terms])
        total = max(float(weights.sum(dtype=np.float64)), 1e-9)
        return ordered, (weights / total).astype(np.float32)


def joined_share(features: NDArray[np.float32]) -> float:
    """Return the share in [0, 1] of candidates that name, link, or are named by another."""
    columns = [FEATURES.index(name) for name in ("in_sum", "out_sum")]
    joined = features[:, columns].any(axis=1)  # each is 0 where the prior of the other passage is
    return int(joined.sum()) / max(len(features), 1)


def have_names(arrays: IndexArrays) -> bool:
    """Return whether half the passages have titles, or open with names of their own.

    Untitled abstracts open with what they are about, four of five by a name of their own. Where
    texts open with "When", "Note" or "The Regulator", such names join what has nothing to do with
    each other, and a claim's words say more than the walk (benchmarks/untitled_corpora.py).
    """
    kinds = [TitleKind.FULL, TitleKind.OPENING]
    titles, openings = arrays.title_entities[arrays.documents >= 0][:, kinds].T
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
