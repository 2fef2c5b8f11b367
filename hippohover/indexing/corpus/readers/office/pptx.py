"""PowerPoint: a slide is a page, its title a heading; tables and charts as rows, and the notes."""

from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import office_document
from hippohover.indexing.corpus.readers.office.drawings import read_drawing
from hippohover.indexing.corpus.readers.office.package import (
    Element,
    Package,
    Relation,
    attribute,
    child,
    elements,
    link_target,
    reads_one,
    tag,
)
from hippohover.indexing.corpus.readers.text_builder import TextBuilder, Words
from hippohover.indexing.corpus.records import Document

SUFFIXES: Final = (".pptx", ".pptm", ".ppsx")

_TITLES: Final = ("title", "ctrTitle")
_NOT_OF_THE_SLIDE: Final = ("dt", "ftr", "hdr", "sldNum", "sldImg")  # on every one of them


@reads_one
def read(file: SourceFile) -> Document:
    """Read a file."""
    package = Package(file.content())
    main = package.related("", "officeDocument") or "ppt/presentation.xml"
    root = package.root(main)
    slides = package.relations(main)
    body = TextBuilder()
    for number, entry in enumerate(elements(child(root, "sldIdLst")), 1):
        relation = slides.get(_relation_id(entry))
        if relation and relation.kind == "slide":
            _Slide(package, relation.target, file.folder).read_into(body, number)
    return office_document(file, body.marked(), package.fields())


def _relation_id(element: Element) -> str:
    """Return the id in the namespace of relations; an element may have another one."""
    return next((value for key, value in element.items() if key.endswith("relationships}id")), "")


class _Slide:
    """The reading of one slide."""

    def __init__(self, package: Package, name: str, folder: str) -> None:
        self._package = package
        self._name = name
        self._folder = folder
        self._relations: dict[str, Relation] = package.relations(name)

    def read_into(self, body: TextBuilder, number: int) -> None:
        """Read its title, its shapes in their order, and its notes."""
        body.page(number)
        tree = child(self._package.xml(self._name), "cSld", "spTree")
        shapes = list(_shapes(tree))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        words = Words()
        for shape in titles:
            for paragraph in elements(child(shape, "txBody")):
                words.append(self._words(paragraph))
        body.end_section()  # a slide without a title is none of the slide before
        body.block_heading(1, words)
        for shape in shapes:
            if _placeholder(shape) not in (*_TITLES, *_NOT_OF_THE_SLIDE):
                self._shape(shape, body)
        self._notes(body)

    def _shape(self, shape: Element, body: TextBuilder) -> None:
        data = child(shape, "graphic", "graphicData")
        table = child(data, "tbl")
        if table is not None:
            body.table(self._rows(table))
            return
        read_drawing(data, self._package, self._relations, body)
        paragraphs = [self._read(part) for part in elements(child(shape, "txBody"))]
        filled = [(words, level) for words, level in paragraphs if words]
        is_list = _placeholder(shape) in ("body", "obj") and len(filled) > 1
        for words, level in filled:
            if is_list:
                body.item(words, level)
            else:
                body.paragraph(words)

    def _read(self, paragraph: Element) -> tuple[Words, int]:
        """Return its words, and its depth of lists."""
        properties = child(paragraph, "pPr")
        level = "" if properties is None else attribute(properties, "lvl")
        return self._words(paragraph), int(level) if level.isdecimal() else 0

    def _notes(self, body: TextBuilder) -> None:
        name = next((r.target for r in self._relations.values() if r.kind == "notesSlide"), "")
        tree = child(self._package.xml(name), "cSld", "spTree")
        for shape in _shapes(tree):
            if _placeholder(shape) not in _NOT_OF_THE_SLIDE:
                for paragraph in elements(child(shape, "txBody")):
                    body.paragraph(self._words(paragraph, has_links=False))

    def _words(self, paragraph: Element, *, has_links: bool = True) -> Words:
        words = Words()
        for run in elements(paragraph):
            click = child(run, "rPr", "hlinkClick") if has_links else None
            relation = self._relations.get(_relation_id(click)) if click is not None else None
            if relation and relation.is_external:
                words.link(link_target(relation.target, self._folder))
            words.add(" " if tag(run) == "br" else "")
            for text in run.iter("{*}t"):
                words.add(text.text or "")
        return words

    def _rows(self, table: Element) -> Iterator[list[Words]]:
        """Yield the cells of the rows; one that spans several rows is in each."""
        above: list[Words] = []
        for row in elements(table):
            if tag(row) != "tr":
                continue
            cells: list[Words] = []
            for cell in elements(row):
                words = Words()
                for paragraph in elements(child(cell, "txBody")):
                    words.append(self._words(paragraph))
                if attribute(cell, "vMerge") in ("1", "true") and len(cells) < len(above):
                    words = above[len(cells)]
                cells.append(words)
            yield cells
            above = cells


def _shapes(tree: Element | None) -> Iterator[Element]:
    """Yield shapes in their order, those of groups too."""
    for shape in elements(tree):
        if tag(shape) == "grpSp":
            yield from _shapes(shape)
        elif tag(shape) == "AlternateContent":
            yield from _shapes(child(shape, "Choice"))
        else:
            yield shape


def _placeholder(shape: Element) -> str:
    """Return a shape's role: "title", "body", "ftr"; "" for one of its own."""
    mark = _mark(shape)
    return "" if mark is None else attribute(mark, "type") or "obj"


def _mark(shape: Element) -> Element | None:
    described = next((part for part in elements(shape) if tag(part).startswith("nv")), None)
    return child(described, "nvPr", "ph")
