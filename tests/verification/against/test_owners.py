"""Which clause of a sentence says what of whom."""

import pytest

from hippohover.verification.against.owners import clauses_of
from tests.verification.against.comparing import READ, findings, kinds

FOUND = "Ida Fenn found the well and Jon Pell built the mill."
ROADS = "The upper road leads to Pelmouth and the lower road leads to Carvick."
STAYS = "Pell will leave the guild; Fenn will remain as its clerk."
HEARD = "Farmers called it dull, but weavers loved it."


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        (FOUND, "Jon Pell found the well."),
        (FOUND, "Ida Fenn built the mill."),
        (ROADS, "The upper road leads to Carvick."),
        (ROADS, "The lower road leads to Pelmouth."),
        (STAYS, "Fenn will leave the guild."),
        (STAYS, "Pell will remain as clerk."),
        (HEARD, "Farmers loved Low Tide."),
        ("Ida Fenn, who taught Jon Pell, built the mill.", "Jon Pell built the mill."),
    ],
)
def test_what_is_said_of_another_in_one_sentence(sentence: str, claim: str):
    assert kinds(claim, ("Low Tide", sentence)) == {("object", False)}


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        (FOUND, "Ida Fenn found the well."),
        (FOUND, "Jon Pell built the mill."),
        (ROADS, "The upper road leads to Pelmouth."),
        (ROADS, "The lower road leads to Carvick."),
        (STAYS, "Fenn will remain as clerk."),
        (HEARD, "Weavers loved Low Tide."),
        ("Ida Fenn, who taught Jon Pell, built the mill.", "Ida Fenn taught Jon Pell."),
        ("Ida Fenn, who taught Jon Pell, built the mill.", "Ida Fenn built the mill."),
        ("Ida Fenn is a miller who built the mill.", "Ida Fenn built the mill."),
        ("Ida Fenn built the mill, and she found the well.", "Ida Fenn found the well."),
    ],
)
def test_each_is_said_of_its_own(sentence: str, claim: str):
    assert findings(claim, ("Low Tide", sentence)) == []


def test_a_clause_has_the_stems_of_what_it_is_about():
    first, second = clauses_of(READ(FOUND))
    assert first.owner == {"ida", "fenn"}
    assert second.owner == {"jon", "pell"} and "mill" in second.stems and "ida" not in second.stems
    [alone] = clauses_of(READ("The mills and the barns burnt down."))
    assert {"mill", "barn"} <= alone.stems


def test_where_another_sentence_says_it_nothing_is_found():
    also = ("Jon Pell", "Jon Pell found the well.")
    assert findings("Jon Pell found the well.", ("Low Tide", FOUND), also) == []
