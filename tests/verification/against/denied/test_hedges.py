"""What sentences say only as what may be, or as what was so."""

import pytest

from tests.verification.against.comparing import findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence", "kind"),
    [
        ("Veltorin", "Veltorin reduced nausea.", "It had no effect on nausea.", "denied"),
        ("Veltorin", "Veltorin cures colds.", "It had no impact on colds.", "denied"),
        ("Eli Eld", "Eli Eld was charged.", "The charge against Eli Eld was dropped.", "hedged"),
        ("Tia Zorn", "Tia Zorn smokes.", "Tia Zorn quit smoking.", "hedged"),
        (
            "Wes Bick",
            "Wes Bick is a member of the council.",
            "Wes Bick left the council.",
            "hedged",
        ),
        (
            "Hob Yarl",
            "Hob Yarl stole the painting.",
            "Hob Yarl was wrongly accused of stealing the painting.",
            "hedged",
        ),
        ("Xan Pratt", "Xan Pratt won the cup.", "Xan Pratt tried to win the cup.", "hedged"),
        ("Vic Zorn", "Vic Zorn almost won the cup.", "Vic Zorn won the cup.", "hedged"),
        (
            "Zed Mott",
            "Zed Mott is a former member of the guild.",
            "Zed Mott is a member of the guild.",
            "hedged",
        ),
    ],
)
def test_what_may_deny(title: str, claim: str, sentence: str, kind: str):
    assert (kind, False) in kinds(claim, (title, sentence))
    assert not any(sure for _, sure in kinds(claim, (title, sentence)))


def test_what_was_so_until_then_is_so_no_more():
    claim = "Mari Kask is head of Quillon."
    ended = ("Mari Kask", "She was head of Quillon until 2017.")
    assert kinds(claim, ended) == {("hedged", False)}
    assert findings(claim, ended, ("Mari Kask", "She is head of Quillon again.")) == []
    assert findings("Mari Kask was head of Quillon.", ended) == []


def test_what_is_suspected_or_was_once_is_not_said():
    stole = ("Car", "Police suspect that Jon Pell stole the car.")
    assert kinds("Jon Pell stole the car.", stole) == {("hedged", False)}
    once = ("Varn", "Varn was once the capital of Telk.")
    assert ("hedged", False) in kinds("Varn is now the capital of Telk.", once)
