"""Fields of records: their names, and the documents that records make."""

import pytest

from hippohover.indexing.corpus.fields import RecordFields, decided, titled_document
from hippohover.indexing.corpus.records import Document, Link, UnreadableError
from hippohover.recipe import NO_FIELDS, CorpusFields


def refused(record: RecordFields, reason: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        titled_document(record, "f:1")
    assert str(raised.value).startswith(reason)


def test_links_stand_where_the_text_has_their_title():
    record: dict[str, object] = {"title": "T", "text": "By the Elm.", "links": ["Elm", "Else", " "]}
    assert titled_document(record, "f:1") == Document(
        "T", "By the Elm.", (Link(7, "Elm"), Link(0, "Else")), record
    )
    unlinked = {**record, "links": None}
    assert titled_document(unlinked, "f:1") == Document("T", "By the Elm.", fields=unlinked)


def test_a_record_of_beir_may_have_a_title_alone():
    record = {"_id": "7", "title": "Fever of kestrels", "text": " "}
    assert titled_document(record, "f:1") == Document(
        "Fever of kestrels", "Fever of kestrels", fields=record, id="7"
    )
    blank = titled_document({"_id": "7", "title": "", "text": ""}, "f:1")
    assert isinstance(blank, Document)
    assert not blank.text
    other = titled_document({"id": "7", "title": "T", "text": ""}, "f:1")
    assert isinstance(other, Document)
    assert not other.text


@pytest.mark.parametrize("links", ["Elm", [1], {"Elm": 1}])
def test_links_of_the_wrong_type_make_a_bad_record(links: object):
    record = {"title": "T", "text": "x", "links": links}
    refused(record, 'field "links" is of type')


def test_a_title_of_another_type_is_named_before_the_links():
    refused({"title": 5, "text": "x", "links": 1}, 'field "title" is of type int, not text')


@pytest.mark.parametrize(
    ("record", "title"),
    [
        ({"_id": "d-7", "title": " ", "text": "By the mill."}, "d-7"),
        ({"id": 7, "text": "By the mill."}, "7"),
        ({"title": "", "text": "a b c d e f g h i."}, "a b c d e f g h"),
        ({"text": ["By the", " mill."]}, "By the mill."),
        ({"text": "x" * 200}, "x" * 80),
        ({"title": "T", "_id": "d-7", "text": "x"}, "T"),
        ({"text": " "}, "f:1"),
    ],
)  # fmt: skip
def test_a_record_without_title_goes_by_its_id_or_its_first_words(
    record: dict[str, object], title: str
):
    document = titled_document(record, "f:1")
    assert isinstance(document, Document)
    assert document.title == title


def test_a_record_without_text_is_told_the_fields_that_it_has():
    refused({"url": "u", "headline": "h"}, 'field "text" is missing among headline, url')
    refused({}, 'field "text" is missing of an object without fields')


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        (["One.", "Two."], "One. Two."),
        ([["One.", "Two."], ["Three."]], "One. Two.\n\nThree."),
        ([{"context": "One.", "qas": []}, {"text": ["Two.", "Three."]}], "One.\n\nTwo. Three."),
    ],
)
def test_sentences_and_paragraphs_are_joined(text: object, joined: str):
    document = titled_document({"title": "T", "text": text}, "f:1")
    assert isinstance(document, Document)
    assert document.text == joined


@pytest.mark.parametrize("text", [[1], [["One."], 2], [{"page": 1}], 5, {"a": "b"}])
def test_a_text_of_another_type_makes_a_record_bad(text: object):
    refused({"title": "T", "text": text}, 'field "text" is of type')


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"title": "T", "text": "x"}, ""),
        ({"_id": "1", "title": "T", "text": "x", "name": "N"}, ""),
        ({"docid": 1, "contents": "x"}, "read docid as id, contents as text; no title"),
        ({"pid": 1, "name": "N", "passage": "x"}, "read pid as id, name as title, passage as text"),
        ({"ID": 1, "Heading": "T", "Body": "x"}, "read ID as id, Heading as title, Body as text"),
        ({"id": "B", "paragraphs": ["x"]}, "read paragraphs as text; no title"),
        ({"_id": 1, "title": "", "text": "x"}, "no title"),
        ({"title": "T", "document": 7, "abstract": "x"}, "read abstract as text"),
        ({"title": "T", "text": "x", "published": "2024"}, "read published as date"),
        ({"title": "T", "url": "x"}, ""),
    ],
)
def test_the_usual_names_are_tried(record: dict[str, object], said: str):
    names = decided([record], CorpusFields())
    assert names.described() == said
    if said:
        assert isinstance(titled_document(record, "f:1", names), Document)


def test_a_recipe_names_the_fields():
    record = {"key": "k", "headline": "T", "story": "By the Elm.", "see": ["Elm"], "also": "U",
              "day": "2024-05-01", "title": "no", "text": "no", "id": "no"}  # fmt: skip
    fields = CorpusFields(
        id="key", title="headline", text="story", links="see", aliases="also", date="day"
    )
    names = decided([record], fields)
    assert titled_document(record, "f:1", names) == Document(
        "T", "By the Elm.", (Link(7, "Elm"),), {**record, "date": "2024-05-01"}, id="k",
        aliases=("U",),
    )  # fmt: skip
    assert names.described() == (
        "read key as id, headline as title, story as text, see as links, also as aliases, day as "
        "date"
    )


def test_what_a_recipe_names_and_no_record_has_is_said():
    names = decided(
        [{"key": 1, "text": "x"}, {"key": 2, "text": "y", "day": "2024"}],
        CorpusFields(id="key", title="headlin", links="see", date="day"),
    )
    assert names.described() == (
        'read key as id, day as date; no title; no "headlin" in the first records, which '
        '[corpus.fields] names; no "see" in the first records, which [corpus.fields] names'
    )
    assert decided([], CorpusFields(title="headline")).absent == ()


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
    refused(record, reason)


@pytest.mark.parametrize("aliases", [{"U": 1}, 7, True])
def test_further_names_of_another_type_make_a_record_bad(aliases: object):
    record = {"title": "T", "text": "x", "aliases": aliases}
    reason = f'field "aliases" is of type {type(aliases).__name__}, not a list of names'
    refused(record, reason)


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


def test_sections_are_a_text_with_headings():
    record: dict[str, object] = {
        "title": "The Heron",
        "sections": [
            {"text": "A ship."},
            {"heading": "Build", "text": ["It was built.", "In Senna."]},
            {
                "title": " The\u00ad Fate ",
                "content": "She sank.",
                "sections": [{"name": "Crew", "text": "They swam."}, {"name": "Cargo"}],
            },
        ],
    }
    document = titled_document(record, "x:1", decided([record], NO_FIELDS))
    assert isinstance(document, Document)
    assert (document.title, document.text) == (
        "The Heron",
        "A ship.\n\nBuild\n\nIt was built. In Senna.\n\nThe Fate\n\nShe sank.\n\nCrew\n\nThey swam."
        "\n\nCargo",
    )
    assert [(document.text[at:].split("\n")[0], path) for at, path, _ in document.headings] == [
        ("Build", "Build"),
        ("The Fate", "The Fate"),
        ("Crew", "The Fate > Crew"),
        ("Cargo", "The Fate > Cargo"),
    ]


@pytest.mark.parametrize("sections", [["One.", "Two."], "One."])
def test_sections_that_are_texts_are_joined(sections: object):
    record: dict[str, object] = {"title": "T", "sections": sections}
    document = titled_document(record, "x:1", decided([record], NO_FIELDS))
    assert isinstance(document, Document)
    assert document.text.startswith("One.")
    assert not document.headings


def test_sections_of_any_depth_end():
    inner: dict[str, object] = {"text": "Deep."}
    for _ in range(2000):
        inner = {"title": "x", "text": "y", "sections": [inner]}
    record: dict[str, object] = {"title": "T", "sections": [inner]}
    assert isinstance(titled_document(record, "x:1", decided([record], NO_FIELDS)), Document)
