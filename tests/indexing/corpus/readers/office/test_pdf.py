"""PDF files: what is read of them, and what of those that cannot be."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hippohover.indexing.corpus.readers.office import pdf, pdf_lines
from hippohover.indexing.corpus.readers.office.package import NEEDS_EXTRA, PASSWORD
from hippohover.indexing.corpus.records import Page
from tests.indexing.corpus.readers.office.office_samples import (
    PROSE,
    plain_pdf,
    read_document,
    reason,
    report_pdf,
    table_pdf,
)

NO_TEXT = "holds no text: run OCR over it"
DAMAGED = "damaged: open it in a viewer and print it to a new PDF"


def test_a_report():
    document = read_document("reports/2024.pdf", report_pdf())
    assert document.title == "Annual report"
    assert document.aliases == ("2024",)
    assert document.fields == {
        "title": "Annual report", "author": "Mira Oldane", "date": "2024-03-01",
    }  # fmt: skip
    prose = (PROSE * 3).strip()
    page = (
        "{}\n\nOn page {} the ice was measured by a well-known harbour master.\nHe is well-known."
    )
    texts = [page.format(prose, number) for number in (1, 2, 3, 4)]
    texts[0], texts[2] = f"Chapter 1\n\n{texts[0]}", f"Chapter 3\n\n{texts[2]}"
    assert document.text == "\n\n".join(texts)
    starts = [document.text.index(text) for text in texts]
    assert document.pages == tuple(Page(start, at) for at, start in enumerate(starts, 1))
    assert [(heading.offset, heading.path) for heading in document.headings] == [
        (starts[0], "Chapter 1"), (starts[2], "Chapter 3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Microsoft Word - memo.doc", "memo"),
        pytest.param("", "memo", marks=pytest.mark.slow),
        pytest.param("The memo", "The memo", marks=pytest.mark.slow),
    ],
)
def test_a_memo_of_one_page(title: str, expected: str):
    document = read_document("memo.pdf", plain_pdf("Bring the lantern (today).", title=title))
    assert (document.title, document.text) == (expected, "Bring the lantern (today).")
    assert (document.pages, document.headings) == ((Page(0, 1),), ())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(plain_pdf(""), NO_TEXT, id="scanned"),
        pytest.param(b"", DAMAGED, id="empty", marks=pytest.mark.slow),
        pytest.param(b"%PDF-1.7 and no more", DAMAGED, id="cut", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_read_is_one_failure_with_its_reason(content: bytes, expected: str):
    assert reason("a.pdf", content) == expected


@pytest.mark.slow
def test_a_password_is_named():
    from fpdf import FPDF

    locked = FPDF()
    locked.add_page()
    locked.set_font("Times", size=12)
    locked.cell(text="secret")
    locked.set_encryption(owner_password="o", user_password="u")  # noqa: S106
    assert reason("a.pdf", bytes(locked.output())) == PASSWORD


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "value", "expected"),
    [
        ("MAX_PAGES", 0, "has over 10,000 pages: split it"),
        ("MAX_CHARS", 20, "holds over 16 million characters: split it"),
        ("MAX_SECONDS", 0, "takes over 0 s to read: split it, or print it to a new PDF"),
        (
            "MAX_BYTES",
            2**24,
            "damaged, or a page of it is too large to read: print it to a new PDF",
        ),
    ],
)
def test_bounds(monkeypatch: pytest.MonkeyPatch, bound: str, value: int, expected: str):
    monkeypatch.setattr(pdf, bound, value)
    assert reason("a.pdf", plain_pdf()) == expected


def test_without_the_extra_a_file_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "find_spec", {}.get)
    assert reason("a.pdf", plain_pdf()) == NEEDS_EXTRA


# The process that reads a PDF


def lines_of(content: bytes) -> dict[str, Any]:
    command = [
        sys.executable,
        "-P",
        str(Path(pdf_lines.__file__)),
        "10",
        "100000",
        "20",
        str(2**30),
    ]
    done = subprocess.run(command, input=content, capture_output=True, check=True)  # noqa: S603
    assert done.stderr == b""
    return json.loads(done.stdout)


@pytest.mark.slow
def test_lines_have_their_place_and_broken_words_their_mark():
    said = lines_of(report_pdf(2))
    first = said["pages"][0]
    words = [line[0] for line in first["lines"]]
    assert "On page 1 the ice was meas\ufffe" in words
    assert "Page 1 of 2" in words
    for _, left, right, bottom, top, cells in first["lines"]:
        assert 0 <= left < right
        assert not cells  # words of running text
        assert 0 <= bottom < top <= first["height"]
    ((level, title, page, height),) = said["outline"]
    assert (level, title, page) == (1, "Chapter 1", 0)
    assert height > first["height"] / 2
    assert said["metadata"]["Author"] == "Mira Oldane"


@pytest.mark.slow
def test_an_empty_page_has_no_line():
    assert lines_of(plain_pdf(""))["pages"] == [{"height": 792.0, "lines": [], "is_damaged": False}]


@pytest.mark.slow
def test_what_stands_far_apart_is_told():
    rows = (
        ("Boat", "Keeper", "Due"),
        ("Otter", "Ida Fenn", "2 crowns"),
        ("Stork", "Tom Ashe", "none"),
    )
    (page,) = lines_of(table_pdf(rows))["pages"]
    cells = [[cell[0] for cell in line[5]] for line in page["lines"]]
    assert cells == [list(row) for row in rows]
