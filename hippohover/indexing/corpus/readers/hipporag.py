"""HippoRAG's corpora: one JSON array of ``{"title", "text", "idx"}``, packed or not."""

from pathlib import Path

from hippohover.indexing.corpus.files.streams import NOT_UTF8, open_stream
from hippohover.indexing.corpus.readers.json_array import JsonArray
from hippohover.indexing.corpus.records import BadRecord, Records, as_object, titled_document


def read(path: Path) -> Records:
    """Documents of the array's items."""
    with open_stream(path) as stream:
        for number, (item, is_utf8) in enumerate(JsonArray(stream, path.name), 1):
            place = f"{path.name}: item {number}"
            record = as_object(item, place) if is_utf8 else BadRecord(place, NOT_UTF8)
            yield record if isinstance(record, BadRecord) else titled_document(record, place)
