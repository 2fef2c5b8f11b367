"""Detects from the first records of a file how to read all of them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from hippohover.indexing.corpus.fields import (
    FieldNames,
    RecordFields,
    Shape,
    decided,
    holds_text,
    titled_document,
)
from hippohover.indexing.corpus.readers.records.fever import fever_page, is_fever_page
from hippohover.indexing.corpus.readers.records.questions import (
    is_claim,
    is_question,
    paragraphs_of,
)
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.recipe import NO_FIELDS, CorpusFields

FIRST_RECORDS: Final = 100
"""Records that are looked at, before the first document is made."""


def shape_of(records: Sequence[RecordFields], fields: CorpusFields) -> Shape:
    """Return the shape of records with these first ones; trusts a recipe that names fields."""
    if fields == NO_FIELDS:
        if _are(records, is_question):
            return Shape(paragraphs_of, "read the paragraphs of questions, each once")
        if _are(records, is_fever_page):
            return Shape(fever_page, "read pages of FEVER: id as title")
        if _are(records, is_claim) and not any(map(holds_text, records)):
            return Shape(_claim)
    names = decided(records, fields)
    return Shape(partial(_titled, names), names.described())


def _are(records: Sequence[RecordFields], what: Callable[[RecordFields], bool]) -> bool:
    return bool(records) and all(map(what, records))


def _titled(
    names: FieldNames, record: dict[str, object], place: str
) -> tuple[Document | BadRecord]:
    return (titled_document(record, place, names),)


def _claim(_: dict[str, object], place: str) -> tuple[BadRecord]:
    return (BadRecord(place, "a claim or a question, and no document to search"),)
