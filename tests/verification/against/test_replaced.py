"""A word in the place of another."""

import pytest

from tests.verification.against.comparing import findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Ida Fenn", "Ida Fenn studied medicine for six years.", "She studied law for six years."),
    ],
)
def test_another_word_in_its_place_is_named(title: str, claim: str, sentence: str):
    assert kinds(claim, (title, sentence)) == {("replaced", False)}


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Ida Fenn",
            "Ida Fenn studied medicine for six years.",
            "She studied medicine for six years.",
        ),
        ("Ida Fenn", "Ida Fenn studied medicine in Varn.", "She studied law for six years."),
    ],
)
def test_no_word_is_in_its_place(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


def test_neither_a_verb_for_a_noun_nor_a_comparison_is_a_replacement():
    teams = ("Kell", "The teams that represent the town of Kell play here.")
    assert findings("The teams named the town of Kell play here.", teams) == []
    assert findings("The city is larger than Kell.", ("Kell", "The city is old Kell.")) == []


def test_a_converse_is_a_replacement():
    height = ("Sabel", "Sabel lies 640 metres above the sea.")
    assert kinds("Sabel lies 640 metres below the sea.", height) == {("replaced", False)}
    assert findings("Sabel lies 640 metres above the sea.", height) == []
