"""Numbered lines of plain text that are headings: "Article 12", "CHAPTER IV", "§ 3", "第十二条"."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import regex

from hippohover.indexing.corpus.readers.documents import Section
from hippohover.indexing.corpus.readers.office.pdf_running import ENDS_SENTENCE
from hippohover.indexing.corpus.records import clean_title
from hippohover.names.references import IN_ONE, PART_NUMBER, number_value

_FEWEST: Final = 3  # of a word: two lines may begin alike by chance
_LEAST_SHARE: Final = 2 / 3  # that follow the one before: lines of prose refer to any number
_LEVEL: Final = 3  # below what is underlined
_LONGEST: Final = 80  # of a heading: of a longer line, its name is one
_LINE = regex.compile(
    r"^[ \t]{0,40}(?P<name>(?P<word>[^\W\d_]{1,30}\.?(?=[ \u00a0])|[§¶]{1,2})[ \u00a0]{0,2}"
    rf"(?P<number>{PART_NUMBER})|(?P<one>{IN_ONE}))[^\n]{{0,1000}}",
    regex.M | regex.V1,
)
_NUMERALS = regex.compile(r"[\p{nt=Nu}\d]+", regex.V1)


class _Line(NamedTuple):
    """A line that begins with a word and a number."""

    word: str
    number: tuple[int, str]
    start: int
    end: int
    words: str
    is_title: bool
    """Whether it says no more than a heading."""
    is_apart: bool
    """Whether nothing, or a blank line, stands above it."""
    is_bare: bool = False
    """Whether another line with its word follows at once."""


def numbered_sections(text: str) -> list[Section]:
    """Return lines that begin with one word and rising numbers, three or more of them, as headings.

    Words stand above each other in the order in which they are first met: chapters have articles.
    The lines of a table of contents, which come again with a text below them, are none.
    """
    by_word: defaultdict[str, list[_Line]] = defaultdict(list)
    for line in _without_contents(list(_lines(text)), text):
        by_word[line.word].append(line)
    found = filter(None, map(_headings, by_word.values()))
    return [
        Section(line.start, level, line.words, line.words)
        for level, lines in enumerate(found, _LEVEL)
        for line in lines
    ]


def _lines(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        in_one = match["one"] or ""
        written = match["number"] or "".join(_NUMERALS.findall(in_one))
        word = match["word"] or _NUMERALS.sub("", in_one)
        value = number_value(written)
        whole = clean_title(match[0])
        is_title = len(whole) <= _LONGEST and not ENDS_SENTENCE.search(whole)
        above = text[text.rfind("\n", 0, max(match.start() - 1, 0)) + 1 : match.start()]
        if value and not word[0].islower():
            yield _Line(
                word=word.casefold(),
                number=(value, written[-1] if written[-1].islower() else ""),
                start=match.start(),
                end=match.end(),
                words=whole if is_title else clean_title(match["name"]),
                is_title=is_title,
                is_apart=not above.strip(),
            )


def _without_contents(lines: Sequence[_Line], text: str) -> Iterator[_Line]:
    """Yield lines but those without a text below them that come again."""
    last = {line[:2]: line.start for line in lines}
    for line, following in zip(lines, [*lines[1:], None], strict=False):  # without any, of none
        end = following.start if following else len(text)
        is_bare = line.is_title and not text[line.end : end].strip()
        if not is_bare or last[line[:2]] == line.start:
            is_alike = following is not None and following.word == line.word
            yield line._replace(is_bare=is_bare and is_alike)


def _headings(lines: Sequence[_Line]) -> list[_Line]:
    """Return the lines of one word that are headings; none where few follow each other.

    A line of wrapped prose may begin so too: where half of them stand below a blank line, those
    alone count.
    """
    apart = [line for line in lines if line.is_apart]
    lines = apart if 2 * len(apart) >= len(lines) else lines
    numbers = [line.number for line in lines]
    steps = [(two[0] - one[0], two > one) for one, two in pairwise(numbers)]
    n_following = sum(rises and step < 2 for step, rises in steps) + numbers.count(min(numbers))
    if 2 * sum(line.is_bare for line in lines) > len(lines):
        return []  # a list, or a log
    is_series = n_following >= _LEAST_SHARE * len(lines) or all(rises for _, rises in steps)
    return _rising(lines) if is_series and len(lines) >= _FEWEST else []


def _rising(lines: Sequence[_Line]) -> list[_Line]:
    """Return the most lines whose numbers rise; they may begin again with the least of them."""
    least, run = min(line.number for line in lines), 0
    ends: list[tuple[int, tuple[int, str]]] = []  # the least last number of so many lines
    last: list[int] = []
    before: list[int] = []
    for at, line in enumerate(lines):
        run += line.number == least
        length = bisect_left(ends, (run, line.number))
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [(run, line.number)]
        last[length : length + 1] = [at]
    chosen: list[_Line] = []
    at = last[-1]
    while at >= 0:
        chosen.append(lines[at])
        at = before[at]
    return chosen[::-1]
