"""A claim beside the sentences of its passages: its parts, and how much of each they hold."""

from unittest.mock import patch

from hippohover.retrieval.engine import HippoHover
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


def test_a_name_that_only_a_sentence_about_another_has_is_not_of_this_one(toy_engine: HippoHover):
    told = (
        "Low Tide is a film directed by Ann Venn.",
        "Ann Venn studied in Brun.",
        "Ivo Rahn, who was born in Telk, is a sailor.",
    )

    def apart(text: str) -> list[str]:
        found = case_of(toy_engine, text, *told).findings
        return [one.told for one in found if one.told.endswith("of something else")]

    assert apart("The director of Low Tide studied in Telk.")
    assert not apart("The director of Low Tide studied in Brun.")


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
    def kinds(told: str) -> set[str]:
        case_ = case_of(toy_engine, "Lantern Hill intends to open it.", told)
        with patch.object(type(case_.sentences), "alike", side_effect=_alike):
            return {one.kind for one in case_.findings}

    assert kinds("Lantern Hill plans to open a museum.") == set()
    assert kinds("Lantern Hill opens a museum.") == {"scattered"}  # "open" is a word of its own


def _alike(first: str, second: str) -> float:
    return float({first, second} in ({"intends", "plans"}, {"intends", "opens"}))
