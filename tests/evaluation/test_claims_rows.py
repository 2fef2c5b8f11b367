"""What a claims file is, and which of its fields are the claim and its id."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation.claims_rows import ClaimRows, place_in, read_rows
from tests.indexing.corpus.tar_samples import END, member

QUESTION = {"_id": "h0", "question": "Who sang?"}


def rows_of(folder: Path, content: str, name: str = "file", **how: str) -> ClaimRows:
    (folder / name).write_text(content, encoding="utf-8")
    return read_rows(folder / name, **how)


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
    file = tmp_path / name
    file.write_bytes(f"{chr(0xFEFF) * (encoding == 'utf-16-be')}{content}".encode(encoding))
    if (encoding, claim) == ("windows-1252", "claim"):
        with pytest.raises(CorpusError, match=r"a\.jsonl:1: not UTF-8 at byte 2[0-9]: save it as"):
            read_rows(file)
        return
    (record, _), *_ = read_rows(file).records
    assert isinstance(record, dict)
    assert record[claim] == "Who sang in Liège’s café?"


def test_lines_that_are_no_json_are_one_error_where_the_name_says_json(tmp_path: Path):
    with pytest.raises(CorpusError, match=r"a\.jsonl:1: not JSON"):
        rows_of(tmp_path, "- Who sang?\n- Who wrote?\n", "a.jsonl")


def test_without_an_id_the_line_counts(tmp_path: Path):
    assert rows_of(tmp_path, "question\nWho sang?").understood() == (
        "CSV, question as claim, number of its line as uid"
    )
    rows = rows_of(tmp_path, "Who sang?\n")
    assert (rows.form, rows.understood()) == ("text", "one a line")
    assert rows.records == [({"line": "Who sang?"}, f"{tmp_path / 'file'}:1")]


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


def test_a_column_may_be_named(tmp_path: Path):
    rows = rows_of(tmp_path, "id,phrase,text\n1,Who?,x", "a.csv", claim_column="phrase")
    assert rows.claim == "phrase"
    rows = rows_of(tmp_path, "no\tPhrase\n1\tWho?", "a.tsv", claim_column="phrase")
    assert (rows.claim, rows.records[0][0]) == ("Phrase", {"no": "1", "Phrase": "Who?"})
    rows = rows_of(tmp_path, "<top><num>1<title>a<desc>b", claim_column="desc")
    assert rows.claim == "desc"
    rows = rows_of(tmp_path, '{"title": "a", "text": "b"}', claim_column="text")
    assert rows.claim == "text"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "a,b\n1,2", "looks like CSV without a column of claims: columns a, b: name one"),
        ("a.txt", "alias,name\n1,2", "looks like CSV without a column of claims: columns alias, "),
        ("a.tsv", "a\tb\tc", "looks like TSV without a column of claims: columns a, b, c"),
        ("a", "<topic><x>1</x></topic>", "looks like TREC topics without title or query"),
        ("a", "<html><body>", "looks like XML or HTML"),
        ("a.jsonl", '{"title": "T", "text": "x"}', r"looks like a corpus \(title, text\)"),
        ("a.csv", "title,text\nT,x", r"looks like a corpus \(title, text\)"),
        ("a", "%PDF-1.4", "looks like PDF"),
        ("a.csv", "PK\x03\x04", "looks like a ZIP archive"),
        ("a", "PAR1", "looks like Parquet"),
    ],
)
def test_what_is_no_claims_file_is_named(tmp_path: Path, name: str, content: str, message: str):
    with pytest.raises(CorpusError, match=message) as raised:
        rows_of(tmp_path, content, name)
    assert str(raised.value).startswith(str(tmp_path / name))
    assert str(raised.value).isprintable()


def test_a_column_that_is_not_there(tmp_path: Path):
    with pytest.raises(CorpusError, match="has no column 'b': give --claim-column one of a, query"):
        rows_of(tmp_path, "a,query\n1,Who?", "a.csv", claim_column="b")
    with pytest.raises(CorpusError, match="text has no column 'b': leave out"):
        rows_of(tmp_path, "Who?", claim_column="b")


def test_a_json_row_without_a_claim_says_what_there_is(tmp_path: Path):
    rows = rows_of(tmp_path, '[{"uid": "a", "phrase": 1}]')
    assert rows.claim == "claim"
    assert rows.no_claim(rows.records[0][0]).endswith("(there are: uid, phrase)")
    assert rows.no_claim([]) == "give an object with the claim as a text"


def test_an_object_that_is_a_claim_is_no_map_of_claims(tmp_path: Path):
    rows = rows_of(tmp_path, '{"uid": "a", "phrase": "b"}')
    assert rows.records == [({"uid": "a", "phrase": "b"}, f"{tmp_path / 'file'}:1")]


def test_places_are_lines_and_items():
    assert place_in("dir:7/c.txt:12") == {"line": 12}
    assert place_in("c.json[3]") == {"item": 3}
    assert place_in("c.json") == {}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("c.yaml", "YAML"), ("c.yml", "YAML"), ("c.toml", "settings"), ("c.html", "a page"),
     ("c.py", "source code")],
)  # fmt: skip
def test_texts_of_another_kind_are_no_claims(tmp_path: Path, name: str, kind: str):
    path = tmp_path / name
    path.write_text("- claim: Ada Finch came\n- claim: [Bo left\n")
    with pytest.raises(CorpusError, match=f"{name}: looks like {kind}: give JSON, CSV, TSV"):
        read_rows(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(member("a.txt", b"Who came?") + END, "a tar archive"), (b"Who\0came?\n", "no text")],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bytes_that_are_no_text_are_no_claims(
    tmp_path: Path, content: bytes, kind: str, pack: Callable[[bytes], bytes]
):
    path = tmp_path / ("c.gz" if pack is gzip.compress else "c")
    path.write_bytes(pack(content))
    with pytest.raises(CorpusError, match=f"looks like {kind}: give JSON"):
        read_rows(path)
