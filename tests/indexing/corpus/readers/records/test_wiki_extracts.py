"""wikiextractor's files and folders."""

import bz2
import json
from pathlib import Path

import pytest

from hippohover.indexing.corpus.formats import detect_format
from hippohover.indexing.corpus.readers.records import wiki_extracts
from hippohover.indexing.corpus.readers.records.wiki_extracts import files_of, read, read_corpus
from hippohover.indexing.corpus.records import BadRecord, Document, Link
from tests.indexing.corpus.readers.records.record_samples import read_all

DOC = (
    '<doc id="12" url="https://x.org/wiki?curid=12" title="Brod &amp; S">\nBrod &amp; S\n\n'
    'By the &lt;a href="Pale%20Weir%23Lock"&gt;weir&lt;/a&gt; &amp; mill.\n\nTwo.\n</doc>\n'
)
EXPECTED = Document("Brod & S", "By the weir & mill.\n\nTwo.\n", (Link(7, "Pale Weir"),), id="12")


def test_a_document_loses_the_line_of_its_title_and_keeps_its_links():
    assert read_all(read, DOC.encode() * 2) == [EXPECTED, EXPECTED]


def test_a_folder_of_lines_of_json_and_of_documents_is_read_in_order(tmp_path: Path):
    line = json.dumps({"id": "1", "revid": "5", "url": "u", "title": "T", "text": "One."})
    for name in ("AA", "AB"):
        (tmp_path / name).mkdir()
    (tmp_path / "AA" / "wiki_00").write_text(f"{line}\n", encoding="utf-8")
    (tmp_path / "AB" / "wiki_00.bz2").write_bytes(bz2.compress(DOC.encode()))
    (tmp_path / "AB" / "readme").write_text("no corpus", encoding="utf-8")
    assert [file.name for file in files_of(tmp_path)] == ["wiki_00", "wiki_00.bz2"]
    assert detect_format(tmp_path) == "wiki-extracts"
    read_so = [d for d in read_corpus(tmp_path) if isinstance(d, Document)]
    assert [(d.title, d.id, d.fields["url"]) for d in read_so] == [
        ("T", "1", "u"), ("Brod & S", "12", "https://x.org/wiki?curid=12"),
    ]  # fmt: skip


def test_what_is_no_document_is_named_by_its_line():
    content = DOC + "loose words\n" + DOC.replace("mill", "\udcff")
    [good, loose, bad] = read_all(read, content.encode("utf-8", "surrogateescape"))
    assert good == EXPECTED
    assert (loose.place, bad.place) == ("notes/file.x:8", "notes/file.x:15")
    assert bad.reason == "is not UTF-8 text: save it as UTF-8"


def test_a_file_that_ends_within_a_document_is_cut_short():
    [good, bad] = read_all(read, (DOC + DOC[:-8]).encode())
    assert good == EXPECTED
    assert bad == BadRecord("notes/file.x", "ends within a <doc>: it is cut short")


def test_a_document_above_the_bound_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wiki_extracts, "MAX_RECORD_BYTES", 40)
    [bad] = read_all(read, DOC.encode())
    assert isinstance(bad, BadRecord)
    assert "longer than" in bad.reason
