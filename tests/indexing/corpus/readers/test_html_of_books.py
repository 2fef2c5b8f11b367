"""Pages of books."""

import pytest

from hippohover.indexing.corpus.readers.documents import office_document
from hippohover.indexing.corpus.readers.html_walk import BookPage
from hippohover.indexing.corpus.readers.office.epub import page_root
from hippohover.indexing.corpus.readers.text_builder import TextBuilder
from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.readers.texts.text_samples import source


def read_page(page: str, title: str = "") -> Document:
    body = TextBuilder()
    BookPage(body, title).over(page_root(page.encode()))
    document = office_document(source("a.epub", b""), body.marked(), {})
    assert not isinstance(document, BadRecord)
    return document


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<div>a<p>b</p>c <b>d</b>e</div>", "a\n\nb\n\nc de"),
        ("<pre>if x:\n  y\n\nz</pre>", "if x:\ny\nz"),
        ("<div><script>x</script><style>y</style>a<!-- c --></div>", "a"),
        ("<ul><li>a<p>b</p></li><li><ol><li>c</li></ol></li></ul><p>d</p>",
         "- a\n\nb\n\n  - c\n\nd"),
        ("<p>a<br/>b &amp; c</p>", "a b & c"),
        ("<p>x &nbsp; &eacute; &unknown;</p>", "x é &unknown;"),
        ("<div><table><tbody><tr><td>only</td><td>layout</td></tr></tbody></table></div>",
         "only\n\nlayout"),
        ('<table><tr><th colspan="2">a</th><th>b</th></tr><tr><td>1</td><td>2</td><td>3</td></tr>'
         "</table>", "a: 1; 2; b: 3"),
        ('<table><thead><tr><th rowspan="2">Weir</th><th colspan="2">1931</th></tr><tr><th>Boats'
         "</th><th>Cars</th></tr></thead><tr><td>Ott</td><td>2</td><td>5</td></tr></table>",
         "Weir: Ott; 1931 Boats: 2; 1931 Cars: 5"),
        ('<table><tr><th></th><th colspan="2">1931</th></tr><tr><th>Weir</th><th>Boats</th><th>Cars'
         "</th></tr><tr><th>Ott</th><td>2</td><td>5</td></tr></table>",
         "Weir: Ott; 1931 Boats: 2; 1931 Cars: 5"),
        ('<table><tr><th>Weir</th><th>Due</th></tr><tr><td rowspan="2">Ott</td><td>2</td></tr>'
         "<tr><td>5</td></tr></table>", "Weir: Ott; Due: 2\nWeir: Ott; Due: 5"),
        ("<p><ruby>漢<rt>kan</rt></ruby></p>", "漢"),
        ('<!DOCTYPE html PUBLIC "x" "y"><p>x&nbsp;&eacute;&none;</p>', "x é&none;"),
        ("<p>open <i>unclosed", "open unclosed"),
    ],
)  # fmt: skip
def test_blocks(page: str, expected: str):
    assert read_page(page).text == expected


@pytest.mark.parametrize(
    ("page", "anchor"),
    [
        ('<div><p>x</p><h2 id="a">H</h2></div>', "a"),
        ('<div><p>x</p><h2><a id="b"/>H</h2></div>', "b"),
        ('<div><p>x</p><section id="c"><h2>H</h2></section></div>', "c"),
        ("<div><p>x</p><h2>H</h2></div>", ""),
    ],
)
def test_a_heading_has_the_anchor_that_is_on_it_or_just_before(page: str, anchor: str):
    (heading,) = read_page(page).headings
    assert (heading.path, heading.anchor) == ("H", anchor)


def test_a_title_from_outside_heads_a_page_without_a_heading_at_its_head():
    assert read_page("<div><p>a</p><h2>b</h2></div>", "T").title == "T"
    assert read_page("<div><h1>b</h1><p>a</p></div>", "T").title == "b"


def test_an_empty_page_is_no_block():
    assert read_page("<div></div>", "T").text == ""
