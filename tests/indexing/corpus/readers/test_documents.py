"""How an address leads to each of several headings with the same words."""

import pytest

from hippohover.indexing.corpus.readers.documents import Section, nested, numbered, slug


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Rates", "rates"),
        ("What's new?", "whats-new"),
        ("Set  up", "set--up"),
        ("x_y & z", "x_y--z"),
        ("Größe 3.2", "größe-32"),
        ("料金", "料金"),
        ("!?", ""),
    ],
)
def test_a_slug_is_githubs(words: str, name: str):
    assert slug(words) == name


def anchors_of(*headings: tuple[str, str]) -> list[str]:
    sections = [Section(at, 1, words, anchor) for at, (words, anchor) in enumerate(headings)]
    return [section.anchor for section in numbered(sections)]


def test_the_first_of_some_words_is_called_by_them_and_others_by_number():
    assert anchors_of(*[("Rates", "Rates")] * 3) == ["Rates", "rates-1", "rates-2"]
    assert anchors_of(*[("Rates", "rates")] * 2) == ["rates", "rates-1"]
    assert anchors_of(("Rates", "Rates"), ("RATES", "RATES")) == ["Rates", "rates-1"]


def test_other_words_with_the_same_slug_keep_their_own_and_count():
    headings = [("Set up?", "Set up?"), ("Set up", "Set up"), ("Set up", "Set up")]
    assert anchors_of(*headings) == ["Set up?", "Set up", "set-up-2"]


def test_an_anchor_that_a_file_gives_stays():
    assert anchors_of(("A", "rates"), ("B", "rates"), ("Rates", "Rates")) == [
        "rates", "rates", "Rates"
    ]  # fmt: skip


def test_a_heading_hidden_by_an_earlier_one_has_no_anchor():
    sections = [Section(0, 1, "A", "x"), Section(1, 1, "B", "x"), Section(2, 1, "C", "")]
    assert [heading.anchor for heading in nested(sections)] == ["x", "", ""]
