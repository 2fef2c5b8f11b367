"""What the first records of a file say of all."""

import json
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import RecordFields, Shape
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.readers.records.json_values import read
from hippohover.indexing.corpus.readers.records.record_file import NO_TEXTS
from hippohover.indexing.corpus.readers.records.shapes import (
    fever_page,
    is_fever_page,
    is_question,
    paragraphs_of,
    shape_of,
)
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    PassedOver,
    Understood,
    UnreadableError,
)
from hippohover.recipe import NO_FIELDS, CorpusFields
from hippohover.records import passage_id
from tests.indexing.corpus.readers.records.record_samples import read_all, source_file

QUESTION = {"_id": "q", "question": "Who?", "context": [["T", ["One.", " Two."]]]}
PAGE = {"id": "Weir_-LRB-lock-RRB-", "text": "A weir.", "lines": "0\tA weir."}


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([QUESTION, QUESTION], "read the paragraphs of questions, each once"),
        ([QUESTION, {"title": "T", "text": "x"}], ""),
        ([PAGE], "read pages of FEVER: id as title"),
        ([{**PAGE, "title": "Weir"}], ""),
        ([{"title": "T", "text": "x"}], ""),
        ([{"docid": 1, "contents": "x"}], "read docid as id, contents as text; no title"),
        ([], ""),
    ],
)
def test_records_are_told_apart(records: list[RecordFields], said: str):
    assert shape_of(records, NO_FIELDS).said == said


def test_a_file_of_claims_is_no_corpus():
    claim: dict[str, object] = {"uid": "1", "claim": "It stood.", "supporting_facts": [["T", 0]]}
    assert list(shape_of([claim], NO_FIELDS).records(claim, "f:1")) == [
        BadRecord("f:1", "a claim or a question, and no document to search")
    ]


def test_a_recipe_that_names_fields_is_believed():
    record: dict[str, object] = {**QUESTION, "title": "Q"}
    [document] = shape_of([record], CorpusFields(text="question")).documents(record, "f:1")
    assert isinstance(document, Document)
    assert (document.title, document.text) == ("Q", "Who?")


# FEVER's wiki-pages


FEVER_PAGE: dict[str, object] = {
    "id": "Dune_-LRB-film-COLON-_2-RRB-",
    "text": "Dune is a film -LRB- 1984 -RRB- by David Lynch .",
    "lines": "0\tDune is a film -LRB- 1984 -RRB- by David Lynch .\tDavid Lynch\tDavid_Lynch\tfilm\t"
    "Film_-LRB-art-RRB-\n1\t",
}


def test_a_page_has_its_title_as_people_write_it_and_its_id_as_a_name():
    assert is_fever_page(FEVER_PAGE)
    [document] = fever_page(FEVER_PAGE, "f:1")
    assert document == Document(
        "Dune (film: 2)",
        "Dune is a film ( 1984 ) by David Lynch .",
        (Link(27, "David Lynch"), Link(10, "Film (art)")),
        FEVER_PAGE,
        id="Dune_-LRB-film-COLON-_2-RRB-",
        aliases=("Dune_-LRB-film-COLON-_2-RRB-",),
    )


def test_the_blank_page_that_opens_each_file_has_no_text():
    [document] = fever_page({"id": "", "text": "", "lines": ""}, "f:1")
    assert isinstance(document, Document)
    assert not document.text


@pytest.mark.parametrize("name", ["id", "text", "lines"])
def test_a_page_of_other_types_is_a_bad_record(name: str):
    with pytest.raises(UnreadableError, match="no page of FEVER"):
        fever_page({**FEVER_PAGE, name: 5}, "f:1")


# Paragraphs of questions as a corpus


TITLED = [("T", "One. Two."), ("U", "Three.")]


@pytest.mark.parametrize(
    "context",
    [
        [["T", ["One.", " Two."]], ["U", ["Three."]]],
        {"title": ["T", "U"], "sentences": [["One.", " Two."], ["Three."]]},
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])  # the Hub has JSON in a text for 2Wiki
def test_hotpotqa_and_2wiki_go_by_title(context: object, is_packed: bool):
    given = json.dumps(context) if is_packed else context
    record: dict[str, Any] = {"_id": "q", "question": "Who?", "context": given}
    assert is_question(record)
    documents = list(paragraphs_of(record, "f:1"))
    assert [(d.title, d.text) for d in documents if isinstance(d, Document)] == TITLED
    assert {d.id for d in documents if isinstance(d, Document)} == {""}


@pytest.mark.parametrize("name", ["paragraph_text", "text"])
@pytest.mark.parametrize("held", ["paragraphs", "contexts"])
def test_musique_and_hipporag_go_by_passage_as_titles_are_double(name: str, held: str):
    paragraphs = [
        {"idx": 0, "title": "T", name: "One. Two. ", "is_supporting": True},
        {"idx": 1, "title": "T", name: "Another T.", "is_supporting": False},
    ]
    record: dict[str, Any] = {"id": "2hop__1", "question": "Who?", held: paragraphs}
    assert is_question(record)
    first, second = paragraphs_of(record, "f:1")
    assert isinstance(first, Document)
    assert isinstance(second, Document)
    assert (first.title, first.text) == ("T", "One. Two. ")
    assert first.id == passage_id("T", "One. Two.", 0) != second.id
    assert "is_supporting" not in first.fields


@pytest.mark.parametrize(
    "context", ["The mill stood.", "[The mill] stood.", '["The mill"]', '{"a": 1}', "[" * 10**5]
)
def test_a_context_of_text_is_a_paragraph_called_by_its_first_words(context: str):
    record: dict[str, Any] = {"id": "1", "question": "Who?", "context": context}
    [document] = paragraphs_of(record, "f:1")
    assert isinstance(document, Document)
    assert (document.title, document.text) == (context[:80], context)


@pytest.mark.parametrize(
    ("record", "n_bad"),
    [
        ({"question": "Who?", "paragraphs": [{"title": 5, "text": "x"}, {"title": "T"}]}, 2),
        ({"question": "Who?", "context": [["T", [5]]]}, 1),
        ({"question": "Who?", "context": {"title": "T", "sentences": 5}}, 1),
        ({"question": "Who?", "context": [5, ["T"], [["T"], 5]]}, 1),
        ({"context": []}, 1),
    ],
)
def test_what_is_no_paragraph_is_a_bad_record(record: dict[str, Any], n_bad: int):
    bad = list(Shape(paragraphs_of).records(record, "f:1"))
    assert len(bad) == n_bad
    assert all(isinstance(one, BadRecord) and one.place.startswith("f:1") for one in bad)


# Files of records in a folder: damage, settings that are no corpus, and what is said of fields


TWO = b'[{"title": "T", "text": "x"}, {"title": "U", "text": "y"}'


def test_damage_behind_good_records_is_one_named_failure():
    assert read_all(read, TWO) == [
        Document("T", "x"),
        Document("U", "y"),
        BadRecord(
            "notes/file.x",
            "not whole JSON (expected one of ',]', found '' at item 2): fix it, or fetch it again",
        ),
    ]


def test_damage_of_a_whole_corpus_is_an_error(tmp_path: Path):
    path = tmp_path / "c.json"
    path.write_bytes(TWO)
    with pytest.raises(CorpusError, match=r"^c\.json: not whole JSON"), damage_named(str(path)):
        list(read.corpus(path))


def test_a_file_that_cannot_be_read_is_one_failure():
    (bad,) = read_all(read, b"\x1f\x8bnot gzip")
    assert isinstance(bad, BadRecord)
    assert bad.place == "notes/file.x"
    assert not bad.reason.startswith("notes")


@pytest.mark.parametrize(
    "content",
    [
        b'{"name": "tool", "version": "1.0", "scripts": {"test": "run"}}',
        b'{"hello": "Hallo", "bye": "Tsch\xc3\xbcs"}',
        b'{"type": "x", "features": [{"a": 1}, {"a": 2}]}',
        b"[1, 2, 3]",
        b"{}",
    ],
)
def test_a_file_of_settings_is_passed_over(content: bytes):
    (passed,) = read_all(read, content)
    assert isinstance(passed, PassedOver)
    assert passed.place == "notes/file.x"
    assert passed.reason == NO_TEXTS


def test_an_empty_array_holds_nothing():
    assert read_all(read, b"[]") == [PassedOver("notes/file.x", "holds no records with text")]


def test_what_was_understood_comes_first_and_a_recipe_may_say_it():
    content = b'[{"docid": 1, "contents": "x", "story": "y"}]'
    assert read_all(read, content) == [
        Understood("read docid as id, contents as text; no title"),
        Document("1", "x", id="1"),
    ]
    [said, document] = read(source_file(content), CorpusFields(text="story"))
    assert said == Understood("read docid as id, story as text; no title")
    assert isinstance(document, Document)
    assert document.text == "y"


def test_a_file_whose_records_are_in_no_utf8_is_one_named_failure():
    lines = b'{"title": "Zo\xe9", "text": "Zo\xe9 painted."}\n' * 3
    assert read_all(read, lines) == [
        BadRecord("notes/file.x", "is not UTF-8 text: save it as UTF-8")
    ]
    good = b'{"title": "T", "text": "x"}\n'
    assert [type(record) for record in read_all(read, good + lines)] == [Document] + [BadRecord] * 3
