"""Blocks of a book's page, in XHTML or in what claims to be."""

import html
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from hippohover.indexing.corpus.readers.office.package import (
    Element,
    UnreadableError,
    elements,
    parsed,
    tag,
)
from hippohover.indexing.corpus.readers.text_builder import TextBuilder, Words

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_NOT_READ: Final = {"head", "script", "style", "svg", "template", "nav", "rt", "rp"}
_BLOCKS: Final = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr",
    "legend", "li", "main", "ol", "p", "section", "summary", "ul",
}  # fmt: skip


def page_root(content: bytes) -> Element:
    """Parse a page as XML, or as browsers do where it is invalid."""
    try:
        return parsed(content)
    except UnreadableError:
        from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]
        from lxml.html import HTMLParser, document_fromstring

        try:
            text = content.decode("utf-8-sig", "replace").replace("\0", " ").encode()
            root: Element = document_fromstring(
                text, HTMLParser(encoding="utf-8", no_network=True, huge_tree=False)
            )
        except (etree.LxmlError, ValueError) as error:
            raise UnreadableError("a page of it is no XHTML: fix it") from error
        return root


class PageReading:
    """Reads pages into a body.

    Parameters
    ----------
    body : TextBuilder
    title : str
        Heads a page that does not begin with a heading; "" heads none.
    """

    def __init__(self, body: TextBuilder, title: str = "") -> None:
        self._body = body
        self._title = title
        self._words = Words()
        self._depth = 0
        self._opens_item = False  # the next block is the first of an item
        self._anchor = ""

    def read(self, element: Element) -> None:
        """Read a block or a span of words, with its content."""
        kind = tag(element).lower()
        if kind in _NOT_READ:
            return
        self._anchor = element.get("id", "") or self._anchor
        if kind in _HEADINGS:
            self._end_block()
            self._heading(element, _HEADINGS[kind])
        elif kind == "table":
            self._end_block()
            self._body.table(_rows(element), _n_names(element))
        elif kind == "pre":
            self._end_block()
            for line in text_of(element).splitlines():
                self._headed_line(Words(line))
        elif kind in _BLOCKS:
            self._end_block()
            self._inside_block(element, kind)
        else:
            self._words.add(" " if kind in ("br", "td", "th") else "")
            self._inside(element)

    def _inside_block(self, element: Element, kind: str) -> None:
        self._depth += kind in ("ol", "ul")
        self._opens_item = self._opens_item or kind == "li"
        self._inside(element)
        self._end_block()
        self._opens_item = self._opens_item and kind != "li"
        self._depth -= kind in ("ol", "ul")

    def _inside(self, element: Element) -> None:
        self._words.add(element.text or "")
        for part in element:
            if isinstance(part.tag, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                self.read(part)
            else:
                self._words.add(_entity(part))
            self._words.add(part.tail or "")

    def _heading(self, element: Element, level: int) -> None:
        words = Words(text_of(element))
        if words:
            self._title = ""
            inner = (part.get("id", "") for part in element.iter("*"))
            self._body.block_heading(level, words, next(filter(None, inner), "") or self._anchor)
            self._anchor = ""

    def _headed_line(self, words: Words) -> None:
        self._head()
        self._body.line_block(words)

    def _head(self) -> None:
        if self._title:
            self._body.block_heading(1, Words(self._title))
            self._title = ""

    def _end_block(self) -> None:
        words, self._words = self._words, Words()
        if not words:
            return
        self._head()
        if self._opens_item:
            self._opens_item = False
            self._body.item(words, max(self._depth - 1, 0))
        else:
            self._body.paragraph(words)


def text_of(element: Element) -> str:
    """Return all text in an element, except ignored parts."""
    return "".join(_texts(element))


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        if not isinstance(part.tag, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield _entity(part)
        elif tag(part).lower() == "br":
            yield "\n"
        elif tag(part).lower() not in _NOT_READ:
            yield from _texts(part)
        yield part.tail or ""


def _entity(node: Element) -> str:
    """Return the character of an HTML reference: "&nbsp;"; a document's own stay unresolved."""
    text = node.text or ""
    return html.unescape(text) if text.startswith("&") and text.endswith(";") else ""


def _n_names(table: Element) -> int:
    """Count the first rows that name the columns: those in ``thead``, else those of ``th``."""
    head = next((part for part in elements(table) if tag(part).lower() == "thead"), None)
    rows = list(_below(table if head is None else head, "tr"))
    kinds = ({tag(cell).lower() for cell in elements(row)} for row in rows)
    return len(rows) if head is not None else sum(1 for _ in takewhile({"th"}.__eq__, kinds)) or 1


def _rows(table: Element) -> Iterator[list[Words]]:
    """Yield the cells of the rows; one that spans rows is in each, of columns in the first.

    In a header of several rows a name is in all columns that it spans.
    """
    n_names = _n_names(table)
    above: dict[int, tuple[Words, int]] = {}  # by columns, cells that go on, and for how many rows
    for number, row in enumerate(_below(table, "tr")):
        row_cells = [cell for cell in elements(row) if tag(cell).lower() in ("td", "th")]
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


def _span(cell: Element, name: str) -> int:
    span = cell.get(name, "")
    return max(min(int(span), 64), 1) if span.isdecimal() else 1


def _below(table: Element, name: str) -> Iterator[Element]:
    """Yield rows of a table, without those of a nested table."""
    for part in elements(table):
        kind = tag(part).lower()
        if kind == name:
            yield part
        elif kind in ("thead", "tbody", "tfoot"):
            yield from _below(part, name)
