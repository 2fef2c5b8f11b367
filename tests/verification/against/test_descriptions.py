"""Claims about whom a description means: "the director of Low Tide"."""

import pytest

from hippohover.verification.against.descriptions import named
from tests.verification.against.comparing import compared

EVIDENCE = (
    ("Low Tide", "Low Tide is a 1962 film directed by Ann Venn and starring Tim Orr."),
    ("Low Tide", "It was written by Ida Roe and Lars Moll."),
    ("Ann Venn", "She taught the painter Olga Reed."),
    ("Slow Hill", "Slow Hill is a cycle of songs to poems by Tim Orr."),
    ("Grey Hill", "Grey Hill is a novel by Ida Roe."),
    ("Ida Roe", "Ida Roe was born in Brun, the daughter of the miller Lars Moll."),
    ("Lars Moll", "He was the father of the actor Tim Orr."),
    ("Olga Reed", "Her brother Karl Reed, a sailor, lived in Varn."),
)


@pytest.mark.parametrize(
    ("claim", "words", "who"),
    [
        ("The director of Low Tide is a member of the guild.", "The director of Low Tide", "venn"),
        ("Low Tide's director is a member of the guild.", "Low Tide's director", "venn"),
        ("The author of Grey Hill was born in Telk.", "The author of Grey Hill", "ida"),
        ("The brother of Olga Reed was born in Telk.", "The brother of Olga Reed", "karl"),
    ],
)
def test_the_evidence_names_whom_a_description_means(claim: str, words: str, who: str):
    beside = compared(claim, *EVIDENCE)
    found = named(beside)
    assert found is not None
    described, name, _ = found
    spans = beside.claim.spans
    assert claim[spans[described.start][0] : spans[described.stop - 1][1]] == words
    assert who in name


@pytest.mark.parametrize(
    "claim",
    [
        "The writer of Low Tide was born in Telk.",  # two wrote it
        "The child of Lars Moll was born in Telk.",  # two are his
        "The former director of Low Tide was born in Telk.",
        "The painter of Low Tide was born in Telk.",
        "The writer of Slow Hill was born in Telk.",
        "A director of Low Tide was born in Telk.",
        "The director of Low Tide is Ann Venn.",
        "Ann Venn was born in Telk.",
    ],
)
def test_nobody_is_meant_where_no_single_one_is_named(claim: str):
    assert named(compared(claim, *EVIDENCE)) is None


@pytest.mark.parametrize(
    "told",
    [
        "The driver was Pia Lund, who lived in Varn.",
        "Its driver, Pia Lund, lived in Varn.",
    ],
)
def test_the_passage_of_a_thing_names_who_has_a_role_in_it(told: str):
    drive = ("Cove Tram", "The drive Nord pulls the first coach, and the drive Sund the last.")
    found = named(compared("The driver of Cove Tram was born in Telk.", drive, ("Cove Tram", told)))
    assert found is not None
    assert found[1] == {"pia", "lund"}
