"""A verb, one of two in a list, and what follows "by": said, but not of the claim's names."""

import pytest

from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against.unsaid import scattered_words
from tests.verification.against.comparing import compared, findings, kinds
from tests.verification.case_samples import case_of

PEAK = ("Mount Ide", "It was first climbed in 1871 by Rosa Tell and Hugo Brandt.")
OTHER = ("Karl Venn", "Karl Venn was a general.")
PRIZE = ("Low Tide", "It won the Dune Prize in 1963.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Mount Ide was climbed by Karl Venn.", (PEAK, OTHER)),
        ("Rosa Tell and Karl Venn climbed Mount Ide.", (PEAK, OTHER)),
        ("Karl Venn won the Dune Prize.", (PRIZE, OTHER)),
        ("Karl Venn climbed Mount Ide.", (PEAK, OTHER)),
    ],
)
def test_what_is_said_of_another(claim: str, evidence: tuple[tuple[str, str], ...]):
    assert ("object", False) in kinds(claim, *evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Mount Ide was climbed by Rosa Tell.", (PEAK, OTHER)),
        ("Rosa Tell and Hugo Brandt climbed Mount Ide.", (PEAK, OTHER)),
        ("Hugo Brandt climbed Mount Ide.", (PEAK, OTHER)),
        ("Low Tide won the Dune Prize.", (PRIZE, OTHER)),
        ("Eva Orr won the Dune Prize.", (PRIZE,)),  # no sentence names her: her words are lacking
    ],
)
def test_what_names_it_says_it(claim: str, evidence: tuple[tuple[str, str], ...]):
    assert "“" not in "".join(one.told for one in findings(claim, *evidence))


def test_names_are_told_as_they_are_written():
    [found] = [
        one
        for one in findings("Mount Ide was climbed by Karl Venn.", PEAK, OTHER)
        if "by" in one.cue
    ]
    assert found.told == "“by Rosa Tell”, not “Karl Venn”"


def test_what_another_verb_of_the_sentence_has_behind_by_is_another_agent():
    told = ("Moth", "Moth is a film directed by Kim Ray, produced by Al Voss and sung by Jo Fay.")
    assert ("object", False) in kinds("Moth was produced by Kim Ray.", told)
    assert ("object", False) in kinds("Moth was produced by Jo Fay.", told)
    assert kinds("Moth was produced by Al Voss.", told) == set()


def test_a_place_behind_the_verb_is_another():
    mill = ("Ann Roe", "She studied in Telk and taught in Brun.")
    song = ("The Orm Boys", "They recorded Grey Hill in Brun in eleven days.")
    plant = ("Kell", "Kell closed its plant in Telk in May 1990.")
    assert ("object", False) in kinds("Ann Roe studied in Oslo.", mill)
    assert ("object", False) in kinds("Grey Hill was recorded in Telk.", song)
    assert ("object", False) in kinds("Kell closed its plant in Brun.", plant)
    assert kinds("Ann Roe studied in Telk.", mill) == set()
    assert kinds("Grey Hill was recorded in Brun.", song) == set()
    assert kinds("Kell closed its plant in Telk.", plant) == set()
    assert kinds("Kell closed its plant in May 1990.", plant) == set()


def test_whence_something_moved_is_another_place():
    moved = ("Kim Ray", "Kim Ray was traded from the Telk Bears to the Brun Owls.")
    other = ("Al Voss", "Al Voss played for the Orm Foxes.")
    assert ("object", False) in kinds("Kim Ray was traded from the Orm Foxes.", moved, other)
    assert not kinds("Kim Ray was traded from the Telk Bears to the Brun Owls.", moved, other)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Ada Lorn received the Harp.", [("Ada Lorn", "She declined the Harp in 1990.")]),
        (
            "Sol Brand managed Ajax.",
            [("Sol Brand", "Sol Brand is a manager."), ("Ajax", "Ajax is a club.")],
        ),
        ("Kell Foods sold its soup brand.", [("Kell Foods", "Kell Foods sold a bakery."), PEAK]),
    ],
)
def test_what_no_one_sentence_says_is_scattered(claim: str, evidence: list[tuple[str, str]]):
    [found] = scattered_words(compared(claim, *evidence))
    assert (found.kind, found.sure) == ("scattered", False)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Mount Ide was climbed in 1871.", [PEAK]),
        ("Ada Lorn supervised Tim Orr.", [("Ada Lorn", "She was the supervisor of Tim Orr.")]),
        ("Low Tide is older than Grey Hill.", [PRIZE]),  # two sentences may tell it
        ("Ada Lorn, who won the Harp, taught Tim Orr in Telk.", [PRIZE]),
        ("Low Tide is by a firm of which nothing else is known to anybody in Telk.", [PRIZE]),
    ],
)
def test_what_one_sentence_says_or_several_may_is_not(claim: str, evidence: list[tuple[str, str]]):
    assert scattered_words(compared(claim, *evidence)) == []


def test_a_word_for_it_by_the_encoder_counts(toy_engine: HippoHover):
    told = "Lantern Hill plans to open a museum."
    kinds_of = {
        one.kind for one in case_of(toy_engine, "Lantern Hill intends to open it.", told).findings
    }
    assert "scattered" not in kinds_of
