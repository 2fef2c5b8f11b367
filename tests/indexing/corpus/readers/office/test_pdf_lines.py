"""The process that reads a PDF."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hippohover.indexing.corpus.readers.office import pdf_lines
from tests.indexing.corpus.readers.office.office_samples import (
    plain_pdf,
    report_pdf,
    table_pdf,
)


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
