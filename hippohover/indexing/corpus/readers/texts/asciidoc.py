"""AsciiDoc: headings with their anchors, attributes as fields, links, tables as rows."""

import re
from collections import Counter
from typing import Final

from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.texts.line_markup import LinePage, Match
from hippohover.indexing.corpus.records import Records, clean_title

SUFFIXES: Final = (".adoc", ".asciidoc")

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S[^\n]{0,400})$")
_ATTRIBUTE = re.compile(r":!?([A-Za-z0-9_][\w-]{0,60})!?:(?:[ \t]+(.*))?$")
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [\w.'-]+){1,3}(?: <[^<>\s]{1,200}>)?(?:; .*)?$")
_REVISION = re.compile(r"v?[\d.]+(?:, *(\d{4}-\d\d-\d\d))?|(\d{4}-\d\d-\d\d)")
_ANCHOR = re.compile(r"\[\[([^\[\],]{1,200})(?:,[^\[\]]*)?\]\]|\[#([\w:.-]{1,200})[^\[\]]*\]")
_ANCHOR_LINE = re.compile(rf"(?:{_ANCHOR.pattern})\Z")
_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```)\w*[ \t]*$")
_INCLUDED = re.compile(r"include::([^\[\]\s]{1,500})\[")
# Options and frames of a block, conditions, pictures, comments.
_NO_TEXT = re.compile(
    r"(?:\[[^\[\]\n]{0,500}\]|={4,}|\*{4,}|_{4,}|--|\+|'''|<<<)[ \t]*$"
    r"|(?:ifdef|ifndef|ifeval|endif|image|video|audio|toc)::|//(?!/)"
)
_TABLE = re.compile(r"[|,:!]===[ \t]*$")
_COLUMNS = re.compile(r"cols=\"?(?:(\d{1,3})\*|([^\"\]]{1,300}))")
_CELL = re.compile(r"(?:(?<=\s)|^)(?:\d+(?:\.\d+)?[+*])?[<^>.]{0,4}[aehlmdsv]?\|")
_BLOCK_TITLE = re.compile(r"\.([^\s.].*)$")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]{1,500})`"
    r"|(?:xref|link):(?P<to>[^\[\]\s]{1,500})\[(?P<shown>[^\[\]\n]{0,300})\]"
    r"|<<(?P<ref>[^<>,\n]{1,300})(?:,(?P<words>[^<>\n]{0,300}))?>>"
    r"|(?P<url>https?://[^\s\[\]<>]{1,500})\[(?P<named>[^\[\]\n]{1,300})\]"
    r"|image:[^\s\[\]:]{1,500}\[[^\[\]\n]{0,300}\]|\[\[[^\[\]\n]{1,200}\]\]"
)


def read(file: SourceFile) -> Records:
    """Yield the document of a text."""
    lines = [line.rstrip() for line in file.text().split("\n")]
    return _Page(lines, file.folder).documents(file)


class _Page(LinePage):
    inline = _INLINE

    def __init__(self, lines: list[str], folder: str) -> None:
        super().__init__(lines, folder)
        self._anchor = ""
        self._in_header = True
        self._slugs: Counter[str] = Counter()

    def write(self, line: str) -> None:
        self._in_header = self._in_header and not line.strip()
        super().write(line.removesuffix(" +"))

    def _anchored(self, match: Match) -> None:
        self._anchor = match[1] or match[2]

    def _attribute(self, match: Match) -> None:
        if self._in_header and match[2]:
            self.fields[match[1].lower()] = clean_title(match[2])

    def _is_below_title(self) -> bool:
        return self._in_header and self.at > 1 and bool(self.lines[self.at - 2])

    def _author(self, match: Match) -> bool:
        """Return whether a line names the author: the first one below the title."""
        is_author = self._is_below_title() and "author" not in self.fields
        if is_author:
            self.fields["author"] = clean_title(re.sub(r"<[^<>]*>", "", match[0]))
        return is_author

    def _revision(self, match: Match) -> bool:
        is_revision = self._is_below_title()
        if is_revision and (date := match[1] or match[2]):
            self.fields["date"] = date
        return is_revision

    def _heading(self, match: Match) -> None:
        words = self.words(match[2])
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

    def _code(self, match: Match) -> None:
        """Read a block up to its closing line: unchanged; a comment is dropped."""
        lines = self.lines_until(match[1].__eq__)
        self.at += 1
        for line in lines if match[1][0] != "/" else ():
            self.builder.line(line)

    def _table(self, match: Match) -> None:
        options = self.lines[self.at - 2] if self.at > 1 else ""
        lines = self.lines_until(match[0].__eq__)
        self.at += 1
        lines_of_cells = [[part.strip() for part in _CELL.split(line)[1:]] for line in lines]
        n_columns = next((len(cells) for cells in lines_of_cells if cells), 1)
        if said := _COLUMNS.search(options):
            n_columns = int(said[1]) if said[1] else said[2].count(",") + 1
        parts: list[list[str]] = []
        for line, more in zip(lines, lines_of_cells, strict=True):
            parts += ([cell] for cell in more)
            if not more and parts:
                parts[-1].append(line.strip())
        cells = [" ".join(filter(None, cell)) for cell in parts]
        n_columns = max(n_columns, 1)
        rows = [cells[at : at + n_columns] for at in range(0, len(cells), n_columns)]
        named = "header" in options or (len(lines) > 1 and not lines[1])
        header = rows[0] if named and rows else []
        if rows:
            self.write_rows(header, rows[bool(header) :])

    def said(self, match: Match) -> tuple[str, str]:
        if match["code"]:
            return match["code"], ""
        if target := match["to"]:
            path, _, part = target.partition("#")
            words = match["shown"].rstrip("^") or path or part
            return words, path if "." in path or not part else ""
        if target := match["ref"]:
            path, mark, part = target.partition("#")
            words = (match["words"] or "").strip() or part or path
            return words, path if mark or path.endswith(SUFFIXES) else ""
        return match["named"] or "", ""

    rules = (
        (_FENCE, _code),
        (_HEADING, _heading),
        (_TABLE, _table),
        (_INCLUDED, lambda page, match: page.builder.link_path(match[1])),
        (_ANCHOR_LINE, _anchored),
        (_ATTRIBUTE, _attribute),
        (_AUTHOR, _author),
        (_REVISION, _revision),
        (_NO_TEXT, LinePage.passed_over),
        (_BLOCK_TITLE, lambda page, match: page.write(match[1])),
    )
