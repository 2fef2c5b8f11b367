"""Tables, TREC topics and text as rows, and lines that are no claims."""

import pytest

from hippohover.errors import CorpusError
from hippohover.evaluation.claims_tables import (
    are_topics,
    claim_lines,
    csv_rows,
    is_header,
    is_tsv,
    topic_rows,
    tsv_rows,
)

SGML = b"""<top>
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
XML = b"""<?xml version="1.0"?>
<topics task="x">
  <topic number="1">
    <query>harbour murals</query>
    <question>who painted them</question>
  </topic>
  <topic number="2">a whole report</topic>
</topics>"""


def test_csv_has_the_columns_of_its_header():
    content = b'qid,query,date\r\n1,"Where, then?",2026\n\n2,"Who said ""yes""?\nWho?",\n'
    assert list(csv_rows(content, "c")) == [
        ({"qid": "1", "query": "Where, then?", "date": "2026"}, "c:2"),
        ({"qid": "2", "query": 'Who said "yes"?\nWho?', "date": ""}, "c:4"),
    ]


def test_csv_of_other_signs_and_short_rows():
    assert list(csv_rows(b"id;query\n1;Who, then?\n2\n", "c")) == [
        ({"id": "1", "query": "Who, then?"}, "c:2"),
        ({"id": "2"}, "c:3"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,query\n1,Who, then?\n", "^c:2: 3 cells for 2 columns"),
        (b"id,query\n1," + b"x" * 200_000, r"^c:2: not CSV \(field larger"),
        (b'id,query\n1,"Who?\n2,Where?\n', "^c:2: a quote is not closed: close it, or double"),
        (b'id,query\n1,Who?\n2,"Where?', "^c:3: a quote is not closed"),
        (b"id,query\n1,\xff\n", "^c: not UTF-8 at byte 11"),
    ],
)
def test_bad_csv_is_named_by_its_line(content: bytes, message: str):
    with pytest.raises(CorpusError, match=message):
        list(csv_rows(content, "c"))


def test_tsv_without_a_header_is_an_id_and_a_claim():
    assert list(tsv_rows(b"7\tWho?\n\nx-8\t Where? \r\n", "c")) == [
        ({"first column": "7", "second column": "Who?"}, "c:1"),
        ({"first column": "x-8", "second column": "Where?"}, "c:3"),
    ]


def test_tsv_with_a_header():
    content = b'qid\tyear\tQuery\n7\t1931\t"Who said ""yes""?"\n8\t1932\t"Quoted"\n'
    assert [row for row, _ in tsv_rows(content, "c")] == [
        {"qid": "7", "year": "1931", "Query": 'Who said "yes"?'},
        {"qid": "8", "year": "1932", "Query": '"Quoted"'},
    ]
    rows = list(tsv_rows(b"no\tWords\n1\tWho?\n", "c", ("words",)))
    assert rows == [({"no": "1", "Words": "Who?"}, "c:2")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\tc\n", "^c: looks like TSV without a column of claims: columns a, b, c: name one"),
        (b"1\tWho?\n2\n", "^c:2: 1 columns, where the lines before have 2"),
        (b"a\x1b\tb\tc\n", r"columns a\?, b, c"),
    ],
)
def test_tsv_that_is_none(content: bytes, message: str):
    with pytest.raises(CorpusError, match=message):
        list(tsv_rows(content, "c"))


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


def test_topics_of_sgml_and_xml():
    assert are_topics(SGML.decode())
    assert list(topic_rows(SGML, "c")) == [
        ({"qid": "301", "title": "International Organized Crime",
          "desc": "Which organizations & people?"}, "c:1"),
        ({"qid": "302", "title": "Polio"}, "c:10"),
    ]  # fmt: skip
    assert are_topics(XML.decode())
    assert list(topic_rows(XML, "c")) == [
        ({"qid": "1", "query": "harbour murals", "question": "who painted them"}, "c:3"),
        ({"qid": "2", "text": "a whole report"}, "c:7"),
    ]
    assert not are_topics("The <top> of it") and not are_topics("<topics>")


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
def test_a_claim_is_the_whole_text_of_its_element(body: str, row: dict[str, str]):
    assert list(topic_rows(f"<top>{body}</top>".encode(), "c")) == [(row, "c:1")]


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


def test_text_is_one_claim_a_line():
    assert list(claim_lines(b"One, two.\n\n #Isk is old. \n", "c")) == [
        ({"line": "One, two."}, "c:1"),
        ({"line": "#Isk is old."}, "c:3"),
    ]


def test_list_marks_go_where_every_line_has_one():
    rows = claim_lines(b"- Who?\n* Where?\n1. Why?\n 2) When?\n", "c")
    assert [row["line"] for row, _ in rows] == ["Who?", "Where?", "Why?", "When?"]
    rows = claim_lines(b"- Who?\n1931 was it.\n", "c")
    assert [row["line"] for row, _ in rows] == ["- Who?", "1931 was it."]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# questions\n- Who?", "^c:1: looks like Markdown, and this line is not a claim"),
        (b"Fees:\n\n- Who?", "^c:1: looks like Markdown"),
        (b"- Fees:\n  - Who?", "^c:1: looks like Markdown"),
        (b"- Who?\n- **Fees**\n", "^c:2: looks like Markdown"),
        (b"Who?\n\n```\n", "^c:3: looks like Markdown"),
        (b"Who?\n| a | b |\n", "^c:2: looks like Markdown"),
        (b"---\ntitle: x\n---\nWho?", "^c:1: looks like Markdown"),
        (b"<html>\nWho?", "^c:1: looks like XML or HTML"),
        (b"Who?\n</p>", "^c:2: looks like XML or HTML"),
        (b"<?xml version='1.0'?>", "^c:1: looks like XML or HTML"),
        (b"q1 0 d7 1\n", "^c:1: looks like qrels or a run of TREC"),
        (b"q1 Q0 d7 1 0.5 x\n", "^c:1: looks like qrels or a run of TREC"),
    ],
)
def test_a_line_that_is_no_claim_is_refused(content: bytes, message: str):
    with pytest.raises(CorpusError, match=message):
        list(claim_lines(content, "c"))
