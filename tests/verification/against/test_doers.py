"""Who did it, where the evidence says so in the active voice."""

import pytest

from tests.verification.against.comparing import findings

MILL = ("Nell Brook", "Nell Brook, an uncle's ward of Joss Tarn, designed Hartle Mill.")
BARN = ("Hartle Barn", "Joss Tarn and Nell Brook have designed Hartle Barn.")


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        ("Hartle Mill was designed by Joss Tarn.", True),
        ("Joss Tarn designed Hartle Mill.", True),
        ("Hartle Mill was designed by Nell Brook.", False),
        ("Nell Brook designed Hartle Mill.", False),
        ("Hartle Barn was designed by Nell Brook.", False),
        ("Hartle Barn was designed by Joss Tarn.", False),
        ("Hartle Mill was designed by the nephew of Joss Tarn.", False),
        ("Joss Tarn designed the roof of Hartle Mill.", False),
        ("Joss Tarn was not the one who designed Hartle Mill.", False),
    ],
)
def test_another_did_it(claim: str, against: bool):
    assert [one.sure for one in findings(claim, MILL, BARN) if "not “" in one.told] == (
        [False] if against else []
    )
