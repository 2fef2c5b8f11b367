"""Scores -> rows in order: the one tie rule, and the fusion of lists."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.records import Seed, Triple
from hippohover.retrieval.facts.pool import NO_CHOICE, FactChoice
from hippohover.retrieval.walk.candidates import RRF_K, Scored, SecondWalk, Walked
from hippohover.store.tables import IndexTables

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
    ranked_by : str
        As in ``Trace``.
    """

    tables: IndexTables
    walked: Walked
    first: Scored = NOTHING_SCORED
    second: SecondWalk | None = None
    scored: Scored = NOTHING_SCORED
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
    run : PprRun or None
        What ``ppr`` did, of which this is the ranking; None of other retrievers.
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
    run: PprRun | None = None


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
    if len(rows) > 4 * k > 0:
        floor = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= floor
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows if keys is None else keys[rows], -scores))[:k]
    return rows[order], scores[order]


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


def reciprocal_rank_fusion(
    lists: Sequence[NDArray[np.int64]], k: int, keys: NDArray[np.uint64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Fuse rankings, best first: score = sum over the lists of 1 / (60 + rank).

    ``keys`` as of ``best_first``.
    """
    rows = np.concatenate([np.zeros(0, np.int64), *lists])
    gains = [1.0 / (RRF_K + 1.0 + np.arange(len(ranked))) for ranked in lists]
    distinct, position = np.unique(rows, return_inverse=True)
    scores = np.bincount(
        position, weights=np.concatenate([np.zeros(0), *gains]), minlength=len(distinct)
    )
    return best_first(distinct, scores.astype(np.float64), k, keys)


def fused_below(
    head: Scored, other: Scored, groups: NDArray[np.integer[Any]], n_kept: int
) -> Scored:
    """Fuse a ranking with another one below its first ``n_kept`` groups.

    Parameters
    ----------
    head, other : (rows, scores)
        Best first; scores of ``other`` are not looked at.
    groups : ndarray of int, shape (n_rows,)
        Group of every passage of the index, such as its document: the rank of a passage is that
        of its group. Below, the score is the sum of 1 / (60 + rank) over the two rankings.
    """
    rows = np.concatenate([head[0], other[0][~np.isin(other[0], head[0])]])
    ranks = [group_ranks(groups[ranked[0]], groups[rows]) for ranked in (head, other)]
    below = ranks[0] >= n_kept
    below[len(head[0]) :] = True  # of a kept group too, or it would be in neither part
    gains = 1.0 / (RRF_K + 1.0 + ranks[0]) + 1.0 / (RRF_K + 1.0 + ranks[1])
    order = np.argsort(-gains[below], kind="stable")
    kept = ~below[: len(head[0])]
    tail = rows[below][order], gains[below][order]
    return append_tail((head[0][kept], head[1][kept]), tail)


def group_ranks(
    ranked: NDArray[np.integer[Any]], wanted: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Rank the wanted groups from 0 by first place; infinite without one."""
    groups, first = np.unique(ranked, return_index=True)
    ranks = np.empty(len(groups))
    ranks[np.argsort(first)] = np.arange(len(groups))
    if not len(groups):
        return np.full(len(wanted), np.inf)
    at = np.minimum(np.searchsorted(groups, wanted), len(groups) - 1)
    return np.where(groups[at] == wanted, ranks[at], np.inf)


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
