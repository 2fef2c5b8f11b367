"""Scores -> rows in order: the one tie rule, and the fusion of lists."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.records import Seed, Triple
from hippohover.retrieval.facts.pool import NO_CHOICE, FactChoice
from hippohover.retrieval.walk.candidates import Scored, SecondWalk, Walked
from hippohover.store.tables import IndexTables

_STEP = 1e-9  # between equal scores of different ranks
_BEHIND = 1e6  # gains of voters that do not lead decide between equal ones alone
NOTHING_SCORED: Scored = (np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, kw_only=True)
class PprRun:
    """The run of the walk for one claim, from which rankings and explanations are read.

    Attributes
    ----------
    tables : IndexTables
        The version of the index whose rows are meant.
    walked : Walked
    first : (rows, scores)
        Candidates of the walk by the first scoring, best first; empty if the settings turn scoring
        off.
    second : SecondWalk or None
        The walk that restarted from the best of them; None if there was none.
    scored : (rows, scores)
        All candidates by their last scoring, best first.
    joined : float
        Share in [0, 1] of the candidates that name, link, or are named by another.
    ranked_by : str
        As in ``Trace``.
    """

    tables: IndexTables
    walked: Walked
    first: Scored = NOTHING_SCORED
    second: SecondWalk | None = None
    scored: Scored = NOTHING_SCORED
    joined: float = 0.0
    ranked_by: str = "weights"


class Others(NamedTuple):
    """Further passages at a place of a ranking, best first: their rows and scores."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Passages, best first, and how they were found.

    Attributes
    ----------
    rows, scores : ndarray, shape (n,)
    others : tuple of Others
        Further passages at each place, of its document and of near-copies; empty where every
        passage has its own.
    n_candidates : int
        Passages that were scored.
    seeds : tuple of Seed
    facts : tuple of Triple
    fallbacks : int
        Stages that took their documented fallback; counted in the Trace and in every report.
    choice : FactChoice
        What a language model made of the candidate facts.
    corrections : tuple of (str, str)
        Misspelt words of the claim, and what was searched in their place.
    apart : tuple of int
        Passages that have a place of their own, though another one stands for their document.
    run : PprRun or None
        What ``ppr`` did, of which this is the ranking; None of other retrievers.
    first : tuple of int
        Passages at the first 21 places, whatever the depth: chains are made of them.
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    n_candidates: int
    others: tuple[Others, ...] = ()
    seeds: tuple[Seed, ...] = ()
    facts: tuple[Triple, ...] = ()
    fallbacks: int = 0
    choice: FactChoice = NO_CHOICE
    corrections: tuple[tuple[str, str], ...] = ()
    apart: tuple[int, ...] = ()
    run: PprRun | None = None
    first: tuple[int, ...] = ()


NOTHING_FOUND = Ranking(rows=np.zeros(0, np.int64), scores=np.zeros(0), n_candidates=0)


def best_first(
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    k: int,
    keys: NDArray[np.uint64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the ``k`` rows of the highest scores, best first.

    Of equal scores, that of the lower key comes first; without ``keys``, which has one for every
    row that there is, the lower row.
    """
    if len(rows) > k > 0:
        floor = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= floor
        rows, scores = rows[kept], scores[kept]
    order = _order(rows if keys is None else keys[rows], scores)[:k]
    return rows[order], scores[order]


def _order(keys: NDArray[np.integer[Any]], scores: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Return places by falling score, of equal ones by key; most scores have no equal."""
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    if (falling[1:] == falling[:-1]).any():
        return np.lexsort((keys, -scores))
    return order


def one_per_group(ranking: Ranking, groups: NDArray[np.int64], depth: int) -> Ranking:
    """Return each group's best passage, ``depth`` at most, with the others.

    ``groups`` has a number for each passage of the ranking.
    """
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    if len(first) == len(groups):
        return replace(ranking, rows=ranking.rows[:depth], scores=ranking.scores[:depth])
    places = np.sort(first)[:depth]
    by_group = np.argsort(group, kind="stable")
    members = np.split(by_group, np.cumsum(np.bincount(group, minlength=len(first)))[:-1])
    behind = [members[group[place]][1:] for place in places.tolist()]
    return replace(
        ranking,
        rows=ranking.rows[places],
        scores=ranking.scores[places],
        others=tuple(Others(ranking.rows[at], ranking.scores[at]) for at in behind),
    )


def filled(places: Ranking, documents: NDArray[np.integer[Any]], depth: int) -> Ranking:
    """Give places that would stay empty to further passages of the same documents.

    They are those of ``others``, best first, without near-copies of other documents.

    Parameters
    ----------
    places : Ranking
        From ``one_per_group``.
    documents : ndarray of int, shape (n_rows,)
        Document of every passage of the index.
    depth : int
        Number of places.
    """
    n_empty = depth - len(places.rows)
    if n_empty <= 0 or not places.others:
        return places
    rows = np.concatenate([others.rows for others in places.others])
    scores = np.concatenate([others.scores for others in places.others])
    leading = np.repeat(places.rows, [len(others.rows) for others in places.others])
    is_own = documents[rows] == documents[leading]
    rows, scores = rows[is_own], scores[is_own]
    best = np.argsort(-scores, kind="stable")[:n_empty]
    kept = [~np.isin(others.rows, rows[best]) for others in places.others]
    left = tuple(
        Others(others.rows[own], others.scores[own])
        for others, own in zip(places.others, kept, strict=True)
    )
    nothing = Others(rows[:0], scores[:0])
    return replace(
        places,
        rows=np.concatenate([places.rows, rows[best]]),
        scores=np.concatenate([places.scores, np.minimum(scores[best], places.scores[-1])]),
        others=left + (nothing,) * len(best),
    )


class Voter(NamedTuple):
    """A ranked list in a fusion."""

    rows: NDArray[np.int64]
    """Passages, best first."""
    weight: float
    """What its first place counts."""
    constant: float
    """Rank, less one, at which a place counts half of the first."""
    leads: bool = False
    """Whether the list says which passage stands for its document."""
    n_sure: int = 0
    """Its first groups that come before all others."""


def soft_fusion(
    voters: Sequence[Voter],
    groups: NDArray[np.integer[Any]],
    keys: NDArray[np.uint64],
) -> Scored:
    """Fuse ranked lists by the ranks of groups: first each group's passage, then all others.

    A voter gives a group of rank r, from 0, the gain weight * c / (c + r), c its constant and one
    more; one of weight 0 brings nothing. Groups that some voter is sure of come first, in the same
    order among themselves. A
    group's passage is the best by the voters that lead, then by all; further ones follow so too.

    Parameters
    ----------
    voters : sequence of Voter
    groups : ndarray of int, shape (n_rows,)
        Group of every passage of the index, such as its document.
    keys : ndarray of uint64, shape (n_rows,)
        Break ties, as in ``best_first``.
    """
    voters = [voter for voter in voters if voter.weight > 0]
    rows = np.unique(np.concatenate([np.zeros(0, np.int64), *(voter.rows for voter in voters)]))
    of_rows, group = np.unique(groups[rows], return_inverse=True)
    n_groups = len(of_rows)
    alone, leading = np.zeros(len(rows)), np.zeros(len(rows))
    of_group, is_sure = np.zeros(n_groups), np.zeros(n_groups, np.bool_)
    for voter in voters:
        gains = _gains(voter, np.arange(float(len(voter.rows))))
        at = np.searchsorted(rows, voter.rows)
        alone[at] += gains
        leading[at] += gains * voter.leads
        ranks = group_ranks(group[at], n_groups)
        of_group += _gains(voter, ranks)
        is_sure |= ranks < voter.n_sure
    of_group += is_sure * sum(voter.weight for voter in voters)
    further = leading + alone / _BEHIND
    order = _order(keys[rows], further)
    is_first = np.zeros(len(rows), np.bool_)
    is_first[order[_first_places(group[order], n_groups)]] = True
    heads = best_first(rows[is_first], of_group[group[is_first]], len(rows), keys)
    others = best_first(rows[~is_first], further[~is_first], len(rows), keys)
    return append_tail(heads, others)


def kept_among(ranked: Scored, kept: NDArray[np.int64], n: int) -> Scored:
    """Move what is kept, and ranks lower, to the last of the first ``n`` places, in its order."""
    rows, scores = ranked
    moved = kept[~np.isin(kept, rows[:n])]
    while len(moved) < np.count_nonzero(~np.isin(kept, rows[: max(n - len(moved), 0)])):
        moved = kept[~np.isin(kept, rows[: max(n - len(moved), 0)])]
    if not len(moved):
        return ranked
    first = max(n - len(moved), 0)
    rest = rows[first:]
    stays = ~np.isin(rest, moved)
    score = scores[first - 1] if first else scores[0]
    return (
        np.concatenate([rows[:first], moved, rest[stays]]),
        np.concatenate([scores[:first], np.full(len(moved), score), scores[first:][stays]]),
    )


def falling_scores(rows: NDArray[np.int64], scored: Scored) -> NDArray[np.float64]:
    """Return a score for each of the ranked rows: log odds, as the learned order gives them.

    Of a passage it is the least of those that rank as high, so that scores fall with ranks; what
    was not scored has that of the one before it.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Passages, best first.
    scored : (rows, scores)
        Those that have a score, best first.
    """
    best = scored[1].max() if len(scored[1]) else 0.0
    known = np.full(len(rows), best)
    by_row = np.argsort(scored[0])
    if len(by_row):
        at = np.minimum(np.searchsorted(scored[0][by_row], rows), len(by_row) - 1)
        found = scored[0][by_row][at] == rows
        known = np.where(found, scored[1][by_row][at], known)
    falling = np.minimum.accumulate(known).astype(np.float64)
    return falling - _STEP * np.arange(len(rows), dtype=np.float64)


def _gains(voter: Voter, ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    return voter.weight * (voter.constant + 1.0) / (voter.constant + 1.0 + ranks)


def group_ranks(ranked: NDArray[np.integer[Any]], n_groups: int) -> NDArray[np.float64]:
    """Rank each of ``n_groups`` groups from 0 by its first place; infinite without one."""
    first = _first_places(ranked, n_groups)
    has_place = first < len(ranked)
    is_first = np.zeros(len(ranked), np.bool_)
    is_first[first[has_place]] = True
    ranks = np.full(n_groups, np.inf)
    ranks[has_place] = (np.cumsum(is_first) - 1)[first[has_place]]
    return ranks


def _first_places(ranked: NDArray[np.integer[Any]], n_groups: int) -> NDArray[np.int64]:
    """Return where each group first stands; behind the end where it does not."""
    first = np.full(n_groups, len(ranked))
    first[ranked[::-1]] = np.arange(len(ranked))[::-1]  # of several places the last one is kept
    return first


def append_tail(
    head: tuple[NDArray[np.int64], NDArray[np.float64]],
    tail: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Continue a ranking with new rows of another one, every score below its own.

    The tail's scores are positive; they go on as floor + ln(score / best of the tail) - 1.
    """
    new = ~np.isin(tail[0], head[0])
    rows, scores = tail[0][new], tail[1][new]
    if not len(rows) or not len(head[0]):
        return (rows, scores) if not len(head[0]) else head
    below = head[1][-1] - 1.0 + np.log(np.maximum(scores / scores[0], 1e-300))
    return np.concatenate([head[0], rows]), np.concatenate([head[1], below])
