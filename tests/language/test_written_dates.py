"""Dates of fields: in ISO 8601, and as moments."""

from math import inf, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.language.written_dates import iso_date, seconds_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wed, 1 May 2024 10:00:00 +0200", "2024-05-01T10:00:00+0200"),
        ("1 May 2024 9:05", "2024-05-01T09:05"),
        ("Wed May  1 10:00:00 +0000 2024", "2024-05-01T10:00:00+00:00"),
        ("Wednesday, May 1st, 2024", "2024-05-01"),
        ("Sept. 3, 2024", "2024-09-03"),
        ("3-Sep-2024", "2024-09-03"),
        ("june 2024", "2024-06"),
        ("2024/05/01 10:30", "2024-05-01T10:30"),
        ("2024-5-1", "2024-05-01"),
        ("1.5.2024", "2024-05-01"),
        ("01.05.2024, 10:30", "2024-05-01T10:30"),
        ("1714557600", "2024-05-01T10:00:00+00:00"),
        ("1714557600000", "2024-05-01T10:00:00+00:00"),
        ("1714557600.5", "2024-05-01T10:00:00.500000+00:00"),
    ],
)
def test_dates_that_are_written_otherwise(text: str, expected: str):
    assert iso_date(text) == expected
    assert iso_date(f" {text}  ") == expected


@pytest.mark.parametrize(
    "text",
    ["", "5/6/2024", "13/5/2024", "2024", "Mayor 2024", "32 May 2024", "1.13.2024", "2024/05-01",
     "May 1", "12345", "171455760000", "x" * 90, "May 2024 was warm"],
)  # fmt: skip
def test_what_is_no_date_or_may_be_two(text: str):
    assert not iso_date(text)


@given(st.text(max_size=100))
def test_any_text_is_a_date_or_none(text: str):
    assert isinstance(iso_date(text), str)


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("1970-01-02", 86_400), ("19700102", 86_400), ("1970", 0), ("1970-02", 31 * 86_400),
        ("1970-01-01T01:00+01:00", 0), ("1970-01-01 00:00:05Z", 5), (1714557600, 1714557600),
        ("1714557600", 1714557600), (1714557600123, 1714557600.123), (1714557600.5, 1714557600.5),
        ("Thu, 1 Jan 1970 01:00:00 +0100", 0), ("Thu, 1 Jan 1970 00:00:00 -0000", 0), (1970, 0),
        ("0001-01-01", -62135596800),
    ],
)  # fmt: skip
def test_dates_are_moments(date: object, seconds: float):
    assert seconds_of(date) == seconds


@pytest.mark.parametrize("date", [None, True, "", "soon", [], {}, float("nan"), "9" * 99, "13-2-1"])
def test_what_is_no_date_is_older_than_any(date: object):
    assert seconds_of(date) == -inf


@given(st.one_of(st.text(), st.text(alphabet="0123456789-:T ,+JanFeb."), st.integers()))
def test_any_text_is_a_moment_or_none(date: object):
    assert not isnan(seconds_of(date))
