"""CSV and TSV: rows are documents, columns are fields.

Without a column of texts the row is one: "Region: North; Rate: 12 %".
"""

import csv
import re
from codecs import getincrementaldecoder
from collections.abc import Container, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, islice
from typing import IO, Final, cast

from hippohover.disk.errors import json_or_none
from hippohover.errors import CorpusError
from hippohover.indexing.corpus.fields import (
    FieldNames,
    RecordFields,
    Shape,
    decided,
    titled_document,
)
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import (
    BOM,
    MAX_RECORD_BYTES,
    NOT_UTF8,
    one_line,
    too_long,
)
from hippohover.indexing.corpus.readers.records.record_file import MORE_CELLS, RecordFile, Row
from hippohover.indexing.corpus.readers.records.table_header import (
    NAMELESS,
    NO_END,
    OPEN_QUOTE,
    column_names,
    delimiter_of,
    n_lines_above,
    quote_problem,
)
from hippohover.indexing.corpus.records import BadRecord, Document
from hippohover.recipe import CorpusFields

SUFFIXES: Final = (".csv", ".tsv")

_ESCAPED_BYTE: Final = re.compile("[\udc80-\udcff]")
_SAID_SIGN: Final = re.compile(r"sep=([^\w\s]|\t)\s*", re.I)
"""The line that Excel writes before a table."""
_SAMPLE_LINES: Final = 200
_SAMPLE_BYTES: Final = 2**16
_SAMPLE_ROWS: Final = 50


def _rows(file: SourceFile, fields: CorpusFields) -> Iterator[Row]:
    with ExitStack() as stack:
        stack.enter_context(_long_fields())
        lines = _decoded_lines(file)
        if lines is None:
            lines = _lines(stack.enter_context(file.opened()), file.place)
        yield from _rows_of(lines, file.place, set(fields.model_dump().values()) - {None})


def _rows_of(lines: Iterator[str], place: str, known: Container[str]) -> Iterator[Row]:
    sample = _sample(lines)
    told = _SAID_SIGN.fullmatch(sample[0]) if sample else None
    n_before = len(sample[:1]) if told else n_lines_above(sample, known)
    sample = sample[n_before:]
    delimiter = told[1] if told else delimiter_of(sample[0] if sample else "")
    quoting = csv.QUOTE_NONE if _has_bare_quotes(sample, delimiter) else csv.QUOTE_MINIMAL
    kept = _Kept(chain(sample, lines))
    table = csv.reader(kept, delimiter=delimiter, quoting=quoting)
    names: list[str] = []
    try:
        for cells in table:
            number = n_before + table.line_num
            taken, kept.lines = kept.lines, []
            if quoting == csv.QUOTE_MINIMAL and _has_open_quote(taken, names, delimiter):
                first = number - len(taken) + 1
                if not names:  # no line after it can be told by its columns
                    raise CorpusError(f"{one_line(f'{place}:{first}')}: {OPEN_QUOTE}")
                yield from _of_open_quote(taken, names, delimiter, place, first)
                continue
            if not names:
                rows = _rows_after(sample, delimiter, quoting)
                names, is_header = column_names(cells, rows, place, known)
                if is_header:
                    continue
            if cells:
                yield _row(names, cells, f"{place}:{number}")
    except csv.Error as error:
        first = n_before + table.line_num - max(len(kept.lines) - 1, 0)
        raise CorpusError(
            f"{one_line(f'{place}:{first}')}: no row of a table "
            f"({one_line(str(error))}): check its quotes"
        ) from error


class _Kept:
    """The lines read so far, and those of the current row."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._source = lines
        self.lines: list[str] = []

    def __iter__(self) -> Iterator[str]:
        for line in self._source:
            self.lines.append(line)
            yield line


def _has_open_quote(lines: Sequence[str], names: Sequence[str], delimiter: str) -> bool:
    """Return whether a quote is left open in a row, which then swallowed the following lines.

    It may go on to the end of the file, or to the next quote; then half of the lines that it took
    or more are rows themselves.
    """
    if len(lines) == 1 and lines[0].count('"') % 2 == 0:
        return False
    problem = quote_problem(lines, delimiter)
    if not problem or len(lines) == 1 or len(names) == 1:
        return problem == NO_END
    plain = csv.reader(lines[1:], delimiter=delimiter, quoting=csv.QUOTE_NONE)
    are_rows = [len(cells) == len(names) for cells in plain if cells]
    return problem == NO_END or 2 * sum(are_rows) >= len(are_rows)


def _of_open_quote(
    lines: Sequence[str], names: Sequence[str], delimiter: str, place: str, first: int
) -> Iterator[Row]:
    """Yield rows of the lines that an open quote swallowed: its row is bad, the others stay."""
    yield BadRecord(f"{place}:{first}", OPEN_QUOTE)
    for number, line in enumerate(lines[1:], first + 1):
        for cells in csv.reader([line], delimiter=delimiter, quoting=csv.QUOTE_MINIMAL):
            if cells:
                yield _row(names, cells, f"{place}:{number}")


def _row(names: Sequence[str], cells: list[str], place: str) -> Row:
    if len(cells) > len(names):
        return BadRecord(place, f"{len(cells)} {MORE_CELLS} {len(names)}")
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return BadRecord(place, NOT_UTF8)
    blank = [""] * (len(names) - len(cells))
    return place, dict(zip(names, cells + blank, strict=True))


def _rows_after(sample: Sequence[str], delimiter: str, quoting: int) -> list[list[str]]:
    """Return the rows after a table's first one; none where they are damaged."""
    rows = csv.reader(sample, delimiter=delimiter, quoting=quoting)  # pyright: ignore
    try:
        return list(islice(filter(None, rows), 1, _SAMPLE_ROWS))
    except csv.Error:
        return []


def _decoded_lines(file: SourceFile) -> Iterator[str] | None:
    """Yield lines of a file whose head is not UTF-8, decoded; None for UTF-8."""
    with file.opened() as stream:
        head = stream.read(_SAMPLE_BYTES)
    if b"\0" not in head and _is_utf8(head):
        return None
    try:
        return iter(file.text().splitlines(keepends=True))
    except UnicodeError:
        return None  # its rows are named


def _is_utf8(head: bytes) -> bool:
    """Return whether more of the bytes are UTF-8 than not, without the cut end; True for ASCII."""
    text = getincrementaldecoder("utf-8")("surrogateescape").decode(head)
    n_foreign = len(_ESCAPED_BYTE.findall(text))
    return not n_foreign or sum(not char.isascii() for char in text) >= 2 * n_foreign


def _lines(stream: IO[bytes], place: str) -> Iterator[str]:
    """Yield lines with a lone surrogate for each byte that is not UTF-8."""
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if len(line) > MAX_RECORD_BYTES:
            raise too_long(f"{place}:{number}")
        line = line.removeprefix(BOM) if number == 1 else line
        yield line.decode("utf-8", "surrogateescape").replace("\0", " ")


def _sample(lines: Iterator[str]) -> list[str]:
    sample: list[str] = []
    n_chars = 0
    for line in lines:
        sample.append(line)
        n_chars += len(line)
        if len(sample) == _SAMPLE_LINES or n_chars > _SAMPLE_BYTES:
            break
    return sample


def _has_bare_quotes(sample: Sequence[str], delimiter: str) -> bool:
    """Return whether quotes are part of the text, as in many lines with tabs."""
    if delimiter != "\t":
        return False
    for line in sample:
        cells = line.rstrip("\r\n").split("\t")
        if sum(cell[:1] == '"' for cell in cells) != sum(cell[-1:] == '"' for cell in cells):
            return True
    return False


@contextmanager
def _long_fields() -> Generator[None]:
    """Allow cells as long as a record; restores the module's limit afterwards."""
    before = csv.field_size_limit(MAX_RECORD_BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def row_shape(records: Sequence[RecordFields], fields: CorpusFields) -> Shape:
    """Return the shape of rows: without a column of texts each row's cells are its text."""
    names = decided(records, fields)
    columns = list(records[0]) if records else []
    if names.text in columns or fields.text or not columns:
        return Shape(partial(_of_text, names), names.described())
    title = names.title if names.title in columns else _of_words(records, names.id) or columns[0]
    said = f"no column of texts: each row is one, titled by {one_line(title, longest=40)}"
    return Shape(partial(of_cells, names, title), said)


def _of_words(records: Sequence[RecordFields], ids: Sequence[str]) -> str:
    """Return the first column, ids aside, whose cells mostly hold a letter; "" without one."""
    for column in records[0]:
        cells = [str(record.get(column) or "") for record in records]
        n_words = sum(any(map(str.isalpha, cell)) for cell in cells)
        if column not in ids and n_words > len(cells) / 2:
            return column
    return ""


def _of_text(names: FieldNames, record: dict[str, object], place: str) -> tuple[Document]:
    lists = {
        name: _listed(cell)
        for name in (names.links, names.aliases)
        if isinstance(cell := record.get(name), str)
    }
    document = titled_document({**record, **lists}, place, names)
    written = {name: record[name] for name in lists}  # a kept field is the cell
    return (document._replace(fields={**document.fields, **written}),)


def of_cells(
    names: FieldNames, title: str, record: dict[str, object], place: str
) -> tuple[Document]:
    """Return the document of a record whose cells are its text, titled by one of them."""
    cells = "; ".join(_named(name, cell) for name, cell in record.items() if _is_shown(cell))
    called = record.get(title)
    row = {**record, names.text: cells, "title": str(called) if _is_shown(called) else None}
    [document] = _of_text(names, row, place)
    # The number of the line or row alone tells rows without id apart.
    file, _, number = place.rpartition(":")
    own = f"{file}#{number.removeprefix(' row ')}"
    dated = {name: value for name, value in document.fields.items() if name == "date"}
    return (document._replace(id=document.id or own, fields={**record, **dated}),)


def _named(name: str, cell: object) -> str:
    return str(cell) if NAMELESS.fullmatch(name) else f"{name}: {cell}"


def _is_shown(cell: object) -> bool:
    """Return whether a cell has words or a number, and is no blank, list or mapping."""
    return isinstance(cell, str | int | float) and cell != ""


def _listed(cell: str) -> list[str]:
    """Return the names in one cell: a JSON list, or separated by bars or semicolons."""
    names = json_or_none(cell) if cell.startswith("[") else None
    if isinstance(names, list):
        return [name for name in cast("list[object]", names) if isinstance(name, str)]
    sign = "|" if "|" in cell else ";"
    return [name for part in cell.split(sign) if (name := part.strip())]


read: Final = RecordFile(_rows, row_shape)
