"""Numbers with their scales and units, ordinals and the numbers of names."""

import pytest

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.quantities.reader import quantities_in


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
    ("text", "value", "unit"),
    [
        ("a dose of 10−3 mol", 1e-3, ""),
        ("a dose of 10-3 mol", 1e-3, ""),
        ("a dose of 10–3 mol", 1e-3, ""),
        ("a dose of 10−12 mol", 1e-12, ""),
        ("a grain of 10−6 m", 1e-6, "length"),
        ("a grain of 10-6 kg", 1e-6, "mass"),
        ("a dose of 4 × 10−3 mol", 4e-3, ""),
        ("a dose of 4.5 x 10-3 mol", 4.5e-3, ""),
        ("a dose of 4·10–13 mol", 4e-13, ""),
        ("a sum of 2,500 × 10−3", 2.5, ""),
        ("a grain of 5 × 10^-6 m", 5e-6, "length"),
        ("a grain of 10^{−6} m", 1e-6, "length"),
        ("a grain of 10⁻⁶ m", 1e-6, "length"),
        ("a town of 3 × 10⁵ people", 3e5, ""),
        ("a charge of −10−3 kg", -1e-3, "mass"),
    ],
)
def test_powers_of_ten_also_without_their_superscript(text: str, value: float, unit: str):
    found = only(text)
    assert (found.low, found.high) == (value, value)
    assert found.unit == unit


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("10-30 mol", [(10, 10), (30, 30)]),
        ("3-10 mol", [(3, 3), (10, 10)]),
        ("5–10 km", [(5000, 10_000)]),
        ("5−10 km", [(5000, 10_000)]),
        ("5 km−10 km", [(5000, 10_000)]),
        ("10–12 people", [(10, 12)]),
        ("3 x 10-12 sets", [(3, 3), (10, 10), (12, 12)]),
        ("they lost 10-3", [(10, 10), (3, 3)]),
        ("a result of 10−3", [(3, 10)]),
        ("from 10–3 km", [(3000, 10_000)]),
        ("10-3 people", [(10, 10), (3, 3)]),
        ("110-3 mol", [(110, 110), (3, 3)]),
        ("$10-3 m", [(10, 10), (3, 3)]),
        ("10 − 3 km", [(10, 10), (3000, 3000)]),
        ("it was −3 °C", [(-3, -3)]),
        ("it fell to −3 km", [(-3000, -3000)]),
        ("of 5 at −3 km", [(5, 5), (-3000, -3000)]),
        ("10^999 km", [(10, 10), (999_000, 999_000)]),
    ],
)
def test_ranges_scores_and_signs_are_no_powers(text: str, ends: list[tuple[float, float]]):
    assert [(found.low, found.high) for found in quantities_in(text)] == ends


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
    ("text", "per"),
    [
        ("40 mg per day", "day"), ("40 mg of it a day", "day"), ("$20 per user a month", "month"),
        ("5 tonnes yearly", "year"), ("50 km/h", "hour"), ("5 each night", "day"),
        ("40 mg", ""), ("5 tonnes. Every year", ""), ("5 men and a day", "day"),
    ],
)  # fmt: skip
def test_what_a_rate_is_counted_by(text: str, per: str):
    assert quantities_in(text)[0].per == per


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("at −20 °C", -20), ("at -5 degrees Celsius", -5), ("it is minus 5 °C", -5),
        ("at 5 °C", 5), ("a 9-5 win", 9),
    ],
)  # fmt: skip
def test_negative_numbers(text: str, value: float):
    assert quantities_in(text)[0].low == value


@pytest.mark.parametrize("text", ["6teen is a show", "the CP-400 and a B-52", "x86 chips"])
def test_digits_of_a_name_count_nothing(text: str):
    assert quantities_in(text) == []


def test_a_number_behind_no_is_the_number_of_a_name():
    [found] = quantities_in("in Inside No. 9")
    assert (found.kind, found.unit, found.low) == ("label", "no", 9)


def test_two_parts_of_a_duration_are_one():
    [found] = quantities_in("in 2 h 10 min")
    [minutes] = quantities_in("in 130 minutes")
    assert likeness(minutes, found) == "same"
    assert len(quantities_in("in 30 minutes and 5 hours")) == 2


def test_what_stands_behind_a_number_bounds_it():
    [more], [fewer] = quantities_in("14 people or more fell."), quantities_in("ten or fewer fell.")
    assert (more.low, more.high) == (14, float("inf"))
    assert (fewer.low, fewer.high) == (float("-inf"), 10)


def test_a_change_has_two_numbers_and_no_range():
    assert [one.low for one in quantities_in("The port changed from 8080 to 8443.")] == [8080, 8443]
    assert len(quantities_in("It is open from 8 to 17.")) == 1


def test_small_letters_name_a_number_too():
    [release] = quantities_in("It came with release 4.2 of it.")
    assert (release.kind, release.unit, release.low) == ("label", "release", 4.2)
