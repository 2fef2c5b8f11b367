"""Books."""

import pytest

from hippohover.indexing.corpus.passages import CorpusCounts, PassageMaking
from hippohover.indexing.corpus.readers.office import epub as epub_reader
from hippohover.indexing.corpus.records import BadRecord, Document
from tests.indexing.corpus.readers.office.office_samples import (
    epub,
    novel_epub,
    part_of,
    read_document,
    reason,
    repacked,
)
from tests.indexing.corpus.readers.texts.text_samples import source


def test_a_novel():
    document = read_document("books/winter.epub", novel_epub())
    assert document.title == "Winter of 1931"
    assert document.aliases == ("winter",)
    assert document.text == (
        "The ice\n\nNo ship left.\n\nRates\n\nRegion: North; Rate: 12 %\n\n"
        "The thaw\n\nThen it thawed.\n\n- One\n\n- Two\n\n- Deep"
    )
    assert [(heading.path, heading.anchor) for heading in document.headings] == [
        ("The ice", "ice"), ("The ice > Rates", ""), ("The thaw", ""),
    ]  # fmt: skip
    assert document.links == ()
    assert document.fields == {
        "title": "Winter of 1931",
        "author": ["Mira Oldane", "Oleg Brant"],
        "date": "1933-02-01",
    }


def test_no_passage_goes_from_one_chapter_into_the_next():
    document = read_document("books/winter.epub", novel_epub())
    [[ice, thaw]] = PassageMaking(250, False, ()).documents([document], CorpusCounts())
    assert [(one.heading, one.page) for one in (ice, thaw)] == [("The ice", 0), ("The thaw", 0)]
    assert [section.heading for section in ice.sections] == ["The ice > Rates"]


def test_an_older_book_has_its_titles_in_ncx():
    more = '<item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    ncx = """<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://example.org/ncx.dtd">
    <ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>First day
    </text></navLabel><content src="a.xhtml#x"/></navPoint></navMap></ncx>"""
    book = repacked(epub({"a.xhtml": "<p>It froze.</p>"}, more=more), {"OEBPS/toc.ncx": ncx})
    document = read_document("old.epub", book)
    assert document.title == "First day"
    assert document.text == "It froze."


def test_a_book_without_a_word_on_itself_is_called_as_its_file():
    document = read_document("b/story.epub", epub({"a.xhtml": "<p>A</p>", "b.xhtml": "<p>B</p>"}))
    assert (document.title, document.text, document.headings) == ("story", "A\n\nB", ())


def test_pages_that_are_not_there_or_not_xhtml_are_none():
    book = epub({"a.xhtml": "<p>A &nbsp; B<br>C", "b.xhtml": ""})
    assert read_document("a.epub", book).text == "A B\nC"


@pytest.mark.parametrize(("path", "is_locked"), [("OEBPS/a.xhtml", True), ("font.otf", False)])
def test_a_locked_book_is_one_failure_and_a_locked_font_is_none(path: str, is_locked: bool):
    locks = f'<e><CipherReference URI="{path}"/></e>'
    book = repacked(epub({"a.xhtml": "<p>A</p>"}), {"META-INF/encryption.xml": locks})
    if is_locked:
        assert reason("a.epub", book) == "protected by DRM: take a copy without it"
    else:
        assert read_document("a.epub", book).text == "A"


def test_a_file_is_of_the_chapter_before_only_where_a_list_of_contents_says_so():
    pages = {"a.xhtml": "<h1>Ice</h1><p>It froze.</p>", "b.xhtml": "<p>Then it thawed.</p>"}

    def headings(contents: str) -> list[str]:
        book = read_document(
            "a.epub", epub(pages, metadata="<dc:title>W</dc:title>", contents=contents)
        )
        [passages] = PassageMaking(250, False, ()).documents([book], CorpusCounts())
        return [one.heading for one in passages]

    assert headings("") == ["Ice", ""]
    assert headings('<li><a href="a.xhtml">Ice</a></li>') == ["Ice", "Ice"]


def changed(book: bytes, old: str, new: str) -> bytes:
    name = "OEBPS/book.opf"
    return repacked(book, {name: part_of(book, name).replace(old, new)})


def test_pages_that_a_book_names_and_does_not_hold_are_named():
    book = epub({"a.xhtml": "<p>It froze.</p>", "b.xhtml": "<p>It thawed.</p>"})
    lost = changed(book, 'href="b.xhtml"', 'href="c.xhtml"')
    made, bad = epub_reader.read(source("w.epub", lost))
    assert isinstance(made, Document)
    assert made.text == "It froze."
    assert isinstance(bad, BadRecord)
    assert bad.place == "w.epub/OEBPS/c.xhtml"
    unknown = changed(book, 'idref="i1"', 'idref="x"')
    _, bad = epub_reader.read(source("w.epub", unknown))
    assert isinstance(bad, BadRecord)
    assert bad.place == "w.epub/x"


def test_a_book_without_an_order_has_all_its_pages_and_one_without_a_page_is_named():
    book = epub({"a.xhtml": "<p>It froze.</p>", "b.xhtml": "<p>It thawed.</p>"})
    unordered = changed(changed(book, '<itemref idref="i0"/>', ""), '<itemref idref="i1"/>', "")
    assert read_document("w.epub", unordered).text == "It froze.\n\nIt thawed."
    assert reason("w.epub", epub({})).startswith("holds no text")


def page(content: str, title: str = "") -> Document:
    contents = f'<li><a href="a.xhtml">{title}</a></li>' if title else ""
    return read_document("a.epub", epub({"a.xhtml": content}, contents=contents))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<pre>if x:\n  y\n\nz</pre>", "if x:\n  y\n\nz"),
        ("<div><script>x</script><style>y</style>a<!-- c --></div>", "a"),
        ("<p>x &nbsp; &eacute; &unknown;</p>", "x é &unknown;"),
        ('<table><thead><tr><th rowspan="2">Weir</th><th colspan="2">1931</th></tr><tr><th>Boats'
         "</th><th>Cars</th></tr></thead><tr><td>Ott</td><td>2</td><td>5</td></tr></table>",
         "Weir: Ott; 1931 Boats: 2; 1931 Cars: 5"),
        ("<aside><p>A note.</p></aside><p><ruby>漢<rt>kan</rt></ruby></p>", "A note.\n\n漢"),
        ("<p>open <i>unclosed", "open unclosed"),
        ("<div></div>", ""),
    ],
)  # fmt: skip
def test_pages_are_read_as_those_of_sites_without_their_furniture(content: str, expected: str):
    assert page(f"{content}<p>End.</p>").text == f"{expected}\n\nEnd.".strip()


def test_a_title_from_outside_heads_a_page_without_a_heading_at_its_head():
    assert page("<p>a</p><h2>b</h2>", "T").title == "T"
    assert page("<h1>b</h1><p>a</p>", "T").title == "b"
