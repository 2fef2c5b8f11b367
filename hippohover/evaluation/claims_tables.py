"""Claims files that are not JSON: tables, TREC topics and text.

A row maps names to values: ``{"qid": "7", "query": "Who sang?"}``. Text that is not a claim is
refused, never asked: a Markdown heading, a tag, the header of a table.
"""

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from hippohover.errors import CorpusError
from hippohover.evaluation.claims_files import decoded, text_lines
from hippohover.indexing.corpus.readers.records.table_header import (
    OPEN_QUOTE,
    delimiter_of,
    quote_problem,
)

Row = tuple[dict[str, object], str]
"""Values by name, and the place that a message names."""

CLAIM_NAMES: Final = ("claim", "question", "query", "text")
UID_NAMES: Final = ("uid", "_id", "id", "qid", "query_id")
"""Fields that hold the claim, and its id; the first that there is counts, in any case."""

FIRST_COLUMN: Final = "first column"
SECOND_COLUMN: Final = "second column"
LINE: Final = "line"
"""Names of values where a file has none."""

_LONGEST_NAME: Final = 30
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_TOPIC: Final = re.compile(r"<(?:top|topic)\b([^<>]*)>", re.IGNORECASE)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w.-]*+)[^<>]*+>([^<]*+)")
_STYLE: Final = re.compile(
    r"</?(?:a|abbr|b|big|cite|code|em|font|i|mark|q|small|span|strong|sub|sup|tt|u)(?:\s[^<>]*+)?>",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"</?(?:br|p)(?:\s[^<>]*+)?/?>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"""(?<![\w.-])([\w.-]++)\s*=\s*["']([^"'<>]*)["']""")
_LABEL: Final = re.compile(r"(?:Number|Topic|Description|Narrative)\s*:\s*")
_LIST_MARK: Final = re.compile(r"\s*(?:[-*+]|\d{1,4}[.)])\s+(?=\S)")
_NO_CLAIMS: Final = (
    (re.compile(r"\s*</?[A-Za-z!?][^<>]*>"), "XML or HTML"),
    (re.compile(r"\S+\s+(?:0\s+\S+\s+-?\d+\s*$|Q0\s+\S+\s+\d)"), "qrels or a run of TREC"),
    (re.compile(r"#{1,6}\s|```|~~~|\s*\|.*\|\s*$|\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$"), "Markdown"),
    (re.compile(r"\s*(?:[-*+]\s+)?(\*\*|__)[^*_]+\1:?\s*$"), "Markdown"),
)
_TOPIC_IDS: Final = {"num", "number", "topic_id", "topicid", "qno"}


def is_header(line: str, names: Collection[str] = CLAIM_NAMES) -> bool:
    """Return whether a line names columns: words without blanks, or one that names claims."""
    cells = _cells(line)
    if any(len(cell) > _LONGEST_NAME for cell in cells):
        return False
    return _names_claims(cells, names) or (len(cells) > 1 and all(map(_NAME.fullmatch, cells)))


def csv_rows(content: bytes, name: str) -> Iterator[Row]:
    """Yield the rows of a table whose first line names its columns.

    Raises
    ------
    CorpusError
        It is not UTF-8, or has more cells in a row than columns.
    """
    text = decoded(content, name)
    delimiter = delimiter_of(next(filter(str.strip, text.splitlines()), ""))
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=delimiter)
    columns: list[str] = []
    start = 1
    try:
        for cells in reader:
            place, own = f"{name}:{start}", lines[start - 1 : reader.line_num]
            start = reader.line_num + 1
            if (len(own) > 1 or start > len(lines)) and quote_problem(own, delimiter):
                raise CorpusError(f"{place}: {OPEN_QUOTE}")
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = [cell.strip() for cell in cells]
            elif len(cells) > len(columns):
                raise CorpusError(
                    f"{place}: {len(cells)} cells for {len(columns)} columns: quote a cell that "
                    "contains the separator"
                )
            else:
                yield dict(zip(columns, cells, strict=False)), place
    except csv.Error as error:
        raise CorpusError(f"{name}:{start}: not CSV ({error}): fix the line") from error


def tsv_rows(content: bytes, name: str, names: Collection[str] = CLAIM_NAMES) -> Iterator[Row]:
    """Yield the rows of a tab-separated table: with a header, else an id and a claim.

    A header has one of ``names``.

    Raises
    ------
    CorpusError
        A line has another number of columns, or there is no header for more than two.
    """
    columns: list[str] = []
    for line, place in text_lines(content, name):
        cells = [_unquoted(cell.strip()) for cell in line.split("\t")]
        if not columns and _names_claims(cells, names):
            columns = cells
            continue
        if not columns and len(cells) > 2:
            raise no_column("TSV", name, cells)
        columns = columns or [FIRST_COLUMN, SECOND_COLUMN]
        if len(cells) != len(columns):
            raise CorpusError(
                f"{place}: {len(cells)} columns, where the lines before have {len(columns)}: give "
                "an id, a tab and a claim in each line"
            )
        yield dict(zip(columns, cells, strict=True)), place


def is_tsv(first_line: str) -> bool:
    """Return whether a line of text is an id without blanks, a tab, and more."""
    head, tab, rest = first_line.strip("\r\n").partition("\t")
    return bool(tab and rest.strip() and head and not any(map(str.isspace, head)))


def no_column(kind: str, name: str, columns: Sequence[str]) -> CorpusError:
    """Make the error of a table without a column of claims."""
    return CorpusError(
        f"{name}: looks like {kind} without a column of claims: columns {shown_names(columns)}: "
        "name one with --claim-column"
    )


def shown_names(names: Sequence[str]) -> str:
    """Return the first names of fields or columns, for a message."""
    shown = [" ".join(name.split())[:_LONGEST_NAME] for name in names[:8]]
    text = ", ".join(shown) + (", ..." if len(names) > len(shown) else "")
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def are_topics(text: str) -> bool:
    """Return whether a text, or its beginning, holds a TREC topic."""
    return text.lstrip()[:1] == "<" and _TOPIC.search(text) is not None


def topic_rows(content: bytes, name: str) -> Iterator[Row]:
    """Yield TREC topics: each tag's content by name; closing tags are optional.

    Raises
    ------
    CorpusError
        It is not UTF-8.
    """
    text = decoded(content, name)
    line, end = 1, 0
    topics = list(_TOPIC.finditer(text))
    for topic, after in zip(topics, [*topics[1:], None], strict=False):
        line, end = line + text.count("\n", end, topic.start()), topic.start()
        row: dict[str, object] = {}
        for key, value in _ATTRIBUTE.findall(topic[1]):
            _put(row, key, value)
        body = text[topic.end() : after.start() if after else len(text)]
        body = _STYLE.sub("", _BREAK.sub(" ", body))
        _put(row, "text", body.partition("<")[0])
        for key, value in _elements(body):
            _put(row, key, value)
        yield row, f"{name}:{line}"


def _elements(body: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of each element, up to the next tag.

    One that is closed and has words beside its elements is a text with all that is in it.
    """
    tags = list(_TAG.finditer(body))
    closing = _closing_of_texts(tags)
    at = 0
    while at < len(tags):
        name, last = tags[at][2], closing.get(at, at)
        parts = (tag[3] for tag in tags[at : max(last, at + 1)])
        if not tags[at][1]:
            yield name, "".join(parts)
        at = last + 1


def _closing_of_texts(tags: Sequence[re.Match[str]]) -> dict[int, int]:
    """Map the number of a tag that opens a text with other elements to its closing tag's."""
    closing: dict[int, int] = {}
    opened: list[list[int]] = []  # number of the tag, and of the words that are right in it
    n_opened: Counter[str] = Counter()
    for number, tag in enumerate(tags):
        name = tag[2].lower()
        if not tag[1]:
            opened.append([number, 0])
            n_opened[name] += 1
        elif n_opened[name]:
            first, n_words = opened.pop()
            while (inner := tags[first][2].lower()) != name:  # it was not closed
                n_opened[inner] -= 1
                first, n_words = opened.pop()
            n_opened[name] -= 1
            if n_words and number > first + 1:
                closing[first] = number
        if opened:
            opened[-1][1] += not tag[3].isspace() and bool(tag[3])
    return closing


def _put(row: dict[str, object], key: str, value: str) -> None:
    words = _LABEL.sub("", " ".join(html.unescape(value).split()), count=1)
    key = key.lower()
    if words:
        row.setdefault("qid" if key in _TOPIC_IDS else key, words)


def claim_lines(content: bytes, name: str) -> Iterator[Row]:
    """Yield text, one claim a line; removes list marks that every line has.

    Raises
    ------
    CorpusError
        It is not UTF-8, or a line is no claim.
    """
    lines = list(text_lines(content, name))
    for (line, place), (below, _) in zip(lines, [*lines[1:], ("", "")], strict=False):
        kind = next((kind for pattern, kind in _NO_CLAIMS if pattern.match(line)), "")
        if kind or _heads_list(line, below):
            raise CorpusError(
                f"{place}: looks like {kind or 'Markdown'}, and this line is not a claim: give "
                "only claims, one per line"
            )
    is_list = all(_LIST_MARK.match(line) for line, _ in lines)
    for line, place in lines:
        yield {LINE: (_LIST_MARK.sub("", line, count=1) if is_list else line).strip()}, place


def _heads_list(line: str, below: str) -> bool:
    """Return whether a line introduces a list: it ends in a colon, with items below it."""
    item = _LIST_MARK.match(below)
    own = _LIST_MARK.match(line)
    is_below = item is not None and (own is None or own.end() < item.end())
    return line.rstrip().endswith(":") and is_below


def _cells(line: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter_of(line)), [])]
    except csv.Error:
        return []


def _names_claims(cells: Sequence[str], names: Collection[str]) -> bool:
    return not {cell.casefold() for cell in cells}.isdisjoint(map(str.casefold, names))


def _unquoted(cell: str) -> str:
    """Unquote a cell that a spreadsheet quoted because it holds quotation marks."""
    inner = cell[1:-1]
    return inner.replace('""', '"') if cell == f'"{inner}"' and '""' in inner else cell
