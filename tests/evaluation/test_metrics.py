"""Known answers, properties and failures of the metrics, intervals, tests and groups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.evaluation.metrics import (
    METRICS,
    all_gold_found,
    as_written,
    gold_ranks,
    recall,
    score,
)

TITLES = st.sampled_from(["Ada", "The Bell", "bell", "Côte", "Côte".upper(), "D (film)", "E", ""])
RANKINGS = st.lists(TITLES, max_size=12)
GOLD = st.lists(TITLES.filter(bool), min_size=1, max_size=4)


# --- metrics of one ranking ---------------------------------------------------------------------


def test_all_gold_found_needs_every_title():
    assert all_gold_found(["A1", "B1", "C1"], ["A1", "C1"], 3) == 1.0
    assert all_gold_found(["A1", "B1", "C1"], ["A1", "C1"], 2) == 0.0
    assert all_gold_found([], ["A1"], 21) == 0.0


def test_recall_is_the_share_of_titles():
    assert recall(["X", "B1", "Y", "C1"], ["B1", "C1", "D1"], 4) == pytest.approx(2 / 3)
    assert recall(["X", "B1", "Y", "C1"], ["B1", "C1", "D1"], 3) == pytest.approx(1 / 3)
    assert recall(["X"], ["B1"], 1) == 0.0


def test_ids_are_compared_as_they_are_written():
    ranking = ["a1", "A-1", "The 9"]
    assert gold_ranks(ranking, ["A-1", "9", "The 9"], as_written) == [2, None, 3]
    assert recall(ranking, ["A-1", "9"], 3, as_written) == 0.5
    assert all_gold_found(ranking, ["A1"], 3, as_written) == 0.0


def test_the_row_at_k_counts_and_the_next_does_not():
    ranking = [f"filler {i}" for i in range(20)] + ["Goal"] + ["Late"]
    assert all_gold_found(ranking, ["Goal"], 21) == 1.0
    assert all_gold_found(ranking, ["Late"], 21) == 0.0


@pytest.mark.parametrize(
    ("ranked", "gold"),
    [
        ("The Bell Jar", "bell jar"),
        ("Beyonce\u0301", "Beyoncé"),
        ("Simon &amp; Garfunkel", "Simon & Garfunkel"),
        ("Guns N' Roses", "Guns N Roses"),
        ("東京", "東京"),
    ],
)
def test_titles_are_compared_in_their_normal_form(ranked: str, gold: str):
    assert all_gold_found([ranked], [gold], 1) == 1.0


def test_qualifiers_tell_titles_apart():
    assert all_gold_found(["Unbreakable"], ["Unbreakable (film)"], 1) == 0.0


def test_parts_of_one_title_fill_rows_but_are_found_once():
    ranking = ["Long", "Long", "Long", "Other"]
    assert recall(ranking, ["Long", "Other"], 3) == 0.5
    assert recall(ranking, ["Long", "Other"], 4) == 1.0
    assert gold_ranks(ranking, ["Other", "Long"]) == [4, 1]


def test_gold_titles_that_are_one_count_once():
    assert recall(["The Bell"], ["Bell", "the bell", "BELL"], 1) == 1.0
    assert gold_ranks(["X"], ["Bell", "the bell"]) == [None]


@pytest.mark.parametrize("metric", METRICS.values())
def test_no_gold_title_is_an_error(metric: object):
    assert callable(metric)
    with pytest.raises(UsageError, match="gold_titles is empty"):
        metric(["A1"], [], 21)


@pytest.mark.parametrize("k", [0, -1])
def test_a_cutoff_below_one_is_an_error(k: int):
    with pytest.raises(UsageError, match=f"k is {k}"):
        recall(["A1"], ["A1"], k)


def test_score_reads_the_metric_id():
    ranking = ["A1", "B1"]
    assert score("recall@1", ranking, ["A1", "B1"]) == 0.5
    assert score("all_gold_found@1", ranking, ["A1", "B1"]) == 0.0
    assert score("all_gold_found@21", ranking, ["A1", "B1"]) == 1.0


@pytest.mark.parametrize(
    "bad", ["recall", "recall@", "recall@x", "ndcg@21", "recall@-1", "@21", ""]
)
def test_an_unknown_metric_id_is_an_error(bad: str):
    with pytest.raises(UsageError, match="unknown metric"):
        score(bad, ["A1"], ["A1"])


def test_a_metric_id_with_cutoff_zero_is_an_error():
    with pytest.raises(UsageError, match="k is 0"):
        score("recall@0", ["A1"], ["A1"])


@given(RANKINGS, GOLD, st.integers(1, 14))
def test_metrics_agree_with_sets(ranking: list[str], gold: list[str], k: int):
    fold = {"Ada": 1, "The Bell": 2, "bell": 2, "Côte": 3, "CÔTE": 3, "D (film)": 4, "E": 5, "": 6}
    wanted, found = {fold[t] for t in gold}, {fold[t] for t in ranking[:k]}
    assert recall(ranking, gold, k) == pytest.approx(len(wanted & found) / len(wanted))
    assert all_gold_found(ranking, gold, k) == float(wanted <= found)


@given(RANKINGS, GOLD, st.integers(1, 13))
def test_metrics_grow_with_k_and_all_found_is_full_recall(
    ranking: list[str], gold: list[str], k: int
):
    for metric in METRICS.values():
        assert 0 <= metric(ranking, gold, k) <= metric(ranking, gold, k + 1) <= 1
    assert (all_gold_found(ranking, gold, k) == 1) == (recall(ranking, gold, k) == 1)


@given(RANKINGS, GOLD)
def test_order_of_gold_titles_does_not_matter(ranking: list[str], gold: list[str]):
    assert recall(ranking, gold, 5) == recall(ranking, gold[::-1], 5)


# --- intervals ----------------------------------------------------------------------------------


# --- paired tests -------------------------------------------------------------------------------


# --- groups and folds ---------------------------------------------------------------------------
