"""Cuts a document into passages: at sentences, rows of tables, sections, pages."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hippohover.names.sentences import sentence_spans

_LEAST_WORDS: Final = 40  # of a section that is a passage of its own

# Chinese and Japanese put no blanks between words: each of their characters counts as one.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED_CHARACTER = re.compile(rf"[{_UNSPACED}]")
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_LINE = re.compile(r"[^\n]+")
_SENTENCE = re.compile(r"[.!?…。！？؟][\"'”’»)]*\Z")
_CELL = re.compile(r"(?:^|; )([^:;]{1,100}): ")  # of a row that says its header
_LEAST_CELLS: Final = 3  # of a row that does not

Span = tuple[int, int]


class _Piece(NamedTuple):
    """Text that stays in one passage unless it is too long: a sentence, or a table's row."""

    start: int
    end: int
    opens: bool = False
    """Whether it begins a section."""
    body: int = 0
    """Where its headings end, if it begins with some."""


def passage_spans(
    text: str, max_words: int, sections: Sequence[int] = (), pages: Sequence[int] = ()
) -> list[Span]:
    """Return spans of passages of at most ``max_words`` words, stripped but for an indentation.

    A section, which begins at one of the offsets, begins a passage, unless what stands before it
    is too short to be one; its heading stays with what follows it. So does the first sentence that
    begins on a page, however short what stands before it is: a passage is cited by its page.
    Where a passage begins with a line inside the text, it keeps that line's indentation: code
    would read wrongly without it.
    """
    is_whole = not sections and len(pages) < 2 and _count_words(text) <= max_words
    if not max_words or is_whole:
        return [(len(text) - len(text.lstrip()), len(text.rstrip()))]
    spans: list[Span] = []
    n_words = max_words  # so that the first piece opens a passage
    for piece in _headed(text, sections, pages):
        if piece.opens and n_words >= min(_LEAST_WORDS, max_words):
            n_words = max_words
        for start, end, n in _short_enough(text, piece, max_words):
            last = bisect_right(pages, spans[-1][0]) if spans else 0
            if n_words + n > max_words or bisect_right(pages, start) > last:
                least = max(_last_until(start, sections), _last_until(start, pages))
                spans.append((_with_indentation(text, start, least), end))
                n_words = n
            else:
                spans[-1] = (spans[-1][0], end)
                n_words += n
    return spans


def _last_until(offset: int, begins: Sequence[int]) -> int:
    at = bisect_right(begins, offset)
    return begins[at - 1] if at else 0


def _with_indentation(text: str, start: int, least: int) -> int:
    """Return where the blanks begin that indent the line of ``start``, or ``least`` if later."""
    line = text.rfind("\n", 0, start) + 1
    return max(line, least) if line and not text[line:start].strip() else start


def _headed(text: str, sections: Sequence[int], pages: Sequence[int]) -> Iterator[_Piece]:
    """Yield the pieces of a text; headings go with the first piece below them."""
    heading: _Piece | None = None
    opening = frozenset(sections)
    for begin, stop in pairwise(sorted({0, *opening, len(text)})):
        is_section = begin in opening
        parts = [*(_sectioned(text, begin, stop) if is_section else _parts(text, begin, stop))]
        # A line that is all of a section, and a sentence, is its text: "Art. 3. None pays."
        is_said = len(parts) == 1 and bool(_SENTENCE.search(text, *parts[0]))
        for start, end in parts:
            piece, is_section = _Piece(start, end, opens=is_section), False
            if heading and bisect_right(pages, start) == bisect_right(pages, heading.start):
                piece = _Piece(heading.start, end, opens=True, body=start)
            elif heading:
                yield heading  # all that its page has of it
            is_heading = piece.opens and end <= _line_end(text, begin) and not is_said
            heading = piece if is_heading else None
            if not heading:
                yield piece
    if heading:
        yield heading


def _sectioned(text: str, begin: int, stop: int) -> Iterator[Span]:
    """Yield the line of a heading, and the text below it."""
    line_end = min(_line_end(text, begin), stop)
    yield from _trimmed(text, [(begin, line_end)])
    yield from _parts(text, line_end, stop)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _parts(text: str, begin: int, stop: int) -> Iterator[Span]:
    """Yield sentences, and rows of tables: each row is a line, whatever stops are in it."""
    start = begin
    for row_start, row_end in _rows(text, begin, stop):
        yield from _sentences(text, start, row_start)
        yield row_start, row_end
        start = row_end
    yield from _sentences(text, start, stop)


def _sentences(text: str, begin: int, stop: int) -> Iterator[Span]:
    for start, end in sentence_spans(text[begin:stop]):
        yield begin + start, begin + end


def _rows(text: str, begin: int, stop: int) -> Iterator[Span]:
    """Yield lines that are rows: adjacent, with a cell of one name, or as many cells."""
    lines = [match.span() for match in _LINE.finditer(text, begin, stop)]
    if len(lines) < 2:
        return
    cells = [_cells(text[start:end]) for start, end in lines]
    follows = [
        text.count("\n", end, start) == 1 and not one.isdisjoint(other)
        for ((_, end), one), ((start, _), other) in pairwise(zip(lines, cells, strict=True))
    ]
    for line, *is_row in zip(lines, [False, *follows], [*follows, False], strict=True):
        if any(is_row):
            yield from _trimmed(text, [line])


def _cells(line: str) -> set[str | int]:
    """Return the names of a row's cells, or how many it has; nothing for another line."""
    if ": " in line and (names := _CELL.findall(line)):
        return set(names)
    n_cells = line.count("; ") + 1
    return {n_cells} if n_cells >= _LEAST_CELLS else set()


def _trimmed(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans without the blanks at their ends; drops those of blanks alone."""
    for start, end in spans:
        part = text[start:end]
        if part and not part.isspace():
            yield start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _short_enough(text: str, piece: _Piece, max_words: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, words) of a piece; cuts a longer one by its lines, then by words.

    Headings are no lines of their own here either.
    """
    start, end, opens, body = piece
    n_words = _count_words(text[start:end])
    if n_words <= max_words:
        yield start, end, n_words
        return
    lines = list(_trimmed(text, (match.span() for match in _LINE.finditer(text, start, end))))
    if opens and len(lines) > 1:
        n_headings = max(1, sum(line_start < body for line_start, _ in lines))
        lines[: n_headings + 1] = [(start, lines[: n_headings + 1][-1][1])]
    for start, end in lines:
        words = [match.span() for match in _WORD.finditer(text, start, end)]
        for first in range(0, len(words), max_words):
            chunk = words[first : first + max_words]
            yield chunk[0][0], chunk[-1][1], len(chunk)


def _count_words(text: str) -> int:
    if text.isascii() or not _UNSPACED_CHARACTER.search(text):
        return len(text.split())
    return sum(1 for _ in _WORD.finditer(text))
