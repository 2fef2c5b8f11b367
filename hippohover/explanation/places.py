"""Ranks of passages in an answer of any length, where documents share a place."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippohover.retrieval.ranking import Others, Ranking


class Ranked(NamedTuple):
    """Passages of an answer of any length, with their ranks from 1."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]


def in_places(places: Ranking, ranking: Ranking) -> Ranked:
    """Return all passages: those at the best places, then each on its own."""
    behind = places.others or [Others(np.zeros(0, np.int64), np.zeros(0))] * len(places.rows)
    rows = [np.append(row, others.rows) for row, others in zip(places.rows, behind, strict=True)]
    scores = [
        np.append(one, others.scores) for one, others in zip(places.scores, behind, strict=True)
    ]
    ranks = [np.full(len(at), rank, np.int64) for rank, at in enumerate(rows, start=1)]
    rest = ~np.isin(ranking.rows, np.concatenate([np.zeros(0, np.int64), *rows]))
    own = np.arange(int(rest.sum())) + len(places.rows) + 1
    return Ranked(
        np.concatenate([*rows, ranking.rows[rest]]).astype(np.int64),
        np.concatenate([*scores, ranking.scores[rest]]),
        np.concatenate([*ranks, own]),
    )
