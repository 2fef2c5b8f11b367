"""The tie rule, and the lists that are made of lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.retrieval.ranking import (
    Ranking,
    Voter,
    append_tail,
    best_first,
    filled,
    group_ranks,
    kept_among,
    one_per_group,
    soft_fusion,
)

List = tuple[NDArray[np.int64], NDArray[np.float64]]
KEYS = np.arange(301, dtype=np.uint64)
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


def test_lists_are_fused_by_hand():
    """Every row is a group. 8 is first of one list, 2 second of it and third of the other."""
    voters = [Voter(np.array([8, 2]), 1.0, 9.0), Voter(np.array([5, 7, 2]), 0.5, 0.0)]
    rows, scores = soft_fusion(voters, np.arange(10), KEYS)
    gains = {8: 1.0, 2: 10 / 11 + 0.5 / 3, 5: 0.5, 7: 0.25}
    assert rows.tolist() == [2, 8, 5, 7]
    assert scores.tolist() == pytest.approx([gains[row] for row in (2, 8, 5, 7)])


def test_equal_lists_are_fused_as_by_reciprocal_rank():
    lists = [[3, 1, 2], [2, 3, 0]]
    voters = [Voter(np.array(rows), 61.0, 60.0) for rows in lists]
    gains = {row: sum(1 / (61 + at.index(row)) for at in lists if row in at) for row in range(4)}
    rows, scores = soft_fusion(voters, np.arange(4), KEYS)
    assert rows.tolist() == sorted(gains, key=lambda row: -gains[row])
    assert scores.tolist() == pytest.approx([3721 * gains[row] for row in rows.tolist()])


def test_documents_are_fused_by_their_first_passages_and_one_stands_for_each():
    """Documents 0 (rows 0, 1), 1 (2, 3), 2 (4). The list that leads names row 1 of the first."""
    groups = np.array([0, 0, 1, 1, 2])
    voters = [
        Voter(np.array([4, 0, 1, 2]), 2.0, 1.0),
        Voter(np.array([1, 4, 3]), 1.0, 1.0, leads=True),
    ]
    rows, scores = soft_fusion(voters, groups, KEYS)
    assert rows.tolist() == [4, 1, 3, 0, 2]  # by documents 2, 0, 1; then what is left
    assert scores[:3].tolist() == pytest.approx([2 + 2 / 3, 4 / 3 + 1, 1 + 0.5])
    assert bool(np.all(np.diff(scores) < 0))


def test_a_list_of_no_weight_brings_nothing():
    voters = [Voter(np.array([1, 2]), 1.0, 9.0), Voter(np.array([4, 5]), 0.0, 9.0, leads=True)]
    rows, scores = soft_fusion(voters, np.zeros(9, np.int64), KEYS)
    assert rows.tolist() == [1, 2]
    assert np.isfinite(scores).all()


def test_what_a_list_is_sure_of_comes_first():
    voters = [
        Voter(np.array([1, 2, 3]), 5.0, 60.0),
        Voter(np.array([4, 5, 6]), 0.1, 10.0, n_sure=2),
    ]
    assert soft_fusion(voters, np.arange(9), KEYS)[0].tolist() == [4, 5, 1, 2, 3, 6]


def test_what_is_kept_is_moved_to_the_last_of_the_first_places():
    ranked = np.arange(9), -np.arange(9.0)
    for kept, n, expected in (
        ([1, 2], 4, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ([7, 1], 4, [0, 1, 2, 7, 3, 4, 5, 6, 8]),
        ([8, 3, 5], 4, [0, 8, 3, 5, 1, 2, 4, 6, 7]),  # 3 makes place, and is moved with them
        ([5, 6], 1, [5, 6, 0, 1, 2, 3, 4, 7, 8]),
    ):
        rows, scores = kept_among(ranked, np.array(kept), n)
        assert rows.tolist() == expected
        assert bool(np.all(np.diff(scores) <= 0))


@given(SCORES, SCORES, st.integers(0, 4), st.integers(1, 5))
def test_what_is_fused_holds_every_row_once_in_falling_order(
    first: dict[int, float], second: dict[int, float], n_sure: int, size: int
):
    lists = [best_first(*as_list(scores), len(scores))[0] for scores in (first, second)]
    voters = [Voter(lists[0], 1.0, 3.0, n_sure=n_sure), Voter(lists[1], 2.0, 30.0, leads=True)]
    groups = np.arange(301) // size
    rows, scores = soft_fusion(voters, groups, KEYS)
    assert sorted(rows.tolist()) == sorted(first.keys() | second.keys())
    assert bool(np.all(np.diff(scores) <= 0))
    n = len(np.unique(groups[rows]))
    assert len(np.unique(groups[rows[:n]])) == n  # each group's passage before any other
    assert len(soft_fusion([], groups, KEYS)[0]) == 0


# --- groups ----------------------------------------------------------------------------------


def test_ranks_of_groups_by_hand():
    """Of groups 4 4 2 4 7: 4 is first, 2 second, 7 third."""
    nowhere = np.inf
    found = group_ranks(np.array([4, 4, 2, 4, 7]), 9)
    assert found.tolist() == [nowhere, nowhere, 1, nowhere, 0, nowhere, nowhere, 2, nowhere]
    assert group_ranks(np.zeros(0, np.int64), 1).tolist() == [nowhere]


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


def test_empty_places_are_filled_with_further_passages_of_the_documents():
    """Documents 0 (rows 3, 0, 1) and 1 (5, 2); row 4 is a near-copy of another document."""
    places = one_per_group(ranked([3, 5, 0, 4, 2, 1]), np.array([0, 1, 0, 0, 1, 0]), 4)
    documents = np.array([0, 0, 1, 0, 2, 1])
    found = filled(places, documents, 4)
    assert found.rows.tolist() == [3, 5, 0, 2]
    assert found.scores.tolist() == [0.0, -1.0, -2.0, -4.0]
    assert [others.rows.tolist() for others in found.others] == [[4, 1], [], [], []]
    assert filled(places, documents, 9).rows.tolist() == [3, 5, 0, 2, 1]
    assert filled(places, documents, 2).rows.tolist() == [3, 5]
    alone = one_per_group(ranked([3, 5]), np.array([4, 2]), 4)
    assert filled(alone, documents, 4) is alone


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
