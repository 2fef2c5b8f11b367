"""Files of claims to be answered.

Claims come in HoVer's release form, of which only ``claim`` is needed here, as a JSON array or one
object a line, plain or gzipped; or as plain text, one claim a line. ``.json`` and ``.jsonl`` are
JSON, ``.txt`` is text; of any other file the beginning decides.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hippohover.errors import CorpusError

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_BYTES = 64 * 2**20
_JSON_START = re.compile(r'\s*(\{|\[\s*[\[\]{"])')  # a claim may begin "[Note] The ..."


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
    content = _text(path)
    is_json = _is_json(path, content)
    queries = list(_records(content, str(path)) if is_json else _lines(content, str(path)))
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


def _is_json(path: Path, content: str) -> bool:
    """By the file's name where that tells, else by its beginning."""
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    if kind in (".txt", ".json", ".jsonl"):
        return kind != ".txt"
    return _JSON_START.match(content) is not None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            packed = file.peek(2)[:2] == _GZIP_MAGIC
            source = gzip.GzipFile(fileobj=file) if packed else file
            content = source.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise CorpusError(f"{path}: over {_MAX_BYTES:,} bytes unpacked: split the file")
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise CorpusError(f"{path}: no such claims file: check the path") from error
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{path}: cannot be read ({error}): give a whole file") from error


def _lines(content: str, name: str) -> Iterator[Query]:
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield Query(line.strip(), None, f"{name}:{number}")


def _records(content: str, name: str) -> Iterator[Query]:
    if content.lstrip().startswith("["):
        for index, record in enumerate(cast("list[object]", _json(content, name))):
            yield _query(record, f"{name}[{index}]")
        return
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield _query(_json(line, f"{name}:{number}"), f"{name}:{number}")


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{where}: not JSON ({error}): give one claim as an object") from error


def _query(record: object, where: str) -> Query:
    fields = cast("dict[str, object]", record) if isinstance(record, dict) else {}
    claim, uid = fields.get("claim"), fields.get("uid")
    if not isinstance(claim, str):
        raise CorpusError(f'{where}: no "claim": give an object with the claim as a text')
    is_number = isinstance(uid, int) and not isinstance(uid, bool)
    return Query(claim, str(uid) if isinstance(uid, str) or is_number else None, where)
