"""Who is what to whom, in other words."""

import pytest

from tests.verification.against.comparing import kinds

FATHER = ("Ed Roe", "He was the father of the botanist Ann Roe.")
CHILD = ("Ann Roe", "Ann Roe was born in Telk, the daughter of the miller Ed Roe.")
GUIDE = ("Ida Holm", "She was the supervisor of Tim Orr.")
WED = ("Ed Roe", "He is married to the skater Ann Venn.")


@pytest.mark.parametrize(
    ("claim", "evidence", "kind"),
    [
        ("Ann Roe was the mother of Ed Roe.", FATHER, "roles"),
        ("Ed Roe was the son of Ann Roe.", FATHER, "roles"),
        ("Ann Roe was the mother of Ed Roe.", CHILD, "roles"),
        ("Tim Orr supervised Ida Holm.", GUIDE, "roles"),
        ("Ann Venn is the wife of Tim Orr.", WED, "object"),
    ],
)
def test_the_two_change_places(claim: str, evidence: tuple[str, str], kind: str):
    assert (kind, False) in kinds(claim, evidence) or (kind, True) in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ed Roe was the father of Ann Roe.", FATHER),
        ("Ann Roe was the daughter of Ed Roe.", FATHER),
        ("Ed Roe was the father of Ann Roe.", CHILD),
        ("Ida Holm supervised Tim Orr.", GUIDE),
        ("Tim Orr was supervised by Ida Holm.", GUIDE),
        ("Ann Venn is the wife of Ed Roe.", WED),
    ],
)
def test_it_is_said_in_other_words(claim: str, evidence: tuple[str, str]):
    assert kinds(claim, evidence) == set()
