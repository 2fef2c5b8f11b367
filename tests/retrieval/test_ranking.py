"""The tie rule, and the lists that are made of lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.retrieval.ranking import (
    Ranking,
    append_tail,
    best_first,
    one_per_group,
    reciprocal_rank_fusion,
)

List = tuple[NDArray[np.int64], NDArray[np.float64]]
SCORES = st.dictionaries(st.integers(0, 300), st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0]))


def as_list(scores: dict[int, float]) -> List:
    """Rows ascending, with their scores."""
    rows = sorted(scores)
    return np.array(rows, np.int64), np.array([scores[row] for row in rows], np.float64)


# --- best_first ------------------------------------------------------------------------------


@given(SCORES, st.integers(0, 40))
def test_best_first_is_a_sort_by_score_then_row(scores: dict[int, float], k: int):
    rows, values = as_list(scores)
    mixed = np.random.default_rng(len(scores)).permutation(len(rows))
    found, best = best_first(rows[mixed], values[mixed], k)
    expected = sorted(scores, key=lambda row: (-scores[row], row))[:k]
    assert found.tolist() == expected
    assert best.tolist() == [scores[row] for row in expected]


@given(SCORES, st.integers(0, 20), st.integers(0, 20))
def test_fewer_is_a_prefix_of_more(scores: dict[int, float], k: int, more: int):
    rows, values = as_list(scores)
    deep = best_first(rows, values, k + more)[0]
    assert best_first(rows, values, k)[0].tolist() == deep[:k].tolist()


def test_ties_across_the_cut_go_to_the_lower_row():
    rows = np.arange(100)[::-1].copy()
    found, _ = best_first(rows, np.ones(100), 3)
    assert found.tolist() == [0, 1, 2]


# --- fusion ----------------------------------------------------------------------------------


def test_reciprocal_rank_fusion_by_hand():
    """Row 7 is first and third: 1/61 + 1/63; row 3 second and first: 1/62 + 1/61."""
    lists = [np.array([7, 3, 5]), np.array([3, 9, 7])]
    rows, scores = reciprocal_rank_fusion(lists, 4)
    assert rows.tolist() == [3, 7, 9, 5]
    expected = [1 / 62 + 1 / 61, 1 / 61 + 1 / 63, 1 / 62, 1 / 63]
    assert scores.tolist() == pytest.approx(expected, rel=1e-12)


def test_fusion_breaks_ties_by_row_and_takes_empty_lists():
    empty = np.zeros(0, np.int64)
    rows, scores = reciprocal_rank_fusion([np.array([8]), np.array([2]), empty], 5)
    assert rows.tolist() == [2, 8]
    assert scores[0] == scores[1] == 1 / 61
    assert len(reciprocal_rank_fusion([empty, empty], 5)[0]) == 0
    assert len(reciprocal_rank_fusion([], 5)[0]) == 0


@given(st.lists(st.lists(st.integers(0, 30), unique=True), max_size=4), st.integers(1, 40))
def test_fusion_is_the_sum_over_lists(lists: list[list[int]], k: int):
    rows, scores = reciprocal_rank_fusion([np.array(one, np.int64) for one in lists], k)
    expected: dict[int, float] = {}
    for one in lists:
        for rank, row in enumerate(one, 1):
            expected[row] = expected.get(row, 0.0) + 1 / (60 + rank)
    assert len(rows) == min(k, len(expected))
    assert scores.tolist() == pytest.approx([expected[row] for row in rows.tolist()])
    assert bool(np.all(np.diff(scores) <= 0))


# --- places of documents -----------------------------------------------------------------------


def ranked(rows: list[int]) -> Ranking:
    scores = -np.arange(float(len(rows)))
    return Ranking(rows=np.array(rows, np.int64), scores=scores, n_candidates=9)


def test_each_document_has_one_place_and_its_others_behind_it():
    found = one_per_group(ranked([3, 5, 0, 4, 2, 1]), np.array([0, 1, 0, 2, 1, 0]), 2)
    assert found.rows.tolist() == [3, 5]
    assert found.scores.tolist() == [0.0, -1.0]
    assert [others.rows.tolist() for others in found.others] == [[0, 1], [2]]
    assert [others.scores.tolist() for others in found.others] == [[-2.0, -5.0], [-4.0]]
    assert found.n_candidates == 9
    nothing = one_per_group(ranked([]), np.zeros(0, np.int64), 2)
    assert (len(nothing.rows), nothing.others) == (0, ())
    alone = one_per_group(ranked([3, 5, 0]), np.array([4, 2, 3]), 2)
    assert (alone.rows.tolist(), alone.scores.tolist(), alone.others) == ([3, 5], [0.0, -1.0], ())


@given(st.permutations(range(12)), st.lists(st.integers(0, 4), min_size=12), st.integers(1, 6))
def test_places_are_those_of_the_first_passages(rows: list[int], of: list[int], depth: int):
    found = one_per_group(ranked(rows), np.array([of[row] for row in rows]), depth)
    by_document: dict[int, list[int]] = {}
    for row in rows:
        by_document.setdefault(of[row], []).append(row)
    expected = list(by_document.values())[:depth]
    assert found.rows.tolist() == [members[0] for members in expected]
    behind = [others.rows.tolist() for others in found.others]
    assert (behind or [[]] * len(expected)) == [each[1:] for each in expected]


# --- tails -----------------------------------------------------------------------------------


def test_a_tail_goes_on_below_its_head():
    head = (np.array([4, 1]), np.array([2.0, -3.0]))
    tail = (np.array([1, 8, 9, 6]), np.array([0.9, 0.5, 0.25, 0.0]))
    rows, scores = append_tail(head, tail)
    assert rows.tolist() == [4, 1, 8, 9, 6]
    assert scores[:4].tolist() == pytest.approx([2.0, -3.0, -4.0, -4.0 + np.log(0.5)])
    assert np.isfinite(scores[4])
    assert scores[4] < scores[3]


def test_a_tail_of_nothing_new_and_a_head_of_nothing():
    one = (np.array([4, 1]), np.array([2.0, -3.0]))
    none = (np.zeros(0, np.int64), np.zeros(0))
    for head, tail in ((one, none), (none, one), (one, one)):
        rows, scores = append_tail(head, tail)
        assert rows.tolist() == [4, 1]
        assert scores.tolist() == [2.0, -3.0]
    assert len(append_tail(none, none)[0]) == 0


@given(SCORES, SCORES)
def test_a_ranking_with_a_tail_holds_all_rows_in_falling_order(
    first: dict[int, float], second: dict[int, float]
):
    head = best_first(*as_list(first), len(first))
    positive = {row: score for row, score in second.items() if score > 0}
    rows, scores = append_tail(head, best_first(*as_list(positive), len(positive)))
    assert rows[: len(first)].tolist() == head[0].tolist()
    assert sorted(rows.tolist()) == sorted(first.keys() | positive.keys())
    assert bool(np.all(np.diff(scores) <= 0))
