"""Word's documents: headings by style, lists, tables as rows, notes, links; no macros."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final, NamedTuple

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import office_document
from hippohover.indexing.corpus.readers.office.drawings import DRAWINGS, read_drawing
from hippohover.indexing.corpus.readers.office.package import (
    Element,
    Package,
    attribute,
    child,
    elements,
    link_target,
    reads_one,
    tag,
)
from hippohover.indexing.corpus.readers.text_builder import TextBuilder, Words
from hippohover.indexing.corpus.records import Document

SUFFIXES: Final = (".docx", ".docm", ".dotx")

_BODY_LEVEL: Final = 9  # of an outline: no heading
_HEADING_NAME: Final = re.compile(r"heading ([1-9])", re.I)
_CONTENTS_NAME: Final = re.compile(r"toc (?:\d|heading)|table of (?:figures|authorities)", re.I)
_FIELD_LINK: Final = re.compile(r'\s*HYPERLINK\s+"([^"]*)"', re.I)
_BLANKS: Final = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}
# Taken out by its author, of other places, or no words.
_NOT_READ: Final = {
    "del", "moveFrom", "delText", "pPr", "rPr", "tblPr", "trPr", "tcPr", "sectPr", "rt",
    "Fallback", "sdtPr",
}  # fmt: skip


class _Style(NamedTuple):
    """The effect of a style on paragraphs; level 0 is the document's title."""

    level: int | None = None
    is_item: bool = False
    is_contents: bool = False


@reads_one
def read(file: SourceFile) -> Document:
    """Read a file."""
    package = Package(file.content())
    main = package.related("", "officeDocument") or "word/document.xml"
    root = package.root(main)
    reading = _Reading(package, main, file.folder)
    reading.blocks(child(root, "body"))
    return office_document(file, reading.body.marked(), package.fields())


class _Reading:
    """The reading of one document."""

    def __init__(self, package: Package, main: str, folder: str) -> None:
        self.body = TextBuilder()
        self._folder = folder
        self._package = package
        self._relations = package.relations(main)
        parts = {relation.kind: relation.target for relation in self._relations.values()}
        self._styles = _styles(package.xml(parts.get("styles", "")))
        self._notes = {
            (kind, attribute(note, "id")): note
            for kind in ("footnote", "endnote")
            for note in elements(package.xml(parts.get(f"{kind}s", "")))
        }
        self._waiting: list[Element] = []  # notes, text boxes, charts, for after their paragraph

    def blocks(self, parent: Element | None) -> None:
        """Read paragraphs and tables below an element."""
        for block in elements(parent):
            kind = tag(block)
            if kind == "p":
                self._paragraph(block)
                self._put_waiting()
            elif kind == "tbl":
                self.body.table(self._rows(block), _n_names(block))
                self._put_waiting()
            elif kind not in _NOT_READ:
                self.blocks(block)

    def _put_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for parent in waiting:
            if tag(parent) == "graphicData":
                read_drawing(parent, self._package, self._relations, self.body)
            else:
                self.blocks(parent)

    def _paragraph(self, paragraph: Element) -> None:
        words = Words()
        self._inline(paragraph, words)
        properties = child(paragraph, "pPr")
        style = self._styles.get(_value(child(properties, "pStyle")), _Style())
        level = _outline_level(properties, style.level)
        numbering = child(properties, "numPr")
        is_item = style.is_item if numbering is None else _value(child(numbering, "numId")) != "0"
        if style.is_contents:
            return
        if level is not None:
            self.body.block_heading(level, words)
        elif is_item:
            depth = _value(child(numbering, "ilvl"))
            self.body.item(words, int(depth) if depth.isdecimal() else 0)
        else:
            self.body.paragraph(words)

    def _inline(self, parent: Element, words: Words) -> None:
        for part in elements(parent):
            kind = tag(part)
            if kind == "t":
                words.add(part.text or "")
            elif kind in _BLANKS:
                words.add(_BLANKS[kind])
            elif kind in ("footnoteReference", "endnoteReference"):
                note = self._notes.pop(
                    (kind.removesuffix("Reference"), attribute(part, "id")), None
                )
                self._waiting += [] if note is None else [note]
            elif kind == "txbxContent":
                self._waiting.append(part)
            elif kind in DRAWINGS:
                self._waiting.append(parent)
            elif kind not in _NOT_READ:
                words.link(self._target(part, kind))
                self._inline(part, words)

    def _target(self, part: Element, kind: str) -> str:
        """Return the document that a link or a field leads to."""
        if kind == "hyperlink":
            relation = self._relations.get(attribute(part, "id"))
            address = relation.target if relation and relation.is_external else ""
        elif kind in ("fldSimple", "instrText"):
            said = attribute(part, "instr") or part.text or ""
            match = _FIELD_LINK.match(said)
            address = match[1] if match else ""
        else:
            return ""
        return link_target(address, self._folder)

    def _rows(self, table: Element) -> Iterator[list[Words]]:
        """Yield the cells of the rows; one that spans rows, or columns of names, is in each."""
        above: list[Words] = []
        n_names = max(_n_names(table), 1)
        for number, row in enumerate(_inside(table, "tr")):
            cells: list[Words] = []
            for cell in _inside(row, "tc"):
                properties = child(cell, "tcPr")
                merge, words = child(properties, "vMerge"), self._cell(cell)
                if merge is not None and _value(merge) != "restart" and len(cells) < len(above):
                    words = above[len(cells)]
                span = _value(child(properties, "gridSpan"))
                n_more = min(int(span), 64) - 1 if span.isdecimal() else 0
                cells += [words] + [words if number < n_names else Words()] * n_more
            yield cells
            above = cells

    def _cell(self, cell: Element) -> Words:
        words = Words()
        for paragraph in cell.iter("{*}p"):
            inside = Words()
            self._inline(paragraph, inside)
            words.append(inside)
        return words


def _n_names(table: Element) -> int:
    """Count the first rows that Word repeats on each page."""
    rows = (child(child(row, "trPr"), "tblHeader") for row in _inside(table, "tr"))
    return sum(1 for _ in takewhile(_is_on, rows))


def _is_on(mark: Element | None) -> bool:
    return mark is not None and _value(mark) not in {"0", "false", "off"}


def _inside(parent: Element, name: str) -> Iterator[Element]:
    """Yield rows of a table or cells of a row, those in content controls too."""
    for part in elements(parent):
        if tag(part) == name:
            yield part
        elif tag(part) in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _inside(part, name)


def _value(element: Element | None) -> str:
    return "" if element is None else attribute(element, "val")


def _outline_level(properties: Element | None, of_style: int | None) -> int | None:
    """Return the outline level, from 1; a paragraph's own counts before its style's."""
    said = _value(child(properties, "outlineLvl"))
    if not said.isdecimal():
        return of_style
    return int(said) + 1 if int(said) < _BODY_LEVEL else None


def _styles(root: Element | None) -> dict[str, _Style]:
    """Return what each style does, by id; styles inherit from the styles that they extend."""
    known = {attribute(style, "styleId"): style for style in elements(root)}
    styles: dict[str, _Style] = {}
    for name, element in known.items():
        level: int | None = None
        is_item = is_contents = False
        based: Element | None = element
        seen: set[str] = set()
        while based is not None and level is None:
            named = _value(child(based, "name"))
            level = _named_level(named, based)
            is_item = is_item or child(based, "pPr", "numPr") is not None
            is_contents = is_contents or bool(_CONTENTS_NAME.match(named))
            below = _value(child(based, "basedOn"))
            based = None if below in seen else known.get(below)
            seen.add(below)
        styles[name] = _Style(level if level != _NO_LEVEL else None, is_item, is_contents)
    return styles


_NO_LEVEL: Final = -1  # of a style that says that it is no heading, whatever it is based on


def _named_level(name: str, style: Element) -> int | None:
    said = _value(child(style, "pPr", "outlineLvl"))
    if match := _HEADING_NAME.fullmatch(name):
        return int(match[1])
    if name.lower() == "title":
        return 0
    if said.isdecimal():
        return int(said) + 1 if int(said) < _BODY_LEVEL else _NO_LEVEL
    return None
