"""Reads the text of HTML: of a page of a site or a book, without what is no text of it."""

from collections.abc import Callable
from typing import Any, Final

from hippohover.indexing.corpus.readers.documents import MAX_NAME_CHARS, Marked, joined_header
from hippohover.indexing.corpus.readers.html_furniture import is_furniture
from hippohover.indexing.corpus.readers.text_builder import (
    CELL,
    LINE,
    NAMED,
    PARAGRAPH,
    TextBuilder,
)

Element = Any
"""Of lxml, which has no types."""

_PARAGRAPHS: Final = frozenset(
    ["p", "ul", "ol", "dl", "table", "blockquote", "pre", "figure", "section", "article", "main",
     "details", "fieldset", "hr", "h1", "h2", "h3", "h4", "h5", "h6"]
)  # fmt: skip
_LINES: Final = frozenset(
    ["div", "li", "dt", "dd", "tr", "br", "td", "th", "caption", "figcaption", "summary", "address",
     "header", "aside", "form", "center", "legend", "thead", "tbody", "tfoot", "option", "title"]
)  # fmt: skip
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_NO_DATA: Final = ("table", *_HEADINGS)
_MAX_SPAN: Final = 100


def html_marked(
    root: Element, folder: str, is_left_out: Callable[[Element], bool] = is_furniture
) -> Marked:
    """Read an element, its links relative to a folder, but for elements that are left out."""
    builder = TextBuilder(folder)
    _Page(builder, is_left_out).over(root)
    return builder.marked()


class _Page:
    """A page, or a part of it: walks through an element of any depth, and writes its text."""

    def __init__(self, builder: TextBuilder, is_left_out: Callable[[Element], bool]) -> None:
        self._builder = builder
        self._is_left_out = is_left_out
        self._n_pre = 0
        self._heading = (0, 0)

    def over(self, root: Element) -> None:
        """Read an element with its content."""
        from lxml.etree import iterwalk

        walk = iterwalk(root, events=("start", "end"))
        passed_over: Element = None
        for event, element in walk:
            if event == "start" and not self._enters(element, is_root=element is root):
                passed_over = element
                walk.skip_subtree()
            elif event == "end":
                if element is not passed_over:
                    self._leaves(element)
                passed_over = None
                if element is not root:
                    self._words(element.tail)

    def _enters(self, element: Element, *, is_root: bool) -> bool:
        """Begin an element; return whether to read its content."""
        tag = element.tag
        if not isinstance(tag, str) or (not is_root and self._is_left_out(element)):
            return False  # a comment has no name
        self._break(tag)
        if tag == "table" and all(element.find(f".//{name}") is None for name in _NO_DATA):
            _Table(self._builder, self._is_left_out).over(element)
            self._break(tag)
            return False
        if tag == "a" and element.get("href"):
            self._builder.link_path(element.get("href"))
        elif tag == "li" and not self._builder.in_row:
            self._builder.lead = "- "
        elif tag in _HEADINGS:
            self._heading = (self._builder.length, self._builder.start())
        self._n_pre += tag == "pre"
        self._words(element.text)
        return True

    def _leaves(self, element: Element) -> None:
        """End an element whose content was read."""
        tag = element.tag
        if tag in _HEADINGS and (words := self._builder.since(self._heading[0])):
            level, anchor = int(tag[1]), _anchor(element)
            self._builder.section(level, words, anchor, offset=self._heading[1])
        self._n_pre -= tag == "pre"
        self._break(tag)

    def _words(self, text: str | None) -> None:
        if text:
            (self._builder.raw if self._n_pre else self._builder.add)(text)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self._builder.new_line(PARAGRAPH)
        elif tag in _LINES:
            self._builder.new_line(LINE)


def _anchor(heading: Element) -> str:
    """Return the anchor of a heading: its own, or of the section that it opens."""
    if name := heading.get("id"):
        return name
    inner = heading.find(".//a[@id]")
    if inner is None:
        inner = heading.find(".//a[@name]")
    if inner is not None:
        return inner.get("id") or inner.get("name")
    around = heading.getparent()
    if (
        around is None
        or around.tag not in ("section", "div", "article")
        or around[0] is not heading
    ):
        return ""
    return around.get("id", "")


class _Table:
    """A table whose rows are written each with its header."""

    def __init__(self, builder: TextBuilder, is_left_out: Callable[[Element], bool]) -> None:
        self._builder = builder
        self._is_left_out = is_left_out
        self._below: dict[int, tuple[int, str]] = {}  # by column: rows that a cell fills, its words

    def over(self, table: Element) -> None:
        """Write its rows, or its header where it has no other row."""
        builder = self._builder
        header: list[str] = []
        has_rows = False
        top = builder.length
        for row in table.iter("caption", "tr"):
            builder.new_line()
            if not has_rows and len(header) > 1 and len(set(header)) == 1 and row.tag == "tr":
                builder.add(header[0])  # the title of the table, over all of its columns
                builder.new_line()
                header = []
            builder.in_row, begin = True, builder.length
            if row.tag == "caption":
                self._read(row)
            elif not has_rows and _names_columns(row, below_another=bool(header)):
                header = joined_header(header, self._row(row, []))
                builder.take_back(begin)
                builder.in_row = False
                builder.new_line(PARAGRAPH if begin == top else LINE)
            else:
                has_rows = bool(self._row(row, header)) or has_rows
            builder.in_row = False
        if not has_rows:
            builder.add(CELL.join(filter(None, header)))

    def _read(self, element: Element) -> None:
        _Page(self._builder, self._is_left_out).over(element)

    def _row(self, row: Element, header: list[str]) -> list[str]:
        """Write a row; return the words of its cells, by their columns."""
        builder, below = self._builder, self._below
        cells: list[str] = []
        begin, between = builder.length, CELL

        def open_cell() -> str:
            start = between if builder.length > begin else ""
            name = header[len(cells)] if len(cells) < len(header) else ""
            builder.lead = start + (f"{name}{NAMED}" if name else "")
            return builder.lead

        for cell in row.iterchildren("td", "th"):
            while len(cells) < _MAX_SPAN and (n_more := below.get(len(cells), (0, ""))[0]):
                words = below[len(cells)][1]
                below[len(cells)] = (n_more - 1, words)
                open_cell()
                builder.add(words)
                cells.append(words)
            lead, length = open_cell(), builder.length
            self._read(cell)
            builder.lead = ""
            words = builder.since(length).removeprefix(lead.strip()).strip()
            words = words if len(words) <= MAX_NAME_CHARS else ""
            columns = range(len(cells), len(cells) + _span(cell, "colspan"))
            below.update(dict.fromkeys(columns, (_span(cell, "rowspan") - 1, words)))
            cells += [words] * len(columns)
            # Born: 1931, of a row that is named and no column is.
            between = NAMED if cell.tag == "th" and not header else CELL
        return cells


def _names_columns(row: Element, *, below_another: bool) -> bool:
    """Return whether a row is a header; below another one, a single cell names later rows."""
    tags = [cell.tag for cell in row if isinstance(cell.tag, str)]
    is_header = set(tags) == {"th"} or (row.getparent().tag == "thead" and bool(tags))
    return is_header and not (below_another and len(tags) == 1)


def _span(cell: Element, name: str) -> int:
    """Return how many columns or rows a cell fills."""
    value = cell.get(name, "")
    is_number = value.isdecimal() and len(value) < 9 and int(value)
    return min(int(value), _MAX_SPAN) if is_number else 1
