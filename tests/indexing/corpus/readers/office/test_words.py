"""Words of a block."""

import pytest

from hippohover.indexing.corpus.readers.office.words import Words


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["a", "b"], "ab"),
        (["a ", "b"], "a b"),
        (["a", " ", "\n", "b"], "a b"),
        ([" a  b\tc ", ""], "a b c"),
        (["", " ", "a"], "a"),
    ],
)
def test_blanks_between_pieces_are_one_and_none_at_the_ends(pieces: list[str], expected: str):
    words = Words()
    for piece in pieces:
        words.add(piece)
    assert words.text == expected
    assert bool(words)


def test_a_link_begins_where_its_words_do_whatever_stands_before():
    words = Words("see ")
    words.link("notes")
    words.link("")
    words.add("the notes")
    marked = Words("Source")
    marked.append(words.after("- "), ": ")
    marked.append(Words())
    assert marked.text == "Source: - see the notes"
    ((offset, target),) = marked.links
    assert (marked.text[offset:], target) == ("the notes", "notes")


def test_none_are_false():
    assert not Words(" ")
    assert not Words(" ").after("")
