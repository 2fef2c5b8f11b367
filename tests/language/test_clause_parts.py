"""The clauses of a claim: by its marks, and by its parse, with what each is about."""

import pytest

from hippohover.language.clause_parts import parts_of
from hippohover.language.parser import MAX_CHARS, Parser
from hippohover.verification.judge.learned import shared_parser

THREE_HOPS = (
    "The director of Lantern Hill, who was born in Vellmouth, "
    "also directed a film starring Mira Oldane."
)


@pytest.fixture(scope="module")
def parser() -> Parser:
    pytest.importorskip("spacy")
    found, why = shared_parser()
    assert found is not None, why
    return found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The bridge is long.", ["The bridge is long."]),
        ("The bridge is long. It is old.", ["The bridge is long.", "It is old."]),
        ("The bridge is long; it is very old.", ["The bridge is long", "it is very old."]),
        (
            "The mill stood here and it was sold twice.",
            ["The mill stood here", "it was sold twice."],
        ),
        (
            "The mill stood here, which the town sold.",
            ["The mill stood here", "which the town sold."],
        ),
        ("It is his, and it rains.", ["It is his, and it rains."]),
        ("Dark, which is so.", ["Dark, which is so."]),  # too few words on one side
        ("", []),
    ],
)
def test_cut_by_marks(text: str, parts: list[str]):
    assert parts_of(text) == parts


def test_each_hop_is_a_clause_with_what_it_is_about(parser: Parser):
    assert parts_of(THREE_HOPS, parser) == [
        "The director of Lantern Hill was born in Vellmouth",
        "The director of Lantern Hill, also directed a film",
        "a film starring Mira Oldane",
    ]
    assert len(parts_of(THREE_HOPS)) == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Ida Fenn was born in Carvick and raised in Pelmouth.",
            ["Ida Fenn was born in Carvick", "Ida Fenn raised in Pelmouth"],
        ),
        (
            "Ida Fenn wrote the play and painted the curtain.",
            ["Ida Fenn wrote the play", "Ida Fenn painted the curtain"],
        ),
        (
            "He wrote the book that won the prize, and she illustrated it.",
            ["He wrote the book", "the book won the prize", "she illustrated it"],
        ),
    ],
)
def test_a_second_verb_stands_with_the_subject_that_it_shares(
    parser: Parser, text: str, parts: list[str]
):
    assert [part.rstrip(".") for part in parts_of(text, parser)] == parts


def test_words_of_a_title_cut_nothing(parser: Parser):
    text = "The Man Who Knew Too Much is a film of 1956."
    assert parts_of(text, parser) == [text]


def test_what_is_said_to_be_false_keeps_that(parser: Parser):
    first, second = parts_of("It is false that Ida Fenn, who won the race, is a pilot.", parser)
    assert first.startswith("It is false that Ida Fenn")
    assert first.endswith("is a pilot.")
    assert second == "Ida Fenn won the race"


@pytest.mark.parametrize("text", ["The bridge is long.", "Long and old", "?", "1990", ""])
def test_one_clause_is_left_as_it_is_written(parser: Parser, text: str):
    assert parts_of(text, parser) == parts_of(text)


def test_a_sentence_too_long_to_be_parsed_is_cut_by_its_marks(parser: Parser):
    text = "The mill stood here and it was sold " + "again " * (MAX_CHARS // 6) + "."
    assert parts_of(text, parser) == parts_of(text)
    assert len(parts_of(text)) == 2


def test_no_word_is_lost(parser: Parser):
    for text in (THREE_HOPS, "Where X met Y, Z built a house that W sold and V burned in 1990."):
        held = " ".join(parts_of(text, parser)).replace(",", " ").replace(".", " ").split()
        words = set(text.replace(",", " ").replace(".", " ").split())
        assert words - set(held) <= {"who", "that", "and"}


def test_a_text_is_cut_into_parts_that_say_something():
    assert parts_of("Ann sang, and she danced in Rome. It rained; the river rose there.") == [
        "Ann sang, and she danced in Rome.", "It rained; the river rose there.",
    ]  # fmt: skip
    assert parts_of("The town lies on a river, which flows into the sea.") == [
        "The town lies on a river", "which flows into the sea.",
    ]  # fmt: skip
