import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from hippohover.errors import UsageError
from hippohover.evaluation.comparison.significance import Difference, against_first, corrected
from hippohover.evaluation.intervals import mcnemar
from tests.index_samples import refused


def with_p(p: float) -> Difference:
    return Difference(value=0.1, low=0.0, high=0.2, p=p, p_corrected=p)


def test_binary_values_are_tested_by_mcnemar():
    first, second = [1, 0, 0, 0, 1, 0], [1, 1, 1, 1, 0, 1]
    found = against_first(first, second)
    assert found.value == pytest.approx(3 / 6)
    assert found.p == mcnemar(4, 1)


def test_other_values_are_tested_by_the_paired_t_test():
    first, second = [0.1, 0.5, 0.3, 0.9], [0.4, 0.6, 0.2, 1.0]
    expected = ttest_rel(second, first)
    assert against_first(first, second).p == pytest.approx(expected[1])


def test_the_difference_lies_in_its_interval_and_turns_with_the_arms():
    rng = np.random.default_rng(1)
    first, second = rng.random(50).tolist(), rng.random(50).tolist()
    one, other = against_first(first, second), against_first(second, first)
    assert one.low <= one.value <= one.high
    assert one.value == pytest.approx(-other.value)
    assert one.p == pytest.approx(other.p)


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.5], [1, 0, 1]])
def test_arms_that_never_differ_have_p_1(values: list[float]):
    found = against_first(values, values)
    assert (found.value, found.p) == (0.0, 1.0)


@pytest.mark.parametrize("first", [1 / 3, 0.1, 0.6131471927654584, 0.5])
@pytest.mark.parametrize("n", [1, 3, 20, 100])
def test_claims_that_differ_alike_are_tested_by_their_signs(first: float, n: int):
    """However the difference rounds."""
    assert against_first([first] * n, [1.0] * n).p == mcnemar(n, 0)
    assert against_first([1.0] * n, [first] * n).p == mcnemar(0, n)


def test_values_that_are_not_paired_are_refused():
    with refused(UsageError, "not paired: 2 claims against 1"):
        against_first([0.1, 0.2], [0.1])


def test_holms_correction_of_a_known_case():
    done = corrected([with_p(0.01), with_p(0.04), with_p(0.03), with_p(0.005)])
    assert [one.p_corrected for one in done] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [one.p for one in done] == [0.01, 0.04, 0.03, 0.005]


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_corrected_p_is_never_smaller_and_keeps_the_order(ps: list[float]):
    done = corrected([with_p(p) for p in ps])
    assert all(one.p <= one.p_corrected <= 1 for one in done)
    by_p = sorted(done, key=lambda one: one.p)
    assert [one.p_corrected for one in by_p] == sorted(one.p_corrected for one in done)


def test_one_difference_needs_no_correction():
    assert corrected([with_p(0.03)])[0].p_corrected == 0.03
