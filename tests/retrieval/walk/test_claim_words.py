"""Misspelt words of claims: which are corrected, into what, and how many."""

import pytest

from hippohover.language.stemming import Stemmer
from hippohover.names.normal_forms import tokens
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim_words import ClaimWords


@pytest.fixture(scope="module")
def correct(toy_engine: HippoHover) -> ClaimWords:
    arrays = toy_engine.tables.arrays
    return ClaimWords(arrays.lexical, arrays.names, Stemmer())


def corrected(correct: ClaimWords, text: str) -> dict[int, str]:
    return correct(*tokens(text))


@pytest.mark.parametrize("typed", ["lantren", "lanternn", "lntern", "lantorn"])
def test_a_slip_of_each_kind_is_corrected(correct: ClaimWords, typed: str):
    assert corrected(correct, f"in {typed} hill") == {1: "lantern"}


@pytest.mark.parametrize("word", ["lantern", "the", "zyxwv", "lnt", "lantern7", "x" * 41])
def test_words_that_are_held_short_long_or_of_digits_stay(correct: ClaimWords, word: str):
    assert corrected(correct, f"in {word} there") == {}


def test_a_known_name_without_blanks_is_that_name(correct: ClaimWords):
    assert corrected(correct, "LanternHill by night") == {0: "lantern hill"}
    assert corrected(correct, "lanternhill by night") == {0: "lantern hill"}


def test_eight_words_are_corrected_at_most(correct: ClaimWords):
    assert list(corrected(correct, " ".join(["lantren"] * 11))) == list(range(8))


def test_nothing_is_corrected_in_nothing(correct: ClaimWords):
    assert corrected(correct, "?!") == {}
