"""What sentences deny of a claim, or of something else."""

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


def test_what_is_said_of_another_thing_takes_no_denial_away():
    denied = ("Calm", "The vaccine is not yet approved.")
    assert ("denied", True) in kinds("The vaccine is approved.", denied)
    other = ("Calm", "The deal still needs approval by regulators.")
    assert ("denied", False) in kinds("The vaccine is approved.", denied, other)


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Theft", "The third vase was not stolen.", "Two vases were stolen."),
        ("Band", "Not the singer that left.", "The singer left."),
        (
            "Kell Mill",
            "The mill of Kell does not keep its grain in Varn.",
            "The mill keeps its grain in Telk; Varn is far.",
        ),
        (
            "Kell Mill",
            "Kell Mill does not keep grain in Varn.",
            "It keeps grain in Telk; Varn is far.",
        ),
        ("Hut", "Cats are let in.", "Dogs are let in, cats are not."),
        ("Hut", "Dogs and cats are let in.", "Dogs are let in, cats are not."),
    ],
)
def test_what_is_denied_of_something_else_is_not_sure(title: str, claim: str, sentence: str):
    assert ("denied", True) not in kinds(claim, (title, sentence))


def test_a_verb_that_denies_does_so_where_it_governs_something():
    launch = ("Heron", "Heron was the failed launch of a rocket by Ida Fenn.")
    assert findings("Heron was a launch of a rocket by Ida Fenn.", launch) == []
    assert findings("The race was missed by Ida Fenn.", ("Ida Fenn", "Ida Fenn is a runner.")) == []


def test_a_denial_by_the_claim_is_told_as_its_own():
    [found] = findings("Ida Fenn is not a pilot.", ("Ida Fenn", "She is a pilot with no licence."))
    assert (found.cue, found.told) == ("not", "it says so without “not”")


def test_a_denial_is_contradicted_by_another_form_of_the_verb():
    told = ("Ida Fenn", "Ida Fenn won the cup.")
    assert kinds("Ida Fenn did not win the cup.", told) == {("denied", True)}


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Mia Torp", "Mia Torp has won a cup.", "Mia Torp has yet to win a cup."),
        ("Bran loaf", "Bran loaf has eggs.", "Bran loaf is free of eggs."),
        ("Oda tax", "Nuns pay the Oda tax.", "Nuns are exempt from the Oda tax."),
        ("Mia Torp", "Mia Torp voted for the Salt Act.", "Mia Torp voted against the Salt Act."),
        ("Crop", "Rain harmed the crop.", "The absence of rain harmed the crop."),
        ("Salt Act", "The Salt Act was vetoed by Jon Reed.", "It was signed by Jon Reed."),
        (
            "Mia Torp trial",
            "Mia Torp believes that the drug caused pain.",
            "Mia Torp does not believe that the drug caused pain.",
        ),
    ],
)
def test_other_words_deny_what_stands_behind_them(title: str, claim: str, sentence: str):
    assert "denied" in {kind for kind, _ in kinds(claim, (title, sentence))}


@pytest.mark.parametrize(
    ("title", "claim", "sentence"),
    [
        ("Crop", "The crop was harmed.", "The absence of rain harmed the crop."),
        ("Museum", "Entry is free of charge.", "Entry to the museum is free of charge."),
    ],
)
def test_they_deny_no_more_than_that(title: str, claim: str, sentence: str):
    assert findings(claim, (title, sentence)) == []


def test_what_is_denied_may_be_what_another_says():
    told = ("Kell Tugs", "The pilot said that Kell Tugs had ignored the storm warning.")
    claim = "Kell Tugs denied that it had ignored the warning."
    assert ("denied", True) not in kinds(claim, told)


def test_what_is_no_more_banned():
    told = ("Kell", "In 1990 the town ended the ban on dogs.")
    assert ("denied", False) in kinds("Dogs are banned in Kell.", told)
    assert kinds("The town ended the ban on dogs in Kell.", told) == set()
    banned = ("Kell", "Dogs are banned in Kell.")
    assert kinds("Dogs are banned in Kell.", banned) == set()


def test_what_was_not_so_in_that_year():
    told = (
        ("Kell Fair", "The Kell Fair is held each June."),
        ("Kell Fair", "The fair was not held in 1920."),
    )
    assert ("denied", False) in kinds("The Kell Fair was held in 1920.", *told)
    assert kinds("The Kell Fair is held each June.", *told) == set()


def test_a_number_that_a_denial_does_not_speak_of_is_not_contradicted():
    told = ("Velin", "Velin must not be sprayed on cut fruit.")
    assert ("denied", True) not in kinds("Velin is sprayed for three days.", told)
    assert ("denied", True) not in kinds("Velin is sprayed for three days at most.", told)
    assert ("denied", True) in kinds("Velin is sprayed on cut fruit.", told)


def test_what_was_lost_was_not_won():
    told = ("Low Tide", "It won the Lantern for its music but lost the prize for best film.")
    claim = "Low Tide won the Lantern for its music but not the prize for best film."
    assert ("denied", True) not in kinds(claim, told)


def test_what_was_so_for_a_time_leaves_others_open():
    told = ("Pier Gate", "The gate was closed for six months in 2006.")
    assert ("denied", True) not in kinds("The Pier Gate is open.", told)
    for_good = ("Pier Gate", "The gate was closed for good in 2006.")
    assert ("denied", True) in kinds("The Pier Gate is open.", for_good)


def test_what_another_clause_says_does_not_contradict_nobody():
    told = (
        "Signal House",
        "The second floor is occupied by a firm, and the top floor stands empty.",
    )
    assert ("denied", True) not in kinds("Nobody has occupied the top floor.", told)
