"""Known answers, properties and failures of the metrics, intervals, tests and groups."""

from collections import Counter
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap

from hippohover.errors import UsageError
from hippohover.evaluation.metrics import (
    METRICS,
    Estimate,
    all_gold_found,
    folds,
    gold_ranks,
    groups,
    mcnemar,
    mean,
    paired_difference,
    recall,
    score,
    share,
)

TITLES = st.sampled_from(["Ada", "The Bell", "bell", "Côte", "Côte".upper(), "D (film)", "E", ""])
RANKINGS = st.lists(TITLES, max_size=12)
GOLD = st.lists(TITLES.filter(bool), min_size=1, max_size=4)


@dataclass(frozen=True)
class Item:
    uid: str
    gold_titles: tuple[str, ...] = ()
    hpqa_id: str = ""


# --- metrics of one ranking ---------------------------------------------------------------------


def test_all_gold_found_needs_every_title():
    assert all_gold_found(["A1", "B1", "C1"], ["A1", "C1"], 3) == 1.0
    assert all_gold_found(["A1", "B1", "C1"], ["A1", "C1"], 2) == 0.0
    assert all_gold_found([], ["A1"], 21) == 0.0


def test_recall_is_the_share_of_titles():
    assert recall(["X", "B1", "Y", "C1"], ["B1", "C1", "D1"], 4) == pytest.approx(2 / 3)
    assert recall(["X", "B1", "Y", "C1"], ["B1", "C1", "D1"], 3) == pytest.approx(1 / 3)
    assert recall(["X"], ["B1"], 1) == 0.0


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


@given(st.integers(0, 60), st.integers(0, 60))
def test_share_is_wilsons_interval(ones: int, zeros: int):
    if ones + zeros == 0:
        return
    estimate = share([1] * ones + [0] * zeros)
    expected = binomtest(ones, ones + zeros).proportion_ci(method="wilson")
    assert estimate.value == pytest.approx(ones / (ones + zeros))
    assert estimate.low == pytest.approx(expected.low, abs=1e-12)
    assert estimate.high == pytest.approx(expected.high, abs=1e-12)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.n == ones + zeros


def test_share_is_not_certain_at_the_ends():
    assert share([0] * 10).high == pytest.approx(0.2775, abs=1e-4)
    assert share([True] * 10).low == pytest.approx(0.7225, abs=1e-4)
    assert (share([0]).low, share([1]).high) == (0.0, 1.0)


def test_mean_interval_has_the_width_theory_gives():
    values = np.random.default_rng(3).random(2_000)
    estimate = mean(values)
    half = 1.96 * values.std() / sqrt(values.size)
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.high - estimate.value == pytest.approx(half, rel=0.1)
    assert estimate.value - estimate.low == pytest.approx(half, rel=0.1)


def test_mean_interval_agrees_with_scipy():
    values = np.random.default_rng(5).choice([0, 1 / 3, 2 / 3, 1], size=300, p=[0.1, 0.2, 0.3, 0.4])
    ours = mean(values, n_resamples=8_000)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=8_000, rng=1)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.004)


def test_mean_is_repeatable_whatever_the_order_and_follows_the_seed():
    values = np.random.default_rng(7).random(50)
    assert mean(values) == mean(values)
    shuffled = mean(values[::-1])
    assert (shuffled.low, shuffled.high) == (mean(values).low, mean(values).high)
    assert mean(values, seed=1).low != mean(values, seed=2).low


def test_mean_of_one_value_is_that_value():
    assert mean([0.25]) == Estimate(0.25, 0.25, 0.25, 1)
    assert mean([0.5] * 9) == Estimate(0.5, 0.5, 0.5, 9)


@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=30))
@settings(max_examples=40)
def test_mean_lies_in_its_interval_and_the_interval_in_the_values(values: list[float]):
    estimate = mean(values, n_resamples=200)
    assert estimate.low <= estimate.value <= estimate.high
    assert min(values) - 1e-9 <= estimate.low
    assert estimate.high <= max(values) + 1e-9


@pytest.mark.parametrize("function", [share, mean])
@pytest.mark.parametrize(
    ("values", "message"),
    [([], "at least one"), ([[1, 0]], "shape"), ([float("nan")], "nan"), ([float("inf")], "nan")],
)
def test_values_without_a_mean_are_an_error(function: object, values: list[float], message: str):
    assert callable(function)
    with pytest.raises(UsageError, match=message):
        function(values)


def test_share_refuses_fractions():
    with pytest.raises(UsageError, match="0 or 1"):
        share([0, 0.5, 1])


def test_an_estimate_is_plain_json():
    assert share([1, 1]).as_dict() == {
        "value": 1.0,
        "low": pytest.approx(0.342, abs=1e-3),
        "high": 1.0,
        "n": 2,
    }


# --- paired tests -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (5, 5, 1.0),
        (1, 9, 2 * (1 + 10) / 2**10),
        (9, 1, 2 * (1 + 10) / 2**10),
        (0, 8, 2 / 2**8),
    ],
)
def test_mcnemar_known_answers(gained: int, lost: int, p: float):
    assert mcnemar(gained, lost) == pytest.approx(p)


def test_mcnemar_refuses_negative_counts():
    with pytest.raises(UsageError, match="0 or more"):
        mcnemar(-1, 3)


def test_paired_difference_counts_what_changed():
    first = [1, 1, 0, 0, 0, 1]
    second = [1, 0, 1, 1, 0, 1]
    result = paired_difference(first, second)
    assert (result.n, result.n_gained, result.n_lost) == (6, 2, 1)
    assert result.difference == pytest.approx(1 / 6)
    assert result.p == 1.0
    assert result.as_dict()["n_gained"] == 2


def test_a_clear_gain_is_seen_and_its_sign_is_second_minus_first():
    first = [0] * 300 + [1] * 700
    second = [1] * 100 + [0] * 200 + [1] * 690 + [0] * 10
    result = paired_difference(first, second)
    assert result.difference == pytest.approx(0.09)
    assert 0.06 < result.low < 0.08
    assert 0.1 < result.high < 0.12
    assert result.p < 1e-15


def test_pairing_makes_the_interval_narrower_than_two_shares():
    first = [1] * 500 + [0] * 500
    second = [1] * 510 + [0] * 490
    result = paired_difference(first, second)
    assert result.high - result.low < 0.02 < share(first).high - share(first).low


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
@settings(max_examples=40)
def test_swapping_the_two_retrievers_mirrors_the_result(pairs: list[tuple[bool, bool]]):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    one, other = paired_difference(first, second), paired_difference(second, first)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == pytest.approx(other.p)
    assert (one.n_gained, one.n_lost) == (other.n_lost, other.n_gained)
    assert one.difference == pytest.approx(np.mean(second) - np.mean(first))


def test_equal_retrievers_differ_by_nothing():
    result = paired_difference([1, 0, 1], [1, 0, 1])
    assert (result.difference, result.low, result.high, result.p) == (0, 0, 0, 1)


def test_unpaired_outcomes_are_an_error():
    with pytest.raises(UsageError, match="2 claims against 3"):
        paired_difference([1, 0], [1, 0, 1])


def test_paired_difference_refuses_fractions():
    with pytest.raises(UsageError, match="0 or 1"):
        paired_difference([1, 0.5], [1, 0])


# --- groups and folds ---------------------------------------------------------------------------


def test_claims_of_one_question_are_one_group():
    claims = [Item("c", hpqa_id="q1"), Item("a", hpqa_id="q2"), Item("b", hpqa_id="q1")]
    assert groups(claims) == ["b", "a", "b"]


def test_two_shared_gold_titles_join_and_one_does_not():
    claims = [
        Item("a", ("X", "Y", "Z")),
        Item("b", ("the y", "z", "W")),
        Item("c", ("W", "V")),
        Item("d", ("X", "V")),
    ]
    assert groups(claims) == ["a", "a", "c", "d"]


def test_joining_is_transitive_over_different_reasons():
    claims = [
        Item("a", ("X", "Y"), "q1"),
        Item("b", ("P", "Q"), "q1"),
        Item("c", ("Q", "P", "R"), "q2"),
        Item("d", ("S", "T"), "q2"),
        Item("e", ("S", "U"), "q3"),
    ]
    assert groups(claims) == ["a", "a", "a", "a", "e"]


def test_an_empty_question_id_joins_nothing_and_a_repeated_uid_does():
    assert groups([Item("a"), Item("b")]) == ["a", "b"]
    assert groups([Item("a", ("X", "Y")), Item("a", ("P", "Q"))]) == ["a", "a"]


def test_a_repeated_uid_joins_what_each_of_its_claims_joins():
    claims = [Item("b", ("X", "Y")), Item("b", ("P", "Q")), Item("a", ("X", "Y"))]
    assert groups(claims) == ["a", "a", "a"]


def test_titles_that_are_one_are_no_pair():
    assert groups([Item("a", ("Bell", "The Bell")), Item("b", ("bell", "BELL"))]) == ["a", "b"]


def test_no_claims_have_no_groups():
    assert groups([]) == []


def _random_claims(seed: int, n: int) -> list[Item]:
    rng = np.random.default_rng(seed)
    return [
        Item(
            f"u{i:03}",
            tuple(f"t{t}" for t in rng.choice(n, size=3, replace=False)),
            f"q{rng.integers(n)}",
        )
        for i in range(n)
    ]


@given(st.integers(0, 1_000), st.integers(4, 60))
@settings(max_examples=30)
def test_groups_are_the_connected_components(seed: int, n: int):
    claims = _random_claims(seed, n)
    found = groups(claims)
    for i, one in enumerate(claims):
        for j, other in enumerate(claims):
            related = (
                one.hpqa_id == other.hpqa_id
                or len(set(one.gold_titles) & set(other.gold_titles)) >= 2
            )
            if related:
                assert found[i] == found[j]
    # Not coarser than it must be: as many groups as a plain flood fill finds.
    assert len(set(found)) == _n_components(claims)


def _n_components(claims: list[Item]) -> int:
    left, n = set(range(len(claims))), 0
    while left:
        n, front = n + 1, [left.pop()]
        while front:
            one = claims[front.pop()]
            near = {
                i
                for i in left
                if claims[i].hpqa_id == one.hpqa_id
                or len(set(claims[i].gold_titles) & set(one.gold_titles)) >= 2
            }
            left -= near
            front += near
    return n


@given(st.integers(0, 1_000))
@settings(max_examples=30)
def test_group_ids_do_not_depend_on_the_order_of_claims(seed: int):
    claims = _random_claims(seed, 30)
    order = np.random.default_rng(seed + 1).permutation(30)
    by_uid = dict(zip((c.uid for c in claims), groups(claims), strict=True))
    mixed = [claims[i] for i in order]
    assert groups(mixed) == [by_uid[c.uid] for c in mixed]


@given(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=80), st.integers(0, 9))
def test_folds_keep_groups_whole_and_are_balanced(ids: list[str], seed: int):
    sizes = Counter(ids)
    n_folds = min(5, len(sizes))
    if n_folds < 2:
        return
    fold_of = folds(ids, n_folds, seed)
    assert all(len({f for f, g in zip(fold_of, ids, strict=True) if g == x}) == 1 for x in sizes)
    counts = np.bincount(fold_of, minlength=n_folds)
    assert counts.size == n_folds
    assert counts.min() > 0
    assert counts.max() - counts.min() <= max(sizes.values())


def test_a_large_group_is_placed_before_the_small_ones():
    for seed in range(5):
        assert np.bincount(folds(list("abcdeeee"), 2, seed)).tolist() == [4, 4]


def test_folds_follow_the_seed_but_not_the_order():
    ids = [f"g{i}" for i in range(40)]
    once, again = folds(ids, seed=1), folds(ids, seed=1)
    assert once.tolist() == again.tolist()
    assert folds(ids, seed=2).tolist() != once.tolist()
    assert folds(ids[::-1], seed=1).tolist() == once.tolist()[::-1]
    assert np.bincount(once).tolist() == [8] * 5


@pytest.mark.parametrize(("n_folds", "n_groups"), [(1, 4), (0, 4), (5, 4), (2, 0)])
def test_impossible_folds_are_an_error(n_folds: int, n_groups: int):
    with pytest.raises(UsageError, match=f"n_folds is {n_folds} for {n_groups} groups"):
        folds([f"g{i}" for i in range(n_groups)], n_folds)
