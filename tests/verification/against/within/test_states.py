"""On and off."""

import pytest

from tests.verification.against.comparing import findings, kinds

FLAGS = ("Sedge", "The flag loud is on by default, the flag slow is off by default.")


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The flag slow is on by default.", FLAGS[1]),
        ("The flag slow is enabled by default.", FLAGS[1]),
        ("The flag loud is off by default.", FLAGS[1]),
        ("The pump is turned on at night.", "The pump is turned off at night."),
        ("The pump is on.", "The pump is not on."),
    ],
)
def test_the_other_state_is_found(claim: str, sentence: str):
    assert "denied" in {kind for kind, _ in kinds(claim, ("Sedge", sentence))}


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The flag loud is on by default.", FLAGS[1]),
        ("The flag slow is off by default.", FLAGS[1]),
        ("The pump is on the roof.", "The pump is on the roof, off the road."),
    ],
)
def test_the_same_state_and_a_place_are_not(claim: str, sentence: str):
    assert findings(claim, ("Sedge", sentence)) == []
