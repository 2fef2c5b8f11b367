"""What stands around a number: its side, its measure, and whose it is."""

import pytest

from hippohover.verification.against.numbers import numbers_held
from hippohover.verification.against.sides import event_of_life, name_of_year, owner_at, side_of
from tests.verification.against.comparing import READ, compared, findings, kinds

VOTE = "Ida Fenn won with 52.3% of the vote, beating Jon Pell, who received 41.9%."
FELL = "The fare fell from 14 dollars to 9 dollars."


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The fare fell to 9 dollars.", FELL),
        ("The fare fell from 14 dollars.", FELL),
        ("The fare fell from 14 dollars to 9 dollars.", FELL),
        ("Ida Fenn received 52.3% of the vote.", VOTE),
        ("The rate was raised to 3.75 per cent.", "The rate was raised by a quarter to 3.75%."),
    ],
)
def test_a_number_is_held_on_its_side(claim: str, sentence: str):
    assert findings(claim, ("Fares", sentence)) == []
    assert all(numbers_held(compared(claim, ("Fares", sentence))).values())


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The fare fell to 14 dollars.", FELL),
        ("The fare fell from 9 dollars to 14 dollars.", FELL),
        ("Ida Fenn received 41.9% of the vote.", VOTE),
        ("The prize is worth 50 euros.", "The prize is worth 50 crowns."),
        ("The disk holds 25 GB.", "The disk holds 25 MB."),
    ],
)
def test_another_side_owner_or_unit_is_another_number(claim: str, sentence: str):
    assert "number" in {kind for kind, _ in kinds(claim, ("Fares", sentence))}


def test_what_fell_from_one_number_to_another_fell_by_neither():
    claim = "The fare fell by 5 dollars."
    assert findings(claim, ("Fares", FELL)) == []
    assert not any(numbers_held(compared(claim, ("Fares", FELL))).values())


def test_the_parts_of_a_life_a_title_and_a_clause():
    life = READ("Ida Fenn (4 May 1901 – 9 June 1977) was a pilot.")
    assert [event_of_life(life, one) for one in life.quantities] == [{"born"}, {"die"}]
    born = READ("Ida Fenn (born 17 May 1956) is a pilot.")
    assert event_of_life(born, born.quantities[0]) == {"born"}
    film = READ("She appeared in Low Tide (2006).")
    assert name_of_year(film, film.quantities[0]) == {"low", "tide"}
    vote = READ(VOTE)
    assert owner_at(vote, vote.words.index("41.9")) == {"jon", "pell"}
    assert owner_at(vote, vote.words.index("52.3")) == set()
    assert side_of(READ(FELL), READ(FELL).quantities[1]) == "to"
    mill = READ("The Kell Mill, which he ran from 1922, burnt.")
    assert owner_at(mill, mill.words.index("1922")) == set()


def test_a_birth_is_no_other_date_of_what_somebody_said():
    told = ("Ida Fenn", "Ida Maud Fenn (born 17 January 1956) is a politician who spoke.")
    assert findings("Ida Fenn spoke in April.", told) == []
    assert ("number", True) in kinds("Ida Fenn was born in April 1956.", told)
