"""What stands around a number: its side, its event, and whose clause it is in."""

from hippohover.verification.against.owners import clauses_of
from hippohover.verification.against.sides import event_of_life, name_of_year, owner_at, side_of
from tests.verification.against.comparing import READ

VOTE = "Ida Fenn won with 52.3% of the vote, beating Jon Pell, who received 41.9%."
FELL = "The fare fell from 14 dollars to 9 dollars."


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


def test_a_clause_has_the_stems_of_what_it_is_about():
    first, second = clauses_of(READ("Ida Fenn found the well and Jon Pell built the mill."))
    assert first.owner == {"ida", "fenn"}
    assert second.owner == {"jon", "pell"} and "mill" in second.stems and "ida" not in second.stems
    [alone] = clauses_of(READ("The mills and the barns burnt down."))
    assert {"mill", "barn"} <= alone.stems
