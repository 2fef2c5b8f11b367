"""reStructuredText: headings by their underlines, links of roles and directives, tables.

Read line by line, for docutils takes eight times as long and opens files that a text names. A
directive's content is text, its name and options are not; so are footnotes and citations. A label
is a name of the document where it is no plain word, since ``:ref:`` leads to it.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.texts.parsing.documents import (
    row_text,
    text_document,
    without_title,
)
from hippohover.indexing.corpus.readers.texts.parsing.drawn_tables import (
    GRID,
    SIMPLE,
    grid_rows,
    listed_rows,
    separated_rows,
    simple_rows,
)
from hippohover.indexing.corpus.readers.texts.parsing.text_builder import Inline, TextBuilder
from hippohover.indexing.corpus.records import BadRecord, Document, clean_title

SUFFIXES: Final = (".rst", ".rest")

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,300}[ \t]*$")
_DIRECTIVE = re.compile(
    r"(\s*)\.\.[ \t]+(\|[^|\n]{1,100}\|[ \t]+)?([\w:.+-]{1,60})::(?:[ \t]+(.*))?$"
)
_TARGET = re.compile(r"\.\.[ \t]+_(`[^`\n]{1,200}`|[^:\n]{1,200}):(?:[ \t]+(\S.*))?$")
_NOTE = re.compile(r"(\s*)\.\.[ \t]+(\[[^\[\]\n]{1,100}\])(?:[ \t]+(.*))?$")
_COMMENT = re.compile(r"(\s*)\.\.(?:[ \t]|$)")
_FIELD = re.compile(r"[ \t]*:([A-Za-z][\w .-]{0,40}):(?:[ \t]+(.*))?$")
_INLINE = re.compile(
    r"``(?P<code>[^`\n]{1,500})``"
    r"|:(?P<role>[A-Za-z][\w:.+-]{0,40}):"
    r"`(?P<shown>[^`<\n]{0,300}?)(?:[ \t]{0,20}<(?P<to>[^`<>\n]{1,300})>)?`"
    r"|`(?P<words>[^`<\n]{1,300}?)(?:[ \t]{0,20}<(?P<address>[^`<>\n]{1,500})>)?`__?(?!\w)"
    r"|(?P<note>\[[^\[\]\s]{1,100}\])_(?!\w)"
    r"|\|(?P<short>[^|\s](?:[^|\n]{0,98}[^|\s])?)\|_{0,2}(?!\w)"
    r"|(?<![\w`])(?P<name>[A-Za-z][\w.-]{0,60})_(?!\w)"
)
_TITLED = re.compile(r"[^<>]{0,300}?<([^<>]{1,500})>[ \t]*$")
_NAMED: Final = ("ref", "numref", "any", "term")
_NUMBERED: Final = {"pep": "PEP", "rfc": "RFC"}
_NO_TEXT = re.compile(
    r"raw|contents|meta|image|index|highlight|currentmodule|module|sectnum|tabularcolumns"
    r"|auto\w+|bibliography|role|default-role|title|toctree|include|literalinclude"
)
_CODE = re.compile(r"code|code-block|sourcecode|parsed-literal|graphviz|testcode|doctest|math")
_NO_ARGUMENT = re.compile(
    rf"{_CODE.pattern}|figure|only|ifconfig|container|class|rst-class|list-table|csv-table"
)
_MAX_LABEL_CHARS: Final = 100


def read(file: SourceFile) -> Iterator[Document | BadRecord]:
    """Yield the document of a text."""
    text = file.text()
    page = _Page(text.expandtabs(8).split("\n"), file.folder)
    while page.at < len(page.lines):
        page.step()
    said = str(page.fields.get("title", ""))
    heading, marked = without_title(page.builder.marked(), said)
    document = text_document(file, marked, titles=(said, heading), names=page.labels)
    yield document if isinstance(document, BadRecord) else document._replace(fields=page.fields)


class _Page:
    """A text that is read line by line; ``at`` is the next one."""

    def __init__(self, lines: list[str], folder: str) -> None:
        self.lines = lines
        self.at = 0
        self.builder = TextBuilder(folder)
        self.fields: dict[str, object] = {}
        self.labels: list[str] = []
        self._anchor = ""
        self._styles: list[tuple[str, bool]] = []
        self._has_text = False
        targets = filter(None, map(_TARGET.match, lines))
        defined = filter(None, map(_DIRECTIVE.match, lines))
        self._replaced = {
            _key(match[2].strip(" |")): match[4] or ""
            for match in defined
            if match[2] and match[3].lower() == "replace"
        }
        self._addresses = {_key(target[1]): target[2] or "" for target in targets}

    def step(self) -> None:
        """Read the next line, and those that belong to it."""
        line = self.lines[self.at]
        if self._heading() or self._table():
            return
        self.at += 1
        if match := _TARGET.match(line.lstrip()):
            self._target(match)
        elif match := _DIRECTIVE.match(line):
            self._directive(match)
        elif match := _NOTE.match(line):
            self._write(f"{match[1]}{match[2]} {match[3] or ''}")
        elif match := _COMMENT.match(line):
            self._block(len(match[1]))
        elif not _RULE.match(line) and not self._field(line):
            self._write(line)

    def _write(self, line: str) -> None:
        line = line.rstrip()
        line = line[:-1].rstrip(":") + ":" * bool(line[:-2]) if line.endswith("::") else line
        self._has_text = self._has_text or bool(line)
        self.builder.line(line, Inline(_INLINE, self._said))

    def _heading(self) -> bool:
        first, second, third = [*self.lines[self.at : self.at + 3], "", ""][:3]
        rule = _RULE.match(first)
        over = bool(rule and second.strip() and third.rstrip() == first.rstrip())
        words, under = (second, third) if over else (first, second)
        match = _RULE.match(under)
        if not match or not words.strip() or (not over and (rule or words[0].isspace())):
            return False
        if len(under.rstrip()) < min(len(words.strip()), 4):
            return False
        style = (match[1], over)
        if style not in self._styles:
            self._styles.append(style)
        shown = clean_title(_INLINE.sub(lambda inline: self._said(inline)[0], words))
        self.builder.heading(self._styles.index(style) + 1, shown, self._anchor or _id_of(shown))
        self._anchor = ""
        self.at += 3 if over else 2
        return True

    def _target(self, match: re.Match[str]) -> None:
        if not match[2]:
            label = self._anchor = match[1].strip("`")
            if re.search(r"[-_\d]", label) and len(label) <= _MAX_LABEL_CHARS:
                self.labels.append(label)

    def _field(self, line: str) -> bool:
        """Return whether a line describes the document, before all text."""
        match = None if self._has_text else _FIELD.match(line)
        if match:
            value = [match[2] or "", *self._block(0)]
            self.fields[match[1].lower()] = clean_title(" ".join(value))
        return match is not None

    def _directive(self, match: re.Match[str]) -> None:
        indent, name, argument = len(match[1]), match[3].lower(), (match[4] or "").strip()
        options: dict[str, str] = {}
        while self.at < len(self.lines) and (said := _FIELD.match(self.lines[self.at])):
            options[said[1].lower()] = (said[2] or "").strip()
            self.at += 1
        if match[2] or _NO_TEXT.fullmatch(name):
            content = self._block(indent)
            listed = content if name == "toctree" else [argument] if "include" in name else []
            for line in listed:
                titled = _TITLED.match(line)
                self.builder.link(titled[1] if titled else line.strip())
            return
        if argument and not _NO_ARGUMENT.fullmatch(name):
            self._write(argument)
        if name == "list-table":
            self._rows(listed_rows(self._block(indent)))
        elif name == "csv-table":
            self._rows(separated_rows(self._block(indent), options))
        elif _CODE.fullmatch(name):
            for line in self._block(indent):
                self.builder.line(line)

    def _block(self, indent: int) -> list[str]:
        """Take the lines that are indented deeper; they are not read again."""
        start = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            self.at += 1
        return self.lines[start : self.at]

    def _table(self) -> bool:
        line = self.lines[self.at]
        is_grid = bool(GRID.match(line))
        if not is_grid and not SIMPLE.match(line):
            return False
        start = self.at
        borders = 0
        while self.at < len(self.lines) and (row := self.lines[self.at]).strip():
            borders += bool(SIMPLE.match(row))
            self.at += 1
            if borders == 3 or (borders == 2 and not self._more_rows()):
                break
        lines = self.lines[start : self.at]
        self._rows(grid_rows(lines) if is_grid else simple_rows(lines))
        return True

    def _more_rows(self) -> bool:
        return self.at < len(self.lines) and bool(self.lines[self.at].strip())

    def _rows(self, rows: list[list[str]]) -> None:
        for row in rows[1:]:
            self._write(row_text(rows[0], row))
        if len(rows) == 1 and any(rows[0]):
            self._write("; ".join(filter(None, rows[0])))

    def _said(self, match: re.Match[str]) -> tuple[str, str]:
        """Return the words of an inline mark, and its target."""
        if plain := match["code"] or match["note"]:
            return plain, ""
        if short := match["short"]:
            return self._replaced.get(_key(short)) or match[0], ""
        if match["role"]:
            return _of_role(match)
        words = match["words"] or match["name"]
        if match["address"]:
            return words, match["address"].rstrip("_")
        known = self._addresses.get(_key(words))
        return (match[0] if known is None and match["name"] else words), known or ""


def _of_role(match: re.Match[str]) -> tuple[str, str]:
    target = (match["to"] or match["shown"]).strip()
    words = match["shown"].strip() or target
    kind = match["role"].rpartition(":")[2].lower()
    if kind in _NUMBERED:
        words = f"{_NUMBERED[kind]} {words}"
        return words, f"#{words}"
    if kind in ("doc", "download"):
        return words.rpartition("/")[2] if words == target else words, target
    if not match["to"]:
        words = words.lstrip("!").rpartition(".")[2] if words[:1] == "~" else words
    return words.lstrip("~!"), f"#{target}" if kind in _NAMED else ""


def _key(name: str) -> str:
    return " ".join(name.strip("`").lower().split())


def _id_of(words: str) -> str:
    """Return docutils' id of a section: "3.2 Übersicht" is "ubersicht"; "" if not Latin."""
    plain = unicodedata.normalize("NFKD", words.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"^[-0-9]+", "", re.sub(r"[^a-z0-9]+", "-", plain)).strip("-")
