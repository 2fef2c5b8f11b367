"""Blocks of a Markdown text, by markdown-it: headings, tables, code, definitions."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hippohover.indexing.corpus.markup import without_marks
from hippohover.indexing.corpus.readers.documents import Section, joined_header, row_text
from hippohover.indexing.corpus.readers.texts.inline_html import reference_key

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

# A quote is looked through to its last line, whatever of it is read: text below a rule in a quote
# ends it, and each quote of many would be looked through from there again.
_MOST_RESUMED: Final = 8

_PIECE_CHARS: Final = 2**18  # parsed at once: a token takes far more memory than its text

_ENDED_BY_QUOTES: Final = ["paragraph", "reference", "blockquote", "list"]

_VALUE: Final = re.compile(r"[-+~<>≈]?[ ]?[$€£¥]?[ ]?\d[\d.,]{0,20}(?:[ ]?(?:%|[^\W\d]{1,3}))?")
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_SHOWN_LINK = re.compile(r"(\[\[[^\[\]|\n]{1,500}(?<!\\))\|([^\[\]|\n]{0,500}\]\])")
_BAR = re.compile(r"(?<!\\)\|")
_CALLOUT = re.compile(r"((?:[ ]{0,3}>[ ]?){1,9})\[![\w-]{1,40}\][+-]?(.*)")


class Blocks(NamedTuple):
    """A text with its tables as rows, and without definitions of references.

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
    """Return the blocks of a text; does not read the content of their lines."""
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
    """Yield pieces of a text that end at blank lines, or else at others, where they can."""
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
    parser.block.ruler.at("blockquote", _quote, {"alt": _ENDED_BY_QUOTES})
    said: dict[str, Any] = {}
    written = text.split("\n")
    cells = list(map(_with_whole_links, written)) if "[[" in text else written
    tokens = parser.parse("\n".join(cells), said)
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
    for first, last, row in _rows_of_tables(tokens, cells):
        # A sentence right below a table is a row of it by the rules, and none to its author.
        _put(lines, first, last, row if row is None or "|" in written[first] else written[first])
    references: dict[str, str] = {}
    for label, definition in said.get("references", {}).items():
        if not label.startswith("^"):  # of a footnote
            references[reference_key(label)] = definition["href"]
            first, last = definition["map"]
            _put(lines, first, last, None)
    return _joined(lines, code, headings, references)


def _quote(state: "StateBlock", first: int, stop: int, silent: bool) -> bool:
    """Read a quote as markdown-it does, up to where text without marks broke it several times."""
    from markdown_it.rules_block import blockquote

    if silent or not _opens_quote(state, first):
        return blockquote(state, first, stop, silent)
    enders = state.md.block.ruler.getRules("blockquote")
    n_resumed, marked = 0, True
    for line in range(first + 1, stop):
        was_marked, marked = marked, _opens_quote(state, line)
        n_resumed += marked and not was_marked
        if n_resumed > _MOST_RESUMED:
            return blockquote(state, first, line, silent)
        if state.isEmpty(line) or (not marked and any(r(state, line, stop, True) for r in enders)):
            break
    return blockquote(state, first, stop, silent)


def _opens_quote(state: "StateBlock", line: int) -> bool:
    at = state.bMarks[line] + state.tShift[line]
    is_here = state.sCount[line] >= state.blkIndent and not state.is_code_block(line)
    return is_here and state.src.startswith(">", at)


def _with_whole_links(line: str) -> str:
    """Escape the bars of ``[[links|shown]]`` in a line with others: they end no cell of a table."""
    whole = _SHOWN_LINK.sub(r"\1\\|\2", line)
    return whole if _BAR.search(whole) else line


def _sentence(words: str) -> str:
    """Return the words of a callout's head, ended so that they do not join its text."""
    words = words.strip()
    return f"{words}." if words and words[-1].isalnum() else words


def _put(lines: dict[int, str], first: int, last: int, text: str | None) -> None:
    """Replace the lines from the first up to the last by one line, or none."""
    for line in range(first, last):
        lines.pop(line, None)
    if text is not None:
        lines[first] = text


def _rows_of_tables(
    tokens: Sequence["Token"], lines: Sequence[str]
) -> Iterator[tuple[int, int, str | None]]:
    """Yield replacements of tables' lines: rows with their header; without rows, the header."""
    table = (0, 0)
    rows: list[_Row] | None = None
    for token in tokens:
        if token.type == "table_open" and token.map:
            table, rows = (token.map[0], token.map[1]), []
        elif rows is None:
            continue
        elif token.type == "tr_open" and token.map:
            rows.append(_Row(token.map[0], token.map[1], []))
        elif token.type in ("th_open", "td_open"):
            rows[-1].cells.append("")
        elif token.type == "inline":
            rows[-1].cells[-1] = token.content.strip()
        elif token.type == "tr_close":
            rows[-1].cells.extend(_cells_beyond(lines[rows[-1].first], len(rows[-1].cells)))
        elif token.type == "table_close":
            yield from _lines_of_table(table, rows)
            rows = None


def _cells_beyond(line: str, n_columns: int) -> list[str]:
    """Return the cells of a row that are more than the header has, which are in no token."""
    bare = line.lstrip("> \t").removeprefix("|").rstrip()
    bare = bare if bare.endswith("\\|") else bare.removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(bare)[n_columns:]]


class _Row(NamedTuple):
    """Its first line, the one behind its last, and its cells."""

    first: int
    last: int
    cells: list[str]


def _lines_of_table(
    table: tuple[int, int], rows: Sequence[_Row]
) -> Iterator[tuple[int, int, str | None]]:
    upper, *below = rows
    header = [without_marks(cell) for cell in upper.cells]
    if len(below) > 1 and _goes_on(header, below[0].cells, [row.cells for row in below[1:]]):
        for at, name in enumerate(header[1:], 1):
            header[at] = name or header[at - 1]
        header = joined_header(header, [without_marks(cell) for cell in below[0].cells])
        below = below[1:]
    yield *table, None if below else "; ".join(filter(None, header))
    for row in below:
        yield row.first, row.last, row_text(header, row.cells)


def _goes_on(header: Sequence[str], below: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a header with a name over several columns goes on in the next row.

    That has a name for each column, and the rows behind it have numbers in most of these.
    """
    names = header[1:]
    if len(set(filter(None, names))) == len(names) or not all(below[1:]):
        return False
    values = [cell for row in rows for cell in row[1:] if cell]
    n_numbers = sum(bool(_VALUE.fullmatch(cell)) for cell in values)
    is_named = not any(_VALUE.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in below)
    return is_named and 2 * n_numbers > len(values)


def _joined(
    lines: dict[int, str], code: set[int], headings: dict[int, Section], references: dict[str, str]
) -> Blocks:
    """Join the remaining lines, in their order."""
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
