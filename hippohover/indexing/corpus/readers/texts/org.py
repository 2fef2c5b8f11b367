"""Org: headings with their anchors, keywords as fields, links by path or id, tables as rows."""

import re
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.documents import Marked, numbered, slug
from hippohover.indexing.corpus.readers.texts.line_markup import LinePage, Match
from hippohover.indexing.corpus.records import Records, clean_title

SUFFIXES: Final = (".org",)

_HEADING = re.compile(
    r"(\*{1,20})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]+)?"
    r"(\S[^\n]{0,400}?)(?:[ \t]{1,80}:[\w@#%:]{1,200}:)?[ \t]{0,80}$"
)
_KEYWORD = re.compile(r"[ \t]*#\+([\w-]{1,60}):[ \t]*(.*)$")
_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_(\w{1,40})(?:[ \t].*)?$", re.I)
_PROPERTY = re.compile(r"[ \t]*:([\w@#%+-]{1,60}):(?:[ \t]+(.*))?$")
_DRAWER = re.compile(r"\s*:PROPERTIES:\s*$", re.I)
_NO_TEXT = re.compile(  # comments, and when something is planned
    r"[ \t]*(?:#(?: |$)|(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):[ \t]*[<\[\d])"
)
_ROW = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"[ \t]*\|[-+| \t]*$")
_LINK = re.compile(
    r"=(?P<code>[^=\s](?:[^=\n]{0,500}[^=\s])?)=(?!\w)"
    r"|\[\[(?P<to>[^\[\]\n]{1,500})\](?:\[(?P<shown>[^\[\]\n]{1,500})\])?\]"
)
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp)$", re.I)
_CODE: Final = ("src", "example", "export", "comment")
_FIELDS: Final = {"filetags": "tags", "keywords": "tags"}


def read(file: SourceFile) -> Records:
    """Yield the document of a text."""
    return _Page(file.text().split("\n"), file.folder).documents(file)


class _Page(LinePage):
    inline = _LINK

    def titled(self, marked: Marked, title: str) -> tuple[str, Marked]:
        marked = marked._replace(sections=list(numbered(marked.sections)))
        if [section.level for section in marked.sections].count(1) != 1:
            return "", marked  # of several none is the file's
        return super().titled(marked, title)

    def _heading(self, match: Match) -> None:
        words = self.words(match[2])
        self.builder.heading(len(match[1]), words, self._drawer() or slug(words))

    def _keyword(self, match: Match) -> None:
        name, value = match[1].lower(), match[2].strip()
        if name == "include":
            self.builder.link_path(value.strip('"').partition('"')[0].partition("::")[0])
        elif name in ("alias", "roam_alias", "roam_aliases"):
            self._named(value)
        elif value and not self.builder.length:
            tags = _FIELDS.get(name, name)
            words = re.split(r"[:,\s]+", value.strip(":")) if tags == "tags" else clean_title(value)
            self.fields.setdefault(tags, words.strip("<>[]") if isinstance(words, str) else words)

    def _named(self, value: str) -> None:
        self.names += re.findall(r'"([^"]{1,200})"', value) or [value]

    def _drawer_alone(self, _: Match) -> None:
        self.at -= 1
        self._drawer()

    def _drawer(self) -> str:
        """Return the anchor in the next drawer; an id is a name of the document."""
        if self.at >= len(self.lines) or not _DRAWER.match(self.lines[self.at]):
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
                self._named(value)
        return anchor

    def _block(self, match: Match) -> None:
        """Read a block of code up to its end: unchanged; a comment is dropped."""
        kind = match[2].lower()
        if match[1].lower() != "begin" or kind not in _CODE:
            return
        lines = self.lines_until(lambda line: _is_end(line, kind))
        self.at += 1
        for line in lines if kind != "comment" else ():
            self.builder.line(line)

    def _table(self, _: Match) -> None:
        self.at -= 1
        rows: list[list[str]] = []
        header: list[str] = []
        for line in self.lines_until(lambda line: not _ROW.match(line)):
            if not _RULE.match(line.strip()):
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            elif len(rows) == 1 and not header:
                header = rows.pop()
        self.write_rows(header, rows)

    def said(self, match: Match) -> tuple[str, str]:
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

    rules = (
        (_HEADING, _heading),
        (_BLOCK, _block),
        (_KEYWORD, _keyword),
        (_DRAWER, _drawer_alone),
        (_ROW, _table),
        (_NO_TEXT, LinePage.passed_over),
    )


def _is_end(line: str, kind: str) -> bool:
    match = _BLOCK.match(line)
    return bool(match and match[1].lower() == "end" and match[2].lower() == kind)
