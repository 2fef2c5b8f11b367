"""Affixes: learned where several names have them, and taken off again."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.affixes import NO_AFFIXES, Affixes, find_inflected, learn_affixes
from hippohover.names.gazetteer import Gazetteer
from hippohover.names.mentions import CaseRule, Mention
from hippohover.names.normal_forms import tokens

KOREAN = ("한별수", "도민아", "청하읍", "서연 호수")
SAMPLE = (
    "한별수는 청하읍에서 살았다",
    "도민아는 왔다",
    "서연 호수는 넓다",
    "청하읍에서 한별수에서",
)


def folded(*texts: str) -> list[Sequence[str]]:
    return [tokens(text)[0] for text in texts]


def found(text: str, affixes: Affixes, *names: str) -> list[Mention]:
    known = Gazetteer({name: number for number, name in enumerate(names)})
    words, written = tokens(text)
    find = partial(known.find, written=written)
    return find_inflected(words, find(words), find, affixes)


def test_an_affix_stands_on_three_names():
    assert learn_affixes(KOREAN, folded(*SAMPLE)) == Affixes(frozenset({"는"}))
    assert learn_affixes(KOREAN[:2], folded(*SAMPLE)) == NO_AFFIXES
    assert learn_affixes((), folded(*SAMPLE)) == NO_AFFIXES


def test_prefixes_are_learned_too():
    names = ("דבורה", "ירושלים", "כנרת")
    texts = folded("והלך לירושלים ולכנרת", "בירושלים ובכנרת", "לדבורה לכנרת")
    assert learn_affixes(names, texts) == Affixes(frozenset(), frozenset({"ל"}))


def test_words_in_ascii_have_no_affix():
    texts = folded("Lisks Tams Orns é")
    assert learn_affixes(("lisk", "tam", "orn"), texts) == NO_AFFIXES
    assert found("Lisks", Affixes(frozenset("s")), "lisk") == []


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("한별수는 청하읍에서 살았다", [Mention(0, 0, 1), Mention(2, 1, 2)]),
        ("넓은 서연 호수에서", [Mention(3, 1, 3)]),
        ("서연에서 호수", []),  # an ending inside a name is none
        ("한별수 한별수는", [Mention(0, 0, 1), Mention(0, 1, 2)]),
        ("별은 한별수의", []),
    ],
)
def test_names_are_found_with_an_affix(text: str, mentions: list[Mention]):
    assert found(text, Affixes(frozenset({"는", "에서", "서"})), *KOREAN) == mentions


def test_what_is_a_name_as_it_stands_is_that_name():
    names = ("나루", "나루는")
    assert found("나루는", Affixes(frozenset("는")), *names) == [Mention(1, 0, 1)]


def test_a_name_in_a_text_of_a_gazetteer():
    names = Gazetteer({name: number for number, name in enumerate(KOREAN)})
    names.follow(np.full(4, CaseRule.NEVER, np.uint8), Affixes(frozenset({"는"})))
    assert names.read("한별수는 왔다").known == [Mention(0, 0, 1)]


@given(st.frozensets(st.text("가나é", min_size=1)), st.frozensets(st.text("אב", min_size=1)))
def test_affixes_come_back_from_bytes(endings: frozenset[str], prefixes: frozenset[str]):
    affixes = Affixes(endings, prefixes)
    assert Affixes.of_bytes(affixes.as_bytes()) == affixes
