"""AsciiDoc: headings with their anchors, attributes as fields, links, tables as rows."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.texts.parsing.documents import (
    row_text,
    text_document,
    without_title,
)
from hippohover.indexing.corpus.readers.texts.parsing.text_builder import CELL, Inline, TextBuilder
from hippohover.indexing.corpus.records import BadRecord, Document, clean_title

SUFFIXES: Final = (".adoc", ".asciidoc")

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S[^\n]{0,400})$")
_ATTRIBUTE = re.compile(r":!?([A-Za-z0-9_][\w-]{0,60})!?:(?:[ \t]+(.*))?$")
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [\w.'-]+){1,3}(?: <[^<>\s]{1,200}>)?(?:; .*)?$")
_REVISION = re.compile(r"v?[\d.]+(?:, *(\d{4}-\d\d-\d\d))?|(\d{4}-\d\d-\d\d)")
_ANCHOR = re.compile(r"\[\[([^\[\],]{1,200})(?:,[^\[\]]*)?\]\]|\[#([\w:.-]{1,200})[^\[\]]*\]")
_OPTIONS = re.compile(r"\[[^\[\]\n]{0,500}\][ \t]*$")
_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```)\w*[ \t]*$")
_FRAME = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--|\+|'''|<<<)[ \t]*$")
_INCLUDED = re.compile(r"include::([^\[\]\s]{1,500})\[")
_NO_TEXT = re.compile(r"(?:ifdef|ifndef|ifeval|endif|image|video|audio|toc)::|//(?!/)")
_TABLE = re.compile(r"[|,:!]===[ \t]*$")
_COLUMNS = re.compile(r"cols=\"?(?:(\d{1,3})\*|([^\"\]]{1,300}))")
_CELL = re.compile(r"(?:(?<=\s)|^)(?:\d+(?:\.\d+)?[+*])?[<^>.]{0,4}[aehlmdsv]?\|")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]{1,500})`"
    r"|(?:xref|link):(?P<to>[^\[\]\s]{1,500})\[(?P<shown>[^\[\]\n]{0,300})\]"
    r"|<<(?P<ref>[^<>,\n]{1,300})(?:,(?P<words>[^<>\n]{0,300}))?>>"
    r"|(?P<url>https?://[^\s\[\]<>]{1,500})\[(?P<named>[^\[\]\n]{1,300})\]"
    r"|image:[^\s\[\]:]{1,500}\[[^\[\]\n]{0,300}\]|\[\[[^\[\]\n]{1,200}\]\]"
)


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """Yield the document of a text."""
    text = file.text()
    page = _Page(text.split("\n"), file.folder)
    while page.at < len(page.lines):
        page.step()
    title = str(page.fields.get("title", ""))
    heading, marked = without_title(page.builder.marked(), title)
    titles = (title or heading, heading)
    document = text_document(file, marked, titles=titles)
    yield document if isinstance(document, BadRecord) else document._replace(fields=page.fields)


class _Page:
    """A text that is read line by line; ``at`` is the next one."""

    def __init__(self, lines: list[str], folder: str) -> None:
        self.lines = lines
        self.at = 0
        self.builder = TextBuilder(folder)
        self.fields: dict[str, object] = {}
        self._anchor = ""
        self._in_header = True
        self._slugs: Counter[str] = Counter()

    def step(self) -> None:
        """Read the next line, and those that belong to it."""
        line = self.lines[self.at].rstrip()
        self.at += 1
        if match := _FENCE.match(line):
            self._code(match[1])
        elif match := _HEADING.match(line):
            self._heading(match)
        elif _TABLE.match(line):
            self._table(line)
        elif match := _INCLUDED.match(line):
            self.builder.link(match[1])
        elif match := _ANCHOR.fullmatch(line):
            self._anchor = match[1] or match[2]
        elif not self._of_header(line) and not _is_mark(line):
            title = re.match(r"\.(?=[^\s.])", line)
            self._write(line[1:] if title else line)

    def _write(self, line: str) -> None:
        self._in_header = self._in_header and not line.strip()
        self.builder.line(line.removesuffix(" +"), Inline(_INLINE, _said))

    def _of_header(self, line: str) -> bool:
        """Return whether a line describes the document: its attributes, author and date."""
        if match := _ATTRIBUTE.match(line):
            if self._in_header and match[2]:
                self.fields[match[1].lower()] = clean_title(match[2])
            return True
        is_below = self._in_header and self.at > 1 and bool(self.lines[self.at - 2].strip())
        if is_below and "author" not in self.fields and _AUTHOR.match(line):
            self.fields["author"] = clean_title(re.sub(r"<[^<>]*>", "", line))
            return True
        if is_below and (match := _REVISION.match(line)):
            if date := match[1] or match[2]:
                self.fields["date"] = date
            return True
        return False

    def _heading(self, match: re.Match[str]) -> None:
        words = clean_title(_INLINE.sub(lambda inline: _said(inline)[0], match[2]))
        own = _ANCHOR.search(match[2])
        anchor = self._anchor or (own[1] or own[2] if own else "")
        if not anchor and len(match[1]) > 1:  # the document's own title has none
            anchor = self._slug(words)
        self._in_header = self._in_header and len(match[1]) == 1
        self.builder.heading(len(match[1]), words, anchor)
        self._anchor = ""

    def _slug(self, words: str) -> str:
        """Return Asciidoctor's id of a section: "_rates", or "_rates_2" where that is taken."""
        slug = "_" + re.sub(r"[ .-]+", "_", re.sub(r"[^ \w.-]", "", words.lower())).strip("_")
        self._slugs[slug] += 1
        return slug if self._slugs[slug] == 1 else f"{slug}_{self._slugs[slug]}"

    def _code(self, fence: str) -> None:
        """Read a block up to its closing line: unchanged; a comment is dropped."""
        while self.at < len(self.lines) and self.lines[self.at].rstrip() != fence:
            if fence[0] != "/":
                self.builder.line(self.lines[self.at])
            self.at += 1
        self.at += 1

    def _table(self, border: str) -> None:
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at].rstrip() != border:
            self.at += 1
        lines = self.lines[start : self.at]
        self.at += 1
        lines_of_cells = [_cells(line) for line in lines]
        n_columns = next((len(cells) for cells in lines_of_cells if cells), 1)
        options = self.lines[start - 2] if start > 1 else ""
        if match := _COLUMNS.search(options):
            n_columns = int(match[1]) if match[1] else match[2].count(",") + 1
        parts: list[list[str]] = []
        for line, more in zip(lines, lines_of_cells, strict=True):
            parts += ([cell] for cell in more)
            if not more and parts:
                parts[-1].append(line.strip())
        cells = [" ".join(filter(None, cell)) for cell in parts]
        n_columns = max(n_columns, 1)
        rows = [cells[at : at + n_columns] for at in range(0, len(cells), n_columns)]
        named = "header" in options or (len(lines) > 1 and not lines[1].strip())
        header = rows[0] if named and rows else []
        for row in rows[bool(header) :]:
            self._write(row_text(header, row))
        if len(rows) == 1 and header:
            self._write(CELL.join(header))


def _cells(line: str) -> list[str]:
    """Return the cells that begin on a line."""
    return [part.strip() for part in _CELL.split(line)[1:]]


def _is_mark(line: str) -> bool:
    """Return whether a line frames a block or sets its style, and is no text."""
    return bool(_OPTIONS.match(line) or _FRAME.match(line) or _NO_TEXT.match(line))


def _said(match: re.Match[str]) -> tuple[str, str]:
    """Return the words of an inline mark, and its target."""
    if match["code"]:
        return match["code"], ""
    if target := match["to"]:
        path, _, part = target.partition("#")
        return match["shown"].rstrip("^") or path or part, path if "." in path or not part else ""
    if target := match["ref"]:
        path, mark, part = target.partition("#")
        is_path = bool(mark) or path.endswith((".adoc", ".asciidoc"))
        words = (match["words"] or "").strip() or part or path
        return words, path if is_path else ""
    return match["named"] or "", ""
