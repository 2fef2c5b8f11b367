"""Records: what is accepted, what is cleaned, what is refused and why."""

import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.indexing.corpus.fields import titled_document
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    UnreadableError,
    as_object,
    clean_line,
    clean_text,
    clean_title,
    field_problem,
    head_lines,
    is_text_list,
    json_record,
    make_document,
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


def test_a_title_loses_what_shows_nothing():
    assert clean_title("\ufeffHa\u00adfen\u200bamt\u2060") == "Hafenamt"
    assert clean_title("می\u200cخواهم 👩\u200d🚀") == "می\u200cخواهم 👩\u200d🚀"
    assert clean_line("\ufeffHa\u00adfen\n amt") == "\ufeffHa\u00adfen amt"


@pytest.mark.parametrize(
    "text",
    ["שלום עולם ", "\u200fمرحبا\u200e", "他走了。\u3000好", "e\u0301", "a\r\nb\tc\x85d", "👩‍🚀"],
)
def test_text_of_any_script_passes_unchanged(text: str):
    assert make_document("T", text) == Document("T", text)


def test_sentences_are_joined_by_the_joiner():
    assert make_document("T", ["One.", " Two."], joiner="") == Document("T", "One. Two.")
    assert make_document("T", ["One.", "Two."]) == Document("T", "One. Two.")
    assert make_document("T", []) == Document("T", "")


def test_titles_are_unescaped_only_where_asked():
    assert make_document("B &amp; S", "x").title == "B &amp; S"
    assert make_document("B &amp; S", "x", unescape=True) == Document("B & S", "x")


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
    with pytest.raises(UnreadableError) as raised:
        make_document(title, text)
    assert str(raised.value) == reason


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
        (b"\xff\xfe{", "is not UTF-8 text: save it as UTF-8"),
        (b'{"title": "\xed\xa0\x80"}', "is not UTF-8 text: save it as UTF-8"),
        (b"{", "not JSON (Expecting property name enclosed in double quotes"),
        (b"[" * 100_000, "not JSON (nested too deeply)"),
        (b'{"a":' * 100_000, "not JSON (nested too deeply)"),
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


def test_metadata_are_values_of_the_record():
    record: dict[str, object] = {
        "title": "T", "text": "x", "lang": " e\u0301n ", "year": 1999, "old": False, "no": None,
        "by": {"name": "A"},
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
    assert with_metadata(document, ["by"]) == document._replace(metadata=('{"name": "A"}',))


@pytest.mark.parametrize(
    ("tags", "kept"),
    [(["sea", "tides"], "sea, tides"), (["sea", 7, True], "sea, 7, true"), ([], None)],
)
def test_a_list_is_kept_as_one_text(tags: list[object], kept: str | None):
    document = with_metadata(Document("T", "x", fields={"tags": tags}), ["tags"])
    assert isinstance(document, Document)
    assert document.metadata == (kept,)


def test_what_holds_mappings_is_kept_as_json():
    document = Document("T", "x", fields={"by": [{"name": "Zoë", "born": date(1999, 5, 1)}]})
    kept = with_metadata(document, ["by"])
    assert isinstance(kept, Document)
    assert kept.metadata == ('[{"name": "Zoë", "born": "1999-05-01"}]',)


def test_what_is_nested_too_deep_is_a_bad_record_that_names_its_file():
    deep: list[object] = [{}]
    for _ in range(100_000):
        deep = [deep]
    document = Document("T", "x", fields={"by": deep}, path="notes/t.md")
    reason = 'field "by" is nested too deep'
    assert with_metadata(document, ["by"]) == BadRecord("document 'T'", reason, "notes/t.md")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Minutes\n\nAuthor: Ada Finch\n**Status:** open\n\nAll is well.\nOwner: Mo",
         {"author": "Ada Finch", "status": "open"}),
        ("- Verfasst von : Ada\n作者：艾达\nAuthor: A. Finch",
         {"verfasst von": "Ada", "作者": "艾达", "author": "A. Finch"}),
        ("It rains.\nAuthor: Ada", {}),
        ("One: two: three\nOne: four", {"one": "two: three"}),
        ("x\n" * 600 + "Author: Ada", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_lines_above_the_first_sentence_are_fields(text: str, lines: dict[str, str]):
    assert head_lines(text) == lines
    names = [name.title() for name in lines]
    kept = with_metadata(Document("T", text), names)
    assert not names or kept == Document("T", text, metadata=tuple(lines.values()))


def test_what_a_record_holds_goes_before_what_its_text_says():
    document = Document("T", "Author: Ada\nYear: 1931", fields={"author": "Mo"})
    kept = with_metadata(document, ["author", "year", "no"])
    assert kept == document._replace(metadata=("Mo", "1931", None))


def test_a_byline_is_a_field_of_the_words_that_open_it():
    text = "Gate\n\nCreated by Ada Finch, last modified by Nils Dorn on Mar 14\n\nIt is made by Mo."
    kept = with_metadata(Document("T", text), ["created_by", "Last_modified_by", "made_by"])
    assert kept == Document("T", text, metadata=("Ada Finch", "Nils Dorn", None))
