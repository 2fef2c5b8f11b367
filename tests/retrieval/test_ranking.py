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
    fused_below,
    group_ranks,
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


# --- groups ----------------------------------------------------------------------------------


def test_ranks_of_groups_by_hand():
    """Of groups 4 4 2 4 7: 4 is first, 2 second, 7 third."""
    found = group_ranks(np.array([4, 4, 2, 4, 7]), np.array([7, 2, 5, 4, 9, 0]))
    assert found.tolist() == [2, 1, np.inf, 0, np.inf, np.inf]
    assert group_ranks(np.zeros(0, np.int64), np.array([3])).tolist() == [np.inf]


def unscored(rows: NDArray[np.int64]) -> List:
    """A ranking whose scores nobody looks at."""
    return rows, np.zeros(len(rows))


def test_the_first_groups_are_kept_and_the_rest_is_fused_by_hand():
    """Every row is a group; two are kept. 5 is third and fourth, 6 fourth and first, 8 in one."""
    head = (np.array([9, 2, 5, 6]), np.array([3.0, 2.5, 2.0, -1.0]))
    other = np.array([6, 2, 8, 5])
    rows, scores = fused_below(head, unscored(other), np.arange(10), 2)
    gains = {6: 1 / 64 + 1 / 61, 5: 1 / 63 + 1 / 64, 8: 1 / 63}
    assert rows.tolist() == [9, 2, 6, 5, 8]
    below = [2.5 - 1 + np.log(gains[row] / gains[6]) for row in (6, 5, 8)]
    assert scores.tolist() == pytest.approx([3.0, 2.5, *below])


def test_groups_are_fused_by_their_first_passages():
    """Documents 0 (rows 0 to 2) and 1 are kept whole, 2 is third and second, 3 fourth and first.

    Row 2 was not scored, and its document stands first: it heads what is fused.
    """
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 3, 4])
    head = (np.array([0, 3, 4, 6, 1, 5]), np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0]))
    other = np.array([7, 4, 5, 2, 8, 0])
    rows, scores = fused_below(head, unscored(other), groups, 2)
    gains = {2: 1 / 61 + 1 / 63, 6: 1 / 64 + 1 / 61, 4: 1 / 63 + 1 / 62, 8: 1 / 64}
    assert gains[2] > gains[6] > gains[4] > gains[8]
    assert rows.tolist() == [0, 3, 1, 2, 6, 7, 4, 5, 8]
    of_groups = [gains[row] for row in (2, 6, 6, 4, 4, 8)]
    below = 2.0 - 1 + np.log(np.array(of_groups) / gains[2])
    assert scores.tolist() == pytest.approx([6.0, 5.0, 2.0, *below.tolist()])


def test_ten_documents_are_kept_and_the_eleventh_is_not():
    """Two passages a document; the other ranking is the documents backwards."""
    groups = np.repeat(np.arange(12), 2)
    head = (np.arange(24), -np.arange(24.0))
    rows, scores = fused_below(head, unscored(np.arange(24)[::-1].copy()), groups, 10)
    assert rows.tolist() == [*range(20), 22, 23, 20, 21]
    assert scores[:20].tolist() == head[1][:20].tolist()
    assert 1 / 72 + 1 / 61 > 1 / 71 + 1 / 62


def test_a_ranking_of_nothing_leaves_the_other():
    none = (np.zeros(0, np.int64), np.zeros(0))
    rows, scores = fused_below(none, unscored(np.array([4, 1])), np.arange(5), 3)
    assert rows.tolist() == [4, 1]
    assert scores.tolist() == pytest.approx([1 / 61, 1 / 62])
    head = (np.array([4, 1]), np.array([2.0, -3.0]))
    rows, scores = fused_below(head, none, np.arange(5), 1)
    assert rows.tolist() == [4, 1]
    assert scores.tolist() == [2.0, 1.0]
    assert len(fused_below(none, none, np.arange(5), 3)[0]) == 0


@given(SCORES, SCORES, st.integers(0, 12), st.integers(1, 5))
def test_what_is_fused_holds_every_row_once_in_falling_order(
    first: dict[int, float], second: dict[int, float], n_kept: int, size: int
):
    head = best_first(*as_list(first), len(first))
    other = best_first(*as_list(second), len(second))[0]
    groups = np.arange(301) // size
    rows, scores = fused_below(head, unscored(other), groups, n_kept)
    assert sorted(rows.tolist()) == sorted(first.keys() | second.keys())
    assert bool(np.all(np.diff(scores) <= 0))
    kept = list(dict.fromkeys(groups[head[0]].tolist()))[:n_kept]
    assert list(dict.fromkeys(groups[rows].tolist()))[: len(kept)] == kept


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
