"""Ranges: which numbers and dates are in one, what a date with less precision stands for."""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.retrieval.ranges import ORDERS, check_bound, greatest_first, in_range, spans_of


def met(order: str, bound: str, *texts: str | None) -> list[bool]:
    check_bound(order, bound)
    halves = [list(texts[:1]), list(texts[1:])]
    return in_range(pa.chunked_array(halves, pa.large_string()), order, bound).tolist()


@pytest.mark.parametrize(
    ("order", "bound", "inside", "outside"),
    [
        (">=", "1901", ["1901", "1901.0", "2e3", " 1902 "], ["1900", "-2000", "1900.5"]),
        ("<", "2.5", ["2", "-3", "+1", "24e-1"], ["2.5", "3"]),
        (">=", "2024", ["2024-01-01", "2024", "2025-03"], ["2023-12-31T23:59:59"]),
        (">", "2024", ["2025-01-01", "2025"], ["2024-12-31", "2024", "2024-12-31T23:59"]),
        ("<=", "2024-02", ["2024-02-29", "2024-02", "2023"], ["2024-03-01", "2024"]),
        ("<=", "2024-03-05", ["2024-03-05T23:59:59.9"], ["2024-03", "2024-03-06"]),
        ("<", "2024-03-05T10:30", ["2024-03-05T10:29"], ["2024-03-05T10:30:00", "2024-03-05"]),
        (">=", "2024-03-05 10:30Z", ["2024-03-05T12:30+02:00"], ["2024-03-05T12:29+0200"]),
        ("<=", "2024-03-05T00:00:01.5", ["2024-03-05T00:00:01.5"], ["2024-03-05T00:00:01"]),
        (
            ">=",
            "2024-03-05",
            [
                "Tue, 05 Mar 2024 10:00:00 +0000",
                "5.3.2024",
                "1709632800",
                "March 5, 2024",
                "2024/3/5",
                "Apr 2024",
            ],
            ["4 Mar 2024", "March 2024", "1709596799"],
        ),
        ("<", "5 March 2024", ["2024-03-04", "Mon Mar  4 23:59:59 +0000 2024"], ["5.3.2024"]),
        (">=", "0001", ["0001-01-01", "9999-12-31", "7"], ["0000-01-01", "0"]),
    ],
)
def test_what_is_in_a_range(order: str, bound: str, inside: list[str], outside: list[str]):
    assert met(order, bound, *inside) == [True] * len(inside)
    assert met(order, bound, *outside) == [False] * len(outside)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("bound", ["0", "2024", "2024-03-05"])
def test_what_is_neither_number_nor_date_is_in_no_range(order: str, bound: str):
    texts = [None, "", "soon", "true", "NaN", "2024-02-30", "2024-13", "2024-1-32", "1,901",
             "5/3/2024", "31.2.2024", "2024-03-05T25:00", "2024-03-05x", "in May 2024"]  # fmt: skip
    assert not any(met(order, bound, *texts))


@pytest.mark.parametrize("bound", ["", "soon", "2024-02-30", "2024-13-01", "0x10", "inf", "\n"])
def test_a_bound_that_compares_with_nothing_is_refused(bound: str):
    with pytest.raises(UsageError, match="is neither a number nor a date: write 1901") as said:
        check_bound(">=", bound)
    assert str(said.value).isprintable()
    with pytest.raises(UsageError, match="order '=>' is unknown: give one of <, <=, >, >="):
        check_bound("=>", "1")


@given(*[st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))] * 2)
def test_moments_are_ordered_as_python_orders_them(one: datetime, other: datetime):
    """Whatever their zones: one is written in +02:30, the other in UTC without a zone."""
    there = (one + timedelta(minutes=150)).isoformat(timespec="microseconds") + "+02:30"
    here = other.isoformat(timespec="microseconds")
    expected = [one < other, one <= other, one > other, one >= other]
    assert [met(order, here, there)[0] for order in ORDERS] == expected


@given(st.lists(st.floats(-1e9, 1e9) | st.integers(-(10**9), 10**9), min_size=1, max_size=8))
def test_numbers_are_ordered_as_numbers(numbers: list[float]):
    texts = [repr(number) for number in numbers]
    values = np.array(numbers, np.float64)
    for order, expected in zip(
        ORDERS,
        (values < values[0], values <= values[0], values > values[0], values >= values[0]),
        strict=True,
    ):
        assert met(order, texts[0], *texts) == expected.tolist()


@pytest.mark.parametrize(
    ("texts", "greatest"),
    [
        (["3", None, "10", "soon", "-2", "10.0"], [2, 5, 0, 4, 1, 3]),
        (["2023", "2024", "1999"], [1, 0, 2]),
        (["2024", "2024-03", "2024-03-05T10:30+02:00", "2024-03-05T09:00", "7"], [3, 2, 1, 0, 4]),
        (["2024-01-01", "2024", "soon"], [0, 1, 2]),
        ([None, "soon"], [0, 1]),
        ([], []),
    ],
)
def test_the_greatest_first(texts: list[str | None], greatest: list[int]):
    spans = spans_of(pa.chunked_array([["2025", *texts]], pa.large_string()))
    at = np.arange(len(texts)) + 1
    assert (greatest_first(spans, at) - 1).tolist() == greatest


def test_the_least_first_though_what_is_neither_is_last():
    spans = spans_of(pa.array(["3", None, "10", "soon", "-2", "3.0"], pa.large_string()))
    assert greatest_first(spans, np.arange(6), least_first=True).tolist() == [4, 0, 5, 2, 1, 3]
    assert greatest_first(spans, np.array([5, 1, 0]), least_first=True).tolist() == [5, 0, 1]
