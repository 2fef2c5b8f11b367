"""MediaWiki's XML dumps: the articles, without templates, tables and notes.

Links are links, redirects further names of their target. Pages of other namespaces than 0, which
are talk, users, files and the like, are passed over.
"""

import io
import re
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from html import unescape
from typing import IO, Any, Final, NamedTuple, cast
from urllib.parse import quote

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import always, id_of
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import (
    BUFFER_BYTES,
    MAX_RECORD_BYTES,
    made_stream,
    one_line,
    too_long,
)
from hippohover.indexing.corpus.readers.records.record_file import RecordFile, Row
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Heading,
    Link,
    UnreadableError,
    clean_title,
    make_document,
    names_in,
    other_names,
)
from hippohover.recipe import CorpusFields

SUFFIXES: Final = (".xml",)

_HEAD_BYTES: Final = 2**16
_MOST_PAGE_CHARS: Final = 4 * 2**20  # MediaWiki itself takes 2 MB
_MOST_REDIRECTS: Final = 5_000_000
_OVERLAP_BYTES: Final = 4096
_REDIRECT: Final = re.compile(
    rb"<title>([^<]{1,1000})</title>\s{0,50}<ns>0</ns>\s{0,50}<id>\d{1,20}</id>\s{0,50}"
    rb'<redirect title="([^"<]{1,1000})"'
)

# Tags whose content is no prose.
_DROPPED: Final = frozenset((
    "ref", "references", "table", "gallery", "imagemap", "math", "chem", "timeline", "score",
    "graph", "hiero", "templatedata", "templatestyles", "mapframe", "maplink", "style", "script",
    "syntaxhighlight", "source", "inputbox", "noinclude",
))  # fmt: skip
_MEDIA: Final = frozenset(("file", "image", "category", "media", "special", "wikt", "wiktionary"))
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})?:\S")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
# Bold and italic are removed here: the parser takes three times as long to find them.
_MARKS: Final = re.compile(r"'{2,5}|__[A-Z]{3,20}__")


def _rows(file: SourceFile, _: CorpusFields) -> Iterator[Row]:
    if file.on_disk is None:  # it is read three times, and goes by once
        content = file.content()
        file = replace(file, opened=lambda: nullcontext(made_stream([content])))
    with file.opened() as stream:
        head = stream.read(_HEAD_BYTES)
    prolog, is_dump = head.partition(b"<mediawiki")[:2]
    if not is_dump:
        yield BadRecord(file.place, "no MediaWiki dump")
        return
    if b"<!" in re.sub(rb"<!--.*?-->", b"", prolog, flags=re.S):
        raise CorpusError(
            f"{one_line(file.place)}: a MediaWiki dump with its own document type: remove its "
            "<!DOCTYPE>"
        )
    names = _redirects(file)
    with file.opened() as stream, _damage_named(file.place):
        yield from _pages(made_stream(_bounded(stream, file.place)), file, names)


def _pages(stream: IO[bytes], file: SourceFile, names: dict[str, list[str]]) -> Iterator[Row]:
    from mwxml import Dump
    from mwxml.element_iterator import ElementIterator

    root = ElementIterator.from_file(stream)
    dump = Dump.from_element(root)
    above = (dump.site_info.base or "").rpartition("/")[0]  # of ".../wiki/Main_Page"
    spaces = [space.name.casefold() for space in dump.site_info.namespaces or () if space.name]
    for page in dump.pages:
        place = f"{file.place}: page {page.id}"
        if page.namespace == 0 and page.redirect is None:
            last = next(iter(deque(page, 1)), None)
            yield (
                place,
                {
                    "title": page.title,
                    "id": page.id,
                    "url": _address(above, page.title or ""),
                    "date": str(last.timestamp) if last is not None and last.timestamp else None,
                    "wikitext": (last.text or "") if last is not None else "",
                    "namespaces": spaces,
                    "aliases": names.get(page.title or "", []),
                },
            )
        root.element.clear()  # which would keep an empty element of each page


def _address(above: str, title: str) -> str | None:
    """Return the address of a page; None if the dump does not say where it is from."""
    return f"{above}/{quote(title.replace(' ', '_'), safe='/:()!,')}" if above else None


def _redirects(file: SourceFile) -> dict[str, list[str]]:
    """Return names of articles that redirect, by the title that they lead to."""
    names: dict[str, list[str]] = {}
    n_names = 0
    rest = b""
    with file.opened() as stream:
        while n_names < _MOST_REDIRECTS and (chunk := stream.read(2**20)):
            text = rest + chunk
            end = 0
            for match in _REDIRECT.finditer(text):
                name, target = (
                    unescape(part.decode("utf-8", "replace")) for part in match.groups()
                )
                names.setdefault(target.replace("_", " "), []).append(name)
                n_names += 1
                end = match.end()
            rest = text[max(end, len(text) - _OVERLAP_BYTES) :]
    return names


def _bounded(stream: io.BufferedReader, place: str) -> Iterator[bytes]:
    """Yield the bytes of pages, each of which is within the size limit of a record."""
    n_bytes, tail = 0, b""
    while content := stream.read1(BUFFER_BYTES):
        seen = tail + content
        n_bytes = len(content) if b"</page>" in seen else n_bytes + len(content)
        if n_bytes > MAX_RECORD_BYTES:
            raise too_long(f"{place}: a page")
        tail = seen[-6:]
        yield content


@contextmanager
def _damage_named(place: str) -> Generator[None]:
    """Turn any error of mwxml on a damaged dump into one of ours."""
    try:
        yield
    except (CorpusError, GeneratorExit):
        raise
    except ImportError as error:
        raise CorpusError(
            f"{one_line(place)}: a MediaWiki dump needs mwxml and mwparserfromhell: "
            "pip install 'hippohover[wiki]'"
        ) from error
    except Exception as error:
        raise CorpusError(
            f"{one_line(place)}: cannot be read as a MediaWiki dump ({one_line(str(error))}): "
            "check that it is whole"
        ) from error


def _documents(record: dict[str, object], _: str) -> tuple[Document]:
    wikitext = str(record["wikitext"])
    if len(wikitext) > _MOST_PAGE_CHARS:
        raise UnreadableError(f"a page of {len(wikitext):,} characters: leave it out")
    page = plain_text(wikitext, cast("list[str]", record["namespaces"]))
    document = make_document(record["title"], page.text)
    document = document._replace(
        id=id_of(record),
        links=page.links,
        headings=page.headings,
        aliases=other_names(document.title, names_in(record["aliases"])),
        fields={name: record[name] for name in ("title", "id", "url", "date")},
    )
    return (document,)


read: Final = RecordFile(_rows, always(_documents))


# The prose of a page in MediaWiki's markup, with its links and headings


class WikiPage(NamedTuple):
    """The content of a page; offsets are into the text."""

    text: str
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]


def plain_text(wikitext: str, namespaces: Sequence[str] = ()) -> WikiPage:
    """Return the prose of a page, without templates, tables, notes and pictures.

    ``namespaces`` are the names, in small letters, of those whose pages are no articles.
    """
    from mwparserfromhell import parse

    prose = _Prose(frozenset(namespaces) | _MEDIA)
    prose.read(parse(wikitext, skip_style_tags=True).nodes)
    return WikiPage("".join(prose.parts), tuple(prose.links), tuple(prose.headings))


class _Prose:
    """Text that grows node by node."""

    def __init__(self, namespaces: frozenset[str]) -> None:
        self.parts: list[str] = []
        self.links: list[Link] = []
        self.headings: list[Heading] = []
        self._namespaces = namespaces
        self._above: list[tuple[int, str]] = []
        self._n_chars = 0
        self._end = "\n\n"  # no blank line opens a text

    def read(self, nodes: Sequence[Any]) -> None:
        """Add the visible text of nodes of mwparserfromhell."""
        for node in nodes:
            match type(node).__name__:
                case "Text":
                    self._add(_MARKS.sub("", node.value))
                case "HTMLEntity":
                    self._add(_character(node))
                case "Wikilink":
                    self._link(node)
                case "ExternalLink" if node.title is not None:
                    self.read(node.title.nodes)
                case "Heading":
                    self._heading(node)
                case "Tag":
                    self._tag(node)
                case _:
                    pass  # a template, an argument, a comment

    def _add(self, text: str) -> None:
        if self._end.endswith("\n"):
            n_lines = len(text) - len(text.lstrip("\n"))
            text = text[max(0, n_lines - (2 - len(self._end) + len(self._end.rstrip("\n")))) :]
        text = _BLANK_LINES.sub("\n\n", text)
        if text:
            self.parts.append(text)
            self._n_chars += len(text)
            self._end = (self._end + text)[-2:]

    def _link(self, node: Any) -> None:  # noqa: ANN401  (nodes have no types)
        target = str(node.title).strip().lstrip(":").replace("_", " ")
        space = target.partition(":")[0].strip().casefold()
        if (":" in target and space in self._namespaces) or _LANGUAGE.match(target):
            return
        title = clean_title(target.partition("#")[0])
        if title:
            self.links.append(Link(self._n_chars, title[0].upper() + title[1:]))
        self.read((node.text or node.title).nodes)

    def _heading(self, node: Any) -> None:  # noqa: ANN401
        words = clean_title(node.title.strip_code())
        if not words:
            return
        self._above = [outer for outer in self._above if outer[0] < node.level]
        self._above.append((node.level, words))
        self._add("\n")
        path = " > ".join(words for _, words in self._above)
        self.headings.append(Heading(self._n_chars, path, words.replace(" ", "_")))
        self._add(words)

    def _tag(self, node: Any) -> None:  # noqa: ANN401
        name = str(node.tag).strip().casefold()
        if name == "br":
            self._add("\n")
        elif name not in _DROPPED and node.contents is not None:
            self.read(node.contents.nodes)


def _character(entity: Any) -> str:  # noqa: ANN401
    try:
        return entity.normalize()
    except (ValueError, OverflowError, KeyError):
        return str(entity)
