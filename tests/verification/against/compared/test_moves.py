"""Where something is no more."""

from tests.verification.against.comparing import kinds

OFFICE = ("Kell Tugs", "Its head office moved from Telk to Brun in 2015.")


def test_what_moved_away_is_there_no_more():
    assert ("object", False) in kinds("The head office of Kell Tugs is in Telk.", OFFICE)


def test_what_moved_there_is_there():
    assert kinds("The head office of Kell Tugs is in Brun.", OFFICE) == set()
    assert kinds("The head office of Kell Tugs was in Telk.", OFFICE) == set()
    back = ("Kell Tugs", "The head office is now in Telk again.")
    assert kinds("The head office of Kell Tugs is in Telk.", OFFICE, back) == set()
