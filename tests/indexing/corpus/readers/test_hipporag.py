"""HippoRAG's array of documents: what is read from it."""

import json
from pathlib import Path

import pytest

from hippohover.indexing.corpus.formats import READERS
from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.corpus_samples import records_of


def test_bad_items_of_an_array_are_named_by_their_number(tmp_path: Path):
    path = tmp_path / "c.json"
    path.write_bytes(b'[{"title": "T", "text": "x"}, 5, {"title": "\xff", "text": "x"}]')
    assert records_of("hipporag", path) == [
        Document("T", "x"),
        BadRecord("c.json: item 2", "a JSON int, not an object with title and text"),
        BadRecord("c.json: item 3", "is not UTF-8 text"),
    ]


@pytest.mark.slow
def test_an_array_of_more_than_64_megabytes_is_read(tmp_path: Path):
    path = tmp_path / "large.json"
    item = json.dumps({"title": "T", "text": "Words of a long text. " * 400, "idx": 0})
    n_items = 68 * 2**20 // len(item)
    path.write_text(f"[{', '.join([item] * n_items)}]", encoding="ascii")
    assert sum(isinstance(record, Document) for record in READERS["hipporag"](path)) == n_items
