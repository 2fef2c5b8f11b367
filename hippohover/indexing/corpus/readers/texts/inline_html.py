"""HTML, comments and references within Markdown: what they are replaced by."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from hippohover.indexing.corpus.markup import path_link
from hippohover.indexing.corpus.readers.documents import Section
from hippohover.indexing.corpus.records import Link, clean_title

# Every repeat has a bound: no text, however odd, is searched twice over.
_ATTRIBUTES = r"(?:(?=\s)(?:[^<>\n]|\n(?![ \t]*\n)){0,4000})?"  # a blank line ends what it is in
_NO_TARGET = r"(?<!\]\()(?<!\]\(\s)"  # [shown](<what it leads to>)
_TAG = rf"{_NO_TARGET}</?(?P<tag>[A-Za-z][A-Za-z0-9.-]{{0,40}})(?P<of_tag>{_ATTRIBUTES})/?>"
_HEADING = (
    rf"{_NO_TARGET}<h(?P<level>[1-6])(?P<of_heading>{_ATTRIBUTES})>"
    r"(?P<words>(?:(?!</?h[1-6]\b|\n[ \t]*\n).){0,400}?)</h(?P=level)\s*>"
)
_CHARACTER = r"(?P<char>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
_MARKUP = re.compile(rf"{_HEADING}|{_TAG}|{_CHARACTER}", re.S)
_ANY_TAG = re.compile(_TAG)
_VALUE = r"\s*=\s*(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\s\"'>]{1,2000}))"
_ADDRESS, _NAME = (re.compile(rf"\s{name}{_VALUE}", re.I) for name in ("href", "id"))

# Between the words in these and what stands beside them is no blank.
_WITHIN_WORDS: Final = (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike "
    "strong sub sup tt u var wbr"
)
_HIDDEN: Final = (("<!--", "-->"), ("{/*", "*/}"), ("<style", "</style>"), ("<script", "</script>"))
# %%a comment of a vault%%; import X from "y" and export const x = 1 of MDX, up to a blank line.
_VAULT_COMMENT = re.compile(r"(?<!\S)%%(?!%)(?:[^%]|%(?!%)){1,20000}%%(?!\S)")
_MODULE_LINE = re.compile(
    r"^(?:import(?:\s[\w\s{},*$]{1,300}?\sfrom)?\s{0,20}(?:\"[^\"\n]{1,500}\"|'[^'\n]{1,500}');?"
    r"|export[ \t]+(?:const|default|function|let)\b[^\n]{0,1000}(?:\n[^\n]{1,1000}){0,60})[ \t]*$",
    re.M,
)
_LABEL = r"[^\[\]\n]{0,300}"
_PICTURE = rf"!\[({_LABEL})\](?:\[{_LABEL}\]|\([^()\n]{{0,500}}\))"
_ANY_PICTURE = re.compile(_PICTURE)
_REFERENCE = re.compile(
    rf"(?<![\[\\\]])(!?)\[((?:[^\[\]\n]|{_PICTURE}){{1,300}})\](?:\[({_LABEL})\])?(?![\[(:])"
)


class Edit(NamedTuple):
    """A span of a text, and its replacement."""

    start: int
    end: int
    put: str = ""


class Edited:
    """A text after edits; of overlapping ones the first counts.

    Attributes
    ----------
    text : str
    """

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        parts: list[str] = []
        self._ends, self._shifts = [0], [0]
        at = length = 0
        for edit in sorted(edits):
            if edit.start < at:
                continue
            parts += [text[at : edit.start], edit.put]
            length += edit.start - at + len(edit.put)
            at = edit.end
            self._ends.append(at)
            self._shifts.append(length - at)
        self.text = "".join([*parts, text[at:]])

    def place(self, offset: int) -> int:
        """Return an old offset's new place; for replaced text, the end of its replacement."""
        row = bisect_right(self._ends, offset) - 1
        at = offset + self._shifts[row]
        if row + 1 < len(self._ends):
            at = min(at, self._ends[row + 1] + self._shifts[row + 1])
        return at


class Inline(NamedTuple):
    """Replaced parts of a text and their content, placed in the original text."""

    edits: list[Edit]
    links: list[Link]
    sections: list[Section]


def inline_html(prose: str, folder: str) -> Inline:
    """Return tags, comments, imports and named characters of a text in ``folder``."""
    found = Inline([], [], [])
    if not any(sign in prose for sign in ("<", "&", "{/*", "%%", "import", "export")):
        return found
    found.edits.extend(_hidden(prose))
    blanks = [edit._replace(put=" " * (edit.end - edit.start)) for edit in found.edits]
    prose = Edited(prose, blanks).text  # as long as it was
    for match in _MARKUP.finditer(prose):
        _take(match, folder, found)
    return found


def _take(match: re.Match[str], folder: str, found: Inline) -> None:
    start, end = match.span()
    if match["char"]:
        found.edits.append(Edit(start, end, html.unescape(match["char"])))
    elif match["level"]:
        level, attributes = int(match["level"]), match["of_heading"]
        for tag in _ANY_TAG.finditer(match["words"]):
            found.links.extend(_leading(start, tag["of_tag"], folder))
        words = clean_title(html.unescape(_ANY_TAG.sub("", match["words"])))
        found.sections.append(Section(start, level, words, _first(_NAME, attributes)))
        found.edits.append(Edit(start, end, f"{'#' * level} {words}"))
    else:
        name = match["tag"].lower()
        found.links.extend(_leading(start, match["of_tag"], folder))
        found.edits.append(Edit(start, end, "" if name in _WITHIN_WORDS.split() else " "))


def _leading(offset: int, attributes: str, folder: str) -> Iterator[Link]:
    return path_link(offset, html.unescape(_first(_ADDRESS, attributes)), folder)


def _first(value: re.Pattern[str], attributes: str) -> str:
    match = value.search(attributes or "")
    return (match[1] or match[2] or match[3]) if match else ""


def _hidden(prose: str) -> Iterator[Edit]:
    """Yield comments, styles, scripts and lines of MDX code, in any order."""
    lower = prose.lower() if "<" in prose else prose
    for begin, close in _HIDDEN:
        start = lower.find(begin)
        while start >= 0 and (end := lower.find(close, start)) >= 0:
            yield Edit(start, end + len(close))
            start = lower.find(begin, end)
    for pattern in (_VAULT_COMMENT, _MODULE_LINE):
        for match in pattern.finditer(prose):
            yield Edit(*match.span())


def inline_references(prose: str, references: Mapping[str, str], folder: str) -> Inline:
    """Return ``[shown][name]``, ``[name][]`` and ``[name]`` of a text, with their addresses."""
    found = Inline([], [], [])
    for match in _REFERENCE.finditer(prose) if references else ():
        address = references.get(reference_key(match[4] or match[2]))
        if address is None:
            continue
        shown = _ANY_PICTURE.sub(lambda picture: picture[1], match[2])
        found.edits.append(Edit(*match.span(), shown))
        if not match[1]:
            found.links.extend(path_link(match.start(), address, folder))
    return found


def reference_key(label: str) -> str:
    """Return a reference's name in the form that is compared."""
    return " ".join(label.split()).lower().upper()
