"""Who "the director of Low Tide" is, where a claim goes on from there."""

import pytest

from tests.verification.against.comparing import findings, kinds

EVIDENCE = (
    ("Low Tide", "Low Tide is a 1962 film directed by Ann Venn and starring Tim Orr."),
    ("Tim Orr", "Tim Orr was an actor and retired boxer."),
    ("Ann Venn", "Ann Venn was born in Carvick."),
    ("Kell Foods", "Chief executive Nora Quill spoke in Varn."),
    ("Bank", "Governor Ilse Brandt spoke in Telk."),
)


@pytest.mark.parametrize(
    "claim",
    [
        "The director of Low Tide was a retired boxer.",
        "Tim Orr is the director of Low Tide.",
        "The chief executive of Kell Foods is Ilse Brandt.",
    ],
)
def test_another_is_named(claim: str):
    assert ("object", False) in kinds(claim, *EVIDENCE)


@pytest.mark.parametrize(
    "claim",
    [
        "The director of Low Tide was born in Carvick.",
        "Ann Venn is the director of Low Tide.",
        "The chief executive of Kell Foods is Nora Quill.",
        "The former director of Low Tide was a retired boxer.",  # another may have been it before
        "The north of Low Tide was a retired boxer.",
    ],
)
def test_nothing_is_found(claim: str):
    assert not [one for one in findings(claim, *EVIDENCE) if "of it is another" in one.told]


def test_a_country_is_nobody_whom_a_role_names():
    told = ("Al Voss", "He was born to a Danish mother and an Irish father.")
    assert findings("Al Voss's mother was Danish.", told) == []


def test_of_two_subjects_another_may_be_the_one():
    book = ("Grey Hill", "Grey Hill is a novel by Ida Roe.")
    writer = ("Tim Orr", "Tim Orr is a writer of science fiction.")
    claim = "Both the author of Grey Hill and Tim Orr are science fiction writers."
    assert not [one for one in findings(claim, book, writer) if "of it is another" in one.told]
