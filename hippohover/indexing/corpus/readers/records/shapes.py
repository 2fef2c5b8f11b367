"""What the first records of a file say that all of them are."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from hippohover.indexing.corpus.fields import (
    FieldNames,
    RecordFields,
    Shape,
    decided,
    titled_document,
)
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.recipe import CorpusFields

FIRST_RECORDS: Final = 100
"""Records that are looked at, before the first document is made."""


def shape_of(records: Sequence[RecordFields], fields: CorpusFields) -> Shape:
    """What records are, whose first are these."""
    names = decided(records, fields)
    return Shape(partial(_titled, names), names.described())


def _titled(
    names: FieldNames, record: dict[str, object], place: str
) -> tuple[Document | BadRecord]:
    return (titled_document(record, place, names),)
