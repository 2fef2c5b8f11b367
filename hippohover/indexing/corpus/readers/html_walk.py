"""Reads the text of HTML: of a page without site furniture, and of the pages of a book.

One walk goes through the elements; what they do to the text differs. A page is written word by
word, a book block by block, as other office documents are.
"""

import html
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from hippohover.indexing.corpus.readers.documents import (
    MAX_NAME_CHARS,
    Marked,
    joined_header,
)
from hippohover.indexing.corpus.readers.html_furniture import is_furniture
from hippohover.indexing.corpus.readers.text_builder import (
    CELL,
    LINE,
    NAMED,
    PARAGRAPH,
    TextBuilder,
    Words,
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
_NOT_OF_A_BOOK: Final = frozenset(["head", "script", "style", "svg", "template", "nav", "rt", "rp"])
_BLOCKS: Final = frozenset(
    ["address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
     "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr",
     "legend", "li", "main", "ol", "p", "section", "summary", "ul"]
)  # fmt: skip
_WHOLE: Final = ("table", "pre", *_HEADINGS)  # what is read at once
_NO_DATA: Final = ("table", *_HEADINGS)
_MAX_SPAN: Final = 100


class _Walk:
    """Walks through an element of any depth, and writes down its text."""

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
        raise NotImplementedError

    def _leaves(self, element: Element) -> None:
        """End an element whose content was read."""
        raise NotImplementedError

    def _words(self, text: str | None) -> None:
        raise NotImplementedError


def _span(cell: Element, name: str) -> int:
    """Return how many columns or rows a cell fills."""
    value = cell.get(name, "")
    is_number = value.isdecimal() and len(value) < 9 and int(value)
    return min(int(value), _MAX_SPAN) if is_number else 1


# Pages of sites


def html_marked(root: Element, folder: str) -> Marked:
    """Read an element, its links relative to a folder."""
    builder = TextBuilder(folder)
    _Page(builder).over(root)
    return builder.marked()


class _Page(_Walk):
    """A page of a site, or a part of it."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._n_pre = 0
        self._heading = (0, 0)

    def _enters(self, element: Element, *, is_root: bool) -> bool:
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

    def _leaves(self, element: Element) -> None:
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
            _Page(builder).over(row)
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
        _Page(builder).over(cell)
        builder.lead = ""
        words = builder.since(length).removeprefix(lead.strip()).strip()
        words = words if len(words) <= MAX_NAME_CHARS else ""
        columns = range(len(cells), len(cells) + _span(cell, "colspan"))
        below.update(dict.fromkeys(columns, (_span(cell, "rowspan") - 1, words)))
        cells += [words] * len(columns)
        # Born: 1931, of a row that is named and no column is.
        between = NAMED if cell.tag == "th" and not header else CELL
    return cells


# Pages of books


def without_nodes(root: Element) -> Element:
    """Return an element without comments, instructions and references, whose text stays.

    "&nbsp;" is what HTML has for it; what a document itself declares stays unresolved.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    for node in list(root.iter(etree.Entity, etree.Comment, etree.ProcessingInstruction)):
        parent, before = node.getparent(), node.getprevious()
        if parent is None:
            continue
        name = (node.text or "") if node.tag is etree.Entity else ""
        is_known = name.startswith("&") and name.endswith(";")
        text = (html.unescape(name) if is_known else "") + (node.tail or "")
        parent.remove(node)
        if before is None:
            parent.text = (parent.text or "") + text
        else:
            before.tail = (before.tail or "") + text
    return root


class BookPage(_Walk):
    """Reads the pages of a book into a text; ``title`` heads one that begins with no heading."""

    def __init__(self, body: TextBuilder, title: str = "") -> None:
        self._body = body
        self._title = title
        self._block = Words()
        self._depth = 0
        self._opens_item = False  # the next block is the first of an item
        self._anchor = ""

    def _enters(self, element: Element, *, is_root: bool) -> bool:
        kind = _kind(element)
        if kind in _NOT_OF_A_BOOK:
            return False
        self._anchor = element.get("id", "") or self._anchor
        if kind in _BLOCKS or kind in _WHOLE:
            self._end_block()
        if kind in _WHOLE:
            self._whole(element, kind)
            return False
        self._depth += kind in ("ol", "ul")
        self._opens_item = self._opens_item or kind == "li"
        self._words(" " if kind in ("br", "td", "th") else "")
        self._words(element.text)
        return True

    def _whole(self, element: Element, kind: str) -> None:
        """Read an element at once."""
        if kind == "table":
            self._body.table(_book_rows(element), _n_names(element))
        elif kind == "pre":
            for line in text_of(element).splitlines():
                self._head()
                self._body.line_block(Words(line))
        elif words := Words(text_of(element)):
            self._title = ""
            inner = (part.get("id", "") for part in element.iter("*"))
            anchor = next(filter(None, inner), "") or self._anchor
            self._body.block_heading(int(kind[1]), words, anchor)
            self._anchor = ""

    def _leaves(self, element: Element) -> None:
        kind = _kind(element)
        if kind in _BLOCKS:
            self._end_block()
            self._opens_item = self._opens_item and kind != "li"
            self._depth -= kind in ("ol", "ul")

    def _words(self, text: str | None) -> None:
        self._block.add(text or "")

    def _head(self) -> None:
        if self._title:
            self._body.block_heading(1, Words(self._title))
            self._title = ""

    def _end_block(self) -> None:
        words, self._block = self._block, Words()
        if not words:
            return
        self._head()
        if self._opens_item:
            self._opens_item = False
            self._body.item(words, max(self._depth - 1, 0))
        else:
            self._body.paragraph(words)


def _kind(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower()


def text_of(element: Element) -> str:
    """Return all text in an element, except ignored parts."""
    return "".join(_texts(element))


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        if _kind(part) == "br":
            yield "\n"
        elif _kind(part) not in _NOT_OF_A_BOOK:
            yield from _texts(part)
        yield part.tail or ""


def _n_names(table: Element) -> int:
    """Count the first rows that name the columns: those in ``thead``, else those of ``th``."""
    head = next((part for part in table if _kind(part) == "thead"), None)
    rows = list(_below(table if head is None else head, "tr"))
    kinds = ({_kind(cell) for cell in row} for row in rows)
    return len(rows) if head is not None else sum(1 for _ in takewhile({"th"}.__eq__, kinds)) or 1


def _book_rows(table: Element) -> Iterator[list[Words]]:
    """Yield the cells of the rows; one that spans rows is in each, of columns in the first.

    In a header of several rows a name is in all columns that it spans.
    """
    n_names = _n_names(table)
    above: dict[int, tuple[Words, int]] = {}  # by columns, cells that go on, and for how many rows
    for number, row in enumerate(_below(table, "tr")):
        row_cells = [cell for cell in row if _kind(cell) in ("td", "th")]
        above, waiting = {}, above
        cells: list[Words] = []
        for cell in (*row_cells, None):
            while len(cells) in waiting:
                words, n_left = waiting[len(cells)]
                above |= {len(cells): (words, n_left - 1)} if n_left > 1 else {}
                cells.append(words)
            if cell is None:
                break
            words, n_more_rows = Words(text_of(cell)), _span(cell, "rowspan") - 1
            for at in range(_span(cell, "colspan")):
                said = words if not at or number < n_names > 1 else Words()
                above |= {len(cells): (said, n_more_rows)} if n_more_rows else {}
                cells.append(said)
        yield cells


def _below(table: Element, name: str) -> Iterator[Element]:
    """Yield rows of a table, without those of a nested table."""
    for part in table:
        kind = _kind(part)
        if kind == name:
            yield part
        elif kind in ("thead", "tbody", "tfoot"):
            yield from _below(part, name)
