"""Finds running heads and feet of a PDF's pages, and page numbers, which are no text.

They have to be proved, for what is left out is lost: on three pages at least, at the edge, apart
from the text, with text left on the page. A line that is kept in vain is a lesser evil.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from hippohover.names.references import number_value

_MARGIN: Final = 0.13  # of a page's height, at its head and at its foot
_MOST_AT_AN_END: Final = 3  # lines of a running head
_LEAST_REPEATS: Final = 3
_LONGEST: Final = 200  # characters of a running head
_DIGITS: Final = re.compile(r"[0-9]+")
_EDGE_NUMBER: Final = re.compile(r"^(\d{1,5})\s|\s(\d{1,5})$")
_NUMBER: Final = re.compile(
    r"(?i)\W*(?:page|seite|página|p\.)?\W*(\d{1,5}|[ivxlc]{1,7})\W*"
    r"(?:(?:of|von|de|/)\W*\d{1,5})?\W*"
)
ENDS_SENTENCE: Final = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")


class Cell(NamedTuple):
    """What stands apart in a line: its words, its left and right end."""

    words: str
    left: float
    right: float


class Line(NamedTuple):
    """A printed line: its words, its left and right end, and its height on the page.

    One of several cells has these, until ``rows_joined``.
    """

    words: str
    left: float
    right: float
    bottom: float
    top: float
    page: int
    cells: tuple[Cell, ...] = ()
    is_row: bool = False

    @property
    def size(self) -> float:
        """Height of its type."""
        return self.top - self.bottom


def without_running(lines: list[list[Line]], heights: list[float]) -> list[list[Line]]:
    """Remove running heads and feet, and page numbers."""
    usual = median(sizes) if (sizes := [line.size for page in lines for line in page]) else 0.0
    ends = [_ends(page, height, 1.15 * usual) for page, height in zip(lines, heights, strict=True)]
    running = _running(ends)
    apart = 1.3 * leading_of([line for page in lines for line in page])
    return [_without(page, running, apart) for page in lines]


def _running(ends: Sequence[Sequence[Line]]) -> set[Line]:
    """Return lines on three pages, with the same numbers or ones that count with the pages.

    A sentence whose number changes is text, however many pages have it.
    """
    repeats = Counter(key for page in ends for key in {_key(line) for line in page})
    counting = Counter(key for page in ends for line in page for key in _counting(line))
    offsets = Counter(offset for page in ends for line in page for offset in _offsets(line))
    return {
        line
        for page in ends
        for line in page
        if repeats[_key(line)] >= _LEAST_REPEATS
        or any(offsets[offset] >= _least_counting(line) for offset in _offsets(line))
        or any(counting[key] >= _LEAST_REPEATS for key in _counting(line))
    }


def _without(page: list[Line], running: set[Line], apart: float) -> list[Line]:
    """Remove a page's running lines, except those that continue its text, or are all of it."""
    left = {line for line in page if line not in running}
    unsure = [line for line in page if line in running and not _is_number(line)]
    while goes_on := [line for line in unsure if line not in left and _goes_on(line, left, apart)]:
        left.update(goes_on)
    left = left or set(unsure)
    return [line for line in page if line in left]


def _goes_on(line: Line, kept: Iterable[Line], apart: float) -> bool:
    """Return whether a line of text is the next one, above or below."""
    steps = (abs(line.bottom - other.bottom) for other in kept)
    return any(0.5 * line.size < step < apart * line.size for step in steps)


def _ends(page: list[Line], height: float, largest: float) -> list[Line]:
    """Return the lines at the top and the bottom of a page that could be running ones."""
    ordered = sorted(page, key=lambda line: -line.top)
    head = [line for line in ordered[:_MOST_AT_AN_END] if line.bottom > (1 - _MARGIN) * height]
    foot = [line for line in ordered[-_MOST_AT_AN_END:] if line.top < _MARGIN * height]
    return [line for line in {*head, *foot} if line.size <= largest and len(line.words) <= _LONGEST]


def _key(line: Line) -> tuple[str, int]:
    """Return words and height of a line."""
    return line.words.lower(), round(line.bottom / 4)


def _counting(line: Line) -> Iterator[tuple[str, int, int, int]]:
    """Yield words and height of a line without its numbers, and each one's lead over the page."""
    if not _is_sentence(line):
        words, height = _DIGITS.sub("#", line.words.lower()), round(line.bottom / 4)
        for at, number in enumerate(_DIGITS.findall(line.words)):
            yield words, height, at, int(number) - line.page


def _is_number(line: Line) -> bool:
    """Return whether a line is only a page number."""
    return bool(_NUMBER.fullmatch(line.words))


def _is_sentence(line: Line) -> bool:
    return bool(ENDS_SENTENCE.search(line.words)) and not _is_number(line)


def _least_counting(line: Line) -> int:
    """Return how many pages numbers must count with: words beside one may be text."""
    return 2 if _is_number(line) else _LEAST_REPEATS


def _offsets(line: Line) -> Iterator[tuple[int, int]]:
    """Yield how far the number at an end of a line, or alone on it, is ahead of its page."""
    alone, at_edge = _NUMBER.fullmatch(line.words), _EDGE_NUMBER.search(line.words)
    number = alone[1] if alone else (at_edge[1] or at_edge[2]) if at_edge else ""
    if _is_sentence(line):
        return
    if number.isdecimal():
        yield int(number) - line.page, round(line.bottom / 4)
    elif alone and number:
        yield number_value(number) - line.page, round(line.bottom / 4)


def leading_of(lines: list[Line]) -> float:
    """Return the most frequent distance of lines, in heights of their type."""
    steps = Counter(
        round((above.bottom - line.bottom) / line.size, 1)
        for above, line in pairwise(lines)
        if above.page == line.page and line.size > 0 and above.bottom > line.bottom
    )
    return min(steps, key=lambda step: (-steps[step], step), default=1.2)
