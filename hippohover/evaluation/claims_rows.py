"""Reads claims files: finds the format, the rows, and the field of the claim.

JSON (an array, one object a line, or one object that maps ids to claims), CSV and TSV, TREC topics,
and text with one claim a line; a data set of ``ir_datasets`` by its name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, cast

from hippohover.disk.errors import json_or_none
from hippohover.errors import CorpusError
from hippohover.evaluation.claims_files import claims_content, decoded, in_utf8, json_records
from hippohover.evaluation.claims_tables import (
    CLAIM_NAMES,
    FIRST_COLUMN,
    LINE,
    SECOND_COLUMN,
    UID_NAMES,
    are_topics,
    claim_lines,
    csv_rows,
    is_header,
    is_tsv,
    no_column,
    shown_names,
    topic_rows,
    tsv_rows,
)
from hippohover.evaluation.gold import claims_of_hub
from hippohover.evaluation.ir_data_sets import PREFIX, data_set

Qrels = Mapping[str, Sequence[str]]
"""Id of a claim -> ids of what is relevant to it."""

_TOPIC_NAMES: Final = ("title", "query", "question", "text", "desc", "description")
_JSON_START: Final = re.compile(rb'\s*(\{|\[\s*[\[\]{"])')  # a claim may begin "[Note] The ..."
_HEAD_BYTES: Final = 1 << 16
_SUFFIXES: Final = {
    ".json": "JSON",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".csv": "CSV",
    ".tsv": "TSV",
    ".tab": "TSV",
}
_MAGIC: Final = {
    b"%PDF-": "PDF",
    b"PK\x03\x04": "a ZIP archive, as .xlsx and .docx are",
    b"PAR1": "Parquet",
    b"SQLite format 3\0": "SQLite",
}
_OTHERS: Final = {
    kind: name
    for name, kinds in {
        "YAML": ".yaml .yml",
        "settings": ".toml .ini .cfg .conf",
        "a page": ".html .htm .xhtml",
        "source code": ".py .js .ts .sh .c .cpp .java .go .rs .ipynb",
    }.items()
    for kind in kinds.split()
}
"""Kinds of text whose lines are not claims."""

_OF_A_CLAIM: Final = {*CLAIM_NAMES, *UID_NAMES, "title", "answer", "label", "supporting_facts"}
_GIVE: Final = "give JSON, CSV, TSV, topics or text"
_PLACE: Final = re.compile(r":(\d+)$|\[(\d+)\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRows:
    """Rows of a claims file, and how its fields were read.

    Attributes
    ----------
    name : str
        Of the file, for messages.
    form : str
        ``"JSON"``, ``"CSV"``, ``"TSV"``, ``"TREC topics"``, ``"text"`` or ``"ir_datasets"``.
    records : sequence of (object, str)
        Each row and its place. A row of JSON may be anything; others are fields by name.
    claim : str
        Name of the field that holds the claim.
    uid : str
        Name of the field that holds its id, if it has one.
    qrels : mapping or None
        Gold ids by the id of a claim, where the rows come with some.
    """

    name: str
    form: str
    records: Sequence[tuple[object, str]]
    claim: str
    uid: str
    qrels: Qrels | None = None

    def understood(self) -> str:
        """Say which field is what: "question as claim, _id as uid"."""
        if self.form == "text":
            return "one a line"
        uid = f"{self.uid} as uid" if self._has_uid() else "number of its line as uid"
        what = "" if self.form == "JSON" else f"{self.form}, "
        return f"{what}{self.claim} as claim, {uid}"

    def with_ids_of(self, qrels: Qrels, file: Path) -> "ClaimRows":
        """Take the column with ids of ``qrels`` as a table's uid, if none is named.

        ``CorpusError`` where there is none: the numbers of its lines are no ids.
        """
        if self.form not in {"CSV", "TSV"} or self._has_uid():
            return self
        rows = [_fields(record) for record, _ in self.records]
        for column in rows[0]:
            values = [str(row.get(column)) for row in rows]
            are_distinct = column != self.claim and len({*values}) == len(values)
            if are_distinct and not qrels.keys().isdisjoint(values):
                return replace(self, uid=column)
        names = shown_names(list(rows[0]))
        raise CorpusError(
            f"{self.name}: no column holds the ids by which {file} names claims: add one "
            f"called uid (there are: {names})"
        )

    def _has_uid(self) -> bool:
        return any(self.uid in _fields(record) for record, _ in self.records)

    def no_claim(self, record: object) -> str:
        """Say what to do where a row has no claim."""
        fix = "give an object with the claim as a text" if self.form == "JSON" else "give it one"
        if self.claim in _fields(record) or not _fields(record):
            return fix
        names = shown_names(list(_fields(record)))
        return f"{fix}, or name another field with --claim-column (there are: {names})"


def read_rows(path: Path, *, claim_column: str | None = None) -> ClaimRows:
    """Read a claims file, or ``ir_datasets:NAME``.

    Parameters
    ----------
    path : Path
        What it is tells its suffix (``.json``, ``.jsonl``, ``.csv``, ``.tsv``, ``.txt``), else its
        beginning.
    claim_column : str, optional
        Field or column that holds the claim; by default the first of claim, question, query and
        text (of a TREC topic: title, query, question, text, desc) that there is.

    Raises
    ------
    CorpusError
        The file cannot be read, or is none of these; the message says what it looks like.
    UsageError
        ``ir_datasets`` is not installed.
    """
    name = str(path)
    if name.startswith(PREFIX):
        queries, qrels = data_set(name)
        records = [({"query_id": uid, "query": text}, name) for uid, text in queries]
        return _understood(name, "ir_datasets", records, claim_column, qrels)
    content = claims_content(path)
    for magic, kind in _MAGIC.items():
        if content.startswith(magic):
            raise CorpusError(f"{name}: looks like {kind}: {_GIVE}")
    if b"\0" in content[:_HEAD_BYTES]:
        kind = "a tar archive" if content[257:262] == b"ustar" else "no text"
        raise CorpusError(f"{name}: looks like {kind}: {_GIVE}")
    names = (claim_column,) if claim_column else CLAIM_NAMES
    form = _form(path, content, names)
    if form != "JSON":
        content = in_utf8(content, name)
    readers = {
        "JSON": _json_rows,
        "CSV": csv_rows,
        "TSV": partial(tsv_rows, names=names),
        "TREC topics": topic_rows,
        "text": claim_lines,
    }
    return _understood(name, form, readers[form](content, name), claim_column, None)


def place_in(where: str) -> dict[str, int]:
    """Return the number in a place: of a line, from 1, or of an array's item, from 0."""
    match = _PLACE.search(where)
    if match is None:
        return {}
    return {"line": int(match[1])} if match[1] else {"item": int(match[2])}


def _form(path: Path, content: bytes, names: Sequence[str]) -> str:
    """Detect the format: by the file's name if possible, else by its beginning."""
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    if kind in _SUFFIXES:
        return _SUFFIXES[kind]
    text = content.decode("utf-8", "replace")
    if are_topics(text):
        return "TREC topics"
    if kind in _OTHERS:
        raise CorpusError(f"{path}: looks like {_OTHERS[kind]}: {_GIVE}")
    first = next(filter(str.strip, text[:_HEAD_BYTES].split("\n")), "")
    if _JSON_START.match(content) and (
        kind != ".txt" or any(json_or_none(some) is not None for some in (first, text))
    ):
        return "JSON"
    if is_tsv(first):
        return "TSV"
    return "CSV" if is_header(first, names) else "text"


def _understood(
    name: str,
    form: str,
    rows: Iterable[tuple[object, str]],
    claim_column: str | None,
    qrels: Qrels | None,
) -> ClaimRows:
    """Detect the fields of claim and id in the first row; they apply to all."""
    records = claims_of_hub(rows if isinstance(rows, Sequence) else list(rows))
    first = _fields(records[0][0]) if records else {}
    names = (claim_column,) if claim_column else _TOPIC_NAMES if form == "TREC topics" else None
    claim = _named(first, names or (*CLAIM_NAMES, LINE, SECOND_COLUMN))
    if not claim and records:
        _refuse(name, form, first, claim_column)
    if claim == "text" and "title" in first and claim_column is None and form != "TREC topics":
        raise CorpusError(
            f"{name}: looks like a corpus (title, text), not claims: name the claims' field with "
            "--claim-column"
        )
    uid = _named({key: first[key] for key in first if key != claim}, (*UID_NAMES, FIRST_COLUMN))
    return ClaimRows(
        name=name, form=form, records=records, claim=claim or "claim", uid=uid or "uid", qrels=qrels
    )


def _refuse(name: str, form: str, first: Mapping[str, object], claim_column: str | None) -> None:
    """Raise where no field is the claim; JSON rows are refused one by one, by place."""
    if form == "TREC topics":
        wanted = claim_column or " or ".join(_TOPIC_NAMES)
        raise CorpusError(f"{name}: looks like TREC topics without {wanted}: give topics with one")
    if claim_column and form in ("CSV", "TSV"):
        raise CorpusError(
            f"{name}: has no column {claim_column!r:.80}: give --claim-column one of "
            f"{shown_names(list(first))}"
        )
    if form in ("CSV", "TSV"):
        raise no_column(form, name, list(first))
    if claim_column and form == "text":
        raise CorpusError(f"{name}: text has no column {claim_column!r}: leave out --claim-column")


def _named(fields: Mapping[str, object], names: Iterable[str]) -> str:
    """Return the first of these fields that exists, in any case, as the file writes it."""
    written = {key.casefold(): key for key in reversed(list(fields))}
    for name in names:
        key = name if name in fields else written.get(name.casefold())
        if key is not None and fields[key] is not None:
            return key
    return ""


def _fields(record: object) -> dict[str, object]:
    return cast("dict[str, object]", record) if isinstance(record, dict) else {}


def _json_rows(content: bytes, name: str) -> Sequence[tuple[object, str]]:
    """Read an array's items, lines' values, or the content of one object."""
    start = content.lstrip()
    first_line = start.split(b"\n", 1)[0].decode("utf-8", "replace")
    is_one = start[:1] == b"{" and json_or_none(first_line) is None
    whole = json_or_none(decoded(content, name)) if is_one else None
    records = [(whole, name)] if whole is not None else json_records(content, name)
    only = _fields(records[0][0]) if len(records) == 1 else {}
    return list(_inside(only, name)) or records


def _inside(fields: dict[str, object], name: str) -> Iterator[tuple[object, str]]:
    """Yield the claims in one object: by their ids, or in its only list; else nothing."""
    values = list(fields.values())
    if not _OF_A_CLAIM.isdisjoint(fields):
        return
    if values and all(isinstance(value, str) for value in values):
        yield from (({"id": key, "claim": value}, name) for key, value in fields.items())
    elif values and all(isinstance(value, dict) for value in values):
        yield from (({"id": key, **_fields(value)}, name) for key, value in fields.items())
    lists = [cast("list[object]", value) for value in values if isinstance(value, list)]
    if len(lists) == 1 and all(isinstance(item, dict) for item in lists[0]):
        yield from ((item, f"{name}[{at}]") for at, item in enumerate(lists[0]))
