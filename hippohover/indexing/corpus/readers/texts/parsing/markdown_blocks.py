"""Blocks of a Markdown text, which markdown-it finds: headings, tables, code, definitions."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hippohover.indexing.corpus.markup import without_marks
from hippohover.indexing.corpus.readers.texts.parsing.documents import Section, row_text
from hippohover.indexing.corpus.readers.texts.parsing.inline_html import reference_key

if TYPE_CHECKING:
    from markdown_it.token import Token

_PIECE_CHARS: Final = 2**18  # parsed at once: a token takes far more memory than its text

_CALLOUT = re.compile(r"((?:[ ]{0,3}>[ ]?){1,9})\[![\w-]{1,40}\][+-]?(.*)")


class Blocks(NamedTuple):
    """A text whose tables are rows, and which defines no references any more.

    Attributes
    ----------
    text : str
    prose : str
        The text with a blank for each character in a block of code.
    sections : list of Section
        Headings; those without words have them in the lines at their offsets.
    references : dict of str to str
        Addresses by the names of references.
    """

    text: str
    prose: str
    sections: list[Section]
    references: dict[str, str]


def blocks_of(text: str) -> Blocks:
    """The blocks of a text; what stands inside of their lines is not read."""
    texts: list[str] = []
    proses: list[str] = []
    sections: list[Section] = []
    references: dict[str, str] = {}
    offset = 0
    for piece in map(_parsed, _pieces(text)):
        texts.append(piece.text)
        proses.append(piece.prose)
        sections += (part._replace(offset=part.offset + offset) for part in piece.sections)
        references = piece.references | references  # the first definition counts
        offset += len(piece.text)
    return Blocks("".join(texts), "".join(proses), sections, references)


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that end at blank lines, or else at others, where they can."""
    start = 0
    while len(text) - start > _PIECE_CHARS:
        middle, stop = start + _PIECE_CHARS // 2, start + _PIECE_CHARS
        ends = (text.rfind(end, middle, stop) + len(end) for end in ("\n\n", "\n"))
        end = next((end for end in ends if end > middle), stop)
        yield text[start:end]
        start = end
    yield text[start:]


def _parsed(text: str) -> Blocks:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
    said: dict[str, Any] = {}
    tokens = parser.parse(text, said)
    written = text.split("\n")
    lines = dict(enumerate(written))
    code: set[int] = set()
    headings: dict[int, Section] = {}
    for at, token in enumerate(tokens):
        first, last = token.map or (0, 0)
        if token.type in ("fence", "code_block"):
            code.update(range(first, last))
        elif token.type == "heading_open" and not token.level:
            words = " ".join(tokens[at + 1].content.split()) if token.markup in ("=", "-") else ""
            headings[first] = Section(0, int(token.tag[1:]), words)
            if token.markup == "=":  # dashes below a text may as well be a rule
                _put(lines, first, last, f"# {words}")
    for at, line in enumerate(written):
        if at not in code and (callout := _CALLOUT.match(line)):
            lines[at] = callout[1] + _sentence(callout[2])
    for first, last, row in _rows_of_tables(tokens):
        # A sentence right below a table is a row of it by the rules, and none to its author.
        _put(lines, first, last, row if row is None or "|" in written[first] else written[first])
    references: dict[str, str] = {}
    for label, definition in said.get("references", {}).items():
        if not label.startswith("^"):  # of a footnote
            references[reference_key(label)] = definition["href"]
            first, last = definition["map"]
            _put(lines, first, last, None)
    return _joined(lines, code, headings, references)


def _sentence(words: str) -> str:
    """The words of a callout's head, which do not run on into its text."""
    words = words.strip()
    return f"{words}." if words and words[-1].isalnum() else words


def _put(lines: dict[int, str], first: int, last: int, text: str | None) -> None:
    """Let one line, or none, stand for those from the first up to the last."""
    for line in range(first, last):
        lines.pop(line, None)
    if text is not None:
        lines[first] = text


def _rows_of_tables(tokens: Sequence["Token"]) -> Iterator[tuple[int, int, str | None]]:
    """What stands for lines of tables: rows that say their header; without rows the header."""
    header: list[str] = []
    cells: list[str] = []
    table = row = (0, 0)
    for token in tokens:
        if token.type == "table_open" and token.map:
            table = (token.map[0], token.map[1])
        elif token.type == "tr_open" and token.map:
            row, cells = (token.map[0], token.map[1]), []
        elif token.type in ("th_open", "td_open"):
            cells.append("")
        elif token.type == "inline" and cells:
            cells[-1] = token.content.strip()
        elif token.type == "thead_close":
            header = [without_marks(cell) for cell in cells]
            yield table[0], table[1], "; ".join(filter(None, header))
        elif token.type == "tbody_open":
            yield table[0], table[1], None
        elif token.type == "tr_close" and row[0] > table[0]:
            yield row[0], row[1], row_text(header, cells)
        elif token.type == "table_close":
            cells = []


def _joined(
    lines: dict[int, str], code: set[int], headings: dict[int, Section], references: dict[str, str]
) -> Blocks:
    """What is left of the lines, in their order."""
    prose: list[str] = []
    sections: list[Section] = []
    offset = 0
    for at in sorted(lines):
        line = lines[at]
        if at in headings:
            indent = len(line) - len(line.lstrip())
            sections.append(headings[at]._replace(offset=offset + indent))
        prose.append(" " * len(line) if at in code else line)
        offset += len(line) + 1
    return Blocks(
        "\n".join(lines[at] for at in sorted(lines)), "\n".join(prose), sections, references
    )
