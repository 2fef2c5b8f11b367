"""Runs as a process: reads a PDF from standard input, prints its lines as JSON.

    python -P pdf_lines.py PAGES CHARACTERS SECONDS BYTES < report.pdf

PDFium is C++, and reads what anybody may have made: whatever it does, and however long, it does it
here. Nothing of the package is imported, so that it starts in 60 ms.
"""

import json
import resource
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

MOST_HEADINGS = 20_000
LINE_COST = 40
"""Characters that a line counts beside its own: it has a place as well."""

Line = list[Any]  # text, left, right, bottom, top; text, left, right of cells, if it has several


class TooLongError(Exception):
    """Something exceeds its limit."""


def main(arguments: list[str]) -> dict[str, Any]:
    """Return the PDF's lines, outline and metadata, or its problem."""
    n_pages, n_chars, n_seconds, n_bytes = map(int, arguments)
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_CPU, n_seconds)
    _bound(resource.RLIMIT_AS, n_bytes)
    import pypdfium2

    content = sys.stdin.buffer.read()
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        is_locked = getattr(error, "err_code", 0) == pypdfium2.raw.FPDF_ERR_PASSWORD
        return {"failure": "password" if is_locked else "damaged"}
    if len(document) > n_pages:
        return {"failure": "pages"}
    try:
        pages = list(_pages(document, n_chars))
    except TooLongError:
        return {"failure": "characters"}
    return {"pages": pages, "outline": list(_outline(document)), "metadata": _metadata(document)}


def _bound(kind: int, most: int) -> None:
    """Limit this process's memory and time, unless lower limits hold already."""
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _pages(document: Any, n_left: int) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    import pypdfium2

    for at in range(len(document)):
        try:
            page = document[at]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            yield {"height": 0.0, "lines": [], "is_damaged": True}
            continue
        lines = _lines(text)
        n_left -= sum(len(line[0]) + LINE_COST for line in lines)
        if n_left < 0:
            raise TooLongError
        yield {"height": page.get_height(), "lines": lines, "is_damaged": False}
        text.close()
        page.close()


def _lines(text: Any) -> list[Line]:  # noqa: ANN401
    """Return the printed lines; a word broken at a line's end leaves U+FFFE there."""
    content = text.get_text_range() if text.count_chars() else ""
    lines: list[Line] = []
    start = 0
    for printed in content.replace("\ufffe", "\ufffe\n").split("\n"):
        words = printed.strip()
        if words:
            first = start + len(printed) - len(printed.lstrip())
            left, bottom, _, top = _box(text, first)
            right = _box(text, first + len(words) - 1)[2]
            line = [words, left, right, bottom, top]
            lines.append([*line, _cells(text, first, line)])
        start += len(printed) + (not printed.endswith("\ufffe"))
    return lines


def _cells(text: Any, first: int, line: Line) -> list[list[Any]]:  # noqa: ANN401
    """Return text, left and right end of what stands far apart in a line; none for one cell.

    Words of a justified line stand apart as well, but all of them.
    """
    words, left, right, bottom, top = line
    gaps: list[tuple[int, float, float]] = []
    at = words.find(" ")
    while at > 0:
        ends, begins = _box(text, first + at - 1)[2], _box(text, first + at + 1)[0]
        if 0 < ends < begins:
            gaps.append((at, ends, begins))
        at = words.find(" ", at + 1)
    least = min((begins - ends for _, ends, begins in gaps), default=0.0)
    wide = [gap for gap in gaps if _is_wide(gap[2] - gap[1], least, top - bottom)]
    if not wide:
        return []
    starts = [(0, left), *((at + 1, begins) for at, _, begins in wide)]
    stops = [*((at, ends) for at, ends, _ in wide), (len(words), right)]
    pairs = zip(starts, stops, strict=True)
    return [[words[at:end], begins, ends] for (at, begins), (end, ends) in pairs]


def _is_wide(gap: float, least: float, size: float) -> bool:
    return gap > 1.8 * size or (gap > 0.8 * size and gap > 2.5 * least)


def _box(text: Any, at: int) -> tuple[float, float, float, float]:  # noqa: ANN401
    """Return left, bottom, right, top of a character, as high as its type; zeros without a box."""
    import pypdfium2

    try:
        return text.get_charbox(at, loose=True)
    except pypdfium2.PdfiumError:
        return (0.0, 0.0, 0.0, 0.0)


def _outline(document: Any) -> Iterator[tuple[int, str, int, float | None]]:  # noqa: ANN401
    """Yield level, words, page and height on it of each heading."""
    for entry in islice(document.get_toc(), MOST_HEADINGS):
        target = entry.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            mode, place = target.get_view()
            yield entry.level + 1, entry.get_title(), page, _height(mode, place)


def _height(mode: int, place: list[float]) -> float | None:
    """Return a target's height on its page: the second number of some kinds, else the first."""
    at = {1: 1, 3: 0, 7: 0}.get(mode)  # XYZ, FitH, FitBH
    return place[at] if at is not None and len(place) > at else None


def _metadata(document: Any) -> dict[str, str]:  # noqa: ANN401
    return document.get_metadata_dict(skip_empty=True)


if __name__ == "__main__":
    json.dump(main(sys.argv[1:]), sys.stdout)
