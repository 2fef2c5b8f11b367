"""Sentences that have a claim's word the other way, and agree with it."""

import pytest

from tests.verification.against.comparing import findings, kinds


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


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Trial", "Jon Pell was not convicted of theft.", "Jon Pell was acquitted of theft."),
        ("Trial", "It is not true that Jon Pell was convicted.", "Jon Pell was acquitted."),
        ("Dam", "The dam did not break.", "Police denied that the dam had broken."),
        ("Varn", "Varn is no longer the capital of Telk.", "Varn was once the capital of Telk."),
        (
            "Low Tide",
            "The budget of Low Tide was 2 million euros.",
            "It failed to recover its budget of 2 million euros.",
        ),
        (
            "Shop",
            "Goods can be returned within ten days.",
            "Goods cannot be returned after ten days.",
        ),
        (
            "Mount Ide",
            "Mount Ide is not the highest mountain of Telk.",
            "It is the second-highest mountain of Telk.",
        ),
        ("Varn", "The Old Mill was not burnt.", "All mills except the Old Mill were burnt."),
        (
            "Ida Fenn",
            "It is not the case that Low Tide was not directed by Ida Fenn.",
            "She directed Low Tide.",
        ),
    ],
)
def test_what_a_denial_agrees_with(title: str, claim: str, sentence: str):
    assert "denied" not in {one.kind for one in findings(claim, (title, sentence))}


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Jo Fay grows beans.", "Jo Fay grows plums, but no beans."),
        ("Jo Fay grows beans.", "Jo Fay grows plums but does not grow beans."),
        ("Jo Fay won the Reed Cup.", "Jo Fay won the Iron Bowl but failed to win the Reed Cup."),
        (
            "Jo Fay did not win the Iron Bowl.",
            "Jo Fay won the Iron Bowl but did not win the Reed Cup.",
        ),
        (
            "Jo Fay won the Iron Bowl and the Reed Cup.",
            "Jo Fay won the Iron Bowl but failed to win the Reed Cup.",
        ),
    ],
)
def test_half_of_a_sentence_with_but_denies(claim: str, sentence: str):
    assert "denied" in {one.kind for one in findings(claim, ("Jo Fay", sentence))}


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Jo Fay grows plums.", "Jo Fay grows plums, but no beans."),
        ("Jo Fay does not grow beans.", "Jo Fay grows plums but does not grow beans."),
        ("Jo Fay won the Iron Bowl.", "Jo Fay won the Iron Bowl but failed to win the Reed Cup."),
        (
            "Jo Fay did not win the Reed Cup.",
            "Jo Fay won the Iron Bowl but did not win the Reed Cup.",
        ),
        (
            "Jo Fay did not win the Reed Cup.",
            "Jo Fay won the Iron Bowl but failed to win the Reed Cup.",
        ),
    ],
)
def test_its_other_half_does_not(claim: str, sentence: str):
    assert findings(claim, ("Jo Fay", sentence)) == []


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Mia Torp", "Mia Torp has not won a cup.", "Mia Torp has yet to win a cup."),
        ("Bran loaf", "Bran loaf has no eggs.", "Bran loaf is free of eggs."),
        ("Hall", "Old tools cannot be rented.", "Old tools are excluded from renting."),
        ("Mia Torp", "Mia Torp did not vote for the Salt Act.", "She voted against the Salt Act."),
        ("Mia Torp", "Mia Torp opposed the Salt Act.", "Mia Torp voted against the Salt Act."),
        ("Lund Pier", "Lund Pier was not built.", "The plan to build Lund Pier was scrapped."),
        (
            "Lund Pier",
            "Lund Pier was not built in 1970.",
            "Lund Pier was to be built in 1970, but no money was found.",
        ),
        ("Mia Torp", "Mia Torp is no longer a monk.", "Mia Torp is a former monk and lives there."),
        ("Sund", "Hunting is allowed in Sund.", "Sund lifted the ban on hunting."),
    ],
)
def test_other_words_that_deny_agree_with_a_denial(title: str, claim: str, sentence: str):
    assert ("denied", True) not in kinds(claim, (title, sentence))


def test_a_denial_about_one_thing_of_a_list_denies_no_other():
    told = [("Tarn", "Its capital is Moss and its largest city is Fell.")]
    told.append(("Fell", "Fell was the capital until 1930."))
    assert ("denied", True) not in kinds("Fell is no longer the capital of Tarn.", *told)
    assert ("denied", True) in kinds("Moss is no longer the capital of Tarn.", *told)


GATE = ("Kell Gate", "The gate cannot be opened without a key.")


@pytest.mark.parametrize(
    "claim", ["The gate can be opened with a key.", "A key is needed to open the gate."]
)
def test_what_is_denied_only_without_a_thing_is_so_with_it(claim: str):
    assert not kinds(claim, GATE)


def test_what_is_denied_without_a_thing_is_denied_without_it():
    assert ("denied", True) in kinds("The gate can be opened without a key.", GATE)


def test_what_is_not_more_than_a_limit_is_allowed_up_to_it():
    raft = ("Orm Raft", "The raft must not carry more than six people.")
    assert not kinds("The raft may carry six people.", raft)
    assert not kinds("The raft may carry up to six people.", raft)
    assert ("number", True) in kinds("The raft may carry seven people.", raft)


def test_a_word_of_the_same_root_is_no_opposite():
    told = ("Kell", "The court held that Kell had acted unlawfully when it sold the mill.")
    assert not any(kind == "denied" for kind, _ in kinds("Kell broke the law.", told))
    assert ("denied", True) in kinds("The court held that Kell had acted lawfully.", told)
