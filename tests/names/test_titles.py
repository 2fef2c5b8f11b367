"""The names a passage is known by."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.names.normal_forms import entity_key
from hippohover.names.titles import (
    TitleKey,
    TitleKind,
    acronym_of,
    head_of,
    opening_name,
    tails_of,
    title_keys,
)
from hippohover.records import Passage, PassageId


def names_of(title: str, text: str = "x", **more: Any) -> list[TitleKey]:  # noqa: ANN401
    return title_keys(Passage(PassageId("0"), title, text, **more))


def keys_of(title: str, text: str = "x") -> dict[TitleKind, str]:
    return {name.kind: name.key for name in names_of(title, text)}


def test_a_title_and_its_bare_form_are_names():
    both = {TitleKind.FULL: "velmora film", TitleKind.BARE: "velmora"}
    assert keys_of("Velmora (film)") == both
    assert keys_of("Otto Brenner") == {TitleKind.FULL: "otto brenner"}


def test_the_opening_counts_only_where_there_is_no_title():
    assert keys_of("", "The Aldermoor mill is old.") == {TitleKind.OPENING: "aldermoor"}
    assert keys_of("T", "Otto met.") == {TitleKind.FULL: "t"}


def test_a_passage_without_any_name_owns_none():
    assert keys_of("", "it rains a lot.") == {}


def test_a_head_aliases_and_a_path_are_names_of_a_titled_passage():
    names = names_of(
        "PEP 498: Literals (draft)", aliases=("f-strings", "pep 498"), document="a/498"
    )
    assert names == [
        (TitleKind.FULL, "pep 498 literals draft", "PEP 498: Literals (draft)"),
        (TitleKind.BARE, "pep 498 literals", "PEP 498: Literals"),
        (TitleKind.HEAD, "pep 498", "PEP 498"),
        (TitleKind.ALIAS, "f strings", "f-strings"),
        (TitleKind.ALIAS, "a 498", "a/498"),
        (TitleKind.TAIL, "literals draft", "Literals (draft)"),
        (TitleKind.TAIL, "literals", "Literals"),
    ]
    assert [name.kind for name in names_of("", "Otto met.", document="x")] == [TitleKind.OPENING]


def test_a_title_that_is_a_number_for_want_of_another_is_no_name():
    assert names_of("17", "Otto met.", document="17") == names_of("", "Otto met.")
    assert [name.written for name in names_of("17", "Otto met.", document="a/17")] == ["17", "a/17"]
    assert [name.written for name in names_of("q-17", document="q-17")] == ["q-17"]


def test_what_goes_by_a_code_is_known_by_what_it_opens_with_and_by_the_code():
    for code in ("d0100", "q-17", "https://senna.example/mill", "a/b", "9f86d081884c7d65"):
        [opening, *more] = names_of(code, "The Aldermoor Mill is old.", document=code)
        assert opening == (TitleKind.OPENING, "aldermoor mill", "aldermoor mill")
        assert [name.kind for name in more] == [TitleKind.ALIAS] * (code[0] != "9")
    assert keys_of("d0100", "The Aldermoor Mill is old.") == {TitleKind.FULL: "d0100"}  # a title
    assert names_of("Belbury", "The Mill.", document="Belbury")[0].kind == TitleKind.FULL
    note = names_of("d0100", "The Mill is old.", document="d0100", path="d0100.md")
    assert [name.kind for name in note] == [TitleKind.FULL]


def test_what_goes_by_its_first_words_is_known_by_what_it_opens_with_too():
    text = "The Aldermoor Mill is a mill on the river Ott."
    first = "The Aldermoor Mill is a mill on the"
    assert keys_of(first, text) == {
        TitleKind.FULL: "the aldermoor mill is a mill on the", TitleKind.OPENING: "aldermoor mill",
    }  # fmt: skip
    assert TitleKind.OPENING not in keys_of("The Aldermoor Mill", text)
    assert TitleKind.OPENING not in keys_of("One two three four five six seven eight", text)


def test_an_id_that_is_a_mere_number_is_no_name():
    assert names_of("Weir", document="17") == names_of("Weir")
    assert names_of("Weir", document="9f86d081884c7d65") == names_of("Weir")  # a hash neither
    assert [name.written for name in names_of("Weir", document="db-14")] == ["Weir", "db-14"]


def test_a_number_that_is_a_files_name_is_written_as_one():
    cases: list[tuple[str, dict[str, Any]]] = [
        ("Lunch", {"aliases": ("5",), "path": "mail/5.eml"}),
        ("5", {"document": "notes/5", "path": "notes/5.md"}),
        ("5", {"document": "5/README", "path": "5/README.md"}),
        ("Fog", {"aliases": ("5",), "path": "a/5/_index.md"}),
    ]
    for title, more in cases:
        assert [one.written for one in names_of(title, **more) if one.key == "5"] == ["/5"]
    others: list[tuple[str, dict[str, Any]]] = [
        ("1984", {"path": "films.csv", "document": "films#3"}),
        ("1984", {"path": "1984/films.csv"}),
        ("1984 (film)", {"path": "1984 (film).md"}),
        ("300", {}),
    ]
    for title, more in others:
        written = {one.written for one in names_of(title, **more)}
        assert written & {"1984", "300"}
        assert not any(name.startswith("/") for name in written)


def test_a_numbered_title_goes_by_its_section_too():
    both = [(TitleKind.FULL, "Rules, 3.8.1"), (TitleKind.ALIAS, "Rules, 3.8")]
    assert [(name.kind, name.written) for name in names_of("Rules, 3.8.1")] == both


def test_heads_of_titles():
    assert head_of("PEP 498: Literal String Interpolation") == "PEP 498"
    assert head_of("Sync \u2013 how it works") == "Sync"
    assert head_of("Sync - how - it works") == "Sync"
    assert head_of("Sync\u2014how") == "Sync"
    assert head_of("東京：歴史") == "東京"
    for separator in (" | ", " \u00bb ", " · ", " > ", " : ", "｜"):
        assert head_of(f"Sync{separator}Docs") == "Sync"
    for title in ("Spider-Man", "10:30", "Velmora:", "C++::map", "Velmora - ", ": x", ""):
        assert head_of(title) == "", title


def test_opening_names():
    assert opening_name("Otto Brenner (born 1950) is a painter.") == "otto brenner"
    assert opening_name("A Kestrel flew.") == "kestrel"
    assert opening_name("House of the Long Road is a book.") == "house of the long road"
    assert opening_name("It was Otto.") == ""
    assert opening_name("in Rome Otto slept.") == ""
    assert opening_name("The") == ""
    assert opening_name("") == ""
    assert opening_name("Otto " * 17) == ""


@given(st.text(max_size=600))
def test_any_text_has_an_opening_that_is_a_key(text: str):
    name = opening_name(text)
    assert name == entity_key(name)


@given(st.sampled_from(["", "A", "A (b)", "b (A)", "!!!", "! (x)"]) | st.text(), st.text())
def test_own_names_are_different_keys(title: str, text: str):
    names = names_of(title, text)
    assert len({name.key for name in names}) == len(names)
    assert all(name.key == entity_key(name.key) == entity_key(name.written) for name in names)
    kinds = [name.kind for name in names]
    assert kinds in ([TitleKind.OPENING], []) or kinds[0] == TitleKind.FULL
    assert set(kinds[1:]) <= {TitleKind.BARE, TitleKind.HEAD, TitleKind.TAIL}
    assert (TitleKind.FULL in kinds) == bool(title.strip())


@pytest.mark.parametrize(
    ("title", "tails"),
    [
        ("OPS : Amber Gateway", ["Amber Gateway"]),
        ("Docs \u00bb Guides \u00bb Sync", ["Guides", "Guides \u00bb Sync", "Sync"]),
        ("Rules: Sync - how", ["Sync", "Sync - how", "how"]),
        ("Sync | ", []),
        ("Sync", []),
        ("a|b", []),
    ],
)
def test_tails_are_the_parts_behind_the_head(title: str, tails: list[str]):
    assert tails_of(title) == tails


@pytest.mark.parametrize(
    ("title", "text", "acronym"),
    [
        ("Northern Harbour Board", "The Northern Harbour Board (NHB) keeps it.", "NHB"),
        ("Hypertext Weir Language", 'Hypertext Weir Language ("HWL"; old) is one.', "HWL"),
        ("Hypertext Weir Language", "Hypertext Weir Language (HtWrL) is one.", "HtWrL"),
        ("Northern Harbour Board", "Northern Harbour Board (Otter) keeps it.", ""),
        ("Northern Harbour Board", "Northern Harbour Board (HNB) keeps it.", ""),
        ("Northern Harbour Board", "Northern Harbour Board (1908) keeps it.", ""),
        ("Northern Harbour Board", "The board (NHB) keeps it.", ""),
        ("Northern", "Northern (NRN) keeps it.", ""),
    ],
)
def test_an_acronym_is_what_the_text_defines(title: str, text: str, acronym: str):
    assert acronym_of(title, text) == acronym
    assert (TitleKind.ALIAS in keys_of(title, text)) == bool(acronym)
