"""Structure in a document's text: headings, and links to other documents.

Markdown's headings (``## Set up``) and links (``[text](path.md)``), and the ``[[links]]`` of wikis
and vaults. What stands in a block or a span of code is neither.
"""

import re
from collections.abc import Iterator
from itertools import chain
from posixpath import join, normpath
from typing import Final
from urllib.parse import unquote

from hippohover.indexing.corpus.records import Link, clean_title

MAX_HEADING_CHARS: Final = 200
"""A longer line is no heading, whatever it begins with."""

# Every repeat that may meet anything has a bound: no text, however odd, is searched twice over.
_FENCE = re.compile(r"^[ ]{0,3}(```+|~~~+).*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)")
_HEADING = re.compile(r"^[ ]{0,3}(#{1,6})[ \t][^\n]*", re.M)
# [[target#section|shown]]; [shown](target "title"), where what is shown may be a picture.
_WIKI_LINK = re.compile(r"\[\[([^\[\]|\n]{1,500})(?:\|([^\[\]\n]{0,500}))?\]\]")
_PICTURE = r"!\[[^\[\]\n]{0,500}\]\([^()\n]{0,500}\)"
_INSIDE = r"(?:[^()\n]|\([^()\n]{0,200}\))"
_LINK = re.compile(
    rf"(!?)\[([^\[\]\n]{{0,500}}|{_PICTURE})\]"
    rf"\(([ ]?<[^<>\n]{{1,500}}>{_INSIDE}{{0,500}}|{_INSIDE}{{1,500}})\)"
)
_TITLED = re.compile(r"[ \t]+[\"']")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_TEXT_SUFFIX = re.compile(
    r"\.(?:md|markdown|mdx|txt|text|log|rst|rest|adoc|asciidoc|org|x?html?|ipynb|eml|mbox|srt|vtt"
    r"|pdf|doc[mx]|dotx|ppt[mx]|ppsx|epub|odt|ott)$",
    re.I,
)
_ATTACHMENT = re.compile(
    r"\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp"  # pictures
    r"|3gp|aac|avi|flac|m4a|mkv|mov|mp3|mp4|og[agv]|opus|wav|webm"  # sounds and films
    r"|base|canvas|drawio|excalidraw|csv|doc|json|od[ps]|ppt|tsv|xlsx?"
    r"|7z|bz2|gz|rar|tar|tgz|xz|zip|zst)$",
    re.I,
)
_MARKED = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|`{1,2})(?=\S)([^\n]{1,200}?)(?<=\S)\1(?!\w)")


def marked_headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, level and words of each line that "#" marks as a heading."""
    for match in _HEADING.finditer(without_code(text)) if "#" in text else ():
        words = heading_words(text[match.start() : match.end()])
        if words and len(words) <= MAX_HEADING_CHARS:
            yield match.start(), len(match[1]), words


def heading_words(line: str) -> str:
    """Return the words of a heading's line, without marks: "## Set *up* ##" -> "Set up"."""
    words = " ".join(line.split()).lstrip("#").lstrip()
    bare = words.rstrip("#")
    words = bare.rstrip() if not bare or bare.endswith(" ") else words  # "C#" keeps its own
    words = _WIKI_LINK.sub(lambda link: link[2] or link[1], words)
    return without_marks(_LINK.sub(lambda link: link[2], words))


def without_marks(words: str) -> str:
    """Remove the marks of bold, italic and code from words on one line."""
    return clean_title(_MARKED.sub(lambda marked: marked[2], words))


def links(text: str, folder: str = "", *, is_markdown: bool = False) -> tuple[Link, ...]:
    """Return a text's links to other documents, in their order.

    Pictures and attachments are none; a note that is embedded is one. A path is taken from
    ``folder``, the one that the document is in; its suffix is dropped. In a text that is no
    Markdown ``[T](x)`` may be code, and only a path with a suffix of texts is a link.
    """
    if "[" not in text:
        return ()
    prose = without_code(text)
    of_paths = _path_links(prose, folder, is_markdown=is_markdown)
    return tuple(sorted(chain(_wiki_links(prose), of_paths)))


def without_code(text: str) -> str:
    """Replace each character of code by a blank, line ends aside; keeps the length."""
    if "`" not in text and "~~~" not in text:
        return text
    return _CODE_SPAN.sub(_blanked, _FENCE.sub(_blanked, text))


def without_suffix(path: str) -> str:
    """Remove the suffix of a text file from a path."""
    return _TEXT_SUFFIX.sub("", path)


def _blanked(match: re.Match[str]) -> str:
    return "".join(char if char == "\n" else " " for char in match[0])


def _wiki_links(text: str) -> Iterator[Link]:
    for match in _WIKI_LINK.finditer(text):
        # In a table the sign before what is shown is escaped.
        yield from _link_to(match.start(), match[1].partition("#")[0].rstrip("\\"))


def _path_links(text: str, folder: str, *, is_markdown: bool) -> Iterator[Link]:
    for match in _LINK.finditer(text):
        address = "" if match[1] else _path(match[3])
        if is_markdown or _TEXT_SUFFIX.search(local_path(address)):
            yield from path_link(match.start(), address, folder)


def path_link(offset: int, address: str, folder: str) -> Iterator[Link]:
    """Yield the link to a file for an address in a text of ``folder``; none to another site.

    An address that begins with a slash is taken from the top of the corpus.
    """
    if path := local_path(address.strip()):
        folder = "" if address.strip().startswith("/") else folder
        yield from _link_to(offset, normpath(join(folder, path)))


def local_path(address: str) -> str:
    """Return the path of an address, without leading slashes; "" for an external one."""
    if _ELSEWHERE.match(address):
        return ""
    return unquote(address.partition("#")[0].partition("?")[0]).lstrip("/")


def _path(target: str) -> str:
    """Return the target of a Markdown link, without brackets and title."""
    target = target.strip()
    if target.startswith("<"):
        return target[1:].partition(">")[0]
    return _TITLED.split(target, maxsplit=1)[0]


def _link_to(offset: int, path: str) -> Iterator[Link]:
    title = clean_title(without_suffix(path.strip()))
    if title and not _ATTACHMENT.search(title):
        yield Link(offset, title)
