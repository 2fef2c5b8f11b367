"""What a document's own text says of its structure: headings, and links to other documents.

Markdown's headings (``## Set up``) and links (``[text](path.md)``), and the ``[[links]]`` of wikis
and vaults. What stands in a block or a span of code is neither.
"""

import re
from collections.abc import Iterator
from posixpath import join, normpath
from typing import Final
from urllib.parse import unquote

from hippohover.indexing.corpus.records import Heading, Link, clean_title

MAX_HEADING_CHARS: Final = 200
"""A longer line is no heading, whatever it begins with."""

_FENCE = re.compile(r"^[ ]{0,3}(```+|~~~+).*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_CODE_SPAN = re.compile(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.M)
# [[target#section|shown]], and [shown](target "title") that leads to no other site.
_WIKI_LINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]")
_LINK = re.compile(r"\[[^\[\]\n]*\]\(\s*<?([^()<>\n]+?)>?(?:\s+[\"'][^\n]*?[\"'])?\s*\)")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_SUFFIX = re.compile(r"\.(?:md|markdown|mdx|txt|rst|adoc|org|html?)$", re.I)
_MARKS = re.compile(r"[*_`]+(?=\S)|(?<=\S)[*_`]+|\[\[|\]\]")


def headings(text: str) -> tuple[Heading, ...]:
    """Headings of a text, each with those above it: "Sync > Set up"."""
    if "#" not in text:
        return ()
    found: list[Heading] = []
    above: list[tuple[int, str]] = []
    for match in _HEADING.finditer(without_code(text)):
        level, words = (
            len(match[1]),
            clean_title(_MARKS.sub("", text[match.start(2) : match.end(2)])),
        )
        if not words or len(words) > MAX_HEADING_CHARS:
            continue
        above = [outer for outer in above if outer[0] < level]
        above.append((level, words))
        found.append(Heading(match.start(), " > ".join(words for _, words in above)))
    return tuple(found)


def links(text: str, folder: str = "") -> tuple[Link, ...]:
    """Links of a text to other documents, in their order.

    A path is taken from ``folder``, the one that the document is in; its suffix is dropped.
    """
    if "[" not in text:
        return ()
    return tuple(sorted(_links(without_code(text), folder)))


def without_code(text: str) -> str:
    """The text with a blank for each character of code, line ends aside; its length stays."""
    if "`" not in text and "~~~" not in text:
        return text
    return _CODE_SPAN.sub(_blanked, _FENCE.sub(_blanked, text))


def _blanked(match: re.Match[str]) -> str:
    return "".join(char if char == "\n" else " " for char in match[0])


def _links(text: str, folder: str) -> Iterator[Link]:
    for match in _WIKI_LINK.finditer(text):
        target = match[1].partition("#")[0]
        if title := clean_title(without_suffix(target.rstrip("\\"))):
            yield Link(match.start(), title)
    for match in _LINK.finditer(text):
        target = match[1].strip()
        if _ELSEWHERE.match(target):
            continue
        path = normpath(join(folder, unquote(target.partition("#")[0]).lstrip("/")))
        if title := clean_title(without_suffix(path)):
            yield Link(match.start(), title)


def without_suffix(path: str) -> str:
    """A path without the suffix of a text file."""
    return _SUFFIX.sub("", path)
