"""Numbers, units and dates of texts, and which say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.verification.reading.quantities import Quantity, likeness, quantities_in


def only(text: str) -> Quantity:
    [found] = quantities_in(text)
    return found


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("67 million people", 67e6, 67e6, ""),
        ("sixty-seven million people", 67e6, 67e6, ""),
        ("67,000,000 people", 67e6, 67e6, ""),
        ("two hundred and five ships", 205, 205, ""),
        ("twenty one ships", 21, 21, ""),
        ("a dozen eggs", 12, 12, ""),
        ("it is 2,400 metres long", 2400, 2400, "length"),
        ("it is 2.4 km long", 2400, 2400, "length"),
        ("a 2-metre fence", 2, 2, "length"),
        ("it cost $35 million", 35e6, 35e6, "dollars"),
        ("between 80% and 90% of them", 80, 90, "share"),
        ("from 20 to 30 km", 20_000, 30_000, "length"),
        ("at least 3 goals", 3, float("inf"), ""),
        ("under 5 kg", float("-inf"), 5, "mass"),
    ],
)
def test_numbers_with_scales_and_units(text: str, low: float, high: float, unit: str):
    found = only(text)
    assert found.kind == "number"
    assert (found.low, found.high, found.unit) == pytest.approx((low, high, unit))


@pytest.mark.parametrize(
    ("text", "years", "months", "day"),
    [
        ("born on 19 June 1959", (1959, 1959), {6}, 19),
        ("born on June 19, 1959", (1959, 1959), {6}, 19),
        ("born on 1959-06-19", (1959, 1959), {6}, 19),
        ("in June 1959", (1959, 1959), {6}, 0),
        ("in the spring of 1932", (1932, 1932), {3, 4, 5}, 0),
        ("in 1959", (1959, 1959), set[int](), 0),
        ("in the fifties", (1950, 1959), set[int](), 0),
        ("in the 1950s", (1950, 1959), set[int](), 0),
        ("the 1939-45 war", (1939, 1945), set[int](), 0),
        ("between 1939 and 1945", (1939, 1945), set[int](), 0),
        ("the 19th century", (1801, 1900), set[int](), 0),
    ],
)
def test_dates_with_their_granularity(
    text: str, years: tuple[int, int], months: set[int], day: int
):
    found = only(text)
    assert found.kind == "date"
    assert ((found.low, found.high), found.months, found.day) == (years, months, day)


def test_ordinals_and_the_numbers_of_names():
    assert only("the third son").kind == "ordinal"
    assert only("her 3rd win").low == 3
    assert [
        (one.kind, one.unit, one.low) for one in quantities_in("It says that PEP 563 is old")
    ] == [("label", "pep", 563)]
    assert quantities_in("One57 is a tower, and may be closed") == []


def test_small_numbers_in_words_may_count_nothing():
    assert only("two of them").written
    assert not only("2 of them").written


@pytest.mark.parametrize(
    ("claim", "evidence", "like"),
    [
        ("67,000,000 people", "67 million people", "same"),
        ("67 million people", "67,391,582 people", "same"),
        ("67 billion people", "67 million people", "other"),
        ("sixty-eight million people", "67 million people", "other"),
        ("2,400 metres", "2.4 km", "same"),
        ("24 km", "2.4 km", "other"),
        ("in June 1959", "on 19 June 1959", "same"),
        ("in July 1959", "on 19 June 1959", "other"),
        ("on 19 June 1959", "in 1959", "open"),
        ("in the fifties", "on 3 March 1957", "same"),
        ("in the autumn of 1932", "in the spring of 1932", "other"),
        ("between 80% and 90%", "89.4%", "same"),
        ("above 90%", "89.4%", "other"),
        ("about 100 ships", "97 ships", "same"),
        ("the third son", "the second son", "other"),
        ("5 km", "5 kg", None),
        ("1959 ships", "in 1959", "same"),
    ],
)
def test_which_say_the_same(claim: str, evidence: str, like: str | None):
    assert likeness(only(claim), only(evidence)) == like


@given(st.text())
def test_any_text_is_read_and_spans_are_inside(text: str):
    for one in quantities_in(text):
        assert 0 <= one.start < one.stop <= len(text)
        assert likeness(one, one) in {"same", None}


@pytest.mark.parametrize("text", ["³", "12³", "٣ of them", "①", "½"])
def test_digits_of_other_kinds_break_nothing(text: str):
    quantities_in(text)


@pytest.mark.parametrize(
    ("claim", "evidence", "like"),
    [
        ("It holds up to 60 people.", "It holds up to 16 people.", "other"),
        ("It holds up to 16 people.", "It holds up to 16 people.", "same"),
        ("It costs between 45 and 140.", "It costs between 45 and 120.", "other"),
        ("It costs between 45 and 120.", "It costs between 45 and 120.", "same"),
        ("It fell from 5 to 8.", "It fell from 8 to 5.", "other"),
        ("It fell from 8 to 5.", "It fell from 8 to 5.", "same"),
        ("It cost £4,500,000.", "It cost £4.5m.", "same"),
        ("It cost £45m.", "It cost £4.5m.", "other"),
        ("He is 177 cm tall.", "He is 1.77 m tall.", "same"),
        ("It uses no more than 300 litres.", "It uses at most 300 litres.", "same"),
        ("It makes 0.3 GW.", "It makes 300 MW.", "same"),
        ("It weighs 0.04 g.", "It weighs 40 mg.", "same"),
    ],
)
def test_ranges_sums_and_units(claim: str, evidence: str, like: str):
    [mine], [other] = quantities_in(claim), quantities_in(evidence)
    assert likeness(mine, other) == like
