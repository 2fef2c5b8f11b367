"""What sentences deny or hedge, in part of them, by an effect that was none, or of the past."""

import pytest

from tests.verification.against.comparing import findings, kinds


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Loam",
            "Loam is compatible with Sedge.",
            "Loam is not compatible with Sedge, but it is compatible with Moss.",
        ),
        (
            "Sumadine",
            "Sumadine is approved in Norland.",
            "It was approved in 1997 in the Union, but not in Norland.",
        ),
        (
            "Mount Ide",
            "Mount Ide was climbed by Hugo Brandt.",
            "It was climbed by Rosa Tell, not by Hugo Brandt.",
        ),
        ("Ann Crum", "Ann Crum is married.", "Ann Crum is unmarried."),
        ("Ann Crum", "Ann Crum is unmarried.", "Ann Crum is married."),
        ("LEP 12", "LEP 12 was accepted.", "Status: Rejected."),
    ],
)
def test_what_denies(title: str, claim: str, sentence: str):
    assert ("denied", True) in kinds(claim, (title, sentence))


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


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        (
            "Loam",
            "Loam is compatible with Moss.",
            "Loam is not compatible with Sedge, but it is compatible with Moss.",
        ),
        (
            "Sumadine",
            "Sumadine was approved in the Union.",
            "It was approved in 1997 in the Union, but not in Norland.",
        ),
        (
            "Mount Ide",
            "Mount Ide was climbed by Rosa Tell.",
            "It was climbed by Rosa Tell, not by Hugo Brandt.",
        ),
        ("Veltorin", "Veltorin reduced nausea.", "It reduced nausea and had no effect on sleep."),
        ("Veltorin", "Veltorin had no effect on nausea.", "It had no effect on nausea."),
        (
            "Ann Crum",
            "Ann Crum lives in the United League.",
            "Ann Crum lives in the United League.",
        ),
        (
            "Zed Mott",
            "Zed Mott was a member of the guild.",
            "Zed Mott is a former member of the guild.",
        ),
        (
            "Zed Mott",
            "Zed Mott is a tennis player from Norland.",
            "Zed Mott is a tennis player from Norland who may return.",
        ),
        (
            "Xan Pratt",
            "Xan Pratt won the cup.",
            "Xan Pratt won the cup and tried to win the shield.",
        ),
        ("LEP 12", "LEP 12 was accepted.", "Status: Accepted."),
    ],
)
def test_what_denies_nothing(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


def test_what_was_so_until_then_is_so_no_more():
    claim = "Mari Kask is head of Quillon."
    ended = ("Mari Kask", "She was head of Quillon until 2017.")
    assert kinds(claim, ended) == {("hedged", False)}
    assert findings(claim, ended, ("Mari Kask", "She is head of Quillon again.")) == []
    assert findings("Mari Kask was head of Quillon.", ended) == []


def test_what_is_said_of_another_thing_takes_no_denial_away():
    denied = ("Calm", "The vaccine is not yet approved.")
    assert ("denied", True) in kinds("The vaccine is approved.", denied)
    other = ("Calm", "The deal still needs approval by regulators.")
    assert ("denied", False) in kinds("The vaccine is approved.", denied, other)
