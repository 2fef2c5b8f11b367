"""What is said of somebody's kin, or of a part of something."""

import pytest

from tests.verification.against.comparing import kinds

NIECE = ("Ann Roe", "The stage was built by Ann Roe, the niece of the painter Tim Orr.")
FATHER = ("Ann Roe", "Her father was a miller.")
CHILD = ("Ann Roe", "Ann Roe was born in Telk, the daughter of a miller.")
ROOF = ("Kell", "The roof of the mill was replaced in 1904.")
PAINTS = ("Ann Roe", "Ann Roe is a Danish painter and the niece of the painter Tim Orr.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ann Roe is a painter.", NIECE),
        ("Ann Roe was a miller.", FATHER),
        ("Ann Roe was a miller.", CHILD),
        ("The mill was replaced in 1904.", ROOF),
    ],
)
def test_it_is_said_of_another(claim: str, evidence: tuple[str, str]):
    assert ("object", False) in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ann Roe is a painter.", PAINTS),
        ("Tim Orr is a painter.", NIECE),
        ("Ann Roe is the niece of a painter.", NIECE),
        ("The father of Ann Roe was a miller.", FATHER),
        ("Ann Roe was the daughter of a miller.", CHILD),
        ("The roof of the mill was replaced in 1904.", ROOF),
        ("The song is a waltz.", ("Low Tide", "The title of the song is a waltz.")),
        (
            "Kit Vane was an adviser to a president.",
            ("Kit Vane", "He was an adviser to the Ralian president Ed Holm."),
        ),
        ("The painter Ann Roe lived in Kell.", ("Kell", "The painter Ann Roe lived there.")),
    ],
)
def test_it_is_said_of_the_same(claim: str, evidence: tuple[str, str]):
    assert kinds(claim, evidence) == set()
