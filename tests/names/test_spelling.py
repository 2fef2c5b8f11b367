"""Spellings one slip away, and the words of joined words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.spelling import camel_words, parted, spellings

WORDS = st.text("abcxyz", max_size=7)


def distance(one: str, other: str) -> int:
    """Damerau and Levenshtein's, by the textbook (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        rows.append([i])
        for j, b in enumerate(other, 1):
            least = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, rows[i - 2][j - 2] + 1)
            rows[i].append(least)
    return rows[-1][-1]


@given(WORDS, WORDS)
def test_spellings_are_the_words_at_a_distance_of_one(word: str, other: str):
    near = spellings(word)
    assert len(set(near)) == len(near)
    assert all(distance(word, spelling) == 1 for spelling in near)
    if word and other:
        assert (other in near) == (distance(word, other) == 1)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("паорм", "паром"), ("λοντίνο", "λονδίνο"), ("שלם", "שלום"), ("بستن", "بستان")],
)
def test_letters_are_those_of_the_words_own_script(word: str, meant: str):
    assert meant in spellings(word)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("TheGildedArchive", ["The", "Gilded", "Archive"]),
        ("BBCNews", ["BBC", "News"]),
        ("Route66Diner", ["Route", "66", "Diner"]),
        ("word", ["word"]),
        ("WORD", ["WORD"]),
        ("", [""]),
    ],
)
def test_words_by_their_capitals(written: str, words: list[str]):
    assert camel_words(written) == words


def test_a_word_may_be_of_two_or_three_words():
    every = list(parted("oldmill", "OldMill"))
    assert every[0] == ["old", "mill"]
    assert ["ol", "dm", "ill"] in every
    assert all("".join(words) == "oldmill" for words in every)
    assert list(parted("old", "old")) == []
