"""The order of two events."""

import pytest

from tests.verification.against.comparing import kinds

BARGE = ("Eda Holm", "She first painted boats, then sold a mill, and then built a school in Brun.")
CLERK = ("Eda Holm", "Before she built the school she worked as a clerk.")
CHOIR = ("Eda Holm", "She joined the choir in 1931, after Tim Orr and before Ann Roe.")
FERRY = ("Ferry 7", "The ferry calls at Brun before it calls at the old quay.")
CUPS = ("Eda Holm", "She won the Spring Cup in 1951 and lost the final in 1954 to Ann Roe.")
DAM = ("Kell dam", "It was raised in 1930, and the last guard, Tim Orr, left a year later.")
FILM = ("Low Tide", "Low Tide was her second film, after Grey Hill.")
TAILS = (("Fenn 4", "Fenn 4 was released in May 2001."), ("Fenn 5", "Fenn 5 was released in 2004."))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Eda Holm sold a mill before she painted boats.", [BARGE]),
        ("Eda Holm built a school in Brun, then sold a mill.", [BARGE]),
        ("Eda Holm worked as a clerk after she built the school.", [CLERK]),
        ("Eda Holm joined the choir before Tim Orr.", [CHOIR]),
        ("Ann Roe joined the choir before Eda Holm.", [CHOIR]),
        ("The ferry calls at the old quay before Brun.", [FERRY]),
        ("Eda Holm lost the final before she won the Spring Cup.", [CUPS]),
        ("Kell dam was raised after its last guard left.", [DAM]),
        ("Low Tide was followed by Grey Hill.", [FILM]),
        ("Fenn 5 was released before Fenn 4.", TAILS),
        ("Fenn 4 was released after Fenn 5.", TAILS),
    ],
)
def test_another_order(claim: str, evidence: list[tuple[str, str]]):
    assert any(kind == "roles" for kind, _ in kinds(claim, *evidence))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Eda Holm painted boats before she sold a mill.", [BARGE]),
        ("Eda Holm sold a mill, then built a school in Brun.", [BARGE]),
        ("Eda Holm worked as a clerk before she built the school.", [CLERK]),
        ("After Eda Holm worked as a clerk, she built the school.", [CLERK]),
        ("Eda Holm joined the choir after Tim Orr.", [CHOIR]),
        ("Eda Holm joined the choir before Ann Roe.", [CHOIR]),
        ("The ferry calls at Brun before the old quay.", [FERRY]),
        ("Eda Holm won the Spring Cup before she lost the final.", [CUPS]),
        ("Kell dam was raised before its last guard left.", [DAM]),
        ("Grey Hill was followed by Low Tide.", [FILM]),
        ("Fenn 4 was released before Fenn 5.", TAILS),
        ("Fenn 5 was released after Fenn 4.", TAILS),
        ("Eda Holm joined the choir before 1940.", [CHOIR]),
    ],
)
def test_the_same_order(claim: str, evidence: list[tuple[str, str]]):
    assert kinds(claim, *evidence) == set()
