"""What the first records of a file say of all."""

import pytest

from hippohover.indexing.corpus.fields import RecordFields
from hippohover.indexing.corpus.readers.records.shapes import shape_of
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.recipe import NO_FIELDS, CorpusFields

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
