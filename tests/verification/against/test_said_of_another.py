"""What the evidence says of somebody else than a pronoun of the claim stands for."""

import pytest

from hippohover.verification.against.values import said_of_no_other
from tests.verification.against.comparing import compared

NAME = frozenset(["mia", "sand"])
OTHER = ("Tom Hale", "He was born in Telk in 1948.")


@pytest.mark.parametrize(
    ("own", "found"),
    [
        (("Mia Sand", "She was born in Telk."), False),
        (("Pilots", "Mia Sand was born in Telk."), False),
        (("Mia Sand", "She was a pilot."), True),
        (("Pilots", "Pilots fly."), True),
    ],
)
def test_what_is_said_of_another(own: tuple[str, str], found: bool):
    against = said_of_no_other(compared("Mia Sand was born in Telk.", OTHER, own), NAME)
    assert [one.sure for one in against] == [False] * found


def test_a_claim_without_a_pronoun_is_not_asked():
    assert said_of_no_other(compared("Mia Sand was born in Telk.", OTHER), frozenset()) == []
