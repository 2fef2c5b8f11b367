"""Means, their intervals and paired tests, against formulas, SciPy and known answers."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from hippohover.errors import UsageError
from hippohover.evaluation.intervals import (
    Estimate,
    interval,
    mcnemar,
    mean,
    paired_difference,
    resampled_means,
    share,
)


@given(st.integers(0, 60), st.integers(0, 60))
def test_share_is_wilsons_interval(ones: int, zeros: int):
    """With z 1.96: centre (p + z^2/2n) / (1 + z^2/n), and Wilson's half width around it."""
    if ones + zeros == 0:
        return
    estimate = share([1] * ones + [0] * zeros)
    n, p, z = ones + zeros, ones / (ones + zeros), NormalDist().inv_cdf(0.975)
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * sqrt(p * (1 - p) / n + z**2 / (4 * n * n))
    assert estimate.value == pytest.approx(p)
    assert estimate.low == pytest.approx(centre - half, abs=1e-12)
    assert estimate.high == pytest.approx(centre + half, abs=1e-12)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.n == n


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
    ours = mean(values)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=8_000, rng=1)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.004)


def test_mean_is_repeatable_whatever_the_order():
    values = np.random.default_rng(7).random(50)
    assert mean(values) == mean(values)
    shuffled = mean(values[::-1])
    assert (shuffled.low, shuffled.high) == (mean(values).low, mean(values).high)


def test_mean_of_one_value_is_that_value():
    assert mean([0.25]) == Estimate(value=0.25, low=0.25, high=0.25, n=1)
    assert mean([0.5] * 9) == Estimate(value=0.5, low=0.5, high=0.5, n=9)


@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=30))
@settings(max_examples=min(40, settings().max_examples))
def test_mean_lies_in_its_interval_and_the_interval_in_the_values(values: list[float]):
    estimate = mean(values)
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
@settings(max_examples=min(40, settings().max_examples))
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


def test_claims_of_one_group_are_drawn_together():
    first, second = [0] * 400, [1, 1, 0, 0] * 100
    alone = paired_difference(first, second)
    each = paired_difference(first, second, [str(n) for n in range(400)])
    assert (each.low, each.high) == (alone.low, alone.high)
    # Pairs of equal claims: half as many draws, so an interval wider by the root of two.
    pairs = paired_difference(first, second, [str(n // 2) for n in range(400)])
    assert (pairs.difference, pairs.n, pairs.p) == (alone.difference, alone.n, alone.p)
    assert pairs.high - pairs.low == pytest.approx((alone.high - alone.low) * sqrt(2), rel=0.15)


def test_groups_of_several_sizes_weigh_by_their_claims():
    means = resampled_means([1.0] * 9 + [0.0], ["large"] * 9 + ["small"])
    assert set(means.round(3).tolist()) == {0.0, 0.9, 1.0}
    assert interval(means) == (0.0, 1.0)
    assert resampled_means([1.0, 0.0], seed=1).tolist() != resampled_means([1.0, 0.0]).tolist()


def test_groups_are_one_a_value():
    with pytest.raises(UsageError, match="2 groups for 3 values"):
        paired_difference([1, 0, 1], [1, 1, 1], ["a", "b"])
