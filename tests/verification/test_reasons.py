"""Sentences about a verdict: which words they quote, and that none says the same again."""

from hippohover.verification.payloads import MarkedWords
from hippohover.verification.reasons import held_by, quoted, said_instead, unsaid, without_repeats

TITLES = {"a": "Low Tide", "b": ""}
HELD = MarkedWords(span=(0, 3), text="Ann", mark="held", evidence="a#1")
OTHER = MarkedWords(span=(4, 8), text="euro", mark="not said", evidence="b#0", said="franc")
NONE = MarkedWords(span=(9, 12), text="fog", mark="not said")


def test_reasons_quote_what_is_held_and_what_is_not():
    assert held_by([HELD], TITLES) == ["“Low Tide” has its words"]
    assert held_by([HELD, NONE], TITLES) == ["“Low Tide” has its other words"]
    assert held_by([NONE], TITLES) == []
    assert said_instead([HELD, OTHER, NONE]) == ["the evidence says “franc”, not “euro”"]
    assert unsaid([HELD, OTHER, NONE]) == ["no sentence about it says “fog”"]
    assert unsaid([HELD, OTHER]) == []


def test_of_many_words_four_are_quoted():
    assert quoted("ab") == "“a” and “b”"
    assert quoted("abcde") == "“a”, “b”, “c”, “d” and “e”"
    assert quoted("abcdef") == "“a”, “b”, “c”, “d” and 2 more"


def test_a_reason_without_a_new_word_is_left_out():
    told = ["no “a b”", "no “b”", "no word", "a “c”, not “b”", "no word"]
    assert without_repeats(told) == ["no “a b”", "no word", "a “c”, not “b”"]
