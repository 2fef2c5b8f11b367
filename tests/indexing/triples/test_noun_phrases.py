"""Phrases as entities: the title, what stands for it, earlier names taken up."""

import pytest

from hippohover.indexing.triples.noun_phrases import NounPhrases
from tests.indexing.triples.triple_samples import Fact, facts
from tests.language.parse_samples import written


@pytest.mark.parametrize(
    ("title", "text", "subject"),
    [
        ("Ann Lee", "Ann Lee CIE was born in Oslo.", "Ann Lee"),
        ("Ann Lee", "Ann Lee Dorn was born in Oslo.", "Ann Lee Dorn"),
        ("Springfield, Varda", "Springfield was born in Oslo.", "Springfield, Varda"),
        ("Ann Lee", "Lee was born in Oslo.", "Ann Lee"),
        ("Ann Lee", "Ivo Lee was born in Oslo.", "Ivo Lee"),
    ],
)
def test_which_names_are_the_title(title: str, text: str, subject: str):
    assert (subject, "born in", "Oslo") in facts(title, text)


def test_the_title_is_without_its_qualifier():
    parse = written("It won.", "It/PRP/nsubj/1 won/VBD/ROOT/1 ././punct/1")
    assert NounPhrases(parse, "Gone  Home (film)").topic == "Gone Home"
    assert NounPhrases(parse, "Gone (film)", topic="Ann Lee").topic == "Ann Lee"
    assert NounPhrases(parse, "").topic == ""


@pytest.mark.parametrize(
    ("pronoun", "tag", "expected"),
    [
        ("It", "PRP", "Gone"),
        ("them", "PRP", "Gone"),
        ("We", "PRP", ""),
        ("you", "PRP", ""),
        ("which", "WDT", ""),
        ("there", "EX", ""),
    ],
)
def test_pronouns_of_the_third_person_are_the_title(pronoun: str, tag: str, expected: str):
    parse = written(f"{pronoun} won.", f"{pronoun}/{tag}/nsubj/1 won/VBD/ROOT/1 ././punct/1")
    phrases = NounPhrases(parse, "Gone (film)")
    assert phrases.name(0) == expected
    assert phrases.is_topic(0) is bool(expected)


def test_without_title_and_subject_nothing_is_the_topic():
    parse = written("It won.", "It/PRP/nsubj/1 won/VBD/ROOT/1 ././punct/1")
    phrases = NounPhrases(parse, "")
    assert phrases.name(0) == ""
    assert not phrases.is_topic(0)


def test_a_pronoun_before_the_first_subject_tells_its_kind():
    parse = written(
        "She is a painter. Lee left. The painter died.",
        "She/PRP/nsubj/1 is/VBZ/ROOT/1 a/DT/det/3 painter/NN/attr/1 ././punct/1 Lee/NNP/nsubj/6 "
        "left/VBD/ROOT/6 ././punct/6 The/DT/det/9 painter/NN/nsubj/10 died/VBD/ROOT/10 "
        "././punct/10",
    )
    phrases = NounPhrases(parse, "")
    assert phrases.topic == "Lee"
    assert [phrases.name(noun) for noun in (0, 9)] == ["Lee", "Lee"]


def test_names_without_a_proper_name_or_number_are_common():
    parse = written(
        "Crowds filled Oslo and two squares.",
        "Crowds/NNS/nsubj/1 filled/VBD/ROOT/1 Oslo/NNP/dobj/1 and/CC/cc/2 two/CD/nummod/5 "
        "squares/NNS/conj/2 ././punct/1",
    )
    phrases = NounPhrases(parse, "Ann Lee")
    assert [phrases.name(noun) for noun in (0, 2, 5)] == ["Crowds", "Oslo", "two squares"]
    assert phrases.common == {"Crowds"}


def test_both_roles_of_one_phrase_are_names():
    parse = written(
        "She is a drummer and record producer.",
        "She/PRP/nsubj/1 is/VBZ/ROOT/1 a/DT/det/6 drummer/NN/nmod/6 and/CC/cc/3 "
        "record/NN/compound/6 producer/NN/attr/1 ././punct/1",
    )
    assert NounPhrases(parse, "Ann Lee").names(6) == ["drummer", "record producer"]
    assert NounPhrases(parse, "Ann Lee").names(0) == ["Ann Lee"]


def test_two_nouns_that_are_no_roles_are_one_name():
    parse = written(
        "She is a track and field athlete.",
        "She/PRP/nsubj/1 is/VBZ/ROOT/1 a/DT/det/6 track/NN/nmod/6 and/CC/cc/3 field/NN/conj/3 "
        "athlete/NN/attr/1 ././punct/1",
    )
    assert NounPhrases(parse, "Ann Lee").names(6) == ["track and field athlete"]


BRIDGE = "Henry Wells built the Tessel Bridge. Bo Day left. "


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("Wells settled in Oslo.", ("Henry Wells", "settled in", "Oslo")),
        ("Ivo Wells settled in Oslo.", ("Ivo Wells", "settled in", "Oslo")),
        ("The bridge fell in 1950.", ("Tessel Bridge", "fell in", "1950")),
        ("A bridge fell in 1950.", ("bridge", "fell in", "1950")),
        ("The old wooden bridge fell in 1950.", ("old wooden bridge", "fell in", "1950")),
        ("The bridge of Oslo fell in 1950.", ("bridge of Oslo", "fell in", "1950")),
    ],
)
def test_what_takes_up_an_earlier_name(sentence: str, fact: Fact):
    assert fact in facts("Varda", BRIDGE + sentence)


@pytest.mark.parametrize(
    ("phrase", "is_title"),
    [("The film", True), ("This film", True), ("The movie", True), ("A film", False),
     ("The album", False), ("The first film", False), ("The film of Oslo", False)],
)  # fmt: skip
def test_the_kind_of_the_title_stands_for_it(phrase: str, is_title: bool):
    found = facts("Velmora (film)", f"Velmora is a film. {phrase} was praised by Tom Ford.")
    assert (("Velmora", "praised by", "Tom Ford") in found) is is_title
