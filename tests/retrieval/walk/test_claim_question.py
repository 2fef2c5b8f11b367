"""The part of a long claim that asks."""

import pytest

from hippohover.retrieval.walk.claim_question import asking_parts

PASTED = "The ferry left the quay at noon with forty people and one goat on board. " * 5


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (f"{PASTED}Who owned the goat?", "Who owned the goat?"),
        (f"Who owned the goat? {PASTED}", "Who owned the goat?"),
        (f"{PASTED}Is it known whose goat it was? Thank you.", "Is it known whose goat it was?"),
        (
            f"{PASTED}And please tell me who owned the goat.",
            "And please tell me who owned the goat.",
        ),
        (f"Explain who owned the goat. {PASTED}", "Explain who owned the goat."),
        (f"{PASTED}We ask: whose was it?  and so on. {PASTED}", "We ask: whose was it?"),
        (f"{PASTED}\n\nWer hatte die Ziege?", "Wer hatte die Ziege?"),
        (f"{PASTED}山羊是谁的？", "山羊是谁的？"),
    ],
)
def test_the_part_that_asks(text: str, first: str):
    assert next(asking_parts(text)) == first


def test_more_and_more_of_the_sentences_before_it():
    text = f"{PASTED}Ada Lisk came. She saw a goat. Whose was it?"
    assert list(asking_parts(text)) == [
        "Whose was it?",
        "She saw a goat. Whose was it?",
        "Ada Lisk came. She saw a goat. Whose was it?",
    ]


def test_lines_without_full_stops_are_told_apart():
    log = "\n".join(["12:01 goat seen at the quay by the man of the ferry"] * 8)
    assert next(asking_parts(f"{log}\nwhose goat was it?")) == "whose goat was it?"


@pytest.mark.parametrize(
    "text",
    ["", "Who owned the goat?", f"{PASTED}", f"{PASTED}The goat was sold.", "goat " * 100 + "?"],
)
def test_what_is_short_or_asks_nothing_is_read_whole(text: str):
    assert list(asking_parts(text)) == []
