"""Sections of numbered titles, and the numbers by which texts refer to them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.normal_forms import tokens
from hippohover.names.references import (
    Reference,
    number_value,
    part_names,
    parts_of,
    references,
    section_of,
)
from hippohover.records import Passage, PassageId, PassageSection


def found(title: str, text: str, document: str = "") -> list[Reference]:
    return references(Passage(PassageId("0"), title, text, document=document))


@pytest.mark.parametrize(
    ("title", "section"),
    [
        ("Rules, 3.8.1.(3)", "Rules, 3.8.1"),
        ("Rules, 3.8.1", "Rules, 3.8"),
        ("Rules, A11.2.Guidance.9.", "Rules, A11.2"),
        ("Rules, Part 3.(1)", "Rules, Part 3"),
        ("Rules, Part 3.Chapter 9.9.(9)", "Rules, Part 3.Chapter 9.9"),
        ("3.8.1", "3.8"),
        ("Rules, 3.8", ""),
        ("Web 2.0", ""),
        ("Area 51", ""),
        ("U.S. Route 66", ""),
        ("St. Aldermoor", ""),
        ("", ""),
        ("1" * 400 + ".1.1", ""),
    ],
)
def test_sections_of_titles(title: str, section: str):
    assert section_of(title) == section


def test_a_numbered_title_has_references_and_another_has_none():
    text = "By Rule \u200e1.3.3, A1.2 and 8.3.3(2)(b) it is so."
    assert found("Book, 1.2.1", text) == [
        Reference("Book, 1.3.3", "Book, 1.3.3", "", 2, 5),
        Reference("Book, A1.2", "Book, A1.2", "", 5, 7),
        Reference("Book, 8.3.3(2)(b)", "Book, 8.3.3", "", 8, 13),
    ]
    assert found("Book", text) == []


def test_parts_of_words_and_of_longer_numbers_are_no_references():
    assert found("1.2.1", "v1.2x 1.2.3x a_1.2 &#12;") == []


def test_ids_are_referred_to_where_ids_are_numbers():
    assert found("Crash", "see #12, x#3 and #4a", document="7") == [Reference("", "", "12", 1, 2)]
    assert found("Crash", "see #12", document="notes/a") == []


@given(
    st.text("1.2(a) #A", max_size=60), st.text("1.2(a) #\u0661Book,", max_size=40), st.text("12")
)
def test_places_are_of_tokens(text: str, title: str, document: str):
    n_tokens = len(tokens(text)[0])
    for reference in found(title, text, document):
        assert 0 <= reference.start <= reference.stop <= n_tokens
        assert bool(reference.id) != bool(reference.title)


def passage(title: str, text: str = "", heading: str = "", path: str = "") -> Passage:
    return Passage(PassageId("0"), title, text, heading=heading, path=path)


@pytest.mark.parametrize(
    ("one", "names"),
    [
        (passage("Article 12 Salvage"), ("Article 12", "")),
        (passage("§ 12a Gebühren", path="acts/12.md"), ("§ 12a", "acts § 12a")),
        (passage("Harbour Act, Clause 3: Fees"), ("Clause 3", "Harbour Act Clause 3")),
        (passage("Act", heading="Part II > Rule 7 Fees"), ("Rule 7", "Act Rule 7")),
        (passage("Act", heading="Article IV Fees"), ("Article IV", "Act Article IV")),
        (passage("Act", heading="Article Civil"), None),
        (passage("港湾法", heading="第12条 登録"), ("第12条", "港湾法 第12条")),
        (passage("港湾法", heading="第十二条 登録"), ("第十二条", "港湾法 第十二条")),
        (passage("항만법", heading="제12조 등록"), ("제12조", "항만법 제12조")),
        (passage("Rules, 3.8.1"), None),
        (passage("1996 Games"), None),
        (passage("Rule 3.2 Fees"), None),
        (passage("Halls of 1,200 seats"), None),
        (passage(""), None),
    ],
)
def test_a_part_is_numbered_by_its_innermost_heading_or_its_title(
    one: Passage, names: tuple[str, str] | None
):
    assert [(part.name, part.full_name) for part in parts_of(one)] == [names] * (names is not None)


def test_a_passage_of_several_sections_is_all_their_parts():
    sections = tuple(PassageSection(f"Rule {number} Fees", "", 9) for number in (7, 8))
    both = replace(passage("Act", "Rules 7, 8 and 9", "Rule 7 Fees"), sections=sections)
    assert [part.name for part in parts_of(both)] == ["Rule 7", "Rule 8"]
    assert [reference.title for reference in references(both)] == ["Act Rule 9"]


@pytest.mark.parametrize(
    ("one", "targets"),
    [
        (passage("Act", "under Article 13(3), art. 5, 6 and 7 part 9", heading="Article 12 Fees"),
         ["Act Article 13", "Act Article 5", "Act Article 6", "Act Article 7"]),
        (passage("Act", "nach § 13 Abs. 3, §§ 14, 15a und § 12", heading="§ 12 Fees"),
         ["Act § 13", "Act § 14", "Act § 15a"]),
        (passage("港湾法", "第十三条の規定、第十二条", heading="第十二条"), ["港湾法 第十三条"]),
        (passage("항만법", "제13조제2항", heading="제12조"), ["항만법 제13조"]),
        (passage("Act", "by Articles V and XI(2)", heading="Article IV"),
         ["Act Article V", "Act Article XI"]),
        (passage("Article 12 Fees", "Article 3, art. 4"), ["Article 4"]),
        (passage("Fees", "Article 3"), []),
    ],
)  # fmt: skip
def test_references_are_to_parts_called_alike_of_the_same_series(one: Passage, targets: list[str]):
    """Where no series tells parts apart, a name as it stands is a mention already."""
    assert [reference.title for reference in references(one)] == targets


def test_a_text_names_parts_in_its_order():
    text = "By 第12条, Rule XIV(2), Article 5(2), article 5a, 第十二条 of Route 66, Article 5. I do"
    assert part_names(text) == [
        "第12条", "Rule XIV", "Article 5", "article 5a", "第十二条", "Route 66",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "value"),
    [("12", 12), ("12a", 12), ("xlii", 42), ("IX", 9), ("二百十二", 212), ("一〇二", 102),
     ("十", 10), ("百", 100), ("Q", 0)],
)  # fmt: skip
def test_numbers_are_read_as_they_are_written(written: str, value: int):
    assert number_value(written) == value
