"""Blocks of a document: what stands where in its text, and what it is called."""

import pytest

from hippohover.indexing.corpus.readers.office.body import Body, real_title
from hippohover.indexing.corpus.readers.office.words import Words
from hippohover.indexing.corpus.records import BadRecord, Document, Link, Page
from tests.indexing.corpus.readers.office.office_samples import source


def body_of(*headings: tuple[int, str]) -> Body:
    body = Body()
    for level, words in headings:
        body.heading(level, Words(words))
        body.paragraph(Words(f"About {words}."))
    return body


def made(body: Body, place: str = "notes/x.odt", title: str = "") -> Document:
    document = body.document(source(place, b""), {}, title)
    assert not isinstance(document, BadRecord)
    return document


def test_rows_have_their_header_and_a_single_row_is_text():
    body = Body()
    rows = [["Region:", "Rate", ""], [""], ["North", "12 %", "new", "more"], ["", "9 %"]]
    body.table([list(map(Words, row)) for row in rows])
    body.table([[Words("alone"), Words("here")], []])
    body.table([])
    assert made(body).text == "Region: North; Rate: 12 %; new; more\nRate: 9 %\n\nalone\n\nhere"


def test_two_tables_stand_apart():
    body = Body()
    for name in ("A", "B"):
        body.table([[Words(name)], [Words("1")], [Words("2")]])
    assert made(body).text == "A: 1\nA: 2\n\nB: 1\nB: 2"


@pytest.mark.parametrize(
    ("headings", "title", "expected", "paths", "aliases"),
    [
        ([(1, "Top"), (2, "In")], "", "Top", ["In"], ("x",)),
        ([(1, "Top"), (2, "In")], "Said", "Said", ["Top", "Top > In"], ("Top", "x")),
        ([(1, "Top"), (2, "In")], "TOP", "TOP", ["In"], ("Top", "x")),
        ([(0, "Top"), (1, "In"), (2, "Deep")], "", "Top", ["In", "In > Deep"], ("x",)),
        ([(1, "Intro"), (1, "Next")], "", "Intro", ["Intro", "Next"], ("x",)),
        ([(1, "Intro"), (1, "Next")], "Said", "Said", ["Intro", "Next"], ("x",)),
        ([(2, "Low"), (1, "Next")], "", "x", ["Low", "Next"], ()),
        ([(1, "Top")], "untitled", "Top", [], ("x",)),
    ],
)
def test_title_and_names_come_from_metadata_the_opening_heading_and_the_file(
    headings: list[tuple[int, str]],
    title: str,
    expected: str,
    paths: list[str],
    aliases: tuple[str, ...],
):
    document = made(body_of(*headings), title=title)
    assert document.title == expected
    assert [heading.path for heading in document.headings] == paths
    assert document.aliases == aliases
    for heading in document.headings:
        assert document.text[heading.offset :].startswith(heading.path.split(" > ")[-1])
    assert (document.id, document.path) == ("notes/x", "notes/x.odt")


def test_links_and_pages_move_with_the_text_when_its_title_is_cut():
    body = Body()
    body.page(1)
    body.heading(1, Words("Top"))
    body.page(2)
    linked = Words("see ")
    linked.link("a")
    linked.add("A")
    body.item(linked, 1)
    document = made(body)
    assert document.text == "  - see A"
    assert document.links == (Link(8, "a"),)
    assert document.pages == (Page(0, 1), Page(0, 2))


def test_a_heading_alone_is_the_text_too():
    body = Body()
    body.heading(1, Words("Top"))
    assert made(body).text == "Top"


def test_a_whole_paragraph_in_the_style_of_a_heading_is_none():
    document = made(body_of((1, "word " * 50)))
    assert document.headings == ()
    assert document.title == "x"


def test_index_is_called_as_its_folder():
    assert made(body_of(), "harbour/index.odt").title == "harbour"
    assert made(body_of(), "index.odt").title == "index"


@pytest.mark.parametrize(
    "title",
    ["Microsoft Word - Q3.doc", "untitled", "PowerPoint Presentation", "report-v2.docx", " ",
     "Document1", "Unknown", "Présentation PowerPoint"],
)  # fmt: skip
def test_a_title_of_a_program_says_nothing(title: str):
    assert real_title(title) == ""


def test_a_title_of_a_person_stays():
    assert real_title(" Presentation  of the harbour ") == "Presentation of the harbour"
    assert real_title("Documents of 1931") == "Documents of 1931"


def test_an_anchor_that_two_headings_have_leads_to_the_first():
    body = Body()
    for words in ("One", "Two"):
        body.heading(1, Words(words), "c1")
        body.paragraph(Words("Text."))
    assert [heading.anchor for heading in made(body, title="Book").headings] == ["c1", ""]
