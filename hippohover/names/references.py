"""References by number to other texts of a series: "see Rule 3.8.1", "#123"."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from hippohover.names.normal_forms import token_spans
from hippohover.records import Passage

_MAX_TITLE_CHARS: Final = 300
_NUMBER: Final = r"[A-Za-z]{0,5}\d{1,6}(?:\.\d{1,6}){1,8}"
# What the numbers of a series stand behind, and the number: "Rules, " and "3.8.1.(2)".
_NUMBERED_TITLE = re.compile(
    r"(.*?(?<![\w.]))[A-Za-z]{0,5}\d{1,6}(?:\.\(?\w{1,20}\)?){1,10}\.?", re.S
)
# A mere "2.0" stands in nothing.
_IN_SECTION = re.compile(
    r"(?!.*(?<![\w.])\d+\.\d+\Z)(.*\d\)?)(?:\.[^\W\d]\w{0,19})?\.\(?\w{1,20}\)?\.?", re.S
)
_REFERENCE = re.compile(rf"(?<![\w.])({_NUMBER})((?:\.?\(\w{{1,4}}\))*)(?!\w|\.\w)")
_OF_RECORD = re.compile(r"(?<![\w&#])#(\d{1,9})(?!\w)")


class Reference(NamedTuple):
    """The target of a reference, and the tokens of the text that name it."""

    title: str
    """A title of the same series, as in full; "" where an id is meant."""
    section: str
    """The same without the brackets at its end."""
    id: str
    """The id of a record; "" where a title is meant."""
    start: int
    stop: int


def section_of(title: str) -> str:
    """Return a numbered title's section: "Rules, 3.8" of "Rules, 3.8.1"; else ""."""
    if len(title) > _MAX_TITLE_CHARS or _NUMBERED_TITLE.fullmatch(title) is None:
        return ""
    match = _IN_SECTION.fullmatch(title)
    return match[1] if match else ""


def references(passage: Passage) -> list[Reference]:
    """Find references to titles numbered like the text's own, or to ids where its own is a number.

    A number elsewhere is a decimal, a date or a version, and no reference.
    """
    found = list(_references(passage))
    if not found:
        return []
    starts = [start for start, _ in token_spans(passage.text)]
    return [
        one._replace(start=bisect_left(starts, one.start), stop=bisect_left(starts, one.stop))
        for one in found
    ]


def _references(passage: Passage) -> Iterator[Reference]:
    """Yield references, with their places in characters."""
    text = passage.text
    if passage.document.isdecimal() and "#" in text:
        for match in _OF_RECORD.finditer(text):
            yield Reference("", "", match[1], match.start(), match.end())
    if len(passage.title) > _MAX_TITLE_CHARS:
        return
    title = _NUMBERED_TITLE.fullmatch(passage.title)
    if title is None:
        return
    for match in _REFERENCE.finditer(text):
        yield Reference(title[1] + match[0], title[1] + match[1], "", match.start(), match.end())
