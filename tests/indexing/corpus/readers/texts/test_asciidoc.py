"""AsciiDoc: title and attributes, headings, links, code and tables."""

import pytest

from hippohover.indexing.corpus.readers.texts.asciidoc import read
from tests.indexing.corpus.readers.texts.text_samples import document, headings_in, targets_of

PAGE = """= Heron Bridge
Ada Finch <ada@x.org>
v1.2, 2026-03-01
:toc:
:description: What a crossing costs

A bridge, see xref:rules/keys.adoc#k[the keys], <<rates,the rates>>, <<other.adoc#x>>,
link:docs/guide.html[the guide] and https://x.org[the site]. `<<code>>` +
next image:a.png[].

// a comment
////
a longer
////
[[my-rates]]
== Rates
.Fees
[source,java]
----
// kept
int x;
----

NOTE: Closed.

include::part.adoc[]

image::map.png[A map]

[#own]
=== Cars and `vans`
* one
"""

TABLES = """[cols="1,1"]
|===
|Name |Fee

|cars
|2 crowns
and more

|vans |xref:v.adoc[3]
|===

[%header,cols=2*]
|===
|A |B
|1 |2
|===

|===
|no |header
|===
"""


def test_a_page_with_a_header():
    page = document(read, "a/heron.adoc", PAGE)
    assert page.title == "Heron Bridge"
    assert page.fields == {
        "author": "Ada Finch",
        "date": "2026-03-01",
        "description": "What a crossing costs",
    }
    assert page.text.strip() == (
        "A bridge, see the keys, the rates, x,\nthe guide and the site. <<code>>\nnext .\n\n"
        "Rates\n\nFees\n// kept\nint x;\n\nNOTE: Closed.\n\nCars and vans\n\n* one"
    )
    assert headings_in(page) == [
        ("Rates", "my-rates", "Rates"),
        ("Rates > Cars and vans", "own", "Cars and vans"),
    ]
    assert targets_of(page) == ["a/rules/keys", "a/other", "a/docs/guide", "a/part"]


def test_rows_of_tables_say_their_header():
    page = document(read, "tables.asciidoc", TABLES)
    assert page.text.split("\n") == [
        "Name: cars; Fee: 2 crowns and more",
        "Name: vans; Fee: 3",
        "",
        "A: 1; B: 2",
        "",
        "no; header",
    ]
    assert targets_of(page) == ["v"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Plain.\n\nTom Ashe\n:not: a field", "Plain.\n\nTom Ashe"),
        ("== Section first\nText", "Section first\n\nText"),
        ("ifdef::x[]\nText\nendif::[]", "Text"),
        ("----\nno end", "no end"),
        ("a | b", "a | b"),
        ('[cols="1,c*"]\n|===\n|1 |2\n|3 |4\n|===', "1; 2\n3; 4"),
        ("[cols=0*]\n|===\n|1\n|===", "1"),
    ],
)
def test_what_are_words(written: str, text: str):
    assert document(read, "w.adoc", written).text == text


def test_sections_of_the_same_words_are_numbered_as_asciidoctor_does():
    text = "= Rates\n\nText.\n\n== Rates\n\n== What's 3.2 - new?\n\n== Rates\n\n[#r]\n== Rates\n"
    assert [anchor for _, anchor, _ in headings_in(document(read, "a.adoc", text))] == [
        "_rates", "_whats_3_2_new", "_rates_2", "r"
    ]  # fmt: skip
