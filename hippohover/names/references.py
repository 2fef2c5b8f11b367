"""References by number to other texts of a series: "see Rule 3.8.1", "Article 12(3)", "#123"."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

import regex

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
# What a part is called, and its number: "Article 12", "§ 12a"; "第十二条" and "제12조" are both.
PART_NUMBER: Final = r"(\d{1,4}[a-z]?|[IVX]|[IVXLC]{2,8})(?!\w|[.,]\d)"
_CALLED: Final = rf"(?<![\w.])([^\W\d_]{{1,30}}\.?(?=\s)|[§¶]{{1,2}})[ \u00a0]{{0,2}}{PART_NUMBER}"
IN_ONE: Final = r"(\p{Han}[\p{nt=Nu}\d]{1,6}\p{Han}|(?<!\w)\p{Hangul}\d{1,4}\p{Hangul})"
_PART = regex.compile(rf"(?:(.{{1,100}}?)\s*[,:–—-]\s+)??(?:{_CALLED}|{IN_ONE})(?=\W|$)", regex.V1)
_CALLED_IN_TEXT = regex.compile(_CALLED)
# "Articles 3, 4a and 5": of a list only the first stands behind the word.
_NEXT_IN_LIST = regex.compile(
    rf"(?:[ \u00a0]?[,/–-][ \u00a0]?|[ \u00a0]\w{{1,3}}[ \u00a0]){PART_NUMBER}"
)
_IN_ONE_IN_TEXT = regex.compile(IN_ONE, regex.V1)
_DIGITS = re.compile(r"\d+")
_ROMAN_NUMBER = re.compile(r"\b[IVXLC]{1,8}\b")
_ROMAN: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
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


class Part(NamedTuple):
    """What a numbered part is called: "Article" and "12", of the series "Harbour Act"."""

    series: str
    word: str
    number: str

    @property
    def name(self) -> str:
        """The name by which texts of the same series refer to it."""
        return f"{self.word} {self.number}".strip()

    @property
    def full_name(self) -> str:
        """The name that tells it from the parts of other series."""
        return f"{self.series} {self.name}" if self.series else ""


def parts_of(passage: Passage) -> list[Part]:
    """Return the numbered parts that a passage holds, by its innermost headings or its title.

    Their series is the document if headings say them, else what the title has before the part,
    else the folder of the file.
    """
    headings = (passage.heading, *(section.heading for section in passage.sections))
    if not _may_number(passage.title + "".join(headings)):
        return []
    matches = (_match(heading.rpartition(" > ")[2]) for heading in dict.fromkeys(headings))
    found = [_part(passage.title, match) for match in matches if match and not match[1]]
    if found or _NUMBERED_TITLE.fullmatch(passage.title[:_MAX_TITLE_CHARS]):
        return found
    match = _match(passage.title)
    parent = str(PurePosixPath(passage.path).parent)
    return [_part(match[1] or ("" if parent == "." else parent), match)] if match else []


def _may_number(title: str) -> bool:
    """Return whether a title has a digit or a numeral: most have none, which is seen at once."""
    return any(map(str.isnumeric, title)) or _ROMAN_NUMBER.search(title) is not None


def _match(title: str) -> "regex.Match[str] | None":
    return _PART.match(title[:_MAX_TITLE_CHARS])


def _part(series: str, match: "regex.Match[str]") -> Part:
    return Part(series, match[2] or match[4], match[3] or "")


def part_names(text: str) -> list[str]:
    """Return what a text calls numbered parts by: "Article 12", "第十二条"; each once, in order."""
    found = [*_CALLED_IN_TEXT.finditer(text), *_IN_ONE_IN_TEXT.finditer(text)]
    names = (" ".join(filter(None, match.groups())) for match in sorted(found, key=_start))
    return list(dict.fromkeys(names))


def _start(match: "regex.Match[str]") -> int:
    return match.start()


def number_value(written: str) -> int:
    """Return a number of digits, and a letter behind them, or of Roman or Chinese numerals.

    What is no such number is 0.
    """
    digits = _DIGITS.match(written)
    if digits:
        return int(digits[0])
    values = [_ROMAN.get(sign) or int(unicodedata.numeric(sign, 0)) for sign in written.upper()]
    if all(sign in _ROMAN for sign in written.upper()):
        pairs = zip(values, [*values[1:], 0], strict=True)
        return sum(-value if value < following else value for value, following in pairs)
    total = ones = 0
    for value in values:  # "二百十二" is two hundreds, ten and two
        total, ones = (
            (total + (ones or 1) * value, 0) if value >= 10 else (total, 10 * ones + value)
        )
    return total + ones


def section_of(title: str) -> str:
    """Return a numbered title's section: "Rules, 3.8" of "Rules, 3.8.1"; else ""."""
    if len(title) > _MAX_TITLE_CHARS or not _may_number(title):
        return ""
    if _NUMBERED_TITLE.fullmatch(title) is None:
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
    parts = parts_of(passage)
    own = {part.name for part in parts}
    if parts:
        yield from (one for one in _to_parts(parts[0], text) if one.section not in own)
    if len(passage.title) > _MAX_TITLE_CHARS or not _may_number(passage.title):
        return
    title = _NUMBERED_TITLE.fullmatch(passage.title)
    if title is None:
        return
    for match in _REFERENCE.finditer(text):
        yield Reference(title[1] + match[0], title[1] + match[1], "", match.start(), match.end())


def _to_parts(own: Part, text: str) -> Iterator[Reference]:
    """Yield references to parts that are called like a text's own: "Articles 3", "art. 3"."""
    if not own.number:
        for match in _IN_ONE_IN_TEXT.finditer(text):
            yield from _to_part(own._replace(word=match[1]), match)
        return
    for match in _CALLED_IN_TEXT.finditer(text):
        found: regex.Match[str] | None = match if _is_called(match[1], own.word) else None
        while found is not None:
            yield from _to_part(own._replace(number=found[found.re.groups]), found)
            found = _NEXT_IN_LIST.match(text, found.end())


def _to_part(to: Part, found: "regex.Match[str]") -> Iterator[Reference]:
    """Yield a reference, unless the name is a mention as it stands."""
    if to.series or found[0].lower() != to.name.lower():
        yield Reference(to.full_name or to.name, to.name, "", *found.span())


def _is_called(word: str, own: str) -> bool:
    """Return whether a word is a part's, in the plural or abbreviated too."""
    bare, whole = word.rstrip(".").lower(), own.rstrip(".").lower()
    is_short = word.endswith(".") and whole.startswith(bare)
    return is_short or (bare.startswith(whole) and len(bare) <= len(whole) + 2)
