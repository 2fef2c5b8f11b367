"""What is scored again, and what each ranking says of it, by hand."""

import numpy as np
import pytest

from hippohover.retrieval.walk.candidates import (
    N_KEPT,
    N_NEW,
    NO_RANK,
    Candidates,
    SecondWalk,
    described_again,
    second_rows,
    second_seeds,
    sureness,
)
from hippohover.retrieval.walk.seeds import Seeds


def candidates_of(rows: list[int]) -> Candidates:
    n = len(rows)
    none = np.zeros(n)
    return Candidates(
        rows=np.array(rows, np.int64),
        walk=none,
        entity_walk=none,
        passage_walk=none,
        bm25=none,
        walk_rank=none,
        entity_walk_rank=none,
        passage_walk_rank=none,
        bm25_rank=none,
        dense_rank=none,
        similarity=np.zeros(n, np.float32),
    )


def test_the_mean_of_the_four_best_scores_is_half_sure():
    scores = np.array([3.0, 1.0, 2.0, 2.0, -9.0])
    expected = [1 / (1 + np.exp(2 - score)) for score in (2.0, 3.0, -9.0)]
    assert sureness(np.array([2.0, 3.0, -9.0]), scores) == pytest.approx(expected)
    assert expected[0] == 0.5


def test_sureness_of_any_score_is_a_share():
    found = sureness(np.array([-1e6, 1e6]), np.array([0.0]))
    assert found == pytest.approx([0.0, 1.0])


def test_second_seeds_are_the_best_passages_ascending():
    seeds = second_seeds(np.array([9, 2, 5, 4]), np.array([1.0, 0.0, 1.0 + np.log(3), -50.0]), 2)
    assert seeds.nodes.tolist() == [5, 9]
    assert seeds.mass == pytest.approx([0.75, 0.25])


def test_without_candidates_there_are_no_second_seeds():
    assert len(second_seeds(np.zeros(0, np.int64), np.zeros(0), 12)) == 0


def test_second_rows_are_the_best_kept_in_place_then_new_ones_by_rank():
    rows = np.arange(1000, 1000 + N_KEPT + 5)
    scores = np.arange(len(rows), dtype=np.float64)  # the last are the best
    second = np.concatenate([rows[:3], np.arange(N_NEW + 7)[::-1]])
    found = second_rows(rows, scores, second)
    assert found.tolist() == [*rows[5:].tolist(), *range(N_NEW + 6, 6, -1)]


def test_described_again_by_hand():
    """Rows 7 and 3 were scored, 8 comes from the second walk alone, 1 from nowhere."""
    found = described_again(
        candidates_of([7, 3, 8, 1]),
        (np.array([7, 3, 4]), np.array([2.0, 1.0, -4.0])),
        SecondWalk(
            seeds=Seeds(np.array([7]), np.array([1.0])),
            both=(np.array([3, 8]), np.array([0.5, 0.25])),
            passage=np.array([0.125, 0.25]),
            best=np.array([3, 8]),
        ),
    )
    assert found.score.tolist() == [0.0, -1.0, -7.0, -7.0]
    assert found.score_rank.tolist() == [0.0, 1.0, NO_RANK, NO_RANK]
    mean = (2.0 + 1.0 - 4.0) / 3
    assert found.sureness == pytest.approx([1 / (1 + np.exp(mean - s)) for s in (2, 1, -5, -5)])
    assert found.walk.tolist() == [0.0, 0.5, 0.25, 0.0]
    assert found.walk_rank.tolist() == [NO_RANK, 0.0, 1.0, NO_RANK]
    assert found.passage_walk.tolist() == [0.0, 0.125, 0.25, 0.0]
