"""Lines of PDF -> text."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from hippohover.indexing.corpus.readers.documents import nested
from hippohover.indexing.corpus.readers.office.pdf import read
from hippohover.indexing.corpus.readers.office.pdf_layout import laid_out
from hippohover.indexing.corpus.records import Heading, Page
from tests.indexing.corpus.readers.office.office_samples import lines_pdf, read_document, table_pdf
from tests.indexing.corpus.readers.texts.text_samples import document

WIDE = 500.0


def line(
    words: str, bottom: float, *, size: float = 10, left: float = 50, right: float = WIDE
) -> list[Any]:
    return [words, left, right, bottom, bottom + size, []]


def page(*lines: list[Any]) -> dict[str, Any]:
    return {"height": 800.0, "lines": list(lines), "is_damaged": False}


class Layout(NamedTuple):
    text: str
    title: str
    headings: tuple[Heading, ...]
    pages: tuple[Page, ...]


def layout(*pages: dict[str, Any], outline: Sequence[Sequence[Any]] = ()) -> Layout:
    made, title = laid_out(pages, outline)
    return Layout(made.text, title, nested(made.sections), tuple(made.pages))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (line("goes", 500), line("on", 488), "goes on"),
        (line("goes", 500), line("On", 470), "goes\n\nOn"),
        (line("loosely", 500), line("on", 480), "loosely on"),
        (line("loosely", 500), line("On", 480), "loosely\n\nOn"),
        (line("short", 500, right=100), line("next", 488), "short\nnext"),
        (line("small", 500), line("Big", 480, size=16), "small\n\nBig"),
        (line("meas\ufffe", 500), line("ured", 488), "measured"),
        (line("meas\u00ad", 500), line("ured", 488), "measured"),
        (line("meas-", 500), line("ured", 488), "measured"),
        (line("Franco\ufffe", 500), line("Prussian", 488), "Franco-Prussian"),
        (line("list:", 500), line("• one", 488), "list:\n• one"),
        (line("column", 100), line("goes on", 700), "column goes on"),
        (line("Ends.", 100), line("Other", 700), "Ends.\n\nOther"),
        (line("Para", 500), line("Indented", 488, left=75), "Para\nIndented"),
        (line("last\ufffe", 500), line("• one", 470), "last-\n\n• one"),
        (line("e\ufb03cient", 500), line("o\ufb03ce", 488), "efficient office"),
    ],
)
def test_two_lines(first: list[Any], second: list[Any], expected: str):
    filler = [line("full line of text here", 400), line("and one more", 388)]
    text = layout(page(first, second, *filler)).text
    assert text.startswith(expected)


def test_a_compound_that_stands_elsewhere_keeps_its_sign():
    text = layout(page(line("a well-known man, a well\ufffe", 500), line("known man", 488))).text
    assert text == "a well-known man, a well-known man"


def test_a_paragraph_goes_on_across_pages_and_a_broken_word_too():
    made = layout(page(line("the har\ufffe", 300)), page(line("bour froze.", 700)))
    assert made.text == "the harbour froze."
    assert [(entry.offset, entry.number) for entry in made.pages] == [(0, 1), (7, 2)]


@pytest.mark.parametrize(
    ("heads", "stays"),
    [
        (["Annual report"] * 4, False),
        (["1", "2", "3", "4"], False),
        (["- iv -", "- v -", "- vi -", "- vii -"], False),
        (["Page 1 of 4", "Page 2 of 4", "Page 3 of 4", "Page 4 of 4"], False),
        (["Chapter 1: Ice 3", "Chapter 2: Thaw 4", "5", "6"], False),
        (["Results", "More", "Other", "Last"], True),
        (["It froze by 7", "The thaw of 8", "Other", "Last"], True),
        (["1931 was cold", "1935 was not", "1990 was", "2001 was"], True),
    ],
)
@pytest.mark.parametrize("height", [770, 20])
def test_what_every_page_repeats_is_left_out(heads: list[str], stays: bool, height: float):
    pages: list[dict[str, Any]] = []
    for letter, words in zip("abcd", heads, strict=True):
        text = [line(f"Text of {letter}.", 400), line("more.", 388, right=90)]
        running = line(words, height, right=100)
        pages.append(page(running, *text) if height > 400 else page(*text, running))
    blocks = layout(*pages).text.split("\n\n")
    assert [words in blocks for words in heads] == [stays] * 4
    assert [block for block in blocks if block.startswith("Text of")] == [
        f"Text of {letter}. more." for letter in "abcd"
    ]


def test_large_type_and_the_middle_of_a_page_are_no_running_head():
    titles = [page(line("Results", 750, size=24), *[line("x", y) for y in (400, 300)])] * 4
    assert layout(*titles).text.count("Results") == 4
    middle = [page(line("See below.", 500), line("Text.", 400))] * 4
    assert layout(*middle).text.count("See below.") == 4


def test_an_outline_is_matched_to_the_lines_that_say_it():
    made = layout(
        page(line("2 Ice", 700, size=14, right=100), line("It froze.", 600, right=100)),
        page(line("2.1 A long heading", 700, right=200), line("over lines", 688, right=100),
             line("As 2 Ice says.", 600)),
        page(line("Only text here.", 600)),
        outline=[(1, "Ice", 0, 715), (2, "A long heading over lines", 1, 712),
                 (1, "Nowhere said", 2, 650), (1, "", 2, None), (1, "Behind the end", 9, None)],
    )  # fmt: skip
    assert made.text == (
        "2 Ice\n\nIt froze.\n\n2.1 A long heading over lines\n\nAs 2 Ice says.\n\nOnly text here."
    )
    assert [(made.text[heading.offset :][:9], heading.path) for heading in made.headings] == [
        ("2 Ice\n\nIt", "Ice"),
        ("2.1 A lon", "Ice > A long heading over lines"),
        ("Only text", "Nowhere said"),
    ]


def test_a_heading_on_the_page_behind_its_target_takes_no_others_place():
    made = layout(
        page(line("Alpha", 700, right=100), line("It is fog.", 600, right=100)),
        page(line("Beta", 700, right=100), line("It is rope.", 600), line("Gamma", 500)),
        outline=[(1, "Alpha", 0, 715), (1, "Beta", 0, 20), (1, "Gamma", 1, 515)],
    )
    assert [(made.text[heading.offset :][:5], heading.path) for heading in made.headings] == [
        ("Alpha", "Alpha"),
        ("Beta\n", "Beta"),
        ("Gamma", "Gamma"),
    ]


@pytest.mark.parametrize("target", [(0, 710), (0, None), (0, 0.0)])
def test_a_heading_that_no_line_says_takes_no_others_place(target: tuple[int, float | None]):
    pages = (page(line("Alpha", 700, right=100), line("It is fog.", 600)), page(line("End", 700)))
    for outline in (
        [(1, "Alpha", 0, 715), (1, "Unsaid", *target)],
        [(1, "Unsaid", *target), (1, "Alpha", 0, 715)],
    ):
        made = layout(*pages, outline=outline)
        assert [(heading.offset, heading.path) for heading in made.headings] == [(0, "Alpha")]
    below = layout(*pages, outline=[(1, "Alpha", 0, 715), (1, "Unsaid", 0, 90)])
    assert [(below.text[one.offset :][:3], one.path) for one in below.headings] == [
        ("Alp", "Alpha"),
        ("End", "Unsaid"),
    ]


@pytest.mark.parametrize(("size", "expected"), [(20, "The frozen harbour of Vellmouth"), (10, "")])
def test_the_largest_lines_that_open_the_first_page_are_its_title(size: float, expected: str):
    made = layout(
        page(line("The frozen harbour", 700, size=size), line("of Vellmouth", 676, size=size),
             *[line("text", y) for y in (500, 488, 476, 464)])
    )  # fmt: skip
    assert made.title == expected


def test_nothing_is_nothing():
    assert layout() == Layout("", "", (), ())
    assert layout(page()) == Layout("", "", (), ())


# What pages repeat at their edges is left out, and nothing that may be text of theirs


HEAD, FOOT = 770, 20


def text_of(*pages: Sequence[tuple[str, float]]) -> str:
    made = [page(*[line(words, bottom, right=300) for words, bottom in lines]) for lines in pages]
    return laid_out(made, ())[0].text


def body(number: int) -> list[tuple[str, float]]:
    return [(f"Text {'abcdefgh'[number]}.", 400), ("more of it.", 380)]


@pytest.mark.parametrize("n_pages", [2, 3, 4, 8])
@pytest.mark.parametrize(
    "lines",
    [
        ["The tide of day {} was low."],
        ["The tide of day {} was low"],
        ["The tide of day {} was low.", "The Heron lay at berth {}."],
        ["It was low.", "The Heron lay at berth {}"],
        ["It was low.", "The Heron lay."],
        ["Day {}"],
    ],
)
def test_pages_of_a_sentence_or_two_keep_them(n_pages: int, lines: list[str]):
    text = text_of(
        *(
            [(words.format(number), HEAD - 12 * at) for at, words in enumerate(lines)]
            for number in range(1, n_pages + 1)
        )
    )
    for number in range(1, n_pages + 1):
        for words in lines:
            assert text.count(words.format(number)) >= (n_pages if "{}" not in words else 1)


@pytest.mark.parametrize("edge", [HEAD, FOOT])
@pytest.mark.parametrize(
    "words", ["The pilot of ship {} came.", "Ship {} paid 2 crowns", "Harbour"]
)
def test_two_pages_prove_no_running_head(edge: float, words: str):
    text = text_of(*([(words.format(number), edge), *body(number)] for number in (1, 2)))
    assert text.count(words.partition("{")[0]) == 2


@pytest.mark.parametrize("words", ["The pilot of ship {} came.", "{} ships came.", "Is it no. {}?"])
def test_sentences_whose_number_changes_are_text_on_however_many_pages(words: str):
    text = text_of(*([(words.format(number), HEAD), *body(number)] for number in range(1, 8)))
    assert all(words.format(number) in text for number in range(1, 8))


def test_numbers_that_do_not_count_with_the_pages_are_text():
    numbers = [12, 7, 31]
    pages = zip(numbers, range(3), strict=True)
    text = text_of(*([(f"Rain, {mm} mm", HEAD), *body(number)] for mm, number in pages))
    assert all(f"Rain, {mm} mm" in text for mm in numbers)


def test_lines_that_go_on_in_the_text_are_text():
    """Three papers open alike, and the first two lines have the number."""
    text = text_of(
        *(
            [
                (f"The pilot of ship {number} came aboard", HEAD),
                ("and brought the papers", HEAD - 12),
                (f"of captain {'abc'[number]} with him.", HEAD - 24),
                *body(number),
            ]
            for number in range(3)
        )
    )
    assert text.count("came aboard") == text.count("and brought the papers") == 3


@pytest.mark.parametrize(
    ("words", "n_pages"),
    [
        ("Harbour of Vellmouth, 1921", 3),
        ("All rights reserved.", 3),
        ("Draft 2 - page {} of 9 - internal", 3),
        ("Page {}.", 2),
        ("{}", 2),
        ("Annual report {}", 3),
    ],
)
@pytest.mark.parametrize("edge", [HEAD, FOOT])
def test_heads_apart_from_the_text_are_left_out(words: str, n_pages: int, edge: float):
    numbers = range(1, n_pages + 1)
    text = text_of(*([(words.format(number), edge), *body(number)] for number in numbers))
    assert [words.format(number) in text for number in numbers] == [False] * n_pages
    assert all(f"Text {'abcdefgh'[number]}." in text for number in numbers)


def test_a_number_beside_the_text_is_no_text_and_a_head_of_two_lines_goes_as_one():
    heads = [("Harbour of Vellmouth", HEAD + 15), ("Annual report", HEAD + 3)]
    pages = [
        [*heads, (f"Text {letter}.", FOOT + 12), (str(number), FOOT)]
        for number, letter in enumerate("abc", 1)
    ]
    assert text_of(*pages).split() == ["Text", "a.", "Text", "b.", "Text", "c."]


def test_a_page_with_nothing_else_keeps_its_head_and_not_its_number():
    pages = [[("Annual report", HEAD), *body(number), (str(number), FOOT)] for number in range(3)]
    text = text_of(*pages, [("Annual report", HEAD), ("3", FOOT)])
    assert text.count("Annual report") == 1
    assert "3" not in text


def test_a_line_too_long_for_a_head_is_text():
    words = "very " * 60 + "long"
    assert text_of(*([(words, HEAD), *body(number)] for number in range(3))).count(words) == 3


@pytest.mark.parametrize("n_pages", [2, 3])
def test_a_pdf_of_short_pages_holds_them_all(n_pages: int):
    pages = [f"The tide of day {number} was low.\nThe Heron lay." for number in range(n_pages)]
    document = read_document("tide.pdf", lines_pdf(pages))
    assert document.text.count("The Heron lay.") == n_pages
    assert [entry.number for entry in document.pages] == list(range(1, n_pages + 1))


# Rows of tables in a PDF


PLACES = (50.0, 150.0, 300.0, 400.0)


def row(bottom: float, *words: str, places: tuple[float, ...] = PLACES) -> list[Any]:
    placed = list(zip(words, places, strict=False))
    cells = [[said, left, left + 5.0 * len(said)] for said, left in placed]
    right = placed[-1][1] + 5.0 * len(placed[-1][0])
    return [*line(" ".join(words), bottom, left=places[0], right=right)[:5], cells]


def test_a_row_stays_a_line_and_its_cells_stay_apart():
    text = layout(
        page(
            line("All boats of the harbour pay what the board of it has set for them", 524),
            row(512, "Boat", "Keeper", "Due", "Home town that is told"),
            row(500, "Otter", "Ida Fenn", "2", "Ott upon the long weir"),
            row(488, "Stork", "Tom Ashe", "5", "Weir upon the long ott"),
            line("Nobody else paid anything in all of that long year of ice", 476),
            line("and of fog.", 464),
        )
    ).text
    assert text == (
        "All boats of the harbour pay what the board of it has set for them\n"
        "Boat; Keeper; Due; Home town that is told\n"
        "Otter; Ida Fenn; 2; Ott upon the long weir\n"
        "Stork; Tom Ashe; 5; Weir upon the long ott\n"
        "Nobody else paid anything in all of that long year of ice and of fog."
    )


def test_a_cell_over_two_lines_goes_on():
    text = layout(
        page(
            row(500, "Otter", "It left in the cold March of that year and did not come back"),
            line("until the end of summer.", 488, left=150, right=300),
            row(476, "Stork", "Lost."),
        )
    ).text
    assert text == (
        "Otter; It left in the cold March of that year and did not come back until the end of "
        "summer.\nStork; Lost."
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (row(500, "1.", "Weirs of Ott"), row(488, "2.", "Boats"), "1. Weirs of Ott\n2. Boats"),
        (row(500, "Boat:", "Otter"), row(488, "Due:", "5"), "Boat: Otter\nDue: 5"),
        (row(500, "Otter", "Ashe"), line("goes on", 488), "Otter Ashe\ngoes on"),
        (
            row(500, "Otter", "Ashe", places=(50, 90)),
            row(488, "Otter boats", "Ashe", places=(50, 200)),
            "Otter Ashe\nOtter boats Ashe",
        ),
    ],
)
def test_what_is_no_row_of_cells(first: list[Any], second: list[Any], expected: str):
    assert layout(page(first, second)).text == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [
        (("Weir", "1931", "1932"), ("Ott", "10", "12"), ("Fenn", "7", "9"), ("Ashe", "1", "2")),
        (("Boat", "Keeper"), ("Otter", "Ida Fenn"), ("Stork", "Tom Ashe")),
    ],
)
def test_a_page_with_nothing_but_a_table(rows: tuple[tuple[str, ...], ...]):
    made = document(read, "weirs.pdf", table_pdf(rows))
    assert made.text.split("\n") == ["; ".join(row) for row in rows]
