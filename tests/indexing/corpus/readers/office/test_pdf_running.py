"""What pages repeat at their edges is left out, and nothing that may be text of theirs."""

from collections.abc import Sequence

import pytest

from hippohover.indexing.corpus.readers.office.pdf_layout import laid_out
from tests.indexing.corpus.readers.office.office_samples import lines_pdf, read_document
from tests.indexing.corpus.readers.office.test_pdf_layout import line, page

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
