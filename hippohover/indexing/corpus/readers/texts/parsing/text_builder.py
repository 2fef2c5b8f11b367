"""Builds a text of words, lines and headings, with places of sections and links."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from hippohover.indexing.corpus.markup import path_link
from hippohover.indexing.corpus.readers.texts.parsing.documents import Marked, Section
from hippohover.indexing.corpus.records import Link, clean_title

LINE, PARAGRAPH = 1, 2
CELL: Final = "; "
NAMED: Final = ": "


class Inline(NamedTuple):
    """An inline mark in a line, with its words and address.

    The address is of a path; or, behind a "#", a title, an id or another name; or "".
    """

    pattern: re.Pattern[str]
    said: Callable[[re.Match[str]], tuple[str, str]]


class TextBuilder:
    """A text under construction, of a file in ``folder``; blanks come before the next words.

    Attributes
    ----------
    length : int
        Characters so far.
    in_row : bool
        All that comes stays on one line.
    lead : str
        What is to stand before the next words.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._parts: list[str] = []
        self._breaks = 0
        self._blank = False
        self._sections: list[Section] = []
        self._links: list[Link] = []
        self.length = 0
        self.in_row = False
        self.lead = ""

    def words(self, text: str) -> None:
        """Add words to the line, with single blanks."""
        words = " ".join(text.split())
        if words:
            self._blank = self._blank or text[0].isspace()
            self._put(words)
        self._blank = self._blank or text[-1:].isspace()

    def raw(self, text: str) -> None:
        """Add text as it is, line ends included."""
        if self.in_row:
            self.words(text)
        elif text := text if self.length and not self._breaks else text.lstrip("\n"):
            self._put(text)

    def line(self, line: str, inline: Inline | None = None) -> None:
        """Add a line, with its inline marks read; blank ones end a paragraph."""
        at = 0
        for match in inline.pattern.finditer(line) if inline else ():
            words, address = inline.said(match) if inline else ("", "")
            self.raw(line[at : match.start()])
            if address.startswith("#"):
                name = clean_title(address[1:])
                self._links.extend([Link(self.start(), name)] if name else [])
            else:
                self.link(address)
            self.raw(words)
            at = match.end()
        self.raw(line[at:].rstrip())
        self.new_line(LINE if line.strip() else PARAGRAPH)

    def new_line(self, n: int = LINE) -> None:
        """End the line, or the paragraph, if it holds anything."""
        if self.in_row:
            self._blank = True
        else:
            self._breaks = max(self._breaks, n)

    def link(self, address: str) -> None:
        """Let the next words lead to an address."""
        self._links.extend(path_link(self.start(), address, self._folder))

    def section(
        self, level: int, words: str, anchor: str = "", *, offset: int | None = None
    ) -> None:
        """Begin a section with the next words, or at an offset."""
        start = self.start() if offset is None else offset
        self._sections.append(Section(start, level, words, anchor))

    def heading(self, level: int, words: str, anchor: str = "") -> None:
        """Add a heading on a line of its own."""
        words = clean_title(words)
        self.new_line(PARAGRAPH)
        self.section(level, words, anchor)
        self.words(words)
        self.new_line(PARAGRAPH)

    def start(self) -> int:
        """Return where the next words will begin."""
        return self.length + len(self._gap()) + len(self.lead)

    def since(self, length: int) -> str:
        """Return what was added since the text had a length."""
        at, n = len(self._parts), self.length
        while n > length:
            at -= 1
            n -= len(self._parts[at])
        return "".join(self._parts[at:]).strip()

    def take_back(self, length: int) -> None:
        """Cut the text back to an earlier length."""
        while self.length > length:
            self.length -= len(self._parts.pop())
        for placed in (self._sections, self._links):
            while placed and placed[-1].offset > length:
                placed.pop()

    def marked(self) -> Marked:
        """Return the text as it is now."""
        links = [link._replace(offset=min(link.offset, self.length)) for link in self._links]
        return Marked("".join(self._parts), self._sections, links)

    def _gap(self) -> str:
        if not self.length or self.lead.startswith((CELL, NAMED)):
            return ""
        return "\n" * self._breaks if self._breaks else " " * self._blank

    def _put(self, text: str) -> None:
        text = f"{self._gap()}{self.lead}{text}"
        self._parts.append(text)
        self.length += len(text)
        self._breaks, self._blank, self.lead = 0, False, ""
