"""Texts of LibreOffice and others: headings, lists, tables as rows, notes, links; no macros."""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import office_document
from hippohover.indexing.corpus.readers.office.package import (
    PASSWORD,
    Element,
    Package,
    UnreadableError,
    attribute,
    child,
    elements,
    fields_of,
    link_target,
    reads_one,
    tag,
)
from hippohover.indexing.corpus.readers.text_builder import TextBuilder, Words
from hippohover.indexing.corpus.records import Document

SUFFIXES: Final = (".odt", ".ott")

_BLANKS: Final = {"s", "tab", "line-break"}
# Lists of contents, what was deleted, remarks, and what is declared.
_NOT_READ: Final = {
    "table-of-content", "illustration-index", "table-index", "alphabetical-index", "user-index",
    "bibliography", "tracked-changes", "annotation", "sequence-decls", "variable-decls",
    "user-field-decls", "forms", "ruby-text", "note-citation",
}  # fmt: skip

_HEADER: Final = "table-header-rows"


@reads_one
def read(file: SourceFile) -> Document:
    """Read a file."""
    package = Package(file.content())
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and next(iter(manifest.iter("{*}encryption-data")), None) is not None:
        raise UnreadableError(PASSWORD)
    root = package.root("content.xml")
    above = _styles_above(root) | _styles_above(package.xml("styles.xml"))
    reading = _Reading(file.folder, above)
    reading.blocks(child(root, "body", "text"))
    meta = child(package.xml("meta.xml"), "meta")
    fields = fields_of(meta, {"creator": "editor", "date": "modified"})
    if "editor" in fields:
        fields.setdefault("author", fields.pop("editor"))
    return office_document(file, reading.body.marked(), fields)


def _styles_above(root: Element | None) -> dict[str, str]:
    """Return the parent of each style, by names."""
    groups = [child(root, name) for name in ("automatic-styles", "styles")]
    return {
        attribute(style, "name"): attribute(style, "parent-style-name")
        for group in groups
        for style in elements(group)
    }


def _n_names(table: Element) -> int:
    """Count the first rows that name the columns."""
    header = table if tag(table) == _HEADER else child(table, _HEADER)
    return sum(tag(row) == "table-row" for row in elements(header)) or 1


class _Reading:
    """The reading of one document."""

    def __init__(self, folder: str, above: dict[str, str]) -> None:
        self.body = TextBuilder()
        self._folder = folder
        self._above = above
        self._waiting: list[Element] = []  # notes and text boxes, for after their paragraph

    def blocks(self, parent: Element | None, depth: int = 0, *, is_item: bool = False) -> None:
        """Read paragraphs, headings, lists and tables below an element."""
        for block in elements(parent):
            kind = tag(block)
            if kind in ("p", "h"):
                self._paragraph(block, depth, is_item=is_item)
            elif kind == "table":
                self.body.table(self._rows(block), _n_names(block))
            elif kind in ("list-item", "list-header"):
                self.blocks(block, depth, is_item=True)
            elif kind not in _NOT_READ:
                self.blocks(block, depth + (kind == "list"), is_item=is_item)
            waiting, self._waiting = self._waiting, []
            for inside in waiting:
                self.blocks(inside)

    def _paragraph(self, paragraph: Element, depth: int, *, is_item: bool) -> None:
        words = Words()
        self._inline(paragraph, words)
        level = attribute(paragraph, "outline-level")
        if tag(paragraph) == "h":
            self.body.block_heading(int(level) if level.isdecimal() else 1, words)
        elif self._is_title(attribute(paragraph, "style-name")):
            self.body.block_heading(0, words)
        elif is_item:
            self.body.item(words, depth - 1)
        else:
            self.body.paragraph(words)

    def _is_title(self, style: str) -> bool:
        return "Title" in (style, self._above.get(style))

    def _inline(self, parent: Element, words: Words) -> None:
        words.add(parent.text or "")
        for part in parent:
            kind = tag(part) if isinstance(part.tag, str) else ""  # pyright: ignore
            if kind in _BLANKS:
                words.add(" ")
            elif kind in ("note-body", "text-box"):
                self._waiting.append(part)
            elif kind and kind not in _NOT_READ:
                if kind == "a":
                    # From inside the package, so that one step up is the document's own folder.
                    address = attribute(part, "href").removeprefix("../")
                    words.link(link_target(address, self._folder))
                self._inline(part, words)
            words.add(part.tail or "")

    def _rows(self, table: Element, *, is_header: bool = False) -> Iterator[list[Words]]:
        """Yield the cells of the rows; ones covered by another are blank, but not in a header.

        In one of several rows a name is in all columns that it spans.
        """
        is_header = is_header and _n_names(table) != 1
        for part in elements(table):
            kind = tag(part)
            if kind == "table-row":
                yield self._row(part, is_header=is_header)
            elif kind.startswith("table-") and "row" in kind:
                yield from self._rows(part, is_header=is_header or kind == _HEADER)

    def _row(self, row: Element, *, is_header: bool) -> list[Words]:
        cells: list[Words] = []
        n_covered = 0  # columns that a name in the header still spans
        for each in elements(row):
            read = self._cells(each)
            if tag(each) != "covered-table-cell":
                span = attribute(each, "number-columns-spanned")
                n_covered = int(span) - 1 if span.isdecimal() and is_header else 0
            else:
                n_named = min(n_covered, len(read))
                read = [*cells[-1:] * n_named, *read[n_named:]]
                n_covered -= n_named
            cells += read
        return cells

    def _cells(self, cell: Element) -> list[Words]:
        words = Words()
        for paragraph in (*cell.iter("{*}p"), *cell.iter("{*}h")):
            inside = Words()
            self._inline(paragraph, inside)
            words.append(inside)
        repeated = attribute(cell, "number-columns-repeated")
        return [words] * (min(int(repeated), 64) if repeated.isdecimal() else 1)
