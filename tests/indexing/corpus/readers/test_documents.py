"""How an address leads to each of several headings with the same words."""

import pytest

from hippohover.indexing.corpus.readers.documents import (
    Section,
    nested,
    numbered,
    office_document,
    real_title,
    slug,
)
from hippohover.indexing.corpus.readers.text_builder import TextBuilder, Words
from hippohover.indexing.corpus.records import Document, Link, Page
from tests.indexing.corpus.readers.texts.text_samples import source


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Rates", "rates"),
        ("What's new?", "whats-new"),
        ("Set  up", "set--up"),
        ("x_y & z", "x_y--z"),
        ("Größe 3.2", "größe-32"),
        ("料金", "料金"),
        ("!?", ""),
    ],
)
def test_a_slug_is_githubs(words: str, name: str):
    assert slug(words) == name


def anchors_of(*headings: tuple[str, str]) -> list[str]:
    sections = [Section(at, 1, words, anchor) for at, (words, anchor) in enumerate(headings)]
    return [section.anchor for section in numbered(sections)]


def test_the_first_of_some_words_is_called_by_them_and_others_by_number():
    assert anchors_of(*[("Rates", "Rates")] * 3) == ["Rates", "rates-1", "rates-2"]
    assert anchors_of(*[("Rates", "rates")] * 2) == ["rates", "rates-1"]
    assert anchors_of(("Rates", "Rates"), ("RATES", "RATES")) == ["Rates", "rates-1"]


def test_other_words_with_the_same_slug_keep_their_own_and_count():
    headings = [("Set up?", "Set up?"), ("Set up", "Set up"), ("Set up", "Set up")]
    assert anchors_of(*headings) == ["Set up?", "Set up", "set-up-2"]


def test_an_anchor_that_a_file_gives_stays():
    assert anchors_of(("A", "rates"), ("B", "rates"), ("Rates", "Rates")) == [
        "rates", "rates", "Rates"
    ]  # fmt: skip


def test_a_heading_hidden_by_an_earlier_one_has_no_anchor():
    sections = [Section(0, 1, "A", "x"), Section(1, 1, "B", "x"), Section(2, 1, "C", "")]
    assert [heading.anchor for heading in nested(sections)] == ["x", "", ""]


# Blocks of a document: what stands where in its text, and what it is called


def body_of(*headings: tuple[int, str]) -> TextBuilder:
    body = TextBuilder()
    for level, words in headings:
        body.block_heading(level, Words(words))
        body.paragraph(Words(f"About {words}."))
    return body


def made(body: TextBuilder, place: str = "notes/x.odt", title: str = "") -> Document:
    return office_document(source(place, b""), body.marked(), {"title": title})


def test_rows_have_their_header_and_a_single_row_is_text():
    body = TextBuilder()
    rows = [["Region:", "Rate", ""], [""], ["North", "12 %", "new", "more"], ["", "9 %"]]
    body.table([list(map(Words, row)) for row in rows])
    body.table([[Words("alone"), Words("here")], []])
    body.table([])
    assert made(body).text == "Region: North; Rate: 12 %; new; more\nRate: 9 %\n\nalone\n\nhere"


def test_two_tables_stand_apart():
    body = TextBuilder()
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
    body = TextBuilder()
    body.page(1)
    body.block_heading(1, Words("Top"))
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
    body = TextBuilder()
    body.block_heading(1, Words("Top"))
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
    body = TextBuilder()
    for words in ("One", "Two"):
        body.block_heading(1, Words(words), "c1")
        body.paragraph(Words("Text."))
    assert [heading.anchor for heading in made(body, title="Book").headings] == ["c1", ""]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["a", "b"], "ab"),
        (["a ", "b"], "a b"),
        (["a", " ", "\n", "b"], "a b"),
        ([" a  b\tc ", ""], "a b c"),
        (["", " ", "a"], "a"),
    ],
)
def test_blanks_between_pieces_are_one_and_none_at_the_ends(pieces: list[str], expected: str):
    words = Words()
    for piece in pieces:
        words.add(piece)
    assert words.text == expected
    assert bool(words)


def test_a_link_begins_where_its_words_do_whatever_stands_before():
    words = Words("see ")
    words.link("notes")
    words.link("")
    words.add("the notes")
    marked = Words("Source")
    marked.append(words.after("- "), ": ")
    marked.append(Words())
    assert marked.text == "Source: - see the notes"
    ((offset, target),) = marked.links
    assert (marked.text[offset:], target) == ("the notes", "notes")


def test_none_are_false():
    assert not Words(" ")
    assert not Words(" ").after("")
