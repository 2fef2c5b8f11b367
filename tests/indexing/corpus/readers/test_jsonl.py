"""JSON lines: what is read from them."""

from pathlib import Path

from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.corpus_samples import json_line, records_of


def test_bad_lines_are_named_by_their_number(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    good = json_line({"title": "T", "text": ["One.", "Two."], "id": 7})
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\r\nnope\n" + good.strip())
    first, bad, last = records_of("jsonl", path)
    assert first == last == Document("T", "One. Two.", id="7")
    assert isinstance(bad, BadRecord)
    assert bad.place == "c.jsonl:4"
