"""Shares in words."""

import pytest

from hippohover.language.quantities.quantity import likeness
from hippohover.language.quantities.reader import quantities_in


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("one in five runners", 20), ("1 in 5 runners", 20), ("four out of five runners", 80),
        ("3 in 100,000 people", 0.003), ("half of them", 50), ("a third of them", 100 / 3),
        ("two-thirds of them", 200 / 3), ("three quarters of it", 75), ("all of it", 100),
        ("a third more", 100 / 3),
    ],
)  # fmt: skip
def test_shares_in_per_cent(text: str, share: float):
    [found] = quantities_in(text)
    assert (found.unit, found.low) == ("share", pytest.approx(share))


def test_a_share_has_bounds():
    [more] = quantities_in("more than half of it")
    [is_more] = quantities_in("60 per cent of it")
    [less] = quantities_in("40 per cent of it")
    assert likeness(more, is_more) == "same"
    assert likeness(more, less) == "other"


@pytest.mark.parametrize(
    "text",
    ["two in 10 minutes", "won 3 in 1950", "the third of seven", "5 in 3", "a half", "all that"],
)
def test_what_is_no_share(text: str):
    assert all(one.unit != "share" for one in quantities_in(text))
