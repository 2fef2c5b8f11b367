"""Finds the rows of a PDF's tables: lines whose cells stand in the columns of lines near them."""

import re
from collections.abc import Sequence
from typing import Final

from hippohover.indexing.corpus.readers.office.pdf_running import Cell, Line

_NEAR: Final = 3  # lines between which cells of several lines may stand
_LONGEST_PART: Final = 40  # characters of a row's part that PDFium gives as a line
_LABEL: Final = re.compile(
    r"[•‣◦▪●○■–—*·§-]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]|[ivx]{1,5})[.)]?"
)
_ENDED: Final = re.compile(r"[,;:.]$")


def whole_rows(page: Sequence[Line]) -> list[Line]:
    """Join lines of a page that stand side by side: PDFium ends one behind a narrow number."""
    lines: list[Line] = []
    for line in page:
        before = lines[-1] if lines else None
        if before and _is_beside(before, line):
            cells = (*_cells_of(before), *_cells_of(line))
            words = f"{before.words} {line.words}"
            lines[-1] = before._replace(words=words, right=line.right, cells=cells)
        else:
            lines.append(line)
    return lines


def _is_beside(before: Line, line: Line) -> bool:
    is_part = min(len(before.words), len(line.words)) <= _LONGEST_PART
    is_level = abs(before.bottom - line.bottom) + abs(before.top - line.top) < 0.3 * line.size
    return is_part and is_level and line.left > before.right + 0.8 * line.size


def _cells_of(line: Line) -> tuple[Cell, ...]:
    return line.cells or (Cell(line.words, line.left, line.right),)


def with_rows(lines: Sequence[Line]) -> list[Line]:
    """Return lines of a text; those that are rows of a table have marks between their cells."""
    return [
        line._replace(words=_row(line.cells), is_row=True) if _is_row(lines, at) else line
        for at, line in enumerate(lines)
    ]


def _is_row(lines: Sequence[Line], at: int) -> bool:
    """Return whether a gap of a line goes on in a line above or below it, on the same page."""
    line = lines[at]
    if not line.cells:
        return False
    around = [*lines[max(at - _NEAR, 0) : at], *lines[at + 1 : at + 1 + _NEAR]]
    return any(_share_columns(line, other) for other in around if other.page == line.page)


def _share_columns(line: Line, other: Line) -> bool:
    """Return whether most gaps of the line with fewer stand above or below a gap of the other."""
    few, many = sorted((_gaps(line), _gaps(other)), key=len)
    least = 0.5 * line.size
    shared = sum(
        any(min(right, end) - max(left, start) > least for start, end in many)
        for left, right in few
    )
    return bool(few) and 2 * shared > len(few)


def _gaps(line: Line) -> list[tuple[float, float]]:
    return [
        (cell.right, after.left) for cell, after in zip(line.cells, line.cells[1:], strict=False)
    ]


def _row(cells: Sequence[Cell]) -> str:
    """Write a row: "Heron; Ada Finch; 2"; a label stays with what it numbers."""
    parts: list[str] = []
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        is_label = not parts and len(cells) == 2 and _LABEL.fullmatch(cell.words)
        is_ended = is_label or after is None or _ENDED.search(cell.words)
        parts.append(cell.words if is_ended else f"{cell.words};")
    return " ".join(parts)
