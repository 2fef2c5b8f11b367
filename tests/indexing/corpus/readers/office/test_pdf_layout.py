"""Lines of PDF -> text."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from hippohover.indexing.corpus.readers.documents import nested
from hippohover.indexing.corpus.readers.office.pdf_layout import laid_out
from hippohover.indexing.corpus.records import Heading, Page

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
