"""A claim beside the sentences of its passages: its parts, and how much of each they hold."""

import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against import compared_claim
from hippohover.verification.judge.learned import input_of
from tests.verification.case_samples import case_of, of_one_passage


def test_the_weakest_clause_counts_by_itself(toy_engine: HippoHover):
    def least(*sentences: str) -> float:
        text = "Lantern Hill is a film by Mira Oldane; it won the grand prize."
        return input_of(case_of(toy_engine, text, *sentences)).part_least

    assert least("It is a film by Mira Oldane.", "It won the grand prize.") == 1.0
    assert least("It is a film by Mira Oldane.", "It is red.") < 0.5
    assert least() == 0.0


def test_what_one_sentence_holds_is_not_lent_to_another(toy_engine: HippoHover):
    text = "Lantern Hill shows Vellmouth as Mira Oldane saw it."
    assert (
        input_of(case_of(toy_engine, text, "It shows Vellmouth.", "Mira Oldane saw it.")).part_least
        < 0.8
    )
    assert (
        input_of(case_of(toy_engine, text, "It shows Vellmouth, as Mira Oldane saw it.")).part_least
        == 1.0
    )


def test_what_is_said_of_a_team_does_not_contradict_what_is_said_of_another(
    toy_engine: HippoHover,
):
    """A part about "the team" is about the one that another part means."""

    def findings(text: str, told: str) -> set[bool]:
        return {one.sure for one in case_of(toy_engine, text, told).findings}

    told = "The team won the Harbour Cup in 1927."
    assert findings("The team won the Harbour Cup in 1992.", told) == {True}
    assert findings("Mira played for Isk. The team won the Harbour Cup in 1992.", told) == {False}


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        ("The director of Low Tide is a member of the guild.", True),
        ("The director of Low Tide was born in Telk.", True),
        ("The director of Low Tide is not a member of the guild.", False),
        ("The director of Low Tide was born in Carvick.", False),
        ("The writer of Low Tide was born in Telk.", False),  # nobody is named for that
    ],
)
def test_what_speaks_against_the_one_that_is_described_counts_but_is_not_sure(
    toy_engine: HippoHover, claim: str, against: bool
):
    told = (
        "Low Tide is a film directed by Ann Venn.",
        "Ann Venn is not a member of the guild.",
        "Ann Venn was born in Carvick.",
    )
    findings = case_of(toy_engine, claim, *told).findings
    assert [one.sure for one in findings if one.told.startswith("of “Ann Venn”")] == (
        [False] if against else []
    )


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        (
            "The director of Low Tide studied in Telk.",
            ["of “Ann Venn”, no sentence about it says “Telk”"],
        ),
        ("The director of Low Tide studied in Brun.", []),
    ],
)
def test_what_is_true_of_another_does_not_support_what_is_said_of_one_without_a_name(
    toy_engine: HippoHover, claim: str, against: list[str]
):
    told = (
        "Low Tide is a film directed by Ann Venn.",
        "Ann Venn is a painter.",
        "Ann Venn studied in Brun.",
        "Ivo Rahn, who was born in Telk, is a sailor.",
        "Tim Orr is a sailor.",
    )
    findings = case_of(toy_engine, claim, *told).findings
    assert [one.told for one in findings if one.told.startswith("of “")] == against
    assert not any(one.sure for one in findings)


def test_a_claim_of_descriptions_within_descriptions_is_read_to_the_depth_of_four_documents(
    toy_engine: HippoHover, monkeypatch: pytest.MonkeyPatch
):
    told = ("Mira Oldane was taught by Bo Orr.", "Bo Orr was taught by Mira Oldane.")
    text = f"{'the teacher of ' * 200}Mira Oldane was born in Telk."
    assert not any(one.sure for one in case_of(toy_engine, text, *told).findings)
    monkeypatch.setattr(compared_claim, "MOST_NAMED", 10**6)
    with pytest.raises(RecursionError):
        _ = case_of(toy_engine, text, *told).findings


def test_a_last_name_alone_is_the_whole_name_that_its_passage_has_before(toy_engine: HippoHover):
    told = "The Gulls were coached by Viktor Hamm."
    left = "Hamm left in May and was replaced by Greta Lund."

    def kinds(text: str, *sentences: str) -> set[str]:
        case_ = of_one_passage(toy_engine, text, *sentences)
        return {one.kind for one in case_.findings}

    assert kinds("Viktor Hamm was replaced by Greta Lund.", told, left) == set()
    assert kinds("Viktor Hamm was replaced by Greta Lund.", "The Gulls won.", left) != set()
    brothers = "Viktor Hamm and Otto Hamm coached the Gulls."
    assert kinds("Viktor Hamm was replaced by Greta Lund.", brothers, left) != set()


def test_a_word_for_it_by_the_encoder_counts(toy_engine: HippoHover):
    told = "Lantern Hill plans to open a museum."
    case_ = case_of(toy_engine, "Lantern Hill intends to open it.", told)
    assert "scattered" not in {one.kind for one in case_.findings}
