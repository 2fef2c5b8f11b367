"""Affixes: learned where several words have them, and taken off again."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.affixes import (
    NO_AFFIXES,
    STEM_MARK,
    Affixes,
    Stems,
    learn_affixes,
    stem_keys,
)
from hippohover.names.gazetteer import Gazetteer, TextNames
from hippohover.names.mentions import CaseRule, Mention

KOREAN = ("한별수", "도민아", "청하읍", "서연 호수")
RUSSIAN = Affixes(frozenset({"а", "ом", "у", "ым"}))


def ending_in(*endings: str) -> Affixes:
    return Affixes(frozenset(endings))


def read(text: str, affixes: Affixes, *names: str) -> TextNames:
    keys = {name: number for number, name in enumerate(names)}
    keys |= stem_keys(list(keys.items()), Stems(affixes))
    known = Gazetteer(keys)
    known.follow(np.full(len(names), CaseRule.NEVER, np.uint8), affixes)
    return known.read(text)


@pytest.mark.parametrize(
    ("names", "texts", "learned"),
    [
        (KOREAN, ["한별수는 도민아는", "서연 호수는", "청하읍에서 왔다"], ending_in("는")),
        (KOREAN, ["한별수는 왔다", "도민아는 왔다"], NO_AFFIXES),  # two words are chance
        # No name stands alone: the ending that other words have teaches the one beside it.
        (
            (),
            ["수문 수문은 창고 창고은 마을 마을은", "도윤은 도윤이 하린은 하린이 지후은 지후이"],
            ending_in("은", "이"),
        ),
        ((), ["Größe Größen Höhe Höhen Straße Straßen, alte alten"], ending_in("n")),
        (
            (),
            ["A café, " + "tables and a table, chairs and a chair, lamps, a lamp, " * 2],
            NO_AFFIXES,
        ),
        (
            ("דבורה", "ירושלים", "כנרת"),
            ["והלך לירושלים ולכנרת", "בירושלים ובכנרת", "לדבורה לכנרת"],
            Affixes(frozenset(), frozenset({"ל"})),
        ),
    ],
)
def test_an_affix_stands_at_three_words(names: Sequence[str], texts: list[str], learned: Affixes):
    assert learn_affixes(names, texts) == learned


def test_an_ending_of_few_of_the_words_that_end_so_is_none():
    words = [f"{stem}ов" for stem in ("иван", "петр", "марк")] + ["иван", "петр", "марк"]
    others = [f"{letter}{'н' * n}аров" for letter in "бгджзлмпрст" for n in range(1, 4)]
    assert learn_affixes((), [" ".join(words)]) == ending_in("ов")
    assert learn_affixes((), [" ".join(words + others)]) == NO_AFFIXES


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("колминым", "колмин"),
        ("колмину", "колмин"),
        ("брантовауым", "брантов"),  # one after the other, so that all forms meet
        ("дому", "дому"),  # four letters stay
        ("1990", "1990"),
        ("колминː", "колмин"),
    ],
)
def test_a_word_without_its_affixes(word: str, stem: str):
    assert Stems(RUSSIAN).bare(word) == stem


def test_a_stem_is_no_word_and_its_own_stem():
    stems = Stems(RUSSIAN)
    assert stems["колмина"] == "колмин" + STEM_MARK
    assert stems[stems["колмина"]] == stems["колмина"]
    assert stems["7"] == "7"
    assert Stems(NO_AFFIXES)["колмина"] == "колмина"


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("한별수는 청하읍에서 살았다", [Mention(0, 0, 1), Mention(2, 1, 2)]),
        ("넓은 서연 호수에서", [Mention(3, 1, 3)]),
        ("한별수 한별수는", [Mention(0, 0, 1), Mention(0, 1, 2)]),
        ("별은 한별수의", []),
    ],
)
def test_names_are_found_with_an_affix(text: str, mentions: list[Mention]):
    assert read(text, ending_in("는", "에서", "서"), *KOREAN).known == mentions


def test_every_word_of_a_name_may_have_one():
    text = "Письмо Олегом Колминым дано Олегу Колмину"
    assert read(text, RUSSIAN, "олег колмин").known == [Mention(0, 1, 3), Mention(0, 4, 6)]


def test_what_is_a_name_as_it_stands_is_that_name():
    assert read("나루는", ending_in("는"), "나루", "나루는").known == [Mention(1, 0, 1)]


def test_what_two_names_share_without_affixes_names_neither():
    stems = Stems(RUSSIAN)
    assert stem_keys([("колмина", 0), ("колмин", 1), ("рядов", 2)], stems) == {"рядовː": 2}


def test_what_four_names_begin_with_is_no_part_of_them():
    stems = Stems(ending_in("n"))
    titles = [f"die {word} muhle" for word in ("alte", "neue", "rote", "obere")]
    keys = stem_keys([(title, at) for at, title in enumerate(titles)], stems)
    assert keys["altː muhleː".replace("altː", stems["alte"])] == 0
    assert len(stem_keys([(title, at) for at, title in enumerate(titles[:3])], stems)) == 3


@pytest.mark.parametrize(
    ("texts", "affixes"),
    [
        (("Meldung von Ada Kolm.", "Ruf an Ada Kolms Amt"), ending_in("s", "n")),
        (("нет Олега Колмина", "за Олегом Колминым"), RUSSIAN),
        (("수문은 한별수가 돌본다", "오늘 한별수에게 갔다"), ending_in("가", "에게", "은")),
    ],
)
def test_forms_of_a_name_that_is_no_title_share_a_phrase(texts: Sequence[str], affixes: Affixes):
    one, two = (set(read(text, affixes).phrase_keys()) for text in texts)
    assert any(STEM_MARK in key for key in one & two)


def test_a_word_without_case_or_affix_is_no_phrase():
    assert (
        read("오늘 한별수 왔다", ending_in("는")).phrase_keys()
        == read("오늘 한별수 왔다", ending_in("는")).phrase_keys()
    )
    assert "한별수ː" not in read("오늘 한별수 왔다", ending_in("는")).phrase_keys()


@given(st.frozensets(st.text("가나é", min_size=1)), st.frozensets(st.text("אב", min_size=1)))
def test_affixes_come_back_from_bytes(endings: frozenset[str], prefixes: frozenset[str]):
    affixes = Affixes(endings, prefixes)
    assert Affixes.of_bytes(affixes.as_bytes()) == affixes
