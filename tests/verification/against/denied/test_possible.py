"""What the evidence says only as possible."""

import pytest

from tests.verification.against.comparing import kinds

TEAM = ("Kell 5", "The team will drop maps and might drop the old reader.")
BAND = ("The Orm Boys", "According to Tim Orr, the band might reunite.")
MILL = ("Brun", "It approved a mill, which was expected to cost 80 million crowns.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Kell 5 will drop the old reader.", TEAM),
        ("Kell 5 dropped the old reader.", TEAM),
        ("The Orm Boys reunited.", BAND),
        ("The mill of Brun cost 80 million crowns.", MILL),
    ],
)
def test_it_is_only_possible(claim: str, evidence: tuple[str, str]):
    assert ("hedged", False) in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Kell 5 will drop maps.", TEAM),
        ("Kell 5 might drop the old reader.", TEAM),
        ("The Orm Boys might reunite.", BAND),
        ("The mill of Brun was expected to cost 80 million crowns.", MILL),
        ("Brun approved a mill.", MILL),
    ],
)
def test_it_is_said_so(claim: str, evidence: tuple[str, str]):
    assert kinds(claim, evidence) == set()
