"""What a sentence limits by "only", and what it gives a reason for."""

import pytest

from tests.verification.against.comparing import findings

FIRES = ("Orm Club", "Bonfires may be lit only on Mondays, and members must tell the chair.")
IRON = ("Lab note", "We found iron in all three samples, and zinc only in the last.")
FELL = ("Orm Club", "The balance fell because the pump was replaced.")
RAISED = ("Orm Club", "The rent was raised.")
TICKET = ("Roe v. Orr", "The court dismissed the claim because the ticket excluded all luggage.")
APPEAL = ("Roe v. Orr", "On appeal a carrier was held to be liable.")


@pytest.mark.parametrize(
    ("claim", "evidence", "told"),
    [
        ("Bonfires may be lit on any day.", [FIRES], "“only on Mondays”"),
        ("Zinc was found in all three samples.", [IRON], "“only in the last”"),
        (
            "The balance fell because the rent was raised.",
            [FELL, RAISED],
            "not given as the reason",
        ),
        (
            "The court dismissed the claim because a carrier was liable.",
            [TICKET, APPEAL],
            "not given as the reason",
        ),
        (
            "Because a carrier was liable, the court dismissed the claim.",
            [TICKET, APPEAL],
            "not given as the reason",
        ),
    ],
)
def test_what_is_limited_or_has_another_reason(
    claim: str, evidence: list[tuple[str, str]], told: str
):
    found = findings(claim, *evidence)
    assert any(told in one.told and not one.sure for one in found)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Bonfires may be lit only on Mondays.", [FIRES]),
        ("Bonfires may be lit on Mondays.", [FIRES]),
        ("Iron was found in all three samples.", [IRON]),
        ("The balance fell because the pump was replaced.", [FELL]),
        ("The court dismissed the claim because the ticket excluded luggage.", [TICKET, APPEAL]),
        ("The claim was dismissed due to the ticket.", [TICKET, APPEAL]),
    ],
)
def test_what_is_as_the_evidence_says(claim: str, evidence: list[tuple[str, str]]):
    found = findings(claim, *evidence)
    assert not [one for one in found if "only" in one.told or "reason" in one.told]
