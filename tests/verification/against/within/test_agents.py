"""Who did what, where one sentence names the agents of several deeds."""

import pytest

from tests.verification.against.comparing import findings, kinds

HALL = ("Telk Hall", "Telk Hall was designed by Ann Roe and built by Tim Orr.")
FILM = ("Moth", "Its script was written by Ida Mott and its music was composed by Cy Do.")
BOOK = ("Salt Road", "Salt Road is a cookbook by Ida Mott, illustrated by her sister Eva Mott.")
SONG = ("Grey Hill", "Its words were written by Ann Roe and its tune was written by Tim Orr.")
TALE = ("Ida Mott", "Her second book, Salt Road, came out in 1950 and was translated by Cy Do.")


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Ann Roe built Telk Hall.", HALL),
        ("Telk Hall was built by Ann Roe.", HALL),
        ("Cy Do wrote the script of Moth.", FILM),
        ("Ida Mott composed the music of Moth.", FILM),
        ("Eva Mott wrote Salt Road.", BOOK),
        ("Eva Mott is the author of Salt Road.", BOOK),
        ("The author of Salt Road is Eva Mott.", BOOK),
        ("Ida Mott illustrated Salt Road.", BOOK),
        ("The illustrator of Salt Road is Ida Mott.", BOOK),
        ("Tim Orr wrote the words of Grey Hill.", SONG),
        ("Cy Do is the author of Salt Road.", TALE),
        ("Ida Mott translated Salt Road.", TALE),
    ],
)
def test_the_agent_of_another_deed(claim: str, told: tuple[str, str]):
    assert any(kind == "object" for kind, _ in kinds(claim, told))


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Ann Roe designed Telk Hall.", HALL),
        ("Tim Orr built Telk Hall.", HALL),
        ("Ida Mott wrote the script of Moth.", FILM),
        ("Eva Mott illustrated Salt Road.", BOOK),
        ("The author of Salt Road is Ida Mott.", BOOK),
        ("Ann Roe wrote the words of Grey Hill.", SONG),
        ("Ann Roe directed Low Tide.", ("Low Tide", "It was written and directed by Ann Roe.")),
        ("Ann Roe wrote Low Tide.", ("Low Tide", "It was written and directed by Ann Roe.")),
        (
            "Ann Roe built the mill.",
            (
                "Telk Mill",
                "The mill was built in 1950 by Tim Orr and Ann Roe and paid for by Kell.",
            ),
        ),
    ],
)
def test_its_own_agent(claim: str, told: tuple[str, str]):
    assert not findings(claim, told)


def test_the_author_is_who_wrote_it():
    told = ("The Kell trial", "Judge Ann Roe wrote the judgment; Judge Ida Mott dissented.")
    assert ("object", False) in kinds("Judge Ida Mott was the author of the judgment.", told)
    assert not kinds("Judge Ann Roe was the author of the judgment.", told)


def test_a_field_names_who_does_it():
    assert not findings("Ann Roe maintains Tern.", ("Tern", "Maintainer: Ann Roe."))
    assert not findings("Ann Roe edited Tern.", ("Tern", "Editor: Ann Roe."))


PUPIL = ("Otto Brek", "He trained Mira Sell, who later designed the Fenn tower, and Jon Pell.")


@pytest.mark.parametrize(
    "claim",
    [
        "The Fenn tower was designed by Otto Brek.",
        "Otto Brek designed the Fenn tower.",
        "The Fenn tower was designed by Jon Pell.",
    ],
)
def test_who_a_relative_clause_is_about_did_it(claim: str):
    assert ("object", False) in kinds(claim, PUPIL)


@pytest.mark.parametrize(
    "claim",
    [
        "The Fenn tower was designed by Mira Sell.",
        "Mira Sell designed the Fenn tower.",
        "Otto Brek trained Mira Sell.",
    ],
)
def test_who_did_it_and_what_another_did_are_not_contradicted(claim: str):
    assert findings(claim, PUPIL) == []
