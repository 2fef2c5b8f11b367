"""What tells of a table before it is read: its sign between cells, its quotes, its columns' names.

Names are in its first row, unless that is like the others. What stands above that row, as a title
or a comment, is no part of the table.
"""

import csv
import re
from collections.abc import Container, Iterable, Sequence
from typing import Final

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import is_usual_name
from hippohover.indexing.corpus.files.streams import one_line

NAMELESS: Final = re.compile(r"column \d+( \d+)*")
"""What a column without a name is called."""

OPEN_QUOTE: Final = "a quote is not closed: close it, or double it within a text"
NO_END: Final = "unexpected end of data"
"""What ``quote_problem`` says of a quote that nothing closes."""

_SIGNS: Final = (",", "\t", ";", "|")
_MOST_ABOVE: Final = 10  # lines
_MOST_COLUMNS: Final = 10_000
_WITHOUT_HEADER: Final = ("id", "text", "title")
"""Columns of collections without a header, as ColBERT and DPR write them."""

_LONGEST_NAME: Final = 80
_MANY_WORDS: Final = 5
_NOTHING: Final = {"n/a", "na", "nan", "none", "null", "unknown"}
_SENTENCE: Final = re.compile(r"[.!?。！？][\"'”’»)]*$")
_KINDS: Final = (
    re.compile(r"(1\d|20)\d\d"),  # a year
    re.compile(r"\d{4}[-/.]\d\d?([-/.]\d\d?)?([T ].*)?|\d\d?[-/.]\d\d?[-/.]\d{2,4}"),
    re.compile(r"[-+]?[$€£]?\d[\d.,]*\s?%?"),
    re.compile(r"\S[^\s@]*@\S+\.\w+|https?://\S+", re.I),
)
"""Years, dates, numbers, addresses, each tried once: a column of them has a name that is none."""


def delimiter_of(line: str) -> str:
    """Return the separator of a line's cells: the most frequent one outside of quotes."""
    bare = "".join(line.split('"')[::2])
    return max(_SIGNS, key=bare.count)


def quote_problem(lines: Iterable[str], delimiter: str) -> str:
    """Describe the error in a row's quotes, as ``csv`` does; "" without one."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return str(error)
    return ""


def n_lines_above(sample: Sequence[str], known: Container[str] = ()) -> int:
    """Count the first lines of a file above its table: a title, or comments.

    0 where no rows of the same number of cells, two or more, are below them, or where one of them
    names a column.
    """
    written = [at for at, line in enumerate(sample[: _MOST_ABOVE + 1]) if line.strip()]
    for at in written:
        delimiter = delimiter_of(sample[at])
        if _is_padded(sample[at:], delimiter, known):
            continue
        if _is_table(_lengths(sample[at:], delimiter)):
            above = [line for line in sample[:at] if line.strip()]
            return at if all(_is_above(line, delimiter, known) for line in above) else 0
    return 0


def _lengths(lines: Sequence[str], delimiter: str) -> list[int]:
    try:
        return [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
    except csv.Error:
        return []


def _is_table(lengths: Sequence[int]) -> bool:
    """Return whether rows have as many cells as the first; the last of many may be cut."""
    same = [*lengths[:2], *lengths[2:-1]]
    return len(same) > 1 and same[0] > 1 and len(set(same)) == 1


def _is_above(line: str, delimiter: str, known: Container[str]) -> bool:
    """Return whether a line is a comment, or one cell that names no column, before blank ones."""
    cells = _filled(line, delimiter)
    is_name = any(is_usual_name(cell) or cell in known for cell in cells)
    return line.startswith("#") or (len(cells) <= 1 and not is_name)


def _filled(line: str, delimiter: str) -> list[str]:
    try:
        return [
            cell.strip()
            for row in csv.reader([line], delimiter=delimiter)
            for cell in row
            if cell.strip()
        ]
    except csv.Error:
        return []


def _is_padded(lines: Sequence[str], delimiter: str, known: Container[str]) -> bool:
    """Return whether a title or blank line has as many cells as the table below it.

    A spreadsheet writes it so. The header follows: a row of words with all of its cells filled.
    """
    if delimiter not in lines[0] or not _is_above(lines[0], delimiter, known):
        return False
    below = [line for line in lines[1:_MOST_ABOVE] if _filled(line, delimiter)]
    named = next((cells for line in below if len(cells := _filled(line, delimiter)) > 1), [])
    n_cells = max(_lengths(lines[:1], delimiter), default=0)
    return len(named) == n_cells and not any(map(_kind_of, named))


def column_names(
    first: Sequence[str], rows: Sequence[Sequence[str]], place: str, known: Container[str] = ()
) -> tuple[list[str], bool]:
    """Return names of the columns, each once, and whether the first row has them.

    It does where one is usual, or among those that are ``known``.

    Raises
    ------
    CorpusError
        There are too many.
    """
    if len(first) > _MOST_COLUMNS:
        raise CorpusError(
            f"{one_line(place)}: a table of {len(first)} columns: the limit is {_MOST_COLUMNS}"
        )
    is_usual = any(is_usual_name(cell) or cell.strip() in known for cell in first)
    if not is_usual and 2 <= len(first) <= 3 and first[0].isdigit():
        return list(_WITHOUT_HEADER[: len(first)]), False
    is_header = is_usual or not _is_row(first, rows)
    return _each_once(first if is_header else _guessed([first, *rows])), is_header


def _is_row(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is like the others: it has a sentence, or similar cells."""
    columns = [
        (cell.strip(), [row[at].strip() for row in rows if at < len(row) and row[at].strip()])
        for at, cell in enumerate(first)
        if cell.strip()
    ]
    if any(_is_name_of(cell, below) for cell, below in columns):
        return False
    return any(cell in below or _is_like(cell, below) for cell, below in columns)


def _kind_of(cell: str) -> re.Pattern[str] | None:
    return next((kind for kind in _KINDS if kind.fullmatch(cell)), None)


def _is_name_of(cell: str, below: Sequence[str]) -> bool:
    """Return whether a cell is words and all below it are numbers, dates or addresses."""
    in_words = any(map(str.isalpha, cell)) and cell.casefold() not in _NOTHING
    return in_words and bool(below) and not _kind_of(cell) and all(map(_kind_of, below))


def _is_like(cell: str, below: Sequence[str]) -> bool:
    """Return whether a cell is of the kind of all below it; a year may be a column's name.

    A sentence is like sentences; a question is like questions, for it names a column of answers.
    """
    if kind := _kind_of(cell):
        return bool(below) and all(map(kind.fullmatch, below))
    if not _is_text(cell):
        return False
    alike = [other for other in below if _is_text(other) and _asks(other) >= _asks(cell)]
    return 2 * len(alike) >= len(below) and (bool(below) or not _asks(cell))


def _asks(cell: str) -> bool:
    return cell.endswith(("?", "？"))


def _is_text(cell: str) -> bool:
    words = cell.split()
    return len(cell) > _LONGEST_NAME or (len(words) >= _MANY_WORDS and bool(_SENTENCE.search(cell)))


def _guessed(rows: Sequence[Sequence[str]]) -> list[str]:
    """Guess names of unnamed columns: one of texts, and one of ids before it.

    With more columns than these, none has a name: the whole row is the text, so that none is lost.
    """
    columns = [[row[at] for row in rows if at < len(row)] for at in range(len(rows[0]))]
    names = [""] * len(columns)
    of_texts = [
        at for at, cells in enumerate(columns) if 2 * sum(map(_is_text, cells)) > len(cells)
    ]
    is_id = of_texts != [0] and all(_is_token(cell) for cell in columns[0])
    if len(of_texts) == 1 and len(columns) == 1 + is_id:
        names[of_texts[0]] = "text"
        if is_id:
            names[0] = "id" if len(set(columns[0])) == len(columns[0]) else ""
    return names


def _is_token(cell: str) -> bool:
    return bool(cell) and len(cell.split()) == 1 and any(map(str.isdigit, cell))


def _each_once(cells: Sequence[str]) -> list[str]:
    """Make names unique; a column without one is named by its number."""
    names: list[str] = []
    taken: set[str] = set()
    for number, cell in enumerate(cells, 1):
        name = " ".join(cell.split()) or f"column {number}"
        name = f"{name} {number}" if name in taken else name
        taken.add(name)
        names.append(name)
    return names
