"""Reads words, headings, links and table rows of an HTML page, without site furniture."""

from typing import Any, Final

from hippohover.indexing.corpus.readers.documents import (
    MAX_NAME_CHARS,
    Marked,
    joined_header,
)
from hippohover.indexing.corpus.readers.text_builder import (
    CELL,
    LINE,
    NAMED,
    PARAGRAPH,
    TextBuilder,
)
from hippohover.indexing.corpus.readers.texts.parsing.html_furniture import is_furniture

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


def html_marked(root: Element, folder: str) -> Marked:
    """Read an element, its links relative to a folder."""
    builder = TextBuilder(folder)
    _Walk(builder).over(root)
    return builder.marked()


class _Walk:
    """Walks through an element of any depth, and writes down its text."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._n_pre = 0
        self._heading = (0, 0)

    def over(self, root: Element) -> None:
        from lxml.etree import iterwalk

        walk = iterwalk(root, events=("start", "end"))
        passed_over: Element = None
        for event, element in walk:
            if event == "start" and not self._enters(element, element is root):
                passed_over = element
                walk.skip_subtree()
            elif event == "end":
                if element is not passed_over:
                    self._leave(element)
                passed_over = None
                if element is not root:
                    self._words(element.tail)

    def _enters(self, element: Element, is_root: bool) -> bool:
        """Return whether to read an element's content: not a table's that is read already."""
        tag = element.tag
        if not isinstance(tag, str) or (not is_root and is_furniture(element)):
            return False  # a comment has no name
        self._break(tag)
        if tag == "table" and all(element.find(f".//{name}") is None for name in _NO_DATA):
            _read_table(element, self._builder)
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

    def _leave(self, element: Element) -> None:
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


def _read_table(table: Element, builder: TextBuilder) -> None:
    """Write down the rows of a table, each with its header."""
    header: list[str] = []
    below: dict[int, tuple[int, str]] = {}
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
            _Walk(builder).over(row)
        elif not has_rows and _names_columns(row, below_another=bool(header)):
            header = joined_header(header, _row(row, [], below, builder))
            builder.take_back(begin)
            builder.in_row = False
            builder.new_line(PARAGRAPH if begin == top else LINE)
        else:
            has_rows = bool(_row(row, header, below, builder)) or has_rows
        builder.in_row = False
    if not has_rows:
        builder.add(CELL.join(filter(None, header)))


def _names_columns(row: Element, *, below_another: bool) -> bool:
    """Return whether a row is a header; below another one, a single cell names later rows."""
    tags = [cell.tag for cell in row if isinstance(cell.tag, str)]
    is_header = set(tags) == {"th"} or (row.getparent().tag == "thead" and bool(tags))
    return is_header and not (below_another and len(tags) == 1)


def _row(
    row: Element, header: list[str], below: dict[int, tuple[int, str]], builder: TextBuilder
) -> list[str]:
    """Write a row; return the words of its cells, by their columns.

    ``below`` has, by column, how many more rows a cell above fills, and its words.
    """
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
        _Walk(builder).over(cell)
        builder.lead = ""
        words = builder.since(length).removeprefix(lead.strip()).strip()
        words = words if len(words) <= MAX_NAME_CHARS else ""
        columns = range(len(cells), len(cells) + _span(cell.get("colspan")))
        below.update(dict.fromkeys(columns, (_span(cell.get("rowspan")) - 1, words)))
        cells += [words] * len(columns)
        # Born: 1931, of a row that is named and no column is.
        between = NAMED if cell.tag == "th" and not header else CELL
    return cells


def _span(value: str | None) -> int:
    return (
        min(int(value), _MAX_SPAN)
        if value and value.isdecimal() and len(value) < 9 and int(value)
        else 1
    )
