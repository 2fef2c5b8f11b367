"""Who "a sailor" is, where the evidence names who did what the claim says of a sailor."""

import pytest

from hippohover.verification.against.meant.unnamed import unnamed
from tests.verification.against.comparing import compared

EVIDENCE = (
    ("Vane Hall", "Vane Hall was built by Odd Berg in Telk and painted by Una Falk."),
    ("Una Falk", "Una Falk is a Danish painter."),
    ("Ivo Rahn", "Ivo Rahn is a sailor."),
    ("Grey Hill", "Grey Hill is a novel by Ida Roe."),
    ("Low Tide", "Low Tide was written by Ida Roe and Lars Moll."),
    ("Cove (tram)", "The Cove replaced the Sund."),
)


@pytest.mark.parametrize(
    ("claim", "who", "told"),
    [
        ("Vane Hall was painted by a sailor.", "falk", ("is a sailor",)),
        ("Vane Hall was painted in 1902 by a sailor, and sold.", "falk", ("is a sailor",)),
        ("Vane Hall is a house painted by a sailor.", "falk", ("is a sailor",)),
        (
            "Vane Hall was painted by a sailor born in Varn.",
            "falk",
            ("is a sailor", "was born in Varn"),
        ),
        ("Vane Hall was painted by a woman born in Varn.", "falk", ("was born in Varn",)),
        ("Vane Hall was painted by a woman from Varn.", "falk", ("was from Varn",)),
        ("Vane Hall was built by a man who lived in Varn.", "berg", ("lived in Varn",)),
        (
            "Vane Hall was painted by a winner of the Keel Prize.",
            "falk",
            ("is a winner of the Keel Prize",),
        ),
        ("Grey Hill was written by a sailor.", "roe", ("is a sailor",)),
        (
            "The Sund was replaced by a tram built in Varn.",
            "cove",
            ("is a tram", "was built in Varn"),
        ),
    ],
)
def test_the_evidence_names_who_did_it(claim: str, who: str, told: tuple[str, ...]):
    found = unnamed(compared(claim, *EVIDENCE))
    assert found is not None
    assert who in found.name
    assert found.told == told


@pytest.mark.parametrize(
    "claim",
    [
        "Low Tide was written by a sailor.",  # two wrote it
        "Low Tide was sold by a sailor.",
        "Vane Hall was not painted by a sailor.",
        "Vane Hall was painted by Una Falk.",
        "Vane Hall was painted by the sailor.",
        "Vane Hall is a house in Telk with a door painted by a sailor.",  # the door was
        "Vane Hall stands by a road.",
    ],
)
def test_nobody_is_named_for_it(claim: str):
    assert unnamed(compared(claim, *EVIDENCE)) is None
