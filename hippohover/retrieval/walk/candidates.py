"""Walks -> the passages that are scored, and what each ranking says of them.

The first candidates are the best of the walk, of its entity part and of BM25. Once these are
scored, the best of them restart a second walk. The second candidates are the best of the first
ones, what only the second walk reaches, and what the best ones name.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.retrieval.facts.pool import FactChoice
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.retrieval.walk.seeds import Scored, Seeds
from hippohover.spans import lengths_of, places_in
from hippohover.store.tables import IndexArrays

Allowed = NDArray[np.bool_] | None
"""Passages that may be answers, shape (n_rows,); None allows all."""

RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""

NO_RANK = 1000.0
N_KEPT = 100
"""First candidates that are scored a second time."""
N_NEW = 100
"""Candidates that only the second walk brings."""
N_NAMED = 60
"""Candidates that only the surest passages name."""

_SIDE_CANDIDATES = 60
_SIMPLE_CANDIDATES = 100  # of a search without a walk, so that no more is lost than it finds
_SURE = 4
_NAMING = 5  # surest passages whose names are followed: more of them bring more, and find no more
_MOST_OWNERS = 3  # a name that more passages go by says little of each

Rows = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Walked:
    """A claim, its seeds, and the walk from them.

    Attributes
    ----------
    claim : ReadClaim
    choice : FactChoice
        Its facts lent their entities to ``entity_seeds``.
    entity_seeds, passage_seeds : Seeds
    entity_share : float
        Share of the walk's mass that is on ``entity_seeds``; the rest is on ``passage_seeds``.
    lexical : ndarray of float32, shape (n_rows,)
        BM25 of every passage that is allowed, 0 of the others.
    bm25, dense : (rows, scores)
        Best passages by BM25 and by cosine, best first; no dense ones where vectors are not
        compared.
    both, entity, passage : (rows, scores)
        Passages that the walk reached, ascending; all of it, and the parts of it that come from
        entities and from passages.
    best, best_entity, best_passage : ndarray of int64
        The best rows of each, best first.
    reached : (rows, scores)
        As many of ``both`` as can be asked for, best first.
    by_words, nearest : ndarray of int64
        As many rows of ``bm25`` and ``dense``; none where nothing is scored.
    vector : ndarray of float32, shape (dim,) or (0,)
        The claim's; none when passages have none.
    allowed : ndarray of bool, shape (n_rows,), or None
        Others are only seeds.
    """

    claim: ReadClaim
    choice: FactChoice
    entity_seeds: Seeds
    passage_seeds: Seeds
    entity_share: float
    lexical: NDArray[np.float32]
    bm25: Scored
    dense: Scored
    both: Scored
    entity: Scored
    passage: Scored
    best: Rows
    best_entity: Rows
    best_passage: Rows
    reached: Scored
    by_words: Rows
    nearest: Rows
    vector: NDArray[np.float32]
    allowed: Allowed = None


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Passages to be scored, with the rankings that they come from.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
    walk, entity_walk, passage_walk, bm25 : ndarray of float64, shape (n,)
        Scores, 0 where a ranking does not hold the passage.
    walk_rank, entity_walk_rank, passage_walk_rank, bm25_rank, dense_rank : ndarray of float64
        Of shape (n,), from 0; ``NO_RANK`` where a ranking does not hold the passage.
    similarity : ndarray of float32, shape (n,)
    """

    rows: Rows
    walk: Scores
    entity_walk: Scores
    passage_walk: Scores
    bm25: Scores
    walk_rank: Scores
    entity_walk_rank: Scores
    passage_walk_rank: Scores
    bm25_rank: Scores
    dense_rank: Scores
    similarity: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class SecondWalk:
    """The walk that restarts from the claim's entities and the best scored candidates.

    Attributes
    ----------
    seeds : Seeds
        All of them; masses sum to 1.
    both : (rows, scores)
        Passages that it reached, ascending.
    passage : ndarray of float64
        The part of each score that comes from passages.
    best, reached : ndarray of int64
        The best rows, best first: candidates, and as many as can be asked for.
    """

    seeds: Seeds
    both: Scored
    passage: Scores
    best: Rows
    reached: Rows


@dataclass(frozen=True, kw_only=True)
class SecondCandidates:
    """Passages to be scored a second time, with the first scores and the second walk.

    Attributes
    ----------
    first : Candidates
        What the first walk says of them.
    score, score_rank : ndarray of float64, shape (n,)
        First score less the best one, and the rank by it from 0. What is new stands 1 below the
        last, with ``NO_RANK``.
    sureness : ndarray of float64, shape (n,)
        The first score on a scale of 0 to 1; see ``sureness``.
    walk, walk_rank : ndarray of float64, shape (n,)
        Score in the second walk, 0 where it did not come, and the rank in it.
    passage_walk : ndarray of float64, shape (n,)
        The part of that score that comes from passages.
    """

    first: Candidates
    score: Scores
    score_rank: Scores
    sureness: Scores
    walk: Scores
    walk_rank: Scores
    passage_walk: Scores


def first_rows(walked: Walked, keys: NDArray[np.uint64]) -> Rows:
    """Return the walk's best passages, then by key the best of the entity walk, BM25 and cosine."""
    sides = np.concatenate(
        [
            walked.best_entity[:_SIDE_CANDIDATES],
            walked.bm25[0][:_SIMPLE_CANDIDATES],
            walked.dense[0][:_SIMPLE_CANDIDATES],
        ]
    )
    rest = np.setdiff1d(sides, walked.best)
    return np.concatenate([walked.best, rest[np.argsort(keys[rest])]])


def second_rows(rows: Rows, scores: Scores, second: Rows, named: Rows) -> Rows:
    """Return the ``N_KEPT`` best, in the order of ``rows``, then new ones."""
    kept = rows[np.sort(np.argsort(-scores, kind="stable")[:N_KEPT])]
    walked = second[~np.isin(second, rows)][:N_NEW]
    seen = np.concatenate([kept, walked])
    return np.concatenate([seen, named[~np.isin(named, seen)][:N_NAMED]])


def named_rows(
    arrays: IndexArrays, scored: Scored, allowed: Allowed, keys: NDArray[np.uint64]
) -> Rows:
    """Return passages that the best scored ones name, in the order of those.

    A name that many passages mention leads the walk to all of them, and hardly to the one that
    goes by it.
    """
    rows, scores = scored
    sources = rows[np.argsort(-scores, kind="stable")[:_NAMING]]
    entities = arrays.mentions[places_in(arrays.mention_spans[sources]), 0]
    owners_of = arrays.owner_spans[entities]
    owners = arrays.owner_passages[places_in(owners_of)].astype(np.int64)
    mention = np.repeat(np.arange(len(entities)), lengths_of(owners_of))
    if allowed is not None:
        owners, mention = owners[allowed[owners]], mention[allowed[owners]]
    n_owners = np.bincount(mention, minlength=len(entities))
    kept = np.flatnonzero(n_owners[mention] <= _MOST_OWNERS)
    kept = kept[np.lexsort((keys[owners[kept]], mention[kept]))]
    _, first = np.unique(owners[kept], return_index=True)
    return owners[kept][np.sort(first)]


def described(walked: Walked, rows: Rows, similarity: NDArray[np.float32]) -> Candidates:
    """Return what the rankings of a claim say of some passages."""
    return Candidates(
        rows=rows,
        walk=_lookup(walked.both, rows),
        entity_walk=_lookup(walked.entity, rows),
        passage_walk=_lookup(walked.passage, rows),
        bm25=walked.lexical[rows].astype(np.float64),
        walk_rank=_ranks(walked.best, rows),
        entity_walk_rank=_ranks(walked.best_entity, rows),
        passage_walk_rank=_ranks(walked.best_passage, rows),
        bm25_rank=_ranks(walked.bm25[0], rows),
        dense_rank=_ranks(walked.dense[0], rows),
        similarity=similarity,
    )


def described_again(first: Candidates, scored: Scored, second: SecondWalk) -> SecondCandidates:
    """Return what the first scores and the second walk say of some passages.

    Parameters
    ----------
    first : Candidates
        From ``described``.
    scored : (rows, scores)
        All first candidates, in any order.
    second : SecondWalk
    """
    rows, scores = scored
    order = np.argsort(-scores, kind="stable")
    seen = np.isin(first.rows, rows)
    least = scores.min(initial=0.0) - 1.0
    score = np.where(seen, _ranked_lookup(scored, first.rows), least)
    return SecondCandidates(
        first=first,
        score=score - scores.max(initial=0.0),
        score_rank=_ranks(rows[order][:N_KEPT], first.rows),
        sureness=sureness(score, scores),
        walk=_lookup(second.both, first.rows),
        walk_rank=_ranks(second.best, first.rows),
        passage_walk=_lookup((second.both[0], second.passage), first.rows),
    )


def sureness(score: Scores, scores: Scores) -> Scores:
    """Return 1 / (1 + exp(m - score)), m the mean of the four best ``scores``."""
    best = -np.sort(-scores)[:_SURE]
    return 1.0 / (1.0 + np.exp(np.minimum(best.mean() - score, 700.0)))


def second_seeds(rows: Rows, scores: Scores, n: int) -> Seeds:
    """Return the ``n`` passages of best score; mass in proportion to exp(score)."""
    best = np.argsort(-scores, kind="stable")[:n]
    mass = np.exp(scores[best] - scores[best].max(initial=-np.inf))
    order = np.argsort(rows[best])
    return Seeds(rows[best][order], mass[order] / max(mass.sum(), 1e-300))


def _lookup(walked: Scored, rows: Rows) -> Scores:
    """Look up each row's score in a list ascending by row; 0 where it is missing."""
    ascending, scores = walked
    if not len(ascending):
        return np.zeros(len(rows))
    at = np.minimum(np.searchsorted(ascending, rows), len(ascending) - 1)
    return np.where(ascending[at] == rows, scores[at], 0.0)


def _ranked_lookup(ranking: Scored, rows: Rows) -> Scores:
    """Look up each row's score in a list in any order."""
    order = np.argsort(ranking[0])
    return _lookup((ranking[0][order], ranking[1][order]), rows)


def _ranks(best: Rows, rows: Rows) -> Scores:
    """Rank rows from 0, ``NO_RANK`` where a row is not among the best."""
    ranks = np.arange(1.0, len(best) + 1.0)
    ranks_from_one = _ranked_lookup((best, ranks), rows)
    return np.where(ranks_from_one > 0, ranks_from_one - 1.0, NO_RANK)
