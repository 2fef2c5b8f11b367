"""Rows of tables in a PDF."""

from typing import Any

import pytest

from hippohover.indexing.corpus.readers.office.pdf import read
from tests.indexing.corpus.readers.office.office_samples import table_pdf
from tests.indexing.corpus.readers.office.test_pdf_layout import layout, line, page
from tests.indexing.corpus.readers.texts.text_samples import document

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
