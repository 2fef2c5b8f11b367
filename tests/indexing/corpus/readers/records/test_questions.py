"""Paragraphs of questions as a corpus."""

import json
from typing import Any

import pytest

from hippohover.indexing.corpus.readers.records.questions import is_question, paragraphs_of
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.records import passage_id

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
