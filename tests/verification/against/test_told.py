"""What a finding tells, and of which sentence and words."""

import pytest

from hippohover.verification.against.checks import findings_of
from hippohover.verification.against.fields import is_of_another_field
from hippohover.verification.against.numbers import held_otherwise
from tests.verification.against.comparing import compared, findings

TRAIN = "Ann Bo led its board from 1899 and drove the last train, in 1936."
FIELDS = (("LEP 7", "Created: 18 August 2021."), ("LEP 7", "Resolved: 2 March 2022."))


@pytest.mark.parametrize(
    ("claim", "title", "sentence", "told"),
    [
        ("The maximum dose of Veltorin is 40 mg a week.", "Veltorin",
         "The maximum dose is 40 mg per day.",
         "the evidence says “40 mg a day”, not “40 mg a week”"),
        ("Ann Bo drove the last train in 1951.", "Ann Bo", TRAIN,
         "the evidence says “1936”, not “1951”"),
        ("Ida Fenn is not a pilot.", "Ida Fenn", "She is a pilot.",
         "the claim denies “pilot”, and the evidence does not"),
        ("Ida Fenn is a pilot.", "Ida Fenn", "She is not a pilot.",
         "the evidence denies “pilot” (“not”)"),
    ],
)  # fmt: skip
def test_a_finding_names_the_words_of_the_evidence(
    claim: str, title: str, sentence: str, told: str
):
    [found] = findings(claim, (title, sentence))
    assert (found.told, found.sentence) == (told, 0)


def test_a_value_of_another_document_is_told_beside_its_own():
    told = (("LEP 7 Tides", "Status: Deferred"), ("LEP 9 Moons", "Status: Active"))
    [found] = [one for one in findings("LEP 7 is active.", *told) if one.sure]
    assert found.told == "the evidence says “Deferred”, not “Active”"


def test_the_field_that_a_claim_names_is_its_own():
    beside = compared("LEP 7 was created in March 2022.", *FIELDS)
    assert not is_of_another_field(beside, 0)
    assert is_of_another_field(beside, 1)
    assert not is_of_another_field(compared("LEP 7 is of 2022.", *FIELDS), 1)


def test_without_evidence_nothing_speaks():
    empty = compared("Ida Fenn is 9 years old.")
    assert findings_of(empty) == []
    assert held_otherwise(empty, 0) == ([], [])


def test_what_denies_all_is_contradicted_by_a_denial_alone():
    born = ("Mia Sand", "Mia Sand was born in Telk.")
    assert not any(one.sure for one in findings("Mia Sand was not born in Varn.", born))
    assert any(one.sure for one in findings("Mia Sand was born in Varn.", born))


def test_a_word_is_held_otherwise_where_it_is_not_written_itself():
    bridge = compared(
        "The Heron Bridge was open in the war.",
        ("Heron Bridge", "It was not closed in the war."),
        ("Heron Bridge", "It was open in the war."),
        ("Ida Fenn", "She was not closed."),
    )
    assert [set(held_otherwise(bridge, at)[1]) for at in range(3)] == [{"open"}, set(), set()]


@pytest.mark.parametrize(
    ("claim", "sentence", "held"),
    [
        ("The population of Norland is 67 million.", "Norland has 67 million inhabitants.", True),
        ("The population of Norland is 68 million.", "Norland has 67 million inhabitants.", False),
        ("The population of Norland is 67 million.", "Norland exports 67 million tonnes.", False),
        ("The height of Norland Tower is 90 metres.", "Norland Tower is 90 m tall.", True),
    ],
)
def test_a_measure_is_held_by_another_word_and_the_same_number(
    claim: str, sentence: str, held: bool
):
    stems = set(held_otherwise(compared(claim, ("Norland", sentence)), 0)[1])
    assert bool({"popul", "height"} & stems) is held
