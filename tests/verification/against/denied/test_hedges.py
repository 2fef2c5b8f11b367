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


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Jo Fay sold the mill.", "She was about to sell the mill when it burnt down."),
        ("Jo Fay chaired the guild.", "She was invited to chair the guild."),
        ("Jo Fay read the letter.", "It is impossible that Jo Fay read the letter."),
        ("Jo Fay would have sold the mill.", "Jo Fay sold the mill."),
        ("Jo Fay was about to sell the mill.", "Jo Fay sold the mill."),
        ("According to her aunt, Jo Fay feared dogs.", "According to her uncle, she feared dogs."),
    ],
)
def test_what_came_about_and_what_nearly_did_are_two(claim: str, sentence: str):
    assert kinds(claim, ("Jo Fay", sentence)) == {("hedged", False)}


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            "Jo Fay was about to sell the mill.",
            "She was about to sell the mill when it burnt down.",
        ),
        ("According to her uncle, Jo Fay feared dogs.", "According to her uncle, she feared dogs."),
        ("Jo Fay planned to sell the mill.", "She planned to sell the mill and the barn."),
    ],
)
def test_the_same_modality_is_the_same(claim: str, sentence: str):
    assert findings(claim, ("Jo Fay", sentence)) == []


def test_what_would_have_been_does_not_deny_that_it_was_not():
    told = ("Jo Fay", "She would have sold the mill, had it not burnt down.")
    assert ("denied", True) not in kinds("Jo Fay did not sell the mill.", told)


def test_what_may_be_denies_that_it_may_not():
    told = ("Lease", "The guest may keep a horse but no goat.")
    assert ("denied", True) in kinds("The guest may not keep a horse.", told)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Ned Orr left Lund.", "Ned Orr may leave Lund."),
        ("Ned Orr quit the choir.", "Ned Orr might quit the choir."),
        ("Ned Orr sold his boats.", "Ned Orr could sell his boats."),
        ("Ned Orr closed his kiln.", "Ned Orr might shut his kiln."),
        ("Ned Orr opened a bar.", "Ned Orr expects to open a bar."),
        ("Ned Orr must pay the toll.", "Ned Orr may pay the toll."),
        ("Ned Orr built a pier.", "Ned Orr was to have built a pier."),
    ],
)
def test_what_may_be_did_not_come_about_by_any_verb(claim: str, sentence: str):
    assert ("hedged", False) in kinds(claim, ("Ned Orr", sentence))


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Ned Orr left Lund.", "Ned Orr left Lund in 1990."),
        ("Ned Orr sold his boats.", "Ned Orr sold his boats and may sell his nets."),
        ("Ned Orr must pay the toll.", "Ned Orr must pay the toll and may pay the tax."),
        ("A dance was planned for May.", "Ned Orr called off a dance planned for May."),
    ],
)
def test_what_is_said_outright_stays_so(claim: str, sentence: str):
    assert findings(claim, ("Ned Orr", sentence)) == []
