"""HotpotQA's abstracts: sentences, links, and damaged members."""

import bz2
import gzip
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.records import BadRecord, Document, Link
from tests.indexing.corpus.corpus_samples import (
    SAMPLES,
    Sample,
    documents_of,
    hotpotqa_record,
    json_line,
    records_of,
    tar_bytes,
    write_hotpotqa,
)


def write_shard(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "h.tar.bz2"
    shard = bz2.compress(b"".join(map(json_line, records)))
    path.write_bytes(bz2.compress(tar_bytes([("top/AA/wiki_07.bz2", shard)])))
    return path


def test_links_are_decoded_and_stand_at_their_sentence(tmp_path: Path):
    record = {
        "title": "Elm &amp; Sons",
        "text": ["It is on the Elm.", " It sells ties.", ""],
        "text_with_links": [
            'It is on the <a href="Elm%20%28r%C3%ADver%29">Elm</a>.',
            ' It <a href="Trade%23Retail">sells</a> <a href="tie%20%26amp%3B%20bow">ties</a>.',
            '<a href="%23Here">here</a> <a href="">nowhere</a> <a href="%FF%00">odd</a>',
        ],
    }
    assert documents_of("hotpotqa", write_shard(tmp_path, record)) == [
        Document(
            "Elm & Sons",
            "It is on the Elm. It sells ties.",
            (Link(0, "Elm (ríver)"), Link(17, "Trade"), Link(17, "tie & bow"), Link(32, "\ufffd")),
        )
    ]


def test_a_record_without_linked_text_has_no_links(tmp_path: Path):
    path = write_shard(tmp_path, {"title": "T", "text": ["One.", " Two."]})
    assert documents_of("hotpotqa", path) == [Document("T", "One. Two.")]


def test_bad_records_are_named_by_archive_member_and_line(tmp_path: Path):
    good = hotpotqa_record(1, Sample("T", ("One.",)))
    path = write_shard(tmp_path, good, {**good, "text_with_links": "<a>"}, {**good, "text": 1})
    assert [r.place for r in records_of("hotpotqa", path) if isinstance(r, BadRecord)] == [
        "h.tar.bz2:top/AA/wiki_07.bz2:2",
        "h.tar.bz2:top/AA/wiki_07.bz2:3",
    ]


def test_a_damaged_shard_is_named(tmp_path: Path):
    path = tmp_path / "h.tar.bz2"
    shard = bz2.compress(json_line(hotpotqa_record(1, SAMPLES[0])))
    path.write_bytes(bz2.compress(tar_bytes([("top/AA/wiki_07.bz2", shard[:-5])])))
    with pytest.raises(CorpusError, match=r"^h\.tar\.bz2:top/AA/wiki_07\.bz2: ends too early"):
        records_of("hotpotqa", path)


def test_nothing_of_an_archive_is_written_to_the_disk(tmp_path: Path):
    path = write_hotpotqa(tmp_path)
    records_of("hotpotqa", path)
    assert list(tmp_path.iterdir()) == [path]


# DSPy's abstracts: what is read from them


def test_titles_of_wiki_abstracts_are_unescaped(tmp_path: Path):
    path = tmp_path / "w.tar.gz"
    line = json_line({"title": "B &amp; S", "text": ["One.", "Two."]})
    path.write_bytes(gzip.compress(tar_bytes([("wiki.jsonl", line + b"nope\n")])))
    assert records_of("wiki-abstracts", path) == [
        Document("B & S", "One. Two."),
        BadRecord("w.tar.gz:wiki.jsonl:2", "not JSON (Expecting value: line 1 column 1 (char 0))"),
    ]


# JSON lines: what is read from them


def test_bad_lines_are_named_by_their_number(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    good = json_line({"title": "T", "text": ["One.", "Two."], "id": 7})
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\r\nnope\n" + good.strip())
    first, bad, last = records_of("jsonl", path)
    assert first == last == Document("T", "One. Two.", id="7")
    assert isinstance(bad, BadRecord)
    assert bad.place == "c.jsonl:4"
