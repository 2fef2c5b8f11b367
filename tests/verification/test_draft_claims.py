"""Texts into claims: exact spans, markers that belong to the sentence before."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import UsageError
from hippohover.verification.claims import (
    MAX_DRAFT_CHARS,
    check_draft,
    claims_of,
    rule_sentence_split_v1,
    spans_of_parts,
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


def test_a_marker_at_the_start_of_the_text_belongs_to_the_first():
    assert parts("[1] Isk is old. [2]") == ["[1] Isk is old. [2]"]


def test_what_holds_no_word_is_no_claim():
    assert parts("Isk is old. ?!") == ["Isk is old. ?!"]
    assert parts("— …") == []


@given(st.text(max_size=300))
def test_spans_are_exact_ordered_and_apart(text: str):
    spans = rule_sentence_split_v1(text)
    assert all(0 <= start < stop <= len(text) for start, stop in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    for claim in claims_of(text, "a", spans, "m"):
        assert claim.text == text[slice(*claim.answer_char_span)]


def test_parts_that_a_model_copied_and_sentences_that_it_left_out():
    text = "Ada drew maps and lived in Isk. Nobody knew her. She died."
    spans = spans_of_parts(text, ["Ada drew maps", "lived in Isk.", "invented", " ", "She died."])
    assert [text[slice(*span)] for span in spans] == [
        "Ada drew maps", "lived in Isk.", "Nobody knew her.", "She died."
    ]  # fmt: skip


@given(st.text("ab. ", max_size=60), st.lists(st.text("ab. ", max_size=5), max_size=6))
def test_whatever_a_model_names_nothing_goes_unverified(text: str, named: list[str]):
    spans = spans_of_parts(text, named)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    for start, stop in rule_sentence_split_v1(text):
        assert any(begin < stop and start < end for begin, end in spans)


def test_markers_are_taken_out_and_counted_once():
    found = without_markers("Isk is old [2][1], and cold. [2]")
    assert (found.text, found.citations) == ("Isk is old, and cold.", (2, 1))
    assert without_markers("x[1234]").citations == ()


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        ("", "no words"),
        (" \n…", "no words"),
        (3, "of type int"),
        ("a" * (MAX_DRAFT_CHARS + 1), "has 100,001 characters"),
        ("a \ud800", "lone surrogate"),
    ],
)
def test_drafts_that_are_refused(draft: object, message: str):
    with pytest.raises(UsageError, match=message):
        check_draft(draft)


def test_more_claims_than_are_taken_at_once():
    text = "Isk is old. " * 201
    with pytest.raises(UsageError, match="201 claims: give at most 200"):
        claims_of(text, "a", rule_sentence_split_v1(text), "m")
