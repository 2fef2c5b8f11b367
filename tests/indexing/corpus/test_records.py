"""Records: what is accepted, what is cleaned, what is refused and why."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    as_object,
    clean_text,
    clean_title,
    field_problem,
    is_text_list,
    json_record,
    make_document,
    titled_document,
    with_metadata,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too


def is_unwanted(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind == "Cs" or (kind == "Cc" and not character.isspace())


@given(ANY_TEXT)
def test_cleaning_replaces_the_unwanted_one_for_one_and_nothing_else(text: str):
    expected = "".join(" " if is_unwanted(c) else c for c in text)
    assert clean_text(text) == expected


def test_every_control_character_is_decided():
    controls = "".join(chr(n) for n in range(0x20)) + "".join(chr(n) for n in range(0x7F, 0xA0))
    assert clean_text(controls) == "".join(" " if is_unwanted(c) else c for c in controls)
    assert "\0" not in clean_text(f"a{controls}b")


@given(ANY_TEXT)
def test_a_clean_title_is_one_line_in_nfc_and_stays_itself(title: str):
    clean = clean_title(title)
    assert unicodedata.is_normalized("NFC", clean)
    assert clean == clean.strip() == clean_title(clean)
    assert len(clean.splitlines()) <= 1
    clean.encode()


def test_a_title_is_composed_and_loses_its_line_breaks():
    assert clean_title(" U\u0301sti\u0301\n (town)\0") == "\u00dast\u00ed (town)"


@pytest.mark.parametrize(
    "text",
    ["שלום עולם ", "\u200fمرحبا\u200e", "他走了。\u3000好", "e\u0301", "a\r\nb\tc\x85d", "👩‍🚀"],
)
def test_text_of_any_script_passes_unchanged(text: str):
    assert make_document("T", text, "f:1") == Document("T", text)


def test_sentences_are_joined_by_the_joiner():
    assert make_document("T", ["One.", " Two."], "f:1", joiner="") == Document("T", "One. Two.")
    assert make_document("T", ["One.", "Two."], "f:1") == Document("T", "One. Two.")
    assert make_document("T", [], "f:1") == Document("T", "")


def test_titles_are_unescaped_only_where_asked():
    assert make_document("B &amp; S", "x", "f:1").title == "B &amp; S"  # pyright: ignore
    assert make_document("B &amp; S", "x", "f:1", unescape=True) == Document("B & S", "x")


@pytest.mark.parametrize(
    ("title", "text", "reason"),
    [
        (None, "x", 'field "title" is missing'),
        (7, "x", 'field "title" is of type int, not text'),
        (" \n\0", "x", "the title is blank"),
        ("T", None, 'field "text" is missing'),
        ("T", 1.5, 'field "text" is of type float, not text or a list of sentences'),
        ("T", ["ok", 3], 'field "text" is of type list, not text or a list of sentences'),
        ("T", {"a": 1}, 'field "text" is of type dict, not text or a list of sentences'),
    ],
)
def test_a_bad_field_is_named(title: object, text: object, reason: str):
    assert make_document(title, text, "f:9") == BadRecord("f:9", reason)


def test_a_field_problem_tells_missing_from_wrong():
    assert field_problem("links", None, "a list") == 'field "links" is missing'
    assert field_problem("links", 1, "a list") == 'field "links" is of type int, not a list'


def test_only_lists_of_text_are_text_lists():
    assert is_text_list([])
    assert is_text_list(["a"])
    assert not is_text_list(["a", None])
    assert not is_text_list("a")
    assert not is_text_list(("a",))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\xff\xfe{", "is not UTF-8 text"),
        (b'{"title": "\xed\xa0\x80"}', "is not UTF-8 text"),
        (b"{", "not JSON (Expecting property name enclosed in double quotes"),
        (b"[" * 100_000, "not JSON (maximum recursion depth exceeded"),
        (b'{"a":' * 100_000, "not JSON (maximum recursion depth exceeded"),
        (b"9" * 5_000, "not JSON (Exceeds the limit"),
        (b"[1]", "a JSON list, not an object with title and text"),
        (b"null", "a JSON NoneType, not an object with title and text"),
    ],
    ids=lambda value: repr(value[:10]),
)
def test_a_line_that_is_no_json_object_is_a_bad_record(line: bytes, reason: str):
    record = json_record(line, "f:3")
    assert isinstance(record, BadRecord)
    assert record.place == "f:3"
    assert record.reason.startswith(reason)


@given(st.binary())
def test_no_line_raises(line: bytes):
    assert isinstance(json_record(line, "f:1"), (dict, BadRecord))


def test_an_object_is_taken_as_it_is():
    assert as_object({"a": 1}, "f:1") == {"a": 1}
    assert json_record(b' {"title": "T"}\r\n', "f:1") == {"title": "T"}


def test_links_stand_where_the_text_has_their_title():
    record: dict[str, object] = {"title": "T", "text": "By the Elm.", "links": ["Elm", "Else", " "]}
    assert titled_document(record, "f:1") == Document(
        "T", "By the Elm.", (Link(7, "Elm"), Link(0, "Else")), record
    )
    unlinked = {**record, "links": None}
    assert titled_document(unlinked, "f:1") == Document("T", "By the Elm.", fields=unlinked)


def test_metadata_are_values_of_the_record():
    record: dict[str, object] = {
        "title": "T", "text": "x", "lang": " e\u0301n ", "year": 1999, "old": False, "no": None,
        "tags": ["a"],
    }  # fmt: skip
    document = titled_document(record, "f:1")
    assert isinstance(document, Document)
    kept = with_metadata(document, ["year", "lang", "old", "no", "else"])
    assert isinstance(kept, Document)
    assert kept.metadata == (1999, "\xe9n", False, None, None)
    assert with_metadata(document, []) is document
    endless = with_metadata(document._replace(fields={"year": float("inf")}), ["year"])
    assert endless == document._replace(fields={"year": float("inf")}, metadata=("Infinity",))
    bad = BadRecord("f:2", "blank")
    assert with_metadata(bad, ["year"]) is bad
    assert with_metadata(document, ["tags"]) == BadRecord(
        "document 'T'", 'field "tags" is of type list, not text, a number, true or false'
    )


@pytest.mark.parametrize("links", ["Elm", [1], {"Elm": 1}])
def test_links_of_the_wrong_type_make_a_bad_record(links: object):
    record = {"title": "T", "text": "x", "links": links}
    assert isinstance(titled_document(record, "f:1"), BadRecord)


def test_a_bad_title_is_named_before_the_links():
    assert titled_document({"text": "x", "links": 1}, "f:1") == BadRecord(
        "f:1", 'field "title" is missing'
    )


@pytest.mark.parametrize(
    ("fields", "identifier"),
    [
        ({"id": "a/b"}, "a/b"),
        ({"_id": 7}, "7"),
        ({"id": 0, "path": "c"}, "0"),
        ({"path": " notes/Sync.md\n"}, "notes/Sync.md"),
        ({"id": "", "_id": None, "path": "p"}, "p"),
        ({"id": True, "_id": 1.5, "path": ["p"]}, ""),
        ({}, ""),
    ],
)
def test_a_record_has_an_id_or_a_path(fields: dict[str, object], identifier: str):
    document = titled_document({"title": "T", "text": "x", **fields}, "f:1")
    assert isinstance(document, Document)
    assert document.id == identifier


@pytest.mark.parametrize(
    ("aliases", "expected"),
    [
        (["U", " V  W", "T", "U", "", 7], ("U", "V W")),
        ("U", ("U",)),
        (None, ()),
    ],
)
def test_a_record_has_further_names(aliases: object, expected: tuple[str, ...]):
    document = titled_document({"title": "T", "text": "x", "aliases": aliases}, "f:1")
    assert isinstance(document, Document)
    assert document.aliases == expected


@pytest.mark.parametrize("name", ["reply_to", "in_reply_to"])
@pytest.mark.parametrize("answered", [True, ["m-1"], 1.5])
def test_an_answered_id_of_another_type_makes_a_record_bad(name: str, answered: object):
    reason = f'field "{name}" is of type {type(answered).__name__}, not an id'
    record = {"title": "T", "text": "x", name: answered}
    assert titled_document(record, "f:1") == BadRecord("f:1", reason)


@pytest.mark.parametrize("aliases", [{"U": 1}, 7, True])
def test_further_names_of_another_type_make_a_record_bad(aliases: object):
    record = {"title": "T", "text": "x", "aliases": aliases}
    reason = f'field "aliases" is of type {type(aliases).__name__}, not a list of names'
    assert titled_document(record, "f:1") == BadRecord("f:1", reason)


def test_links_by_id_stand_at_the_beginning_where_the_text_has_them_not():
    record: dict[str, object] = {"title": "T", "text": "By Elm.", "links": ["Elm", "a/b"]}
    document = titled_document(record, "f:1")
    assert isinstance(document, Document)
    assert document.links == (Link(3, "Elm"), Link(0, "a/b"))


@pytest.mark.parametrize(
    ("record", "target"),
    [
        ({"reply_to": "m-1"}, "m-1"),
        ({"in_reply_to": 7}, "7"),
        ({"reply_to": None, "in_reply_to": " m 2 "}, "m 2"),
        ({"reply_to": ""}, ""),
    ],
)
def test_an_answer_knows_what_it_answers(record: dict[str, object], target: str):
    document = titled_document({"title": "T", "text": "By the mill.", **record}, "f:1")
    assert isinstance(document, Document)
    assert document.reply_to == target
