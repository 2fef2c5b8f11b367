"""PDF files: what is read of them, and what of those that cannot be."""

import pytest

from hippohover.indexing.corpus.readers.office import pdf
from hippohover.indexing.corpus.readers.office.package import NEEDS_EXTRA, PASSWORD
from hippohover.indexing.corpus.records import Page
from tests.indexing.corpus.readers.office.office_samples import (
    PROSE,
    plain_pdf,
    read_document,
    reason,
    report_pdf,
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
