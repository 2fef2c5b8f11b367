"""The text of a passage -> its sentences, list items, fields and rows, with what stands above each.

A line break ends what is marked as an item, a field or a heading; other lines are prose, in which
only a sentence or a blank line ends. A line that is indented goes on with the item above it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from hippohover.names.sentences import sentence_spans

Kind = Literal["sentence", "item", "field", "row"]

_LINE: Final = re.compile(r"[^\n]*\S[^\n]*")
_HEADING: Final = re.compile(r"[ \t]*(?P<marks>#{1,6})[ \t]+(?P<text>.*\S)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+•‣–>]|\d{1,3}[.)])[ \t]+(?=\S)")
_FIELD: Final = re.compile(
    r"(?:\*\*|__)?(?P<key>[^\W_][\w'’&/.-]*(?: [\w'’&/.-]+){0,3})(?:\*\*|__)?:(?:\*\*|__)?"
    r"[ \t]+(?=\S)"
)
_CELL: Final = re.compile(r"[^;:]{1,60}: ")
_CELL_BORDER: Final = "; "
_ENDS: Final = (".", "!", "?", ",", ";", ":", "。", "！", "？")
_LONGEST_HEADING: Final = 8
"""Words of a line that stands alone above others, and is their heading."""
_LONE: Final = 7


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a passage that says something.

    Attributes
    ----------
    kind : {"sentence", "item", "field", "row"}
    start, stop : int
        Its characters, with its mark.
    text : str
        Without the mark.
    above : tuple of str
        Headings above it, and lines that introduce it, outermost first.
    lead : str
        The line that introduces an item: "We do not sell:"; "" without.
    key : str
        What a field begins with, of each of its sentences: who says them; "" elsewhere.
    """

    kind: Kind
    start: int
    stop: int
    text: str
    above: tuple[str, ...] = ()
    lead: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    stop: int
    text: str
    alone: bool
    """Whether blank lines, or the ends of the text, are before it and behind it."""

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def is_marked(self) -> bool:
        return bool(_HEADING.match(self.text) or _ITEM.match(self.text) or is_field(self.text))


def is_field(line: str) -> bool:
    """Return whether a line is a field with its value: "Superseded-By: PEP 649"."""
    found = _FIELD.match(line.lstrip())
    return found is not None and found["key"][0].isupper()


def units_of(text: str, most: int) -> list[Unit]:
    """Return up to ``most`` pieces of a text, in order."""
    return [*islice(_units(_lines(text), text), most)]


def _lines(text: str) -> list[_Line]:
    spans = [line.span() for line in _LINE.finditer(text)]
    ends = [0, *(stop for _, stop in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    found: list[_Line] = []
    for at, (start, stop) in enumerate(spans):
        before, behind = text.count("\n", ends[at], start), text.count("\n", stop, starts[at + 1])
        alone = (before > 1 or not at) and behind > 1 and at + 1 < len(spans)
        found.append(_Line(start, stop, text[start:stop], alone))
    return found


def _units(lines: list[_Line], text: str) -> Iterator[Unit]:
    path: dict[int, str] = {}
    leads: dict[int, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        level, heading = _heading(line)
        if heading:
            path = {depth: told for depth, told in path.items() if depth < level}
            path[level], leads = heading, {}
            at += 1
            if heading.endswith("?"):
                yield Unit("sentence", line.start, line.stop, heading, (*path.values(),)[:-1])
            continue
        stop = at + 1
        while stop < len(lines) and _goes_on(line, lines[stop], text[lines[stop - 1].stop :]):
            stop += 1
        if line.is_marked:
            leads = {depth: told for depth, told in leads.items() if depth < line.indent}
        elif not line.text.lstrip().startswith("|"):
            leads = {}
        whole = text[line.start : lines[stop - 1].stop].rstrip()
        above = (*path.values(), *(told for told in leads.values()))
        yield from _said(whole, line.start, above, [*leads.values()][-1:])
        last = whole.rpartition("\n")[2].rstrip("*_ ")
        if last.endswith(":"):
            leads[line.indent - (not line.is_marked)] = _bare(_sentence_before(last))
        at = stop


def _heading(line: _Line) -> tuple[int, str]:
    """Return the depth of a heading and its text; "" for another line."""
    found = _HEADING.match(line.text)
    if found is not None:
        return len(found["marks"]), found["text"].rstrip("# ").strip()
    text = line.text.strip()
    words = text.split()
    is_lone = line.alone and len(words) <= _LONGEST_HEADING and not text.endswith(_ENDS)
    is_lone = is_lone and not line.is_marked and _CELL_BORDER not in text and text[0].isupper()
    return (_LONE, _bare(text)) if is_lone else (0, "")


def _goes_on(first: _Line, line: _Line, between: str) -> bool:
    """Return whether a line is still of what began with ``first``."""
    if line.is_marked or is_row(line.text) or is_row(first.text):
        return False
    blank = between[: len(between) - len(between.lstrip())].count("\n") > 1
    if first.is_marked:
        return not blank and line.indent > first.indent
    asks = first.text.rstrip("*_ ").endswith("?")
    return not blank and not asks and not first.text.rstrip().endswith(":")


def is_row(text: str) -> bool:
    """Return whether a line is the row of a table, with its headers: "Boat: Punt; Seats: 6"."""
    cells = text.strip().split(_CELL_BORDER)
    return len(cells) > 1 and all(_CELL.match(cell) for cell in cells)


def _said(whole: str, start: int, above: tuple[str, ...], lead: list[str]) -> Iterator[Unit]:
    mark = _ITEM.match(whole)
    inside = mark.end() if mark else 0
    text = whole[inside:]
    told = "".join(lead)
    if is_row(text):
        yield Unit("row", start, start + len(whole), text, above, told)
        return
    if is_field(text):
        yield from _of_field(Unit("field", start, start + inside, text, above, told))
        return
    for begin, end in sentence_spans(text):
        first = start + inside + begin if begin else start
        yield Unit("item" if mark else "sentence", first, start + inside + end, text[begin:end],
                   above, told if mark else "")  # fmt: skip


def _of_field(line: Unit) -> Iterator[Unit]:
    """Yield the sentences of a field, of which a bracket holds no end: "Ann Orr (m. 1999)"."""
    found = _FIELD.match(line.text.lstrip())
    key = found[0] if found else ""
    above = (*line.above, _bare(key)) if _is_name(key.rstrip(": ")) else line.above
    opened = 0
    for begin, end in sentence_spans(line.text):
        if line.text.count("(", opened, end) == line.text.count(")", opened, end):
            kind: Kind = "sentence" if opened else "field"
            first = line.stop + begin if opened == begin and opened else line.stop + opened
            yield Unit(kind, line.start if not opened else first, line.stop + end,
                       line.text[opened:end].strip(), above, line.lead, _bare(key))  # fmt: skip
            opened = end
    if line.text[opened:].strip():
        yield Unit("sentence", line.stop + opened, line.stop + len(line.text.rstrip()),
                   line.text[opened:].strip(), above, line.lead, _bare(key))  # fmt: skip


def _is_name(key: str) -> bool:
    """Return whether a field's key is what the line is about: "**Static**:", "Dawn Patrol:"."""
    words = _bare(key).split()
    return key[0] in "*_" or (len(words) > 1 and all(word[0].isupper() for word in words))


def _bare(text: str) -> str:
    return text.strip(" *_:").strip()


def _sentence_before(line: str) -> str:
    mark = _ITEM.match(line)
    text = line[mark.end() :] if mark else line
    start, stop = (sentence_spans(text) or [(0, len(text))])[-1]
    return text[start:stop]
