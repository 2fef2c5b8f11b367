"""Which field has a value."""

from hippohover.verification.against.within.fields import is_of_another_field
from tests.verification.against.comparing import compared


def test_the_field_that_a_claim_names_is_its_own():
    fields = (("LEP 7", "Created: 18 August 2021."), ("LEP 7", "Resolved: 2 March 2022."))
    grounds = compared("LEP 7 was created in March 2022.", *fields)
    assert not is_of_another_field(grounds, 0)
    assert is_of_another_field(grounds, 1)
    assert not is_of_another_field(compared("LEP 7 is of 2022.", *fields), 1)
