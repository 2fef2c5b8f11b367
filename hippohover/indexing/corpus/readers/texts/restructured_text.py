"""reStructuredText: headings by their underlines, links of roles and directives, tables.

Read line by line, for docutils takes eight times as long and opens files that a text names. A
directive's content is text, its name and options are not; so are footnotes and citations. A label
is a name of the document where it is no plain word, since ``:ref:`` leads to it.
"""

import csv
import re
import unicodedata
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.texts.line_markup import ANY, LinePage, Match
from hippohover.indexing.corpus.records import Records, clean_title

SUFFIXES: Final = (".rst", ".rest")

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,300}[ \t]*$")
_DIRECTIVE = re.compile(
    r"(\s*)\.\.[ \t]+(\|[^|\n]{1,100}\|[ \t]+)?([\w:.+-]{1,60})::(?:[ \t]+(.*))?$"
)
_TARGET = re.compile(r"\s*\.\.[ \t]+_(`[^`\n]{1,200}`|[^:\n]{1,200}):(?:[ \t]+(\S.*))?$")
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
_GRID = re.compile(r"\s*\+(?:[-=]{1,500}\+){1,200}\s*$")
_SIMPLE = re.compile(r"\s*={1,500}(?:[ \t]{1,20}={1,500}){1,200}\s*$")
_MAX_LABEL_CHARS: Final = 100


def read(file: SourceFile) -> Records:
    """Yield the document of a text."""
    return _Page(file.text().expandtabs(8).split("\n"), file.folder).documents(file)


class _Page(LinePage):
    inline = _INLINE

    def __init__(self, lines: list[str], folder: str) -> None:
        super().__init__(lines, folder)
        self._anchor = ""
        self._styles: list[tuple[str, bool]] = []
        self._has_text = False
        defined = filter(None, map(_DIRECTIVE.match, lines))
        self._replaced = {
            _key(match[2].strip(" |")): match[4] or ""
            for match in defined
            if match[2] and match[3].lower() == "replace"
        }
        targets = [match for line in lines if line[:2] == ".." and (match := _TARGET.match(line))]
        self._addresses = {_key(target[1]): target[2] or "" for target in targets}

    def write(self, line: str) -> None:
        line = line.rstrip()
        line = line[:-1].rstrip(":") + ":" * bool(line[:-2]) if line.endswith("::") else line
        self._has_text = self._has_text or bool(line)
        super().write(line)

    def _heading(self, _: Match) -> bool:
        """Return whether a line is a heading, or the rule above one."""
        first, second, third = [*self.lines[self.at - 1 : self.at + 2], "", ""][:3]
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
        shown = self.words(words)
        self.builder.heading(self._styles.index(style) + 1, shown, self._anchor or _id_of(shown))
        self._anchor = ""
        self.at += 2 if over else 1
        return True

    def _target(self, match: Match) -> None:
        if not match[2]:
            label = self._anchor = match[1].strip("`")
            if re.search(r"[-_\d]", label) and len(label) <= _MAX_LABEL_CHARS:
                self.names.append(label)

    def _field(self, match: Match) -> bool:
        """Return whether a line describes the document, before all text."""
        if self._has_text:
            return False
        value = [match[2] or "", *self.block(0)]
        self.fields[match[1].lower()] = clean_title(" ".join(value))
        return True

    def _directive(self, match: Match) -> None:
        indent, name, argument = len(match[1]), match[3].lower(), (match[4] or "").strip()
        options: dict[str, str] = {}
        while self.at < len(self.lines) and (said := _FIELD.match(self.lines[self.at])):
            options[said[1].lower()] = (said[2] or "").strip()
            self.at += 1
        if match[2] or _NO_TEXT.fullmatch(name):
            content = self.block(indent)
            listed = content if name == "toctree" else [argument] if "include" in name else []
            for line in listed:
                titled = _TITLED.match(line)
                self.builder.link_path(titled[1] if titled else line.strip())
            return
        if argument and not _NO_ARGUMENT.fullmatch(name):
            self.write(argument)
        if name == "list-table":
            self.write_table(_listed_rows(self.block(indent)))
        elif name == "csv-table":
            self.write_table(_separated_rows(self.block(indent), options))
        elif _CODE.fullmatch(name):
            for line in self.block(indent):
                self.builder.line(line)

    def block(self, indent: int) -> list[str]:
        """Take the lines that are indented deeper; they are not read again."""
        return self.lines_until(
            lambda line: line.strip() and len(line) - len(line.lstrip()) <= indent
        )

    def drawn(self) -> list[str]:
        """Take the lines of a table, the first of which was read."""
        start = self.at = self.at - 1
        borders = 0
        while self.at < len(self.lines) and (row := self.lines[self.at]).strip():
            borders += bool(_SIMPLE.match(row))
            self.at += 1
            is_last = not "".join(self.lines[self.at : self.at + 1]).strip()
            if borders == 3 or (borders == 2 and is_last):
                break
        return self.lines[start : self.at]

    def write_table(self, rows: list[list[str]]) -> None:
        """Add a table whose first row names the columns."""
        if any(map(any, rows)):
            self.write_rows(rows[0], rows[1:])

    def said(self, match: Match) -> tuple[str, str]:
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

    rules = (
        (ANY, _heading),
        (_GRID, lambda page, _: page.write_table(_grid_rows(page.drawn()))),
        (_SIMPLE, lambda page, _: page.write_table(_simple_rows(page.drawn()))),
        (_TARGET, _target),
        (_DIRECTIVE, _directive),
        (_NOTE, lambda page, match: page.write(f"{match[1]}{match[2]} {match[3] or ''}")),
        (_COMMENT, lambda page, match: page.block(len(match[1]))),
        (_RULE, LinePage.passed_over),
        (_FIELD, _field),
    )


def _of_role(match: Match) -> tuple[str, str]:
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


# Tables: the cells of drawn ones, and of those written as lists.


def _grid_rows(lines: list[str]) -> list[list[str]]:
    """Return cells of a drawn table: the words between borders, on all lines."""
    edges = [at for at, sign in enumerate(lines[0]) if sign == "+"]
    rows: list[list[list[str]]] = [[]]
    for line in lines[1:]:
        if _GRID.match(line):
            rows.append([])
        else:
            _go_on(rows, [line[left + 1 : right] for left, right in pairwise(edges)])
    return _joined(rows)


def _simple_rows(lines: list[str]) -> list[list[str]]:
    """Return cells of a table between rules, by the columns of the first rule."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    rows: list[list[list[str]]] = []
    for line in lines[1:]:
        if _SIMPLE.match(line) or re.fullmatch(r"[ -]+", line):
            continue
        cells = [line[left:right] for left, right in pairwise([*starts, len(line) + 1])]
        if not rows or cells[0].strip():
            rows.append([])
        _go_on(rows, cells)
    return _joined(rows)


def _listed_rows(lines: list[str]) -> list[list[str]]:
    """Return cells of a table that is written as a list of lists."""
    rows: list[list[list[str]]] = []
    for line in lines:
        words = line.strip()
        if words.startswith("* -"):
            rows.append([[words[3:]]])
        elif words.startswith("- ") and rows:
            rows[-1].append([words[2:]])
        elif rows:
            rows[-1][-1].append(words)
    return _joined(rows)


def _separated_rows(lines: list[str], options: Mapping[str, str]) -> list[list[str]]:
    """Return cells of a table directive, below its header; the first row is empty without one."""
    sign = options.get("delim", ",")
    sign = {"tab": "\t", "space": " "}.get(sign, sign)
    sign = sign if len(sign) == 1 else ","
    texts = [line.strip() for line in lines if line.strip()]
    read = partial(csv.reader, delimiter=sign, skipinitialspace=True)
    try:
        header = [
            " ".join(cell.split()) for row in read([options.get("header", "")]) for cell in row
        ]
        rows = [[" ".join(cell.split()) for cell in row] for row in read(texts)]
    except csv.Error:  # a cell of more than 128 KiB, which is no cell
        return [[], *([text] for text in texts)]
    if not header and options.get("header-rows", "0") != "0":
        header, rows = (rows[:1] or [[]])[0], rows[1:]
    return [header, *(row for row in rows if any(row))]


def _go_on(rows: list[list[list[str]]], cells: list[str]) -> None:
    """Add a line of cells to the last row's, which it may begin."""
    if not rows[-1]:
        rows[-1] = [[] for _ in cells]
    for cell, more in zip(rows[-1], cells, strict=True):
        cell.append(more)


def _joined(rows: list[list[list[str]]]) -> list[list[str]]:
    words = ([" ".join(" ".join(cell).split()) for cell in row] for row in rows)
    return [row for row in words if any(row)]
