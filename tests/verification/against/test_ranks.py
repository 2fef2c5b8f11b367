"""Ranks, directions and quantifiers."""

import pytest

from tests.verification.against.comparing import findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence", "kind"),
    [
        (
            "Mount Ide",
            "Mount Ide is the highest mountain of Castrel.",
            "It is the second-highest mountain of Castrel.",
            "number",
        ),
        (
            "Lake Pell",
            "Lake Pell is the second-deepest lake of Castrel.",
            "Lake Pell is the deepest lake of Castrel.",
            "number",
        ),
        (
            "Castrel",
            "Castrel is bordered by Ombria to the north.",
            "Castrel is bordered by Ombria to the west and Tarn to the north.",
            "roles",
        ),
        (
            "Ombria",
            "Ombria lies to the east of Castrel.",
            "Castrel lies to the east of it.",
            "roles",
        ),
        ("Varn", "Varn is north of Telk.", "Telk is north of Varn.", "roles"),
    ],
)
def test_another_rank_or_direction_contradicts(title: str, claim: str, sentence: str, kind: str):
    assert (kind, True) in kinds(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Moss", "All users may delete an index.", "Only some users may delete an index."),
        ("Moss", "All researchers believe in the virus.", "Some researchers believe in the virus."),
        ("Probe", "All nine instruments failed.", "It has nine instruments, two of which failed."),
    ],
)
def test_some_are_not_all(title: str, claim: str, sentence: str):
    assert ("number", False) in kinds(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Mount Ide",
            "Mount Ide is the second highest mountain of Castrel.",
            "It is the second-highest mountain of Castrel.",
        ),
        (
            "Mount Ide",
            "Mount Ide is one of the highest mountains of Castrel.",
            "It is the second-highest mountain of Castrel.",
        ),
        (
            "Mount Ide",
            "Mount Ide is the highest mountain of Castrel.",
            "It is the highest mountain of Castrel and the second-highest peak of Norland.",
        ),
        (
            "Castrel",
            "Castrel is bordered by Ombria to the west.",
            "Castrel is bordered by Ombria to the west and Tarn to the north.",
        ),
        ("Ombria", "Castrel lies to the east of Ombria.", "Castrel lies to the east of it."),
        ("Varn", "Varn is north of Telk.", "Varn is north of Telk."),
        ("Moss", "All users may delete an index.", "All users may delete an index, some at once."),
        ("Moss", "Some users may delete an index.", "Only some users may delete an index."),
    ],
)
def test_the_same_rank_direction_or_number(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


def test_all_is_not_all_but_one():
    told = ("Varn", "All mills in Varn except the Old Mill were burnt.")
    assert ("number", False) in kinds("All mills in Varn were burnt.", told)
    assert ("denied", True) in kinds("No mills in Varn were burnt.", told)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Velm Hall is open every day.", "Velm Hall is open every day except Friday."),
        ("Most members of Velm Hall live in Tarn.", "Few members of Velm Hall live in Tarn."),
        (
            "The attic of Velm Hall is heated.",
            "All rooms of Velm Hall except the attic are heated.",
        ),
        ("45 % of the guests voted.", "Of 500 guests, 45 voted."),
    ],
)
def test_an_exception_or_a_few_speak_against_it(claim: str, sentence: str):
    assert findings(claim, ("Velm Hall", sentence))


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Velm Hall is closed on Friday.", "Velm Hall is open every day except Friday."),
        (
            "The attic of Velm Hall is not heated.",
            "All rooms of Velm Hall except the attic are heated.",
        ),
        ("Jo Fay rarely travels.", "She hardly ever travels."),
        ("The book was first printed in 1974.", "The book was not printed until 1974."),
        ("Most members of Velm Hall live in Tarn.", "Most members of Velm Hall live in Tarn."),
    ],
)
def test_what_an_exception_says_does_not_contradict(claim: str, sentence: str):
    assert not any(one.sure for one in findings(claim, ("Jo Fay", sentence)))


WOMAN = ("Ann Roe", "She is the only woman who has won the Telk Prize.")
SEEDS = ("Grey gull", "It feeds mainly on seeds, and rarely on eels.")
PART = ("Kell Tugs", "About two thirds of its crew are from Telk.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ann Roe is the only winner of the Telk Prize.", WOMAN),
        ("The grey gull feeds only on seeds.", SEEDS),
        ("All of the crew of Kell Tugs are from Telk.", PART),
    ],
)
def test_not_it_alone_and_not_all(claim: str, evidence: tuple[str, str]):
    assert ("number", False) in kinds(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ann Roe is the only woman who has won the Telk Prize.", WOMAN),
        ("The grey gull feeds on seeds.", SEEDS),
        ("Most of the crew of Kell Tugs are from Telk.", PART),
        ("Kell Tugs has only 12 boats.", ("Kell Tugs", "It has 12 boats.")),
    ],
)
def test_it_alone_and_a_part(claim: str, evidence: tuple[str, str]):
    assert kinds(claim, evidence) == set()


def test_what_was_first_staged_is_no_first_play():
    told = (
        "Ida Mott",
        "She wrote four plays, the last of which, Low Tide, was first staged in Telk.",
    )
    assert ("number", False) in kinds("Ida Mott's first play was Low Tide.", told)
    assert not kinds("Low Tide was first staged in Telk.", told)
    first = ("Ida Mott", "Her first play, Low Tide, was first staged in Telk.")
    assert not kinds("Ida Mott's first play was Low Tide.", first)
