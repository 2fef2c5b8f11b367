"""Which field has a value, and what a field of the same name has in another document."""

import pytest

from hippohover.verification.against.within.fields import is_of_another_field, other_fields
from tests.verification.against.comparing import compared, kinds

SEVEN = (
    ("LEP 7 Tides", "Author: Nora Quill"),
    ("LEP 7 Tides", "Status: Deferred"),
    ("LEP 7 Tides", "Created: 2021-08-18"),
)
NINE = (
    ("LEP 9 Moons", "Author: Ivo Stark"),
    ("LEP 9 Moons", "Status: Active"),
    ("LEP 9 Moons", "Created: 2022-03-02"),
)


def test_the_field_that_a_claim_names_is_its_own():
    fields = (("LEP 7", "Created: 18 August 2021."), ("LEP 7", "Resolved: 2 March 2022."))
    grounds = compared("LEP 7 was created in March 2022.", *fields)
    assert not is_of_another_field(grounds, 0)
    assert is_of_another_field(grounds, 1)
    assert not is_of_another_field(compared("LEP 7 is of 2022.", *fields), 1)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("LEP 7 is active.", "“Deferred”, not “Active”"),
        ("LEP-9 was deferred.", "“Active”, not “Deferred”"),
        ("The author of LEP 7 is Ivo Stark.", "“Nora Quill”, not “Ivo Stark”"),
        ("LEP 9 was written by Nora Quill.", "“Ivo Stark”, not “Nora Quill”"),
        ("LEP 7 was created on 2 March 2022.", "“2021-08-18”, not “2022-03-02”"),
    ],
)
def test_a_value_of_another_document_is_not_its_own(claim: str, told: str):
    [found] = other_fields(compared(claim, *SEVEN, *NINE))
    assert (found.told, found.sure) == (told, True)
    assert other_fields(compared(claim, *SEVEN)) == other_fields(compared(claim, *NINE)) == []


@pytest.mark.parametrize(
    "claim",
    [
        "LEP 7 is deferred.",
        "The author of LEP 7 is Nora Quill.",
        "The authors of LEP 7 are Nora Quill and Ivo Stark.",
        "LEP 7 was praised by Ivo Stark.",
        "LEP 7 was created in August 2021.",
        "The tides of March 2022 were high.",
    ],
)
def test_its_own_value_and_what_no_field_tells_are_not_contradicted(claim: str):
    assert other_fields(compared(claim, *SEVEN, *NINE)) == []


def test_a_name_that_only_describes_another_document_is_not_what_the_claim_is_about():
    told = (
        ("Note 203", "Author: Quin Hask"),
        ("Note 203", "Obsoletes: Note 118"),
        ("Note 118", "Author: Ada Foss"),
    )
    claim = "The author of the note that Note 203 obsoletes is Ada Foss."
    assert ("object", True) not in kinds(claim, *told)
