"""Books: chapters in reading order; title and author from the package."""

import html
import posixpath
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import unquote

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import (
    ENDS,
    Marked,
    Section,
    joined_texts,
    office_document,
)
from hippohover.indexing.corpus.readers.html_walk import html_marked
from hippohover.indexing.corpus.readers.office.package import (
    Element,
    Package,
    UnreadableError,
    attribute,
    child,
    elements,
    fields_of,
    parsed,
    reads_one,
    tag,
)
from hippohover.indexing.corpus.readers.texts.html import html_root
from hippohover.indexing.corpus.records import BadRecord, Document, Page, Records, clean_title

SUFFIXES: Final = (".epub",)

_LOCKED: Final = "protected by DRM: take a copy without it"
_NO_TEXT: Final = "holds no text: its pages are pictures, or not in it"
_NO_TEXT_TAGS: Final = {"head", "script", "style", "svg", "template", "nav", "rt", "rp"}
_PAGES: Final = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read(file: SourceFile) -> Records:
    """Yield the document of a file, or why there is none."""
    missing: list[str] = []
    yield from reads_one(lambda of: _document(of, missing))(file)
    for path in missing:
        yield BadRecord(
            f"{file.place}/{path}", "is named by the book, and not in it: fetch it again"
        )


def _document(file: SourceFile, missing: list[str]) -> Document:
    """Make the document; adds what the book names and does not hold to ``missing``."""
    package = Package(file.content())
    container = package.xml("META-INF/container.xml")
    rootfile = child(container, "rootfiles", "rootfile")
    name = "" if rootfile is None else attribute(rootfile, "full-path")
    root = package.root(name)
    items = _manifest(root, posixpath.dirname(name))
    titles = _titles(package, items.values())
    locked = _locked(package)
    chapters, level = list[Marked](), ENDS
    for path in list(_spine(root, items, missing)) or _pages_of(items):
        if path in locked:
            raise UnreadableError(_LOCKED)
        content = package.part(path)
        if path not in package:
            missing.append(path)
        elif content:
            # A page without a title goes on with the chapter before, if the contents name some.
            ends = not titles and level != ENDS
            chapters.append(_chapter(content, titles.get(path, ""), ends=ends))
            level = chapters[-1].sections[-1].level if chapters[-1].sections else level
    fields = fields_of(child(root, "metadata"), {"date": "date"})
    marked = joined_texts(chapters)
    if not marked.text:
        raise UnreadableError(_NO_TEXT)
    return office_document(file, marked, fields)


def _chapter(content: bytes, title: str, *, ends: bool) -> Marked:
    """Read a page, which its title heads where no heading does; ``ends`` the section before."""
    root = page_root(content)
    body = next(root.iter("body"), root)
    text, sections, _, _ = html_marked(body, "", _is_no_text)
    words = clean_title(title)
    if (not sections or sections[0].offset) and text and words:
        moved = len(words) + 2
        sections = [
            Section(0, 1, words),
            *(section._replace(offset=section.offset + moved) for section in sections),
        ]
        text = f"{words}\n\n{text}"
    elif ends and (not sections or sections[0].offset):
        sections = [Section(0, ENDS, ""), *sections]
    # No number, but a chapter is never told by the heading of another.
    return Marked(text, sections, pages=[Page(0, 0)])


def _is_no_text(element: Any) -> bool:  # noqa: ANN401 - of lxml, untyped
    return element.tag in _NO_TEXT_TAGS


def page_root(content: bytes) -> Any:  # noqa: ANN401
    """Parse a page as XML, or as browsers do where it is invalid; names have no namespace."""
    try:
        root: Any = _without_nodes(parsed(content))
    except UnreadableError:
        return html_root(content.decode("utf-8-sig", "replace").replace("\0", " "))
    for element in root.iter("*"):
        element.tag = tag(element).lower()
    return root


def _without_nodes(root: Any) -> Any:  # noqa: ANN401
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


def _manifest(root: Element, folder: str) -> dict[str, tuple[str, Element]]:
    """Return path and entry of each item, by its id."""
    return {
        attribute(item, "id"): (_resolved(attribute(item, "href"), folder), item)
        for item in elements(child(root, "manifest"))
    }


def _pages_of(items: dict[str, tuple[str, Element]]) -> list[str]:
    """Return paths of all pages, of a book that says no order."""
    return [
        path
        for path, item in dict(items.values()).items()
        if attribute(item, "media-type") in _PAGES and not _is_contents(item)
    ]


def _spine(
    root: Element, items: dict[str, tuple[str, Element]], missing: list[str]
) -> Iterator[str]:
    """Yield paths of the pages in reading order, each once, without the table of contents."""
    seen: set[str] = set()
    for reference in elements(child(root, "spine")):
        name = attribute(reference, "idref")
        path, item = items.get(name, ("", None))
        if item is None:
            missing += [name] * bool(name)
            continue
        if path in seen or _is_contents(item):
            continue
        if attribute(item, "media-type") in _PAGES:
            seen.add(path)
            yield path


def _is_contents(item: Element) -> bool:
    return "nav" in attribute(item, "properties").split()


def _titles(package: Package, items: Iterable[tuple[str, Element]]) -> dict[str, str]:
    """Return each page's title, from the tables of contents."""
    titles: dict[str, str] = {}
    for path, item in items:
        folder = posixpath.dirname(path)
        if _is_contents(item):
            entries = _nav_entries(package.part(path))
        elif attribute(item, "media-type") == "application/x-dtbncx+xml":
            entries = _ncx_entries(package.xml(path))
        else:
            continue
        for address, title in entries:
            titles.setdefault(_resolved(address, folder), title)
    return titles


def _nav_entries(content: bytes) -> Iterator[tuple[str, str]]:
    if content:
        for link in page_root(content).iter("a"):
            yield link.get("href", ""), "".join(link.itertext())


def _ncx_entries(root: Element | None) -> Iterator[tuple[str, str]]:
    for point in () if root is None else root.iter("{*}navPoint"):
        content, label = child(point, "content"), child(point, "navLabel", "text")
        if content is not None and label is not None:
            yield attribute(content, "src"), "".join(label.itertext())


def _resolved(address: str, folder: str) -> str:
    path = unquote(address.partition("#")[0])
    return posixpath.normpath(posixpath.join(folder, path))


def _locked(package: Package) -> set[str]:
    """Return paths of encrypted parts: often fonts; pages, if a shop locks them."""
    root = package.xml("META-INF/encryption.xml")
    references = () if root is None else root.iter("{*}CipherReference")
    return {unquote(attribute(reference, "URI")) for reference in references}
