"""What a claims file is, its rows and their places, and which of its fields are claim and id."""

import bz2
import gzip
import json
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation import claims_files
from hippohover.evaluation.claims_files import claims_content
from hippohover.evaluation.claims_rows import ClaimRows, place_in, read_rows
from hippohover.evaluation.claims_tables import is_header, is_tsv, topic_rows
from tests.indexing.corpus.tar_samples import END, member

QUESTION = {"_id": "h0", "question": "Who sang?"}
RECORDS = [{"claim": "Größe 東京 \u2028 1"}, {"claim": "Two."}, 3]
SGML = """<top>
<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Which organizations &amp; people?
</top>

<top>
<num>302</num><title>Polio</title>
</top>
"""
XML = """<?xml version="1.0"?>
<topics task="x">
  <topic number="1">
    <query>harbour murals</query>
    <question>who painted them</question>
  </topic>
  <topic number="2">a whole report</topic>
</topics>"""


def rows_of(folder: Path, content: str | bytes, name: str = "file", **how: str) -> ClaimRows:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_rows(folder / name, **how)


def placed(folder: Path, content: str | bytes, name: str, **how: str) -> list[tuple[object, str]]:
    """Rows with what their places have behind the path."""
    rows = rows_of(folder, content, name, **how)
    return [(row, place.removeprefix(str(folder / name))) for row, place in rows.records]


# --- what it is ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "understood"),
    [
        ("a.json", json.dumps([QUESTION]), "question as claim, _id as uid"),
        ("a", json.dumps(QUESTION) + "\n", "question as claim, _id as uid"),
        ("a", json.dumps(QUESTION, indent=1), "question as claim, _id as uid"),
        ("a", json.dumps({"data": [QUESTION]}), "question as claim, _id as uid"),
        ("a", json.dumps({"h0": {"question": "Who sang?"}}), "question as claim, id as uid"),
        ("a.txt", json.dumps(QUESTION), "question as claim, _id as uid"),
        ("a.txt", json.dumps([QUESTION], indent=1), "question as claim, _id as uid"),
        ("a", '{"h0": "Who sang?"}', "claim as claim, id as uid"),
        ("a", '{"id": "h0", "Text": "Who sang?"}', "Text as claim, id as uid"),
        ("a", '{"id": "h0", "query": "x", "claim": "Who sang?"}', "claim as claim, id as uid"),
        ("a.csv", "qid,Question\nh0,Who sang?", "CSV, Question as claim, qid as uid"),
        ("a.txt", "qid;query\nh0;Who sang?", "CSV, query as claim, qid as uid"),
        ("a.tsv", "h0\tWho sang?", "TSV, second column as claim, first column as uid"),
        ("a", "h0\tWho sang?", "TSV, second column as claim, first column as uid"),
        ("a", "query_id\ttext\nh0\tWho sang?", "TSV, text as claim, query_id as uid"),
        ("a.xml", "<top><num>h0<title>Who sang?", "TREC topics, title as claim, qid as uid"),
    ],
)
def test_each_form_is_understood(tmp_path: Path, name: str, content: str, understood: str):
    rows = rows_of(tmp_path, content, name)
    assert rows.understood() == understood
    ((record, _),) = rows.records
    assert isinstance(record, dict)
    assert (record[rows.uid], record[rows.claim]) == ("h0", "Who sang?")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-be", "windows-1252"])
@pytest.mark.parametrize(
    ("name", "content", "claim"),
    [
        ("a.txt", "Who sang in Liège’s café?\nWho wrote „Brücke“?\n", "line"),
        ("a.csv", "qid,query\r\n7,Who sang in Liège’s café?\r\n", "query"),
        ("a.tsv", "7\tWho sang in Liège’s café?\n", "second column"),
        ("a.jsonl", '{"claim": "Who sang in Liège’s café?"}\n', "claim"),
    ],
)
def test_claims_in_other_encodings_are_read_as_documents_are(
    tmp_path: Path, encoding: str, name: str, content: str, claim: str
):
    written = f"{chr(0xFEFF) * (encoding == 'utf-16-be')}{content}".encode(encoding)
    if (encoding, claim) == ("windows-1252", "claim"):
        with pytest.raises(CorpusError, match=r"a\.jsonl:1: not UTF-8 at byte 2[0-9]: save it as"):
            rows_of(tmp_path, written, name)
        return
    (record, _), *_ = rows_of(tmp_path, written, name).records
    assert isinstance(record, dict)
    assert record[claim] == "Who sang in Liège’s café?"


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("qid,query,date", True),
        ("alias,name", True),
        ("Question", True),
        ("No; Query", True),
        ("Who sang in Isk?", False),
        ("Isk, a town, is old.", False),
        ("Isk,old.town of all", False),
        ("塔,監督", False),
        ("query, " + "a long sentence that goes on and on, as claims do", False),
    ],
)
def test_what_a_header_is(line: str, is_one: bool):
    assert is_header(line) is is_one


def test_what_begins_as_tsv():
    assert is_tsv("7\tWho?\n")
    assert not any(map(is_tsv, ("Who?\n", "Who sang\tthere?", "\tWho?", "7\t \r\n")))


def test_what_begins_as_topics(tmp_path: Path):
    assert {rows_of(tmp_path, text).form for text in (SGML, XML)} == {"TREC topics"}
    assert rows_of(tmp_path, "The <top> of it").form == "text"


# --- rows and their places -----------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bz2"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["bare", "marked"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_and_lines_hold_the_same_records(
    tmp_path: Path, pack: type[bytes], mark: bytes, indent: int | None
):
    array = b"\n " + json.dumps(RECORDS, indent=indent, ensure_ascii=False).encode()
    lines = b"\r\n".join(json.dumps(r, ensure_ascii=False).encode() for r in RECORDS)
    for stored, places in (
        (array, ["[0]", "[1]", "[2]"]),
        (lines, [":1", ":2", ":3"]),
        (b"\n\n" + lines + b"\r\n\r\n", [":3", ":4", ":5"]),
    ):
        found = placed(tmp_path, pack(mark + stored), "any")
        assert found == list(zip(RECORDS, places, strict=True))


@pytest.mark.parametrize("content", ["", " \n\n", "[]", " [ ]\n"])
@pytest.mark.parametrize("name", ["c", "c.json"])
def test_an_empty_file_holds_nothing(tmp_path: Path, name: str, content: str):
    assert placed(tmp_path, content, name) == []


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("c.csv", 'qid,query,date\r\n1,"Where, then?",2026\n\n2,"Who said ""yes""?\nWho?",\n',
         [({"qid": "1", "query": "Where, then?", "date": "2026"}, ":2"),
          ({"qid": "2", "query": 'Who said "yes"?\nWho?', "date": ""}, ":4")]),
        ("c.csv", "id;query\n1;Who, then?\n2\n",
         [({"id": "1", "query": "Who, then?"}, ":2"), ({"id": "2"}, ":3")]),
        ("c.tsv", "7\tWho?\n\nx-8\t Where? \r\n",
         [({"first column": "7", "second column": "Who?"}, ":1"),
          ({"first column": "x-8", "second column": "Where?"}, ":3")]),
        ("c.tsv", 'qid\tyear\tQuery\n7\t1931\t"Who said ""yes""?"\n8\t1932\t"Quoted"\n',
         [({"qid": "7", "year": "1931", "Query": 'Who said "yes"?'}, ":2"),
          ({"qid": "8", "year": "1932", "Query": '"Quoted"'}, ":3")]),
        ("c", SGML,
         [({"qid": "301", "title": "International Organized Crime",
            "desc": "Which organizations & people?"}, ":1"),
          ({"qid": "302", "title": "Polio"}, ":10")]),
        ("c", XML,
         [({"qid": "1", "query": "harbour murals", "question": "who painted them"}, ":3"),
          ({"qid": "2", "text": "a whole report"}, ":7")]),
        ("c", "It is old, \u2028 so. \r\n \t\n\u3000\n #Isk is old. ",
         [({"line": "It is old, \u2028 so."}, ":1"), ({"line": "#Isk is old."}, ":4")]),
        ("c", "- Who?\n* Where?\n1. Why?\n 2) When?\n",
         [({"line": "Who?"}, ":1"), ({"line": "Where?"}, ":2"),
          ({"line": "Why?"}, ":3"), ({"line": "When?"}, ":4")]),
        ("c", "- Who?\n1931 was it.\n",
         [({"line": "- Who?"}, ":1"), ({"line": "1931 was it."}, ":2")]),
        ("c", '{"uid": "a", "phrase": "b"}', [({"uid": "a", "phrase": "b"}, ":1")]),
    ],
)  # fmt: skip
def test_rows_have_the_fields_and_places_of_the_file(
    tmp_path: Path, name: str, content: str, rows: Sequence[tuple[object, str]]
):
    assert placed(tmp_path, content, name) == list(rows)


@pytest.mark.parametrize(
    ("body", "row"),
    [
        ("<title>pilot of the <b>Heron</b> at sea</title><desc>x</desc>",
         {"title": "pilot of the Heron at sea", "desc": "x"}),
        ("<title>pilot of the <I class='x'>Heron</I> at sea\n<desc>Description: x",
         {"title": "pilot of the Heron at sea", "desc": "x"}),
        ("<query><b>Heron</b><br/>at H<sub>2</sub>O</query>", {"query": "Heron at H2O"}),
        ("<query>who <of><ship>Heron</ship></of> is</Query><desc>x</desc>",
         {"query": "who Heron is", "desc": "x"}),
        ("<query>who <ship>Heron is</query><desc>x</desc>",
         {"query": "who Heron is", "desc": "x"}),
        ("pilot of the <b>Heron</b> at sea", {"text": "pilot of the Heron at sea"}),
        ("<all><query>a</query> <desc>b</desc></all>", {"query": "a", "desc": "b"}),
        ("<query><text>a</text><narr>b</narr></query>", {"text": "a", "narr": "b"}),
        ("<num>1<title>a<desc>b", {"qid": "1", "title": "a", "desc": "b"}),
    ],
)  # fmt: skip
def test_a_claim_is_the_whole_text_of_its_element(tmp_path: Path, body: str, row: dict[str, str]):
    assert placed(tmp_path, f"<top>{body}</top>", "c") == [(row, ":1")]


@pytest.mark.parametrize(
    ("content", "n_topics"),
    [
        (f"<top {'a' * 300_000}>", 1),
        (f"<top {'a = ' * 100_000}>", 1),
        (f"<top>{'<a' * 100_000}", 1),
        (f"<top><{'a' * 300_000}", 1),
        (f"<top><a{' ' * 300_000}", 1),
        ("<top " * 100_000, 0),
        ("<top>" * 20_000, 20_000),
        (f"<top>{'<a>x' * 100_000}{'</a>' * 100_000}", 1),
        (f"<top>{'<a>' * 100_000}{'</b>' * 100_000}", 1),
    ],
    ids=["name", "attributes", "tags", "tag", "blanks", "open", "topics", "nested", "crossed"],
)
def test_hostile_topics_come_to_an_end(content: str, n_topics: int):
    """What takes time by the square of its length would go on for minutes."""
    assert len(list(topic_rows(content.encode(), "c"))) == n_topics


# --- claim and id --------------------------------------------------------------------------------


def test_without_an_id_the_line_counts(tmp_path: Path):
    assert rows_of(tmp_path, "question\nWho sang?").understood() == (
        "CSV, question as claim, number of its line as uid"
    )
    rows = rows_of(tmp_path, "Who sang?\n")
    assert (rows.form, rows.understood()) == ("text", "one a line")
    assert place_in("dir:7/c.txt:12") == {"line": 12}
    assert place_in("c.json[3]") == {"item": 3}
    assert place_in("c.json") == {}


def test_ids_of_a_table_are_the_column_that_qrels_name(tmp_path: Path):
    """Its lines are counted from the header, and no qrels count them so."""
    qrels, file = {"1": ("d0",), "2": ("d2",)}, Path("q.tsv")
    table = "hops,nr,query\n1,1,Who sang?\n1,2,Who rang?"
    rows = rows_of(tmp_path, table, "a.csv").with_ids_of(qrels, file)
    assert rows.understood() == "CSV, query as claim, nr as uid"
    named = rows_of(tmp_path, "id,nr,query\nx,1,Who?", "a.csv")
    assert named.with_ids_of(qrels, file).uid == "id"  # what is called an id is one
    lines = rows_of(tmp_path, "Who sang?\n", "b.txt")
    assert lines.with_ids_of(qrels, file) is lines
    with pytest.raises(CorpusError, match=r"no column holds .* q\.tsv .* \(there are: hops, query"):
        rows_of(tmp_path, "hops,query\n3,Who?", "a.csv").with_ids_of(qrels, file)


@pytest.mark.parametrize(
    ("name", "content", "column", "claim"),
    [
        ("a.csv", "id,phrase,text\n1,Who?,x", "phrase", "phrase"),
        ("a.tsv", "no\tPhrase\n1\tWho?", "phrase", "Phrase"),
        ("a", "<top><num>1<title>a<desc>Who?", "desc", "desc"),
        ("a", '{"title": "a", "text": "Who?"}', "text", "text"),
    ],
)
def test_a_column_may_be_named(tmp_path: Path, name: str, content: str, column: str, claim: str):
    rows = rows_of(tmp_path, content, name, claim_column=column)
    assert rows.claim == claim
    record: Any = rows.records[0][0]
    assert record[claim] == "Who?"


def test_a_json_row_without_a_claim_says_what_there_is(tmp_path: Path):
    rows = rows_of(tmp_path, '[{"uid": "a", "phrase": 1}]')
    assert rows.claim == "claim"
    assert rows.no_claim(rows.records[0][0]).endswith("(there are: uid, phrase)")
    assert rows.no_claim([]) == "give an object with the claim as a text"


# --- what is refused -----------------------------------------------------------------------------

NO_COLUMN = ": looks like CSV without a column of claims: columns"
KINDS = {"yaml": "YAML", "yml": "YAML", "toml": "settings", "html": "a page", "py": "source code"}
LISTED = "- claim: Ada Finch came\n- claim: [Bo left\n"
MARKDOWN = ": looks like Markdown, and this line is not a claim"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "a,b\n1,2", f"{NO_COLUMN} a, b: name one"),
        ("a.txt", "alias,name\n1,2", f"{NO_COLUMN} alias, name"),
        ("a.tsv", "a\tb\tc\n", ": looks like TSV without a column of claims: columns a, b, c"),
        ("a.tsv", "a\x1b\tb\tc\n", ": looks like TSV without a column of claims: columns a?, b, c"),
        ("a.tsv", "1\tWho?\n2\n", ":2: 1 columns, where the lines before have 2"),
        ("a.csv", "id,query\n1,Who, then?\n", ":2: 3 cells for 2 columns"),
        ("a.csv", "id,query\n1," + "x" * 200_000, ":2: not CSV (field larger"),
        ("a.csv", 'id,query\n1,"Who?\n2,Where?\n', ":2: a quote is not closed: close it"),
        ("a.csv", 'id,query\n1,Who?\n2,"Where?', ":3: a quote is not closed"),
        ("a.jsonl", "- Who sang?\n- Who wrote?\n", ":1: not JSON"),
        ("a.json", "{", ":1: not JSON (Expecting"),
        ("a.json", '{"a"\n', ":1: not JSON (Expecting ':' delimiter: line 1 column 5 "),
        ("a.json", "\n\nnonsense", ":3: not JSON"),
        ("a.json", b'{}\n{"uid": "\xff"}', ":2: not UTF-8 at byte 9: save it as UTF-8"),
        ("a.json", b'[1, "\xff"]', ": not UTF-8 at byte 5"),
        ("a.json", "[1,\n2", ": not JSON"),
        ("a.json", "[" * 100_000, ": not JSON"),
        ("a.json", '{"uid": ' + "9" * 5_000 + "}", ":1: not JSON"),
        ("a", "<topic><x>1</x></topic>", ": looks like TREC topics without title or query"),
        ("a.jsonl", '{"title": "T", "text": "x"}', ": looks like a corpus (title, text)"),
        ("a.csv", "title,text\nT,x", ": looks like a corpus (title, text)"),
        ("a", "# questions\n- Who?", f":1{MARKDOWN}"),
        ("a", "Fees:\n\n- Who?", f":1{MARKDOWN}"),
        ("a", "- Fees:\n  - Who?", f":1{MARKDOWN}"),
        ("a", "- Who?\n- **Fees**\n", f":2{MARKDOWN}"),
        ("a", "Who?\n\n```\n", f":3{MARKDOWN}"),
        ("a", "Who?\n| a | b |\n", f":2{MARKDOWN}"),
        ("a", "---\ntitle: x\n---\nWho?", f":1{MARKDOWN}"),
        ("a", "<html>\nWho?", ":1: looks like XML or HTML"),
        ("a", "Who?\n</p>", ":2: looks like XML or HTML"),
        ("a", "<?xml version='1.0'?>", ":1: looks like XML or HTML"),
        ("a", "<topics>", ":1: looks like XML or HTML"),
        ("a", "q1 0 d7 1\n", ":1: looks like qrels or a run of TREC"),
        ("a", "q1 Q0 d7 1 0.5 x\n", ":1: looks like qrels or a run of TREC"),
        ("a", "%PDF-1.4", ": looks like PDF"),
        ("a.csv", "PK\x03\x04", ": looks like a ZIP archive"),
        ("a", "PAR1", ": looks like Parquet"),
        *((f"c.{end}", LISTED, f": looks like {kind}: give JSON") for end, kind in KINDS.items()),
        ("c.gz", gzip.compress(b"{}", mtime=0)[:-9], ": cannot be read"),
        ("c", b"\x1f\x8b", ": cannot be read"),
        ("c", bz2.compress(b"Who?")[:-9], ": cannot be read"),
        ("c", b"\x1f\x8b\x08garbage that is no gzip", ": cannot be read"),
        ("c", gzip.compress(b"{}", mtime=0)[:10] + b"\xff" * 20, ": cannot be read (Error -3"),
    ],
)  # fmt: skip
def test_what_is_no_claims_file_is_named_on_one_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
):
    with pytest.raises(CorpusError) as raised:
        rows_of(tmp_path, content, name)
    assert str(raised.value).startswith(f"{tmp_path / name}{message}")
    assert str(raised.value).isprintable()


def test_a_column_that_is_not_there(tmp_path: Path):
    with pytest.raises(CorpusError, match="has no column 'b': give --claim-column one of a, query"):
        rows_of(tmp_path, "a,query\n1,Who?", "a.csv", claim_column="b")
    with pytest.raises(CorpusError, match="text has no column 'b': leave out"):
        rows_of(tmp_path, "Who?", claim_column="b")


@pytest.mark.parametrize(
    ("content", "kind"),
    [(member("a.txt", b"Who came?") + END, "a tar archive"), (b"Who\0came?\n", "no text")],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bytes_that_are_no_text_are_no_claims(
    tmp_path: Path, content: bytes, kind: str, pack: Callable[[bytes], bytes]
):
    with pytest.raises(CorpusError, match=f"looks like {kind}: give JSON"):
        rows_of(tmp_path, pack(content), "c.gz" if pack is gzip.compress else "c")


def test_a_missing_path_and_a_folder(tmp_path: Path):
    with pytest.raises(CorpusError, match="no such claims file"):
        read_rows(tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match="is a folder: give the file of claims in it"):
        read_rows(tmp_path)
    (tmp_path / "queries.jsonl").touch()
    with pytest.raises(CorpusError, match=r"is a folder: give .*queries\.jsonl, with --qrels"):
        read_rows(tmp_path)


def test_a_file_that_unpacks_without_end_is_refused_and_never_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(claims_files, "MAX_CLAIMS_BYTES", 10_000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b" " * 20_000_000))
    tracemalloc.start()
    with pytest.raises(CorpusError, match="over 10,000 bytes unpacked"):
        claims_content(tmp_path / "bomb.gz")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2_000_000
