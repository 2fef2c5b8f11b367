"""The prose of a page in MediaWiki's markup, with its links and headings."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from hippohover.indexing.corpus.records import Heading, Link, clean_title

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
