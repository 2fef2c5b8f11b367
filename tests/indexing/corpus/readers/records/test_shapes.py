"""What the first records of a file say of all."""

import json
from typing import Any

import pytest

from hippohover.indexing.corpus.fields import RecordFields
from hippohover.indexing.corpus.readers.records.shapes import (
    fever_page,
    is_fever_page,
    is_question,
    paragraphs_of,
    shape_of,
)
from hippohover.indexing.corpus.records import BadRecord, Document, Link
from hippohover.recipe import NO_FIELDS, CorpusFields
from hippohover.records import passage_id

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
    assert list(shape_of([claim], NO_FIELDS).documents(claim, "f:1")) == [
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
    [bad] = fever_page({**FEVER_PAGE, name: 5}, "f:1")
    assert isinstance(bad, BadRecord)


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
    bad = list(paragraphs_of(record, "f:1"))
    assert len(bad) == n_bad
    assert all(isinstance(one, BadRecord) and one.place.startswith("f:1") for one in bad)
