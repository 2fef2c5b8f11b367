"""Texts of LibreOffice and others: headings, lists, tables as rows, notes, links; no macros."""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.office.body import Body
from hippohover.indexing.corpus.readers.office.package import (
    DAMAGED,
    PASSWORD,
    Element,
    Package,
    UnreadableError,
    attribute,
    child,
    elements,
    link_target,
    read_each,
    tag,
)
from hippohover.indexing.corpus.readers.office.properties import fields_of
from hippohover.indexing.corpus.readers.office.words import Words
from hippohover.indexing.corpus.records import BadRecord, Document

SUFFIXES: Final = (".odt", ".ott")

_BLANKS: Final = {"s", "tab", "line-break"}
# Lists of contents, what was deleted, remarks, and what is declared.
_NOT_READ: Final = {
    "table-of-content", "illustration-index", "table-index", "alphabetical-index", "user-index",
    "bibliography", "tracked-changes", "annotation", "sequence-decls", "variable-decls",
    "user-field-decls", "forms", "ruby-text", "note-citation",
}  # fmt: skip


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """Yield the document of a file, or why there is none."""
    yield from read_each(file, _document)


def _document(file: SourceFile) -> Document | BadRecord:
    package = Package(file.content())
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and next(iter(manifest.iter("{*}encryption-data")), None) is not None:
        raise UnreadableError(PASSWORD)
    root = package.xml("content.xml")
    if root is None:
        raise UnreadableError(DAMAGED)
    above = _styles_above(root) | _styles_above(package.xml("styles.xml"))
    reading = _Reading(file.folder, above)
    reading.blocks(child(root, "body", "text"))
    meta = child(package.xml("meta.xml"), "meta")
    fields = fields_of(meta, {"creator": "editor", "date": "modified"})
    if "editor" in fields:
        fields.setdefault("author", fields.pop("editor"))
    return reading.body.document(file, fields, str(fields.get("title", "")))


def _styles_above(root: Element | None) -> dict[str, str]:
    """Return the parent of each style, by names."""
    groups = [child(root, name) for name in ("automatic-styles", "styles")]
    return {
        attribute(style, "name"): attribute(style, "parent-style-name")
        for group in groups
        for style in elements(group)
    }


class _Reading:
    """The reading of one document."""

    def __init__(self, folder: str, above: dict[str, str]) -> None:
        self.body = Body()
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
                self.body.table(self._rows(block))
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
            self.body.heading(int(level) if level.isdecimal() else 1, words)
        elif self._is_title(attribute(paragraph, "style-name")):
            self.body.heading(0, words)
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

    def _rows(self, table: Element) -> Iterator[list[Words]]:
        """Yield the cells of the rows; cells covered by another one are blank."""
        for part in elements(table):
            if tag(part) == "table-row":
                yield [cell for each in elements(part) for cell in self._cells(each)]
            elif tag(part).startswith("table-") and "row" in tag(part):
                yield from self._rows(part)

    def _cells(self, cell: Element) -> list[Words]:
        words = Words()
        for paragraph in (*cell.iter("{*}p"), *cell.iter("{*}h")):
            inside = Words()
            self._inline(paragraph, inside)
            words.append(inside)
        repeated = attribute(cell, "number-columns-repeated")
        return [words] * (min(int(repeated), 64) if repeated.isdecimal() else 1)
