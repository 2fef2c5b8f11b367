"""HTML pages: the text of their main part, their titles, and their head's metadata."""

import re
from collections.abc import Sequence
from typing import Any, Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.readers.documents import Marked, text_document, without_title
from hippohover.indexing.corpus.readers.entries import with_entries
from hippohover.indexing.corpus.readers.html_walk import html_marked
from hippohover.indexing.corpus.records import Records, UnreadableError, clean_title

SUFFIXES: Final = (".html", ".htm", ".xhtml")

_CHARSET = re.compile(
    rb"<(?:meta|\?xml)\b[^<>]{0,500}?(?:charset|encoding)\s*=\s*[\"']?([\w.:-]{2,40})", re.I
)
_MAIN: Final = (
    ".//main", ".//*[@role='main']", ".//*[@id='mw-content-text']", ".//*[@itemprop='articleBody']"
)  # fmt: skip
_LEAST_SHARE: Final = 5  # a main part of less than a fifth of all words is none
_FIELDS: Final[dict[str, str]] = KNOWN["fields"]["html"]
_DOCTYPE = re.compile(r"<!DOCTYPE[^<>\[\]]{0,1000}\[.*?\]\s*>", re.I | re.S)
"""A declaration that declares entities, of which lxml leaves the end in the text."""

_DOCTYPE_WITHIN: Final = 2**16

_SITE = re.compile(r"\s+[|\-–—·•»:]+\s+|\s*[|»]\s*")


def read(file: SourceFile) -> Records:
    """Yield the document of a page."""
    root = html_root(_decoded(file))
    marked = page_text(root, file.folder)
    page_title = _words_of(root.find(".//head/title"))
    own_title = _own_title(page_title, [section.words for section in marked.sections])
    heading, marked = without_title(marked, own_title)
    titles = (own_title, heading, page_title)
    document = text_document(file, marked, titles=titles)
    document = document._replace(fields={"title": document.title, **_fields(root)})
    yield from with_entries(document, marked.sections)


def html_root(text: str) -> Any:  # noqa: ANN401 - an element of lxml, untyped
    """Parse a text in HTML; return its root; ``UnreadableError`` if it is nested too deep."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )
    text = _DOCTYPE.sub("", text[:_DOCTYPE_WITHIN], count=1) + text[_DOCTYPE_WITHIN:]
    content = text.encode("utf-8", "replace") if text.strip() else b"<html></html>"
    try:
        root = etree.fromstring(content, parser)
    except etree.LxmlError as error:
        said = f"is not HTML ({clean_title(str(error))[:80]}): check the file"
        raise UnreadableError(said) from error
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise UnreadableError("its elements are nested too deep: check that it is a page")
    return etree.fromstring(b"<html></html>", parser) if root is None else root


def page_text(root: Any, folder: str) -> Marked:  # noqa: ANN401
    """Return the text of a page's main part, or of the whole page without one."""
    body = root.find(".//body")
    body = root if body is None else body
    whole = html_marked(body, folder)
    for path in (*_MAIN, ".//article"):
        parts = body.findall(path)
        if len(parts) == 1:
            marked = html_marked(parts[0], folder)
            if len(marked.text) * _LEAST_SHARE >= len(whole.text) and marked.text:
                return marked
    return whole


def declared_encoding(head: bytes) -> str:
    """Return the encoding that the first bytes of a page name; "" without one."""
    declared = _CHARSET.search(head[:2048])
    return declared[1].decode("ascii", "replace") if declared else ""


def _decoded(file: SourceFile) -> str:
    with file.opened() as stream:
        head = stream.read(2048)
    return file.text(declared_encoding(head))


def _own_title(title: str, headings: Sequence[str]) -> str:
    """Return a page's title without its site's name, where a heading equals the rest."""
    parts = _SITE.split(title)
    if len(parts) == 1 or title in headings:
        return title
    return next((heading for heading in headings if heading in parts), title)


def _fields(root: Any) -> dict[str, object]:  # noqa: ANN401
    """Return the metadata in a page's head."""
    said: dict[str, object] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("http-equiv") or "").lower()
        value = clean_title(meta.get("content") or "")
        if name in _FIELDS and value:
            said.setdefault(_FIELDS[name], value)
    for link in root.iter("link"):
        if link.get("rel", "").lower() == "canonical" and link.get("href"):
            said.setdefault("url", clean_title(link.get("href")))
    if language := root.get("lang"):
        said["lang"] = clean_title(language)
    return said


def _words_of(element: Any) -> str:  # noqa: ANN401
    return "" if element is None else clean_title("".join(element.itertext()))
