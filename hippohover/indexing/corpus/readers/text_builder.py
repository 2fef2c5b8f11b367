"""Builds a text of words, lines and headings, or of blocks, with places of what is in it."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from hippohover.indexing.corpus.markup import MAX_HEADING_CHARS, path_link
from hippohover.indexing.corpus.readers.documents import ENDS, Marked, Section, joined_header
from hippohover.indexing.corpus.records import Link, Page, clean_title

LINE, PARAGRAPH = 1, 2
CELL: Final = "; "
NAMED: Final = ": "


class Inline(NamedTuple):
    """An inline mark in a line, with its words and address.

    The address is of a path; or, behind a "#", a title, an id or another name; or "".
    """

    pattern: re.Pattern[str]
    said: Callable[[re.Match[str]], tuple[str, str]]


class Words:
    """Words joined by single blanks, in place of line ends, tabs and indents.

    Attributes
    ----------
    length : int
        Characters so far.
    links : list of Link
        Where a link's words begin, and what it leads to.
    """

    def __init__(self, text: str = "") -> None:
        self._parts: list[str] = []
        self._blank = False  # between what is there and the next words
        self.length = 0
        self.links: list[Link] = []
        self.add(text)

    @property
    def text(self) -> str:
        """All words, without blanks at the ends."""
        return "".join(self._parts)

    def __bool__(self) -> bool:
        return self.length > 0

    def add(self, text: str) -> None:
        """Add words, with single blanks."""
        words = " ".join(text.split())
        if words:
            self._blank = self._blank or text[0].isspace()
            self._put(words)
        self._blank = self._blank or text[-1:].isspace()

    def start(self) -> int:
        """Return where the next words will begin."""
        return self.length + len(self._gap())

    def link(self, target: str) -> None:
        """Let the next words lead to a document of this name, if there is one."""
        if target:
            self.links.append(Link(self.start(), target))

    def append(self, other: "Words", between: str = " ") -> None:
        """Append the words of another block."""
        self._extend(between if self and other else "")
        self.links += [link._replace(offset=self.length + link.offset) for link in other.links]
        self._extend(other.text)

    def after(self, mark: str) -> "Words":
        """Return the same after a mark: "- Bread"."""
        marked = Words()
        marked._extend(mark)
        marked.append(self, "")
        return marked

    def _gap(self) -> str:
        return " " if self._blank and self.length else ""

    def _put(self, text: str) -> None:
        text = f" {text}" if self._blank and self.length else text
        self._parts.append(text)  # not by ``_extend``: most of the time goes by here
        self.length += len(text)
        self._blank = False

    def _extend(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)


class TextBuilder(Words):
    """A text under construction, of a file in ``folder``; blanks come before the next words.

    It grows by words, lines and headings, or by whole blocks: paragraphs, items, tables.

    Attributes
    ----------
    in_row : bool
        All that comes stays on one line.
    lead : str
        What is to stand before the next words.
    """

    def __init__(self, folder: str = "") -> None:
        self.in_row = False
        self.lead = ""
        self._folder = folder
        self._breaks = 0
        self._sections: list[Section] = []
        self._pages: list[Page] = []
        self._page: int | None = None
        self._is_line = False  # the last block is a line
        self._ends_section = False
        super().__init__()

    def raw(self, text: str) -> None:
        """Add text as it is, line ends included."""
        if self.in_row:
            self.add(text)
        elif text := text if self.length and not self._breaks else text.lstrip("\n"):
            self._put(text)

    def line(self, line: str, inline: Inline | None = None) -> None:
        """Add a line, with its inline marks read; blank ones end a paragraph."""
        at = 0
        for match in inline.pattern.finditer(line) if inline else ():
            words, address = inline.said(match) if inline else ("", "")
            self.raw(line[at : match.start()])
            if address.startswith("#"):
                self.link(clean_title(address[1:]))
            else:
                self.link_path(address)
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

    def link_path(self, address: str) -> None:
        """Let the next words lead to an address."""
        self.links.extend(path_link(self.start(), address, self._folder))

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
        self.add(words)
        self.new_line(PARAGRAPH)

    # Blocks

    def page(self, number: int) -> None:
        """Begin a page with the next block."""
        self._page = number

    def end_section(self) -> None:
        """Let the next block be below no heading, unless it is one."""
        self._ends_section = bool(self._sections) and self._sections[-1].level != ENDS

    def paragraph(self, words: Words) -> None:
        """Add a paragraph, unless it has no words."""
        self._block(words)

    def line_block(self, words: Words) -> None:
        """Add a line of text that stays a line, as in a program."""
        self._block(words, is_line=True)

    def item(self, words: Words, level: int = 0) -> None:
        """Add an item of a list, with its depth of lists."""
        if words:
            self.line_block(words.after(f"{'  ' * min(level, 8)}- "))

    def table(self, rows: Iterable[Sequence[Words]], n_names: int = 1) -> None:
        """Add a table's rows, each with the header: "Region: North"; a single row has none.

        ``n_names`` of the first rows name columns, by all of them: "2024 Rate: 12 %".
        """
        filled = [row for row in rows if any(row)]
        if len(filled) == 1:
            for cell in filled[0]:
                self.paragraph(cell)
            return
        n_names = n_names if 0 < n_names < len(filled) else 1
        named = ([cell.text.rstrip(": ") for cell in row] for row in filled[:n_names])
        header = [f"{name}: " if name else "" for name in joined_header(*named)]
        self._is_line = False
        for row in filled[n_names:]:
            line = Words()
            for cell, name in zip_longest(row, header[: len(row)], fillvalue=""):
                if isinstance(cell, Words) and cell:
                    line.append(cell.after(name), CELL)
            self.line_block(line)
        self._is_line = False

    def block_heading(self, level: int, words: Words, anchor: str = "") -> None:
        """Add a heading as a block; a whole paragraph in the style of one is none."""
        name = clean_title(words.text)
        if len(name) > MAX_HEADING_CHARS:
            self.paragraph(words)
        elif name:
            self._ends_section = False
            self.section(level, name, anchor, offset=self._block(words))

    def _block(self, words: Words, *, is_line: bool = False) -> int:
        """Add a block; return where it begins."""
        if not words:
            return self.length
        self.new_line(LINE if is_line and self._is_line else PARAGRAPH)
        start, self._is_line = self.start(), is_line
        if self._ends_section:
            self.section(ENDS, "", offset=start)
        self._ends_section = False
        if self._page is not None:
            self._pages.append(Page(start, self._page))
            self._page = None
        self.links += [link._replace(offset=start + link.offset) for link in words.links]
        self._put(words.text)
        return start

    # What is there

    def start(self) -> int:
        """Return where the next words will begin."""
        return super().start() + len(self.lead)

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
        for placed in (self._sections, self.links):
            while placed and placed[-1].offset > length:
                placed.pop()

    def marked(self) -> Marked:
        """Return the text as it is now."""
        links = [link._replace(offset=min(link.offset, self.length)) for link in self.links]
        return Marked(self.text, self._sections, links, self._pages)

    def _gap(self) -> str:
        if not self.length or self.lead.startswith((CELL, NAMED)):
            return ""
        return "\n" * self._breaks if self._breaks else " " * self._blank

    def _put(self, text: str) -> None:
        text = f"{self._gap()}{self.lead}{text}"
        self._parts.append(text)
        self.length += len(text)
        self._breaks, self._blank, self.lead = 0, False, ""
