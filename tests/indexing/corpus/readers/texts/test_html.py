"""Pages as sites have them: titles, headings, links, tables; and what is on every page."""

import pytest

from hippohover.indexing.corpus.readers.texts.html import read
from tests.indexing.corpus.readers.texts.text_samples import (
    document,
    headings_in,
    reason,
    targets_of,
)

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>Rates &amp; fees | Heron Bridge</title>
<meta name="description" content="What a crossing costs.">
<meta property="article:published_time" content="2026-03-01">
<meta name="author" content="Ada Finch"><link rel="canonical" href="https://x.org/rates">
<style>p { color: red }</style></head>
<body><header class="site"><nav><a href="/">Home</a></nav></header>
<div class="sidebar"><a href="old.html">Old rates</a></div>
<main><h1>Rates &amp; fees<a class="headerlink" href="#top">¶</a></h1>
<ul><li><a href="#cars">Cars</a></li><li><a href="#more">More</a></li></ul>
<p>A crossing costs <b>2</b>&nbsp;crowns; see <a href="../rules/keys.html#k">the
keys</a>, <a href="https://x.org">the site</a>, <a href="map.png">a map</a>.<br>No change.</p>
<section id="cars"><h2>Cars</h2>
<ul><li>small<li>lar<em>ge</em></ul>
<pre><code>if x:
    pay()
</code></pre></section>
<aside class="admonition note"><p>Closed on Sunday.</p></aside>
<script>track("</p>")</script><noscript>Please</noscript>
</main><footer>All rights</footer></body></html>"""

TABLES = """<title>Untold</title><body><h2 id="t">Tables</h2>
<table><caption>Rates</caption><thead><tr><th>Region<th>Rate</thead>
<tr><td rowspan="2"><a href="north.htm">North</a><td>12 %<tr><td>13 <p>%</p><tr><td colspan=2>none
</table>
<table><tr><th>Born<td>1931<tr><th>Died<td></table>
<table><tr><th>only<th>a header</table>
<table><tr><td><table><tr><td>in<td>side</table><td>a layout</table>"""

OLD = b"""<HTML><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1252">
<TITLE></TITLE></HEAD><BODY><CENTER><H1>Caf\xe9 Brod</H1></CENTER>
<P>One<P>Two <FONT COLOR=red>red<BR>three<HR><A NAME=x></A><A HREF="b%20c.htm">b</A>
</BODY></HTML>"""


def test_a_page_of_a_site():
    page = document(read, "fees/index.html", PAGE)
    assert page.title == "Rates & fees"
    assert page.aliases == ("Rates & fees | Heron Bridge", "fees", "index")
    assert page.id == "fees/index"
    assert page.path == "fees/index.html"
    assert page.text.strip() == (
        "A crossing costs 2 crowns; see the keys, the site, a map.\nNo change.\n\n"
        "Cars\n\n- small\n- large\n\nif x:\n    pay()\n\n\nClosed on Sunday."
    )
    assert headings_in(page) == [("Cars", "cars", "Cars")]
    assert targets_of(page) == ["rules/keys"]
    assert page.text[page.links[0].offset :].startswith("the keys")
    assert page.fields == {
        "title": "Rates & fees",
        "description": "What a crossing costs.",
        "date": "2026-03-01",
        "author": "Ada Finch",
        "url": "https://x.org/rates",
        "lang": "en",
    }


def test_a_header_of_two_rows_names_columns_by_both():
    page = document(
        read,
        "t.html",
        """<body><table>
        <thead><tr><th rowspan=2>Region</th><th colspan=2>2023</th><th>2024</th></tr>
        <tr><th>Q1</th><th>Q2</th><th>Q1</th></tr></thead>
        <tr><td>North</td><td>1</td><td>2</td><td>3</td></tr></table>
        <table><tr><th colspan=2>Rates</th></tr><tr><th>Ship</th><th>Fee</th></tr>
        <tr><td>big</td><td>5</td></tr><tr><th>small</th><th>2</th></tr></table>
        <table><tr><th>Ship</th><th>Fee</th></tr><tr><th colspan=2>North</th></tr>
        <tr><td>small</td><td>2</td></tr></table></body>""",
    )
    assert page.text.split("\n") == [
        "Region: North; 2023 Q1: 1; 2023 Q2: 2; 2024 Q1: 3",
        "",
        "Rates",
        "Ship: big; Fee: 5",
        "Ship: small; Fee: 2",
        "",
        "Ship: North",
        "Ship: small; Fee: 2",
    ]


def test_rows_of_tables_say_their_header():
    page = document(read, "a/tables.htm", TABLES)
    assert page.title == "Untold"
    assert page.text.split("\n") == [
        "Tables",
        "",
        "Rates",
        "Region: North; Rate: 12 %",
        "Region: North; Rate: 13 %",
        "Region: none",
        "",
        "Born: 1931",
        "Died",
        "",
        "only; a header",
        "",
        "in; side",
        "",
        "a layout",
    ]
    assert headings_in(page) == [("Tables", "t", "Tables")]
    assert targets_of(page) == ["a/north"]


def test_an_old_page_says_how_it_is_written():
    page = document(read, "old/brod.html", OLD)
    assert page.title == "Café Brod"
    assert page.text.split() == ["One", "Two", "red", "three", "b"]
    assert targets_of(page) == ["old/b c"]
    odd = document(read, "o.html", OLD.replace(b"windows-1252", b"rot13"))
    assert odd.title == "Café Brod"  # found out, for rot13 is none


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<nav>all <p>of it</p></nav>", ""),
        ("<p>a</p><p hidden>b</p><p style='display: none'>c</p><p aria-hidden=true>d</p>", "a"),
        ("<article><p>one</p></article><article><p>two</p></article>", "one\n\ntwo"),
        ("<p>whole and long enough to count</p><main>m</main>",
         "whole and long enough to count\n\nm"),
        ("<header><h1>T</h1><p>by A</p></header>x", "by A\n\nx"),
        ("<dl><dt>term<dd>what it is</dl>", "term\nwhat it is"),
        ("<ul><li><a href='#a'>a</a> and words</ul>", "- a and words"),
        ("x<!-- c --><?php echo 1 ?>y", "xy"),
        ("a<sub>2</sub> &lt;b&gt; &#x41;&bogus;", "a2 <b> A&bogus;"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_are_words(body: str, text: str):
    assert document(read, "w.xhtml", f"<html><body>{body}</body></html>").text.strip() == text


def test_what_is_outside_is_not_fetched_and_entities_are_none():
    page = document(
        read,
        "x.xhtml",
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html [<!ENTITY a "aaa">'
        '<!ENTITY b SYSTEM "file:///etc/passwd">]><html><body><p>t &a; &b;</p></body></html>',
    )
    assert "root:" not in page.text
    assert "aaa" not in page.text
    assert page.text.endswith("t &a; &b;")


def test_a_page_without_end_is_refused():
    deep = "<div>" * 300 + "words" + "</div>" * 300
    assert reason("d.html", deep) == "its elements are nested too deep: check that it is a page"


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE html [\n<!ENTITY x "y">\n]>',
        "<!doctype html PUBLIC '-//W3C//DTD XHTML 1.0//EN' [<!ENTITY % a SYSTEM 'file:///x'>] >",
        "<!DOCTYPE html>",
        "<?xml version='1.0'?><!-- [x]> --><!DOCTYPE html [<!ELEMENT p (a)>]>",
    ],
)
def test_a_doctype_is_no_text(doctype: str):
    assert (
        document(read, "w.html", f"{doctype}<html><body><p>It froze.").text.strip() == "It froze."
    )


def test_what_looks_like_a_doctype_far_below_is_text():
    text = document(read, "w.html", f"<p>{'x ' * 70_000}<p>a ]&gt; b").text
    assert text.endswith("a ]> b")


def test_a_heading_that_opens_a_page_of_another_title_is_text_of_it():
    page = document(read, "p.html", "<title>Port</title><body><h1>Dues of Orle</h1><p>Text.")
    assert (page.title, page.aliases) == ("Port", ("Dues of Orle", "p"))
    assert page.text == "Dues of Orle\n\nText."
    assert [heading.path for heading in page.headings] == ["Dues of Orle"]
    same = document(
        read, "p.html", "<title>Dues of Orle | Port</title><body><h1>Dues of Orle</h1>Text."
    )
    assert (same.title, same.text.strip()) == ("Dues of Orle", "Text.")


def test_an_id_that_stands_twice_leads_to_the_first_heading_alone():
    page = document(
        read, "a.html", '<p>Text.</p><h2 id="r">Rates</h2><p>a</p><h2 id="r">Rates</h2><p>b</p>'
    )
    assert headings_in(page) == [("Rates", "r", "Rates"), ("Rates", "", "Rates")]


@pytest.mark.parametrize(
    ("part", "is_read"),
    [
        ("<article><p>Text of the weir.</p><aside><p>{}</p></aside></article>", True),
        ('<article><p>Text.</p><aside class="box" id="b1"><p>{}</p></aside></article>', True),
        ('<article><p>Text.</p><div role="complementary"><p>{}</p></div></article>', True),
        ('<article><p>Text.</p><aside><p>{} <a href="x">or x</a></p></aside></article>', True),
        ('<article><p>Text.</p><aside class="right-sidebar"><p>{}</p></aside></article>', False),
        ('<article><p>Text.</p><aside class="related-posts"><p>{}</p></aside></article>', False),
        ('<article><p>Text.</p><aside><a href="x">{}</a></aside></article>', False),
        ("<main><p>Text.</p></main><aside><p>{}</p></aside>", False),
        ("<article><header><h2>Weirs</h2><p>{}</p></header><p>Text.</p></article>", True),
        ("<article><header><p>{}</p></header><p>Text.</p></article>", False),
        ("<blockquote><p>Text.</p><footer>{}</footer></blockquote>", True),
        ("<article><p>Text.</p><footer>{}</footer></article>", False),
    ],
)
def test_what_stands_in_an_article_beside_its_text_is_read(part: str, is_read: bool):
    words = "Boats of Ott paid nothing."
    page = f"<html><body>{part.format(words)}</body></html>"
    assert (words in document(read, "a.html", page).text) == is_read
