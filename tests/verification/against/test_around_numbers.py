"""What stands around a number: its side, and the event that a date of a life is of."""

from hippohover.verification.against.number_places import event_of_life, side_of
from tests.verification.against.comparing import READ

FELL = "The fare fell from 14 dollars to 9 dollars."


def test_the_parts_of_a_life_and_the_side_of_a_number():
    life = READ("Ida Fenn (4 May 1901 – 9 June 1977) was a pilot.")
    assert [event_of_life(life, one) for one in life.quantities] == [{"born"}, {"die"}]
    born = READ("Ida Fenn (born 17 May 1956) is a pilot.")
    assert event_of_life(born, born.quantities[0]) == {"born"}
    assert side_of(READ(FELL), READ(FELL).quantities[1]) == "to"
