"""Several numbers in one sentence, each with its own words."""

import pytest

from hippohover.verification.against.numbers import numbers_held, other_numbers
from tests.verification.against.comparing import compared

MILL = "The old mill of Velm is 30 m high and the new mill is 44 m high."
DOOR = "The gate is 7070 by default, 7443 with a seal."
DEPTH = "The limit of Sedge is 12 (was 9)."
CREW = "Velm Hall has 14 cooks and 90 guests."


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The new mill of Velm is 30 m high.", MILL),
        ("The old mill of Velm is 44 m high.", MILL),
        ("The gate is 7443 by default.", DOOR),
        ("The limit of Sedge is 9.", DEPTH),
        ("Velm Hall has 14 guests.", CREW),
        ("Velm Hall has 90 cooks.", CREW),
        ("The choir of Velm was built in 1210.", "The nave was built in 1210, the choir in 1340."),
    ],
)
def test_a_number_of_other_words_is_not_held(claim: str, sentence: str):
    grounds = compared(claim, ("Velm Hall", sentence))
    assert [*numbers_held(grounds).values()] == [False]
    assert other_numbers(grounds)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The new mill of Velm is 44 m high.", MILL),
        ("The old mill of Velm is 30 m high.", MILL),
        ("The gate is 7070 by default.", DOOR),
        ("The gate is 7443 with a seal.", DOOR),
        ("The limit of Sedge is 12.", DEPTH),
        ("The limit of Sedge was 9.", DEPTH),
        ("Velm Hall has 90 guests.", CREW),
        ("Velm Hall has 14 cooks.", CREW),
        ("Velm Hall has 14 cooks and 90 guests.", CREW),
        ("It had 80 guests in 1990.", "It had 50 guests in 1980 and 80 in 1990."),
        ("The choir of Velm was built in 1340.", "The nave was built in 1210, the choir in 1340."),
    ],
)
def test_a_number_of_the_same_words_is(claim: str, sentence: str):
    grounds = compared(claim, ("Velm Hall", sentence))
    assert all(numbers_held(grounds).values())
    assert other_numbers(grounds) == []
