"""DSPy's abstracts: what is read from them."""

import gzip
from pathlib import Path

from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.corpus_samples import json_line, records_of, tar_bytes


def test_titles_of_wiki_abstracts_are_unescaped(tmp_path: Path):
    path = tmp_path / "w.tar.gz"
    line = json_line({"title": "B &amp; S", "text": ["One.", "Two."]})
    path.write_bytes(gzip.compress(tar_bytes([("wiki.jsonl", line + b"nope\n")])))
    assert records_of("wiki-abstracts", path) == [
        Document("B & S", "One. Two."),
        BadRecord("w.tar.gz:wiki.jsonl:2", "not JSON (Expecting value: line 1 column 1 (char 0))"),
    ]
