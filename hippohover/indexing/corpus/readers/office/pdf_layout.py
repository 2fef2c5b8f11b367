"""Lines of a PDF -> its text, without repeated lines, with words and paragraphs joined."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, NamedTuple

from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS
from hippohover.indexing.corpus.readers.documents import Marked, Section
from hippohover.indexing.corpus.readers.office.pdf_running import (
    ENDS_SENTENCE,
    Cell,
    Line,
    leading_of,
    without_running,
)
from hippohover.indexing.corpus.records import Page, clean_line, clean_title

_LEAST_WIDTH: Final = 8  # of a line that goes on in the next one, in heights of its type
_BULLET: Final = re.compile(r"[•‣◦▪●○■–—*·-]\s|\(?(?:\d{1,3}|[a-z])[.)]\s")
_BROKEN_WORD: Final = re.compile(r"(?<!\w)(\w+)(?:\ufffe|-|\u00ad)$")
_FIRST_WORD: Final = re.compile(r"\w+")
_COMPOUND: Final = re.compile(r"(?<!\w)\w+-\w+")
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}

_NEAR: Final = 3  # lines between which cells of several lines may stand
_LONGEST_PART: Final = 40  # characters of a row's part that PDFium gives as a line
_LABEL: Final = re.compile(
    r"[•‣◦▪●○■–—*·§-]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]|[ivx]{1,5})[.)]?"
)
_ENDED: Final = re.compile(r"[,;:.]$")


def laid_out(
    pages: Sequence[dict[str, Any]], outline: Sequence[Sequence[Any]]
) -> tuple[Marked, str]:
    """Return the text from the lines of all pages, and its title: the largest opening line."""
    heights = [float(page["height"]) for page in pages]
    lines = [[_line(line, number) for line in page["lines"]] for number, page in enumerate(pages)]
    kept = without_running(list(map(whole_rows, lines)), heights)
    flat = with_rows([line for page in kept for line in page])
    matches = _matched(outline, flat)
    text = _Text(flat, {place.first: place.last for place, _ in matches})
    text.join()
    found = [Section(text.starts[place.first], *heading) for place, heading in matches]
    return Marked("".join(text.parts), found, pages=text.pages), _title(flat)


def _line(line: Sequence[Any], page: int) -> Line:
    left, right, bottom, top = map(float, line[1:5])
    cells = (Cell(_cleaned(said), *ends) for said, *ends in line[5])
    return Line(_cleaned(line[0]), left, right, bottom, top, page, tuple(cells))


def _cleaned(words: object) -> str:
    return clean_line(str(words)).translate(_LIGATURES)


# Headings


class _Place(NamedTuple):
    """First and last line of a heading; the last is before the first where no line says it."""

    first: int
    last: int

    @property
    def is_said(self) -> bool:
        return self.last >= self.first


def _matched(
    outline: Sequence[Sequence[Any]], lines: list[Line]
) -> list[tuple[_Place, tuple[int, str]]]:
    """Return the lines of each outline heading, in the order of the text.

    Where several come to one line, the one that it says is kept, else the last.
    """
    first_of: dict[int, int] = {}
    for at, line in enumerate(lines):
        first_of.setdefault(line.page, at)
    matches: dict[int, tuple[_Place, tuple[int, str]]] = {}
    for level, title, page, height in outline:
        words = clean_title(title)
        if not words or len(words) > MAX_HEADING_CHARS:
            continue
        place = _place(lines, first_of, words, page, height)
        if place is None:
            continue
        there = matches.get(place.first)
        if place.is_said or there is None or not there[0].is_said:
            matches[place.first] = (place, (level, words))
    return sorted(matches.values())


def _place(
    lines: list[Line], first_of: dict[int, int], words: str, page: int, height: float | None
) -> _Place | None:
    """Return the lines that equal a heading, else the line just below its target.

    A target below all lines of its page, as of a heading that was moved to the next one, leads to
    that page.
    """
    start = first_of.get(page)
    of_page: list[int] = []
    if start is not None:
        of_page = [at for at in range(start, len(lines)) if lines[at].page == page]
        if place := _said(lines, of_page, words, height):
            return place
    if height:  # some write 0 for none
        of_page = [at for at in of_page if lines[at].bottom < height]
    if not of_page:
        later = min((on for on in first_of if on > page), default=None)
        if later is None:
            return None
        start = first_of[later]
        of_page = [at for at in range(start, len(lines)) if lines[at].page == later]
        if place := _said(lines, of_page, words, None):
            return place
    return _Place(of_page[0], of_page[0] - 1)


def _said(
    lines: list[Line], of_page: Sequence[int], words: str, height: float | None
) -> _Place | None:
    """Return a page's lines that equal a heading, nearest to its target if it has a height."""
    wanted = _letters(words)
    spans: list[tuple[float, int, int]] = []
    for at in of_page:
        for last in range(at, min(at + 3, of_page[-1] + 1)):
            said = _letters("".join(line.words for line in lines[at : last + 1]))
            if wanted and said.endswith(wanted) and len(said) - len(wanted) <= 12:
                away = abs(lines[at].top - height) if height is not None else 0.0
                spans.append((away + 1000 * (said != wanted) * (height is None), at, last))
                break
            if not wanted.startswith(said[-len(wanted) :]) and last > at:
                break
    return _Place(*min(spans)[1:]) if spans else None


def _letters(words: str) -> str:
    return "".join(char for char in words.lower() if char.isalnum())


def _title(lines: list[Line]) -> str:
    """Return the lines that open the first page, if they are in the largest type."""
    if not lines or lines[0].page:
        return ""
    largest, usual = max(line.size for line in lines), median(line.size for line in lines)
    opening: list[str] = []
    for line in lines:
        if line.page or line.size < 0.95 * largest or len(opening) == 3:
            break
        opening.append(line.words)
    title = clean_title(" ".join(opening).replace("\ufffe ", ""))
    return title if largest > 1.25 * usual and len(title) <= MAX_HEADING_CHARS else ""


# Paragraphs


@dataclass
class _Text:
    """The text while its lines are joined; ``ends`` has each heading's last line, by its first.

    A heading whose words are nowhere has a last line before its first.
    """

    lines: list[Line]
    ends: dict[int, int]
    parts: list[str] = field(default_factory=list[str])
    starts: list[int] = field(default_factory=list[int])
    pages: list[Page] = field(default_factory=list[Page])

    def join(self) -> None:
        """Join all lines."""
        leading = leading_of(self.lines)
        compounds = set(_COMPOUND.findall(" ".join(line.words.lower() for line in self.lines)))
        inside = {at for first, last in self.ends.items() for at in range(first + 1, last + 1)}
        opened = {*self.ends, *(last + 1 for last in self.ends.values())}
        length = 0
        for at, line in enumerate(self.lines):
            before, between = (line, "") if not at else (self.lines[at - 1], "")
            if at in inside:
                between = " "
            elif at in opened and at:
                between = "\n\n"
            elif at:
                between = _between(self.lines, at, leading)
            if at and between == " " and (broken := _BROKEN_WORD.search(before.words)):
                length -= self._rejoin(broken[1], line.words, compounds)
                between = ""
            elif at and before.words.endswith("\ufffe"):
                self.parts[-1] = self.parts[-1].removesuffix("\ufffe") + "-"
            self.starts.append(length + len(between))
            if not at or line.page != before.page:
                self.pages.append(Page(self.starts[-1], line.page + 1))
            self.parts += [between, line.words]
            length += len(between) + len(line.words)
        if self.parts:
            self.parts[-1] = self.parts[-1].replace("\ufffe", "-")

    def _rejoin(self, broken: str, after: str, compounds: set[str]) -> int:
        """Remove a broken word's hyphen, unless it is its own; return by how much it is shorter."""
        first = _FIRST_WORD.match(after)
        end = first[0] if first else ""
        is_compound = f"{broken}-{end}".lower() in compounds or not end[:1].islower()
        words = self.parts[-1][:-1]
        self.parts[-1] = f"{words}-" if is_compound else words
        return not is_compound


def _between(lines: list[Line], at: int, leading: float) -> str:
    """Return the separator between a line and the last one: a blank, line end, or blank line."""
    above, line = lines[at - 1], lines[at]
    is_item = bool(_BULLET.match(line.words))
    if above.words.endswith("\ufffe") and not is_item:
        return " "
    goes_on = _is_full(lines, at - 1) and not is_item
    if above.page != line.page or line.bottom >= above.bottom:  # another page or column
        ends = ENDS_SENTENCE.search(above.words) or not goes_on
        return "\n\n" if ends else " "
    step = (above.bottom - line.bottom) / (line.size or 1)
    if (above.is_row or line.is_row) and _ends_a_row(above, line, goes_on=goes_on):
        return "\n" if (above.is_row and line.is_row) or step < 1.3 * leading else "\n\n"
    if goes_on and line.words[0].islower() and step < 2 * leading:
        return " "
    if step > 1.3 * leading or not 0.87 < line.size / (above.size or 1) < 1.15:
        return "\n\n"
    is_indented = line.left > above.left + line.size and not _BULLET.match(above.words)
    return " " if goes_on and not is_indented else "\n"


def _ends_a_row(above: Line, line: Line, *, goes_on: bool) -> bool:
    """Return whether a row, or the text above one, goes on in no cell of the next line."""
    if not above.is_row or line.is_row:
        return above.is_row or goes_on
    return not any(abs(cell.left - line.left) < 0.5 * line.size for cell in above.cells[1:])


def _is_full(lines: list[Line], at: int) -> bool:
    """Return whether a line ends near the right edge of its neighbours; False for short ones."""
    line = lines[at]
    around = [other for other in lines[max(at - 6, 0) : at + 7] if other.page == line.page]
    left = min(other.left for other in around)
    right = max(other.right for other in around if other.left <= line.right)
    is_long = line.right - line.left > _LEAST_WIDTH * line.size
    return is_long and line.right - left > 0.85 * (right - left)


# Finds the rows of a PDF's tables: lines whose cells stand in the columns of lines near them


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
