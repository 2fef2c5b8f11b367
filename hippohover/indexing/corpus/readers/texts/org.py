"""Org: headings with their anchors, keywords as fields, links by path or id, tables as rows."""

import re
from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.texts.parsing.anchors import numbered, slug
from hippohover.indexing.corpus.readers.texts.parsing.documents import (
    row_text,
    text_document,
    without_title,
)
from hippohover.indexing.corpus.readers.texts.parsing.text_builder import CELL, Inline, TextBuilder
from hippohover.indexing.corpus.records import BadRecord, Document, clean_title

SUFFIXES: Final = (".org",)

_HEADING = re.compile(
    r"(\*{1,20})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]+)?"
    r"(\S[^\n]{0,400}?)(?:[ \t]{1,80}:[\w@#%:]{1,200}:)?[ \t]{0,80}$"
)
_KEYWORD = re.compile(r"[ \t]*#\+([\w-]{1,60}):[ \t]*(.*)$")
_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_(\w{1,40})(?:[ \t].*)?$", re.I)
_PROPERTY = re.compile(r"[ \t]*:([\w@#%+-]{1,60}):(?:[ \t]+(.*))?$")
_PLANNED = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):[ \t]*[<\[\d]")
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*\|[-+| \t]*$")
_LINK = re.compile(
    r"=(?P<code>[^=\s](?:[^=\n]{0,500}[^=\s])?)=(?!\w)"
    r"|\[\[(?P<to>[^\[\]\n]{1,500})\](?:\[(?P<shown>[^\[\]\n]{1,500})\])?\]"
)
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.I)
_CODE: Final = ("src", "example", "export", "comment")
_FIELDS: Final = {"filetags": "tags", "keywords": "tags"}


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """Yield the document of a text."""
    text = file.text()
    page = _Page(text.split("\n"), file.folder)
    while page.at < len(page.lines):
        page.step()
    marked, heading, title = page.builder.marked(), "", str(page.fields.get("title", ""))
    marked = marked._replace(sections=list(numbered(marked.sections)))
    if sum(section.level == 1 for section in marked.sections) == 1:  # of several none is the file's
        heading, marked = without_title(marked, title)
    titles = (title, heading)
    document = text_document(file, marked, titles=titles, names=page.names)
    yield document if isinstance(document, BadRecord) else document._replace(fields=page.fields)


class _Page:
    """A text that is read line by line; ``at`` is the next one."""

    def __init__(self, lines: list[str], folder: str) -> None:
        self.lines = lines
        self.at = 0
        self.builder = TextBuilder(folder)
        self.fields: dict[str, object] = {}
        self.names: list[str] = []

    def step(self) -> None:
        """Read the next line, and those that belong to it."""
        line = self.lines[self.at]
        self.at += 1
        if match := _HEADING.match(line):
            words = clean_title(_LINK.sub(lambda inline: _said(inline)[0], match[2]))
            anchor = self._drawer()
            self.builder.heading(len(match[1]), words, anchor or slug(words))
        elif match := _BLOCK.match(line):
            if match[1].lower() == "begin" and match[2].lower() in _CODE:
                self._code(match[2].lower())
        elif match := _KEYWORD.match(line):
            self._keyword(match[1].lower(), match[2].strip())
        elif line.strip().upper() == ":PROPERTIES:":
            self.at -= 1
            self._drawer()
        elif _ROW.match(line):
            self.at -= 1
            self._table()
        elif not re.match(r"[ \t]*#(?: |$)", line) and not _PLANNED.match(line):
            self.builder.line(line, Inline(_LINK, _said))

    def _keyword(self, name: str, value: str) -> None:
        if name == "include":
            self.builder.link(value.strip('"').partition('"')[0].partition("::")[0])
        elif name in ("alias", "roam_alias", "roam_aliases"):
            self.names += re.findall(r'"([^"]{1,200})"', value) or [value]
        elif value and not self.builder.length:
            tags = _FIELDS.get(name, name)
            words = re.split(r"[:,\s]+", value.strip(":")) if tags == "tags" else clean_title(value)
            self.fields.setdefault(tags, words.strip("<>[]") if isinstance(words, str) else words)

    def _drawer(self) -> str:
        """Return the anchor in the next drawer; an id is a name of the document."""
        if self.at >= len(self.lines) or self.lines[self.at].strip().upper() != ":PROPERTIES:":
            return ""
        anchor = ""
        self.at += 1
        while self.at < len(self.lines) and (match := _PROPERTY.match(self.lines[self.at])):
            self.at += 1
            name, value = match[1].upper(), clean_title(match[2] or "")
            if name == "END":
                break
            if name == "CUSTOM_ID":
                anchor = value
            elif name == "ID" and value:
                self.names.append(value)
            elif name == "ROAM_ALIASES":
                self._keyword("alias", value)
        return anchor

    def _code(self, kind: str) -> None:
        """Read a block up to its end: unchanged; a comment is dropped."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            match = _BLOCK.match(line)
            if match and match[1].lower() == "end" and match[2].lower() == kind:
                break
            if kind != "comment":
                self.builder.line(line)

    def _table(self) -> None:
        rows: list[list[str]] = []
        header: list[str] = []
        while self.at < len(self.lines) and _ROW.match(self.lines[self.at]):
            line = self.lines[self.at].strip()
            self.at += 1
            if not _RULE.match(line):
                rows.append([cell.strip() for cell in line.strip("|").split("|")])
            elif len(rows) == 1 and not header:
                header = rows.pop()
        for row in rows:
            self.builder.line(row_text(header, row), Inline(_LINK, _said))
        if not rows:
            self.builder.line(CELL.join(filter(None, header)))


def _said(match: re.Match[str]) -> tuple[str, str]:
    """Return the words of a link, and its target: a path, or an id."""
    if match["code"]:
        return match["code"], ""
    target = match["to"]
    path = target.removeprefix("file:").partition("::")[0]
    if _PICTURE.search(path):
        return match["shown"] or "", ""
    words = match["shown"] or path
    if target.startswith("id:"):
        return words, f"#{target[3:]}"
    return words, "" if target.startswith(("*", "#")) else path
