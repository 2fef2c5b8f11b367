"""What two sentences tell of two things, compared."""

import pytest

from tests.verification.against.comparing import kinds

INNS = (("Kell Inn", "It has 40 rooms and a garden."), ("Brun Inn", "Brun Inn has 60 rooms."))
SHIPS = (("Orm Line", "Orm Line carried 900 guests; Teff Line carried 1,200."),)
TOWERS = (
    ("Kell tower", "Kell tower is 31 metres high and has 168 steps."),
    ("Brun", "The tallest building of Brun is the Customs Hall, which is 71 metres high."),
)
PEOPLE = (
    ("Eda Holm", "Eda Holm was born in Telk in 1961."),
    ("Ann Roe", "Ann Roe was born in Brun in 1974."),
)
PARTIES = (("Brun", "The Blue Party won 12 of 31 seats and Reform won nine."),)
FILM = (("Low Tide", "It cost $1.2 million and earned less than $300,000."),)
PEAKS = (("Mount Kell", "Mount Kell is the second-highest peak, after Mount Teff."),)
TOWNS = (("Brun", "Brun is the largest town of Ralia."), ("Telk", "Telk is the capital of Ralia."))
SAID = (*INNS, ("Kell Inn", "Kell Inn has more rooms than Brun Inn."))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Kell Inn has more rooms than Brun Inn.", INNS),
        ("Brun Inn has fewer rooms than Kell Inn.", INNS),
        ("Orm Line carried more guests than Teff Line.", SHIPS),
        ("Kell tower is higher than the Customs Hall.", TOWERS),
        ("Ann Roe is older than Eda Holm.", PEOPLE),
        ("Reform won more seats than the Blue Party in Brun.", PARTIES),
        ("Low Tide earned more than it cost.", FILM),
        ("Mount Kell is higher than Mount Teff.", PEAKS),
        ("Telk is larger than Brun.", TOWNS),
    ],
)
def test_the_other_has_more(claim: str, evidence: tuple[tuple[str, str], ...]):
    assert ("roles", False) in kinds(claim, *evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Brun Inn has more rooms than Kell Inn.", INNS),
        ("Kell Inn has fewer rooms than Brun Inn.", INNS),
        ("Teff Line carried more guests than Orm Line.", SHIPS),
        ("The Customs Hall is higher than Kell tower.", TOWERS),
        ("Eda Holm is older than Ann Roe.", PEOPLE),
        ("Ann Roe is younger than Eda Holm.", PEOPLE),
        ("The Blue Party won more seats than Reform in Brun.", PARTIES),
        ("Low Tide earned less than it cost.", FILM),
        ("Mount Teff is higher than Mount Kell.", PEAKS),
        ("Brun is larger than Telk.", TOWNS),
        ("Kell Inn has more rooms than Brun Inn.", SAID),
    ],
)
def test_it_has_more(claim: str, evidence: tuple[tuple[str, str], ...]):
    assert "roles" not in {kind for kind, _ in kinds(claim, *evidence)}
