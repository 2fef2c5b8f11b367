"""Texts into claims: exact spans, markers that belong to the sentence before."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import NoWordsError, UsageError
from hippohover.verification.claims import (
    MAX_DRAFT_CHARS,
    check_draft,
    claims_of,
    rule_sentence_split_v1,
    spans_of_parts,
    whole_span,
    why_not_compared,
    without_markers,
)

TEXT = "Ada Finch was born in Isk. [1][2] She drew maps. No. 7 is lost.\n\nIt burned [3]."


def parts(text: str) -> list[str]:
    return [text[start:stop] for start, stop in rule_sentence_split_v1(text)]


def test_sentences_with_the_markers_that_follow_them():
    assert parts(TEXT) == [
        "Ada Finch was born in Isk. [1][2]",
        "She drew maps.",
        "No. 7 is lost.",
        "It burned [3].",
    ]


def test_a_marker_at_the_start_of_the_text_belongs_to_nothing():
    assert parts("[1] Isk is old. [2]") == ["Isk is old. [2]"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Isk is old.[1] Ada drew maps.[2, 3]", ["Isk is old.[1]", "Ada drew maps.[2, 3]"]),
        ("Isk is old [1-2]. Ada [3] drew.", ["Isk is old [1-2].", "Ada [3] drew."]),
        ("- Isk is old\n- Ada drew. It rains", ["Isk is old", "Ada drew.", "It rains"]),
        ("1. Isk is old [4]\n 2) Ada drew", ["Isk is old [4]", "Ada drew"]),
        ("# Isk\nIt is old\nand cold.\n• Ada drew", ["Isk", "It is old\nand cold.", "Ada drew"]),
        ("| Isk | old |\n| Ada | drew |", ["Isk | old |", "Ada | drew |"]),
        ("No. 7 - a ship -\n-5 degrees cold.", ["No. 7 - a ship -\n-5 degrees cold."]),
        ("array[0] is first.", ["array[0] is first."]),
    ],
)  # fmt: skip
def test_glued_citations_and_lists(text: str, expected: list[str]):
    assert parts(text) == expected


def test_what_holds_no_word_is_no_claim():
    assert parts("Isk is old. ?!") == ["Isk is old. ?!"]
    assert parts("— …") == []


@given(st.text(max_size=300))
def test_spans_are_exact_ordered_and_apart(text: str):
    spans = rule_sentence_split_v1(text)
    assert all(0 <= start < stop <= len(text) for start, stop in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    for claim in claims_of(text, "a", spans, "m") if spans else ():
        assert claim.text == text[slice(*claim.answer_char_span)]


def test_parts_that_a_model_copied_and_sentences_that_it_left_out():
    text = "Ada drew maps and lived in Isk. Nobody knew her. She died."
    spans = spans_of_parts(text, ["Ada drew maps", "lived in Isk.", "invented", " ", "She died."])
    assert [text[slice(*span)] for span in spans] == [
        "Ada drew maps", "lived in Isk.", "Nobody knew her.", "She died."
    ]  # fmt: skip


def test_what_lies_between_parts_is_verified_and_markers_stay_with_their_part():
    text = "Isk is old [1], and it sank. [2] Ada drew maps and then shot the king. [3][4]"
    spans = spans_of_parts(text, ["Isk is old", "it sank", "Ada drew maps"])
    assert [text[slice(*span)] for span in spans] == [
        "Isk is old [1]", "it sank. [2]", "Ada drew maps", "and then shot the king. [3][4]"
    ]  # fmt: skip


@given(st.text("ab. ", max_size=60), st.lists(st.text("ab. ", max_size=5), max_size=6))
def test_whatever_a_model_names_nothing_goes_unverified(text: str, named: list[str]):
    spans = spans_of_parts(text, named)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    said = {at for start, stop in spans for at in range(start, stop)}
    for start, stop in rule_sentence_split_v1(text):
        left = "".join(text[at] if at not in said else "|" for at in range(start, stop))
        assert all(len(re.findall(r"\w+", gap)) < 2 for gap in left.split("|"))


def test_markers_are_taken_out_and_counted_once():
    found = without_markers("Isk is old [2][1], and cold. [2]")
    assert (found.text, found.citations) == ("Isk is old, and cold.", (2, 1))
    assert without_markers("x[1234]").citations == ()
    assert without_markers("array[0] is").text == "array[0] is"
    assert without_markers("a [3, 1–2] b [2;7]").citations == (3, 1, 2, 7)
    assert without_markers("a [1, 2] b").text == "a b"
    assert without_markers("a [9-3] [1-999]").citations == (9, 3, 1, 999)


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        (3, "of type int"),
        ("a" * (MAX_DRAFT_CHARS + 1), "has 100,001 characters"),
        ("a \ud800", "lone surrogate"),
    ],
)
def test_drafts_that_are_refused(draft: object, message: str):
    with pytest.raises(UsageError, match=message):
        check_draft(draft)


@pytest.mark.parametrize(
    "text", ["", " \n…", "[1]", "[1][2] [3].", "- [1]\n- [2]", "1. \n2. ", "\u200b", "“”", "\x1b"]
)
@pytest.mark.parametrize("whole", [False, True])
def test_a_text_of_marks_alone_has_no_words(text: str, whole: bool):
    spans = whole_span(text) if whole else rule_sentence_split_v1(text)
    if text[:1] == "1" and whole:
        return  # two numbers, as one claim
    with pytest.raises(NoWordsError, match="the text has no words: give a statement to verify"):
        claims_of(text, "a", spans, "m")
    assert spans_of_parts(f"Isk is old. {text}", [text])  # and a part that is copied is no claim


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("a " * 120, ""),
        ("a " * 121, "it has 121 words"),
        ("( " * 120, ""),
        ("a" + "_" * 121, "it has 121 marks"),
        ("海" * 121, "it has 121 words"),
        ("a" * 1_500, ""),
        ("a" * 1_501, "it has 1,501 characters"),
    ],
)
def test_a_claim_is_compared_up_to_its_words_marks_and_characters(claim: str, why: str):
    [told] = why_not_compared([claim])
    assert told.startswith(why)
    assert not told or told.endswith("are compared: split it into sentences")


def test_claims_together_have_a_cap_that_those_not_compared_do_not_count_for():
    assert why_not_compared(["a " * 100] * 40 + ["a " * 9_000])[-1]
    with pytest.raises(UsageError, match="have 4,100 words or marks: give at most 4,000"):
        why_not_compared(["a " * 100] * 41)


def test_more_claims_than_are_taken_at_once():
    text = "Isk is old. " * 201
    with pytest.raises(UsageError, match="201 claims: give at most 200"):
        claims_of(text, "a", rule_sentence_split_v1(text), "m")


@pytest.mark.parametrize("blank", [" ", "\n", "\u00a0", "[1 "])
def test_a_text_of_blanks_is_split(blank: str):
    """Markers were once looked for from every blank to the end of all: see ``linear_time.py``."""
    text = f"One{blank * 3_000}two [1]."
    spans = rule_sentence_split_v1(text)
    assert text[spans[-1][0] : spans[-1][1]].endswith("[1].")


def test_a_heading_is_a_claim_of_its_own():
    text = "# Castrel\nThe capital is Sabel. It is old.\n\n## Rivers\nThe Morrow is long."
    told = [text[start:stop] for start, stop in rule_sentence_split_v1(text)]
    assert told == [
        "Castrel", "The capital is Sabel.", "It is old.", "Rivers", "The Morrow is long.",
    ]  # fmt: skip
