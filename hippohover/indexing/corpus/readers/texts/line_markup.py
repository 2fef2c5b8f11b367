"""Markup that is read line by line: a table of rules says what a line begins.

A format is a ``LinePage`` with its rules, tried in their order, and its inline marks.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import (
    Marked,
    row_text,
    text_document,
    without_title,
)
from hippohover.indexing.corpus.readers.entries import with_entries
from hippohover.indexing.corpus.readers.text_builder import CELL, Inline, TextBuilder
from hippohover.indexing.corpus.records import Records, clean_title

Match = re.Match[str]
Rule = tuple[re.Pattern[str], Callable[[Any, Match], object]]
"""What a line looks like, and a method for it, which may hand it on with False."""

ANY: Final = re.compile("")


class LinePage:
    """A text that is read line by line; ``at`` is the next one.

    Attributes
    ----------
    fields : dict
        What the text says of itself; its title is the document's.
    names : list of str
        Further names of the document.
    """

    rules: ClassVar[Sequence[Rule]]
    inline: ClassVar[re.Pattern[str]]

    def __init__(self, lines: list[str], folder: str) -> None:
        self.lines = lines
        self.at = 0
        self.builder = TextBuilder(folder)
        self.fields: dict[str, object] = {}
        self.names: list[str] = []

    def documents(self, file: SourceFile) -> Records:
        """Read the lines, and yield the document."""
        while self.at < len(self.lines):
            self._step()
        title = str(self.fields.get("title", ""))
        heading, marked = self.titled(self.builder.marked(), title)
        titles, names = (title, heading), self.names
        document = text_document(file, marked, titles=titles, names=names, fields=self.fields)
        yield from with_entries(document, marked.sections)

    def _step(self) -> None:
        """Read the next line, and those that belong to it."""
        line = self.lines[self.at]
        self.at += 1
        if not line or line.isspace():  # it begins nothing
            self.write(line)
            return
        for pattern, take in self.rules:
            match = pattern.match(line)
            if match and take(self, match) is not False:
                return
        self.write(line)

    def titled(self, marked: Marked, title: str) -> tuple[str, Marked]:
        """Return the heading that is the title of the text, and the rest."""
        return without_title(marked, title)

    def said(self, match: Match) -> tuple[str, str]:
        """Return the words of an inline mark, and its target; see ``Inline``."""
        raise NotImplementedError

    def write(self, line: str) -> None:
        """Add a line of text, with its inline marks read."""
        self.builder.line(line, Inline(self.inline, self.said))

    def words(self, line: str) -> str:
        """Return the words of a heading, without inline marks."""
        return clean_title(self.inline.sub(lambda match: self.said(match)[0], line))

    def passed_over(self, _: Match) -> None:
        """Leave a line out."""

    def lines_until(self, ends: Callable[[str], object]) -> list[str]:
        """Take the lines up to one that ends them."""
        start = self.at
        while self.at < len(self.lines) and not ends(self.lines[self.at]):
            self.at += 1
        return self.lines[start : self.at]

    def write_rows(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add the rows of a table, each with its header; the header alone without any."""
        for row in rows:
            self.write(row_text(header, row))
        if not rows:
            self.write(CELL.join(filter(None, header)))
