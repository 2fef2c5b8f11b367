"""Lines of a PDF -> its text: without what every page repeats, words and paragraphs joined."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any, Final, NamedTuple

from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS
from hippohover.indexing.corpus.readers.office.body import OpenHeading, nested
from hippohover.indexing.corpus.records import Heading, Page, clean_title

_MARGIN: Final = 0.13  # of a page's height, at its head and at its foot
_MOST_AT_AN_END: Final = 3  # lines of a running head
_LEAST_REPEATS: Final = 3
_LEAST_WIDTH: Final = 8  # of a line that goes on in the next one, in heights of its type
_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(
    r"(?i)\W*(?:page|seite|página|p\.)?\W*(\d{1,5}|[ivxlc]{1,7})\W*"
    r"(?:(?:of|von|de|/)\W*\d{1,5})?\W*"
)
_EDGE_NUMBER: Final = re.compile(r"^(\d{1,5})\s|\s(\d{1,5})$")
_BULLET: Final = re.compile(r"[•‣◦▪●○■–—*·-]\s|\(?(?:\d{1,3}|[a-z])[.)]\s")
_ENDS_SENTENCE: Final = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")
_BROKEN_WORD: Final = re.compile(r"(\w+)(?:\ufffe|-|\u00ad)$")
_FIRST_WORD: Final = re.compile(r"\w+")
_COMPOUND: Final = re.compile(r"\w+-\w+")
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}


class Line(NamedTuple):
    """A printed line: its words, where they begin and end, and how high they stand."""

    words: str
    left: float
    right: float
    bottom: float
    top: float
    page: int

    @property
    def size(self) -> float:
        """Height of its type."""
        return self.top - self.bottom


class Layout(NamedTuple):
    """The text of a PDF, and what stands where in it; the title is its largest opening line."""

    text: str
    title: str
    headings: tuple[Heading, ...]
    pages: tuple[Page, ...]


def laid_out(pages: Sequence[dict[str, Any]], outline: Sequence[Sequence[Any]]) -> Layout:
    """The text of the lines of all pages."""
    heights = [float(page["height"]) for page in pages]
    lines = [[_line(line, number) for line in page["lines"]] for number, page in enumerate(pages)]
    kept = _without_running(lines, heights)
    flat = [line for page in kept for line in page]
    matches = _matched(outline, flat)
    text = _Text(flat, {first: last for first, last, _ in matches})
    text.join()
    found = [OpenHeading(text.starts[first], level, words) for first, _, (level, words) in matches]
    return Layout("".join(text.parts), _title(flat), nested(found), tuple(text.pages))


def _line(line: Sequence[Any], page: int) -> Line:
    words = clean_title(str(line[0]).replace("\ufffe", "\u2060")).translate(_LIGATURES)
    left, right, bottom, top = map(float, line[1:])
    return Line(words.replace("\u2060", "\ufffe"), left, right, bottom, top, page)


# What every page repeats


def _without_running(lines: list[list[Line]], heights: list[float]) -> list[list[Line]]:
    """The pages without running heads and feet, and without their numbers."""
    usual = median(sizes) if (sizes := [line.size for page in lines for line in page]) else 0.0
    ends = [_ends(page, height, 1.15 * usual) for page, height in zip(lines, heights, strict=True)]
    repeats = Counter(key for page in ends for key in {_key(line) for line in page})
    offsets = Counter(
        offset for number, page in enumerate(ends) for offset in _offsets(page, number)
    )
    running = {
        line
        for number, page in enumerate(ends)
        for line in page
        if repeats[_key(line)] >= min(_LEAST_REPEATS, max(len(lines), 2))
        or any(offsets[offset] >= _least_counting(line) for offset in _offsets([line], number))
    }
    return [[line for line in page if line not in running] for page in lines]


def _ends(page: list[Line], height: float, largest: float) -> list[Line]:
    """The lines at the head and the foot of a page that could be running ones."""
    ordered = sorted(page, key=lambda line: -line.top)
    head = [line for line in ordered[:_MOST_AT_AN_END] if line.bottom > (1 - _MARGIN) * height]
    foot = [line for line in ordered[-_MOST_AT_AN_END:] if line.top < _MARGIN * height]
    return [line for line in {*head, *foot} if line.size <= largest]


def _key(line: Line) -> tuple[str, int]:
    """Words and height of a line, whatever its numbers."""
    return _DIGITS.sub("#", line.words.lower()), round(line.bottom / 4)


def _least_counting(line: Line) -> int:
    """Pages with which numbers have to count: words beside one may be of the text."""
    return 2 if _NUMBER.fullmatch(line.words) else _LEAST_REPEATS


def _offsets(lines: Iterable[Line], page: int) -> Iterator[tuple[int, int]]:
    """How far the number at an end of a line, or alone on one, is ahead of its page."""
    for line in lines:
        alone, at_edge = _NUMBER.fullmatch(line.words), _EDGE_NUMBER.search(line.words)
        number = alone[1] if alone else (at_edge[1] or at_edge[2]) if at_edge else ""
        if number.isdecimal():
            yield int(number) - page, round(line.bottom / 4)
        elif alone and number:
            yield _roman(number.lower()) - page, round(line.bottom / 4)


def _roman(number: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[letter] for letter in number]
    after = [*values[1:], 0]
    return sum(
        -value if value < next_ else value for value, next_ in zip(values, after, strict=True)
    )


# Headings


def _matched(
    outline: Sequence[Sequence[Any]], lines: list[Line]
) -> list[tuple[int, int, tuple[int, str]]]:
    """First and last line of each heading of the outline, in the order of the text."""
    first_of: dict[int, int] = {}
    for at, line in enumerate(lines):
        first_of.setdefault(line.page, at)
    matches: dict[int, tuple[int, tuple[int, str]]] = {}
    for level, title, page, height in outline:
        words = clean_title(title)
        if not words or len(words) > MAX_HEADING_CHARS:
            continue
        span = _place(lines, first_of, words, page, height)
        if span is not None:
            matches[span[0]] = (span[1], (level, words))
    return [(first, last, heading) for first, (last, heading) in sorted(matches.items())]


def _place(
    lines: list[Line], first_of: dict[int, int], words: str, page: int, height: float | None
) -> tuple[int, int] | None:
    """The lines that say a heading; else the line that its target is above."""
    wanted = _letters(words)
    start = first_of.get(page)
    spans: list[tuple[float, int, int]] = []
    at = len(lines) if start is None else start
    while at < len(lines) and lines[at].page == page:
        for last in range(at, min(at + 3, len(lines))):
            said = _letters("".join(line.words for line in lines[at : last + 1]))
            if wanted and said.endswith(wanted) and len(said) - len(wanted) <= 12:
                away = abs(lines[at].top - height) if height is not None else 0.0
                spans.append((away + 1000 * (said != wanted) * (height is None), at, last))
                break
            if not wanted.startswith(said[-len(wanted) :]) and last > at:
                break
        at += 1
    if spans:
        _, first, last = min(spans)
        return first, last
    if start is None:
        later = min((at for on, at in first_of.items() if on > page), default=None)
        return None if later is None else (later, later - 1)
    below = (
        at
        for at in range(start, len(lines))
        if lines[at].page == page and height is not None and lines[at].bottom < height
    )
    first = next(below, start)
    return first, first - 1


def _letters(words: str) -> str:
    return "".join(char for char in words.lower() if char.isalnum())


def _title(lines: list[Line]) -> str:
    """The lines that open the first page, where they are in the largest type of all."""
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
    """The text as its lines are joined; ``ends`` has the last line of each heading, by its first.

    A heading whose words are nowhere has a last line before its first.
    """

    lines: list[Line]
    ends: dict[int, int]
    parts: list[str] = field(default_factory=list[str])
    starts: list[int] = field(default_factory=list[int])
    pages: list[Page] = field(default_factory=list[Page])

    def join(self) -> None:
        """Join all lines."""
        leading = _leading(self.lines)
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
        """Take the sign of a broken word away, unless it is its own; how much shorter it is."""
        first = _FIRST_WORD.match(after)
        end = first[0] if first else ""
        is_compound = f"{broken}-{end}".lower() in compounds or not end[:1].islower()
        words = self.parts[-1][:-1]
        self.parts[-1] = f"{words}-" if is_compound else words
        return not is_compound


def _leading(lines: list[Line]) -> float:
    """The commonest step from one line down to the next, by the height of their type."""
    steps = Counter(
        round((above.bottom - line.bottom) / line.size, 1)
        for above, line in pairwise(lines)
        if above.page == line.page and line.size > 0 and above.bottom > line.bottom
    )
    return min(steps, key=lambda step: (-steps[step], step), default=1.2)


def _between(lines: list[Line], at: int, leading: float) -> str:
    """What stands between a line and the one before it: a blank, a line's end, or a blank line."""
    above, line = lines[at - 1], lines[at]
    is_item = bool(_BULLET.match(line.words))
    if above.words.endswith("\ufffe") and not is_item:
        return " "
    goes_on = _is_full(lines, at - 1) and not is_item
    if above.page != line.page or line.bottom >= above.bottom:  # another page or column
        ends = _ENDS_SENTENCE.search(above.words) or not goes_on
        return "\n\n" if ends else " "
    step = (above.bottom - line.bottom) / (line.size or 1)
    if goes_on and line.words[0].islower() and step < 2 * leading:
        return " "
    if step > 1.3 * leading or not 0.87 < line.size / (above.size or 1) < 1.15:
        return "\n\n"
    is_indented = line.left > above.left + line.size and not _BULLET.match(above.words)
    return " " if goes_on and not is_indented else "\n"


def _is_full(lines: list[Line], at: int) -> bool:
    """Whether a line ends near the right edge of those around it; a short one never does."""
    line = lines[at]
    around = [other for other in lines[max(at - 6, 0) : at + 7] if other.page == line.page]
    left = min(other.left for other in around)
    right = max(other.right for other in around if other.left <= line.right)
    is_long = line.right - line.left > _LEAST_WIDTH * line.size
    return is_long and line.right - left > 0.85 * (right - left)
