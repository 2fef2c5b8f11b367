"""Numbers, units and dates of texts, and which say the same."""

import pytest

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.quantities.reader import quantities_in


def only(text: str) -> Quantity:
    [found] = quantities_in(text)
    return found


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


@pytest.mark.parametrize(
    ("claim", "evidence", "like"),
    [
        ("It holds up to 60 people.", "It holds up to 16 people.", "other"),
        ("It holds up to 16 people.", "It holds up to 16 people.", "same"),
        ("It costs between 45 and 140.", "It costs between 45 and 120.", "other"),
        ("It costs between 45 and 120.", "It costs between 45 and 120.", "same"),
        ("It is open from 5 to 8.", "It is open from 8 to 5.", "other"),
        ("It is open from 8 to 5.", "It is open from 8 to 5.", "same"),
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


def test_two_currencies_are_two_sums():
    [crowns], [euros] = quantities_in("50 crowns"), quantities_in("50 euros")
    [bare], [metres] = quantities_in("fifty"), quantities_in("50 metres")
    assert likeness(crowns, euros) == "other"
    assert likeness(crowns, bare) == "same"
    assert likeness(crowns, metres) is None


def test_a_range_below_a_bound_may_be_so_and_is_no_other_number():
    [claim] = quantities_in("Less than 10 percent of the eggs hatched.")
    [inside] = quantities_in("Between 5 and 8 percent of the eggs hatched.")
    [beyond] = quantities_in("Between 12 and 15 percent of the eggs hatched.")
    assert likeness(claim, inside) == "open"
    assert likeness(claim, beyond) == "other"
