"""Claims that deny what no sentence about it denies."""

import pytest

from hippohover.verification.against.comparison import findings_of
from hippohover.verification.against.denied.negated import denies_alone
from tests.verification.against.comparing import compared, kinds


def denies(claim: str, *evidence: tuple[str, str]) -> bool:
    return denies_alone(compared(claim, *evidence), findings_of)


@pytest.mark.parametrize(
    ("title", "sentence", "claim"),
    [
        ("Mia Sand", "She refused to sign the treaty.", "Mia Sand did not sign the treaty."),
        ("Mia Sand", "She lacks a licence.", "Mia Sand has no licence."),
        ("Mia Sand", "Her way was far from easy.", "The way of Mia Sand was not easy."),
        ("Kell Mill", "It is open every day except Monday.", "Kell Mill is not open on Monday."),
        ("Kell Mill", "It was built in 1870.", "Kell Mill was not built in 1850."),
        ("Kell Mill", "It was built in Telk.", "Kell Mill was built in Telk."),
        ("Kell Mill", "The plan to move the mill was scrapped.", "Kell Mill was not moved."),
        ("Mia Sand", "Mia Sand is a former nun.", "Mia Sand is no longer a nun."),
    ],
)
def test_a_denial_that_the_evidence_has_in_some_words(title: str, sentence: str, claim: str):
    assert not denies(claim, (title, sentence))


@pytest.mark.parametrize(
    ("title", "sentence", "claim"),
    [
        ("Mia Sand", "She signed the treaty, not the letter.", "Mia Sand did not sign the treaty."),
        (
            "Mia Sand",
            "She won the cup but failed to win the bell.",
            "Mia Sand did not win the cup.",
        ),
        ("Mia Sand", "45 had not voted and 12 % were cooks.", "12 % were not cooks."),
        ("Tom Hale", "He never married.", "Mia Sand was never married."),
        ("Kell Mill", "Its port is 80.", "The port of Kell Mill is not 80."),
        ("Kell Mill", "It was built in Telk.", "It is false that Kell Mill was built in Telk."),
    ],
)
def test_a_denial_of_other_words_or_of_another_is_none(title: str, sentence: str, claim: str):
    assert denies(claim, (title, sentence))


@pytest.mark.parametrize(("trade", "alone"), [("pilot", True), ("cook", False)])
def test_not_both_is_denied_where_both_are(trade: str, alone: bool):
    evidence = ("Mia Sand", "Mia Sand is a pilot."), ("Tom Hale", f"Tom Hale is a {trade}.")
    assert denies("Mia Sand and Tom Hale are not both pilots.", *evidence) == alone


def test_another_value_speaks_for_a_claim_that_denies_one():
    born = ("Mia Sand", "Mia Sand was born in Telk.")
    assert not denies("Mia Sand was not born in Varn.", born)
    assert not any(sure for _, sure in kinds("Mia Sand was not born in Varn.", born))
    assert any(sure for _, sure in kinds("Mia Sand was born in Varn.", born))
