"""What is scored again, and what each ranking says of it, by hand."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.retrieval.walk.candidates import (
    N_KEPT,
    N_NAMED,
    N_NEW,
    NO_RANK,
    Candidates,
    SecondWalk,
    described_again,
    named_rows,
    second_rows,
    second_seeds,
    sureness,
)
from hippohover.retrieval.walk.seeds import Seeds
from hippohover.spans import spans_of
from hippohover.store.tables import IndexArrays


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
    named = np.concatenate([second[5:6], rows[4:8], np.arange(2000, 2000 + N_NAMED + 1)])
    found = second_rows(rows, scores, second, named)
    walked = [*range(N_NEW + 6, 6, -1)]
    # What is named and was too far down for the walk's own is scored again; no row stands twice.
    assert found.tolist() == [*rows[5:].tolist(), *walked, 1004, *range(2000, 2000 + N_NAMED - 1)]


def graph_of(mentions: list[list[int]], owners: list[list[int]]) -> IndexArrays:
    """Entities that each passage names, and passages that go by each known name."""
    named = [entity for one in mentions for entity in one]
    return cast(
        IndexArrays,
        SimpleNamespace(
            mention_spans=spans_of(np.array([len(one) for one in mentions])),
            mentions=np.array([(entity, 0, 1) for entity in named], np.int32).reshape(-1, 3),
            owner_spans=spans_of(np.array([len(one) for one in owners], np.int64)),
            owner_passages=np.array([row for one in owners for row in one], np.int32),
        ),
    )


def scored_of(rows: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Some rows, the surest last."""
    return np.array(rows, np.int64), np.arange(float(len(rows)))


KEYS = np.arange(100, dtype=np.uint64)


def test_named_rows_are_those_of_the_surest_first():
    """Entity 3 is a phrase, without owners; passage 3 is named twice."""
    graph = graph_of([[2], [0, 3, 1], [1]], [[7, 3], [3], [8, 9], []])
    assert named_rows(graph, scored_of([2, 1, 0]), None, KEYS).tolist() == [8, 9, 3, 7]
    assert named_rows(graph, scored_of([0, 1]), None, KEYS).tolist() == [3, 7, 8, 9]


def test_passages_that_share_a_name_stand_by_their_key():
    graph = graph_of([[0]], [[7, 3, 5]])
    assert named_rows(graph, scored_of([0]), None, KEYS).tolist() == [3, 5, 7]
    assert named_rows(graph, scored_of([0]), None, KEYS[::-1]).tolist() == [7, 5, 3]


def test_only_the_five_surest_are_followed():
    graph = graph_of([[row] for row in range(7)], [[10 + row] for row in range(7)])
    found = named_rows(graph, scored_of([*range(7)]), None, KEYS)
    assert found.tolist() == [16, 15, 14, 13, 12]


def test_a_name_that_many_passages_go_by_is_not_followed():
    graph = graph_of([[0, 1]], [[4, 5, 6, 7], [5, 6, 7]])
    assert named_rows(graph, scored_of([0]), None, KEYS).tolist() == [5, 6, 7]


def test_passages_that_are_not_allowed_neither_come_nor_count():
    graph = graph_of([[0, 1]], [[4, 5, 6, 7], [2]])
    allowed = np.array([True, True, False, True, True, False, True, True])
    assert named_rows(graph, scored_of([0]), allowed, KEYS).tolist() == [4, 6, 7]


@pytest.mark.parametrize("scored", [scored_of([]), scored_of([0])])
def test_without_passages_or_names_nothing_is_named(
    scored: tuple[NDArray[np.int64], NDArray[np.float64]],
):
    assert len(named_rows(graph_of([[]], []), scored, None, KEYS)) == 0


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
            reached=np.array([3, 8]),
        ),
    )
    assert found.score.tolist() == [0.0, -1.0, -7.0, -7.0]
    assert found.score_rank.tolist() == [0.0, 1.0, NO_RANK, NO_RANK]
    mean = (2.0 + 1.0 - 4.0) / 3
    assert found.sureness == pytest.approx([1 / (1 + np.exp(mean - s)) for s in (2, 1, -5, -5)])
    assert found.walk.tolist() == [0.0, 0.5, 0.25, 0.0]
    assert found.walk_rank.tolist() == [NO_RANK, 0.0, 1.0, NO_RANK]
    assert found.passage_walk.tolist() == [0.0, 0.125, 0.25, 0.0]
