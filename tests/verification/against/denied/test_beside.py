"""Denials whose sentence has the claim's subject as its object, or as its passage's title."""

import pytest

from tests.verification.against.comparing import kinds


@pytest.mark.parametrize(
    ("title", "sentence", "claim"),
    [
        ("Telk", "Telk bought Varn in 2011.", "Varn was not bought by Telk."),
        ("Telk", "Telk did not buy Varn.", "Varn was bought by Telk."),
        ("Norland", "Its capital is Ostby.", "Ostby is not the capital of Norland."),
        ("Norland", "Its capital is not Ostby.", "Ostby is the capital of Norland."),
        ("Mia Sand", "Mia Sand refused to direct Low Tide.", "Low Tide was directed by Mia Sand."),
        ("Mia Sand", "In 2004 she replaced Tom Hale.", "Tom Hale was not replaced by Mia Sand."),
    ],
)
def test_what_is_denied_of_another_subject(title: str, sentence: str, claim: str):
    assert ("denied", True) in kinds(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "sentence", "claim"),
    [
        ("Telk", "Telk bought Varn in 2011.", "Varn was bought by Telk."),
        ("Telk", "Telk never bought Varn.", "Varn was not bought by Telk."),
        ("Telk", "Telk bought Varn, but not Mell.", "Varn was bought by Telk."),
        ("Norland", "Its capital is Ostby.", "Ostby is the capital of Norland."),
    ],
)
def test_what_agrees_is_no_denial(title: str, sentence: str, claim: str):
    assert "denied" not in {kind for kind, _ in kinds(claim, (title, sentence))}


def test_who_does_it_to_whom_decides_whether_it_is_sure():
    against = kinds("Varn did not buy Telk.", ("Telk", "Telk bought Varn in 2011."))
    assert ("denied", True) not in against
