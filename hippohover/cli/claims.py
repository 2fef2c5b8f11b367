"""Files of claims to be answered.

Claims come in HoVer's release form, of which only ``claim`` is needed here, as a JSON array or one
object a line, plain or gzipped; or as plain text, one claim a line. ``.json`` and ``.jsonl`` are
JSON, ``.txt`` is text; of any other file the beginning decides.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hippohover.errors import CorpusError
from hippohover.evaluation.claims_files import claims_content, json_records, text_lines

_JSON_START = re.compile(rb'\s*(\{|\[\s*[\[\]{"])')  # a claim may begin "[Note] The ..."


@dataclass(frozen=True, slots=True)
class Query:
    """A claim of a file, the uid that the file gives it, and its place for messages."""

    claim: str
    uid: str | None
    where: str


def read_queries(path: Path, *, max_chars: int) -> list[Query]:
    """Claims of a file, in order.

    Raises
    ------
    CorpusError
        The file cannot be read, has no claim, or one that is blank or longer than ``max_chars``;
        the message names its line, or its index in an array.
    """
    content, name = claims_content(path), str(path)
    if _is_json(path, content):
        queries = [_query(record, where) for record, where in json_records(content, name)]
    else:
        lines = text_lines(content, name)
        queries = [Query(line.strip(), None, where) for line, where in lines]
    if not queries:
        raise CorpusError(f"{path}: holds no claim: give one a line, or HoVer's release form")
    for query in queries:
        if not query.claim.strip():
            raise CorpusError(f"{query.where}: the claim is empty: remove it or fill it in")
        if len(query.claim) > max_chars:
            raise CorpusError(
                f"{query.where}: the claim has {len(query.claim):,} characters: give at most "
                f"{max_chars:,}"
            )
    return queries


def _is_json(path: Path, content: bytes) -> bool:
    """By the file's name where that tells, else by its beginning."""
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    if kind in (".txt", ".json", ".jsonl"):
        return kind != ".txt"
    return _JSON_START.match(content) is not None


def _query(record: object, where: str) -> Query:
    fields = cast("dict[str, object]", record) if isinstance(record, dict) else {}
    claim, uid = fields.get("claim"), fields.get("uid")
    if not isinstance(claim, str):
        raise CorpusError(f'{where}: no "claim": give an object with the claim as a text')
    is_number = isinstance(uid, int) and not isinstance(uid, bool)
    return Query(claim, str(uid) if isinstance(uid, str) or is_number else None, where)
