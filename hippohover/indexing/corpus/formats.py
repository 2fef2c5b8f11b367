"""The corpus formats: their names, their readers, and their detection.

A new format is a file in ``readers/`` whose ``read`` is its reader, a row of ``READERS``, its name
in ``CorpusFormat``, and whatever tells it from the others in ``detect_format``.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from hippohover.errors import CorpusError
from hippohover.indexing.corpus import folder
from hippohover.indexing.corpus.file_formats import FILE_READERS, reader_of
from hippohover.indexing.corpus.files.member_names import is_archive
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import BOM, damage_named, one_line, open_stream
from hippohover.indexing.corpus.files.tar import tar_members
from hippohover.indexing.corpus.lines import LineFormat
from hippohover.indexing.corpus.readers import (
    hotpotqa,
    jsonl,
    sqlite,
    wiki_abstracts,
)
from hippohover.indexing.corpus.readers.records import (
    json_values,
    mediawiki,
    parquet,
    tables,
    wiki_extracts,
)
from hippohover.indexing.corpus.readers.texts import chat_exports
from hippohover.indexing.corpus.records import Records
from hippohover.recipe import CorpusFields

CorpusFormat = Literal[
    "auto",
    "jsonl",
    "json",
    "table",
    "parquet",
    "wiki-extracts",
    "mediawiki",
    "hotpotqa",
    "wiki-abstracts",
    "sqlite",
    "hipporag",
    "folder",
]

Reader = Callable[[Path, CorpusFields], Records]
"""Turns the path of a corpus, and what a recipe says of its fields, into a stream of documents.

A record that cannot be used is handed on as a ``BadRecord`` with its place; damage of the file
itself is an error, and ``damage_named`` makes it one line. Memory stays bounded whatever the file
holds, nothing is written to disk, and a library that only this reader needs is imported inside it.
"""

READERS: Final[dict[str, Reader]] = {
    "jsonl": jsonl.read,
    "json": json_values.read.corpus,
    "table": tables.read.corpus,
    "parquet": parquet.read.corpus,
    "wiki-extracts": wiki_extracts.read_corpus,
    "mediawiki": mediawiki.read.corpus,
    "hotpotqa": hotpotqa.read,
    "wiki-abstracts": wiki_abstracts.read,
    "sqlite": sqlite.read,
    "hipporag": json_values.read.corpus,  # as it was called when an array was all that it read
    "folder": folder.read,
}

LINE_FORMATS: Final = {
    name: reader for name, reader in READERS.items() if isinstance(reader, LineFormat)
}
"""Those of them whose files are cut into pieces, which several processes read."""

_FORMAT_OF_SUFFIX: Final[dict[str, CorpusFormat]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "table",
    ".tsv": "table",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xml": "mediawiki",
    ".db": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
}
_FORMAT_OF_MEMBER: Final[dict[str, CorpusFormat]] = {".bz2": "hotpotqa", ".jsonl": "wiki-abstracts"}
_OF_ANY_CONTENT: Final = (".json", ".txt")
_HEAD_BYTES: Final = 2**16
_MEMBERS_TRIED: Final = 10_000  # folders and links may stand before the first file
_SIGNS: Final[dict[bytes, CorpusFormat]] = {
    b"PAR1": "parquet",
    b"<doc ": "wiki-extracts",
    b"<mediawiki": "mediawiki",
}
_LIST: Final = re.compile(rb"\[(?=\s*(?:[\[{\]]|$))")  # and no "[Note] of a text"
_COLUMN_SIGNS: Final = {b"\t": ".tsv", b",": ".csv", b";": ".csv"}


def corpus_file(path: Path) -> Path:
    """Return the corpus at a path: ``corpus.jsonl`` for a folder in BEIR's layout."""
    if path.is_dir() and ((path / "queries.jsonl").is_file() or (path / "qrels").is_dir()):
        files = (path / f"corpus.jsonl{packed}" for packed in ("", ".gz", ".bz2"))
        return next((file for file in files if file.is_file()), path)
    return path


def detect_format(path: Path) -> CorpusFormat:
    """Detect the format of a corpus: from its name if possible, else from its first bytes.

    Raises
    ------
    CorpusError
        Nothing is there, or it is in no format known here.
    """
    if path.is_dir():
        return _of_folder(path)
    if name := _by_name(path):
        return "json" if name == "jsonl" and not _has_lines(path) else name
    with path.open("rb") as raw:
        magic = raw.read(16)
    with open_stream(path) as stream:
        head = stream.read(_HEAD_BYTES)
    if head[257:262] == b"ustar":
        return _tar_format(path)
    reader = reader_of(SourceFile(path.name, partial(open_stream, path), path))
    if reader is not chat_exports.read and (name := _by_content(magic, head)):
        return name
    if reader and not _likeness(path, head):
        return "folder"
    raise CorpusError(
        f"{one_line(str(path))}: unknown corpus format, by name and first bytes"
        f"{_likeness(path, head)}: name one of {', '.join(READERS)} as format in the recipe's "
        "[corpus]; an archive of another kind has to be unpacked first"
    )


def _of_folder(path: Path) -> CorpusFormat:
    if wiki_extracts.files_of(path):
        return "wiki-extracts"
    shards = jsonl.shards_of(path)
    return "jsonl" if shards and all(map(_has_lines, shards)) else "folder"


def _has_lines(path: Path) -> bool:
    """Return whether a file named as JSON lines is one; else it is JSON over several lines."""
    with damage_named(str(path)), open_stream(path) as stream:
        head = stream.read(_HEAD_BYTES)
    if not json.detect_encoding(head).startswith("utf-8"):
        return False  # of UTF-16 and UTF-32 the reader of JSON knows the ends of lines
    text = head.removeprefix(BOM).lstrip()
    first, _, rest = text.partition(b"\n")
    more = rest.lstrip()
    if text[:1] != b"{":
        return not _LIST.match(text) or (bool(more) and first.rstrip().endswith(b"]"))
    # No value begins in an object behind anything else.
    is_open = first.rstrip().endswith((b"[", b",", b":"))
    second = more.partition(b"\n")[0]
    is_next = not is_open and (more.startswith(b"{") or _is_json(second))
    return not more or is_next or _is_json(first)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _by_content(magic: bytes, head: bytes) -> CorpusFormat | None:
    """Detect the format from the first bytes, compressed and decompressed."""
    text = head.removeprefix(BOM).lstrip()
    if text[:1] == b"{":
        return "jsonl" if _is_of_lines(text, is_whole=len(head) < _HEAD_BYTES) else "json"
    if text.startswith((b"<?xml", b"<!--")) and b"<mediawiki" in text:
        return "mediawiki"
    if magic == b"SQLite format 3\0":
        return "sqlite"
    if _LIST.match(text):
        return "json"
    return next((name for sign, name in _SIGNS.items() if text.startswith(sign)), None)


def _by_name(path: Path) -> CorpusFormat | None:
    name = path.name.lower()
    if name.endswith(".zip"):
        return "folder"
    if is_archive(name):
        return _tar_format(path)
    bare = name.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")
    suffix = PurePosixPath(bare).suffix
    if suffix in FILE_READERS and suffix not in {*_FORMAT_OF_SUFFIX, *_OF_ANY_CONTENT}:
        return "folder"
    return _FORMAT_OF_SUFFIX.get(suffix)


def _is_of_lines(text: bytes, *, is_whole: bool) -> bool:
    """Return whether a text that begins with a brace has an object on each line.

    Else it is one object over the whole file, or objects over several lines each.
    """
    first, _, rest = text.partition(b"\n")
    more = rest.lstrip()
    if more:
        return more.startswith(b"{")  # as nothing in an object is, without a name before it
    if not is_whole:
        return False  # one long line: both are read by the reader of JSON
    return not _is_json(first)  # then its line is named


def _likeness(path: Path, head: bytes) -> str:
    """Return the format that a text without a suffix resembles, unless it is prose."""
    lines = head.removeprefix(BOM).splitlines()[:-1][:5]
    for sign, suffix in _COLUMN_SIGNS.items():
        counts = {line.count(sign) for line in lines}
        is_table = len(lines) > 1 and len(counts) == 1 and counts.pop() > (sign != b"\t")
        if is_table and not path.suffix:
            return f" (it looks like a table: end its name in {suffix}, or name the format table)"
    return ""


def _tar_format(path: Path) -> CorpusFormat:
    """Detect the format of a compressed tar, by its first file."""
    with suppress(CorpusError), damage_named(path.name), open_stream(path) as stream:
        for member in islice(tar_members(stream), _MEMBERS_TRIED):
            name = PurePosixPath(member.name).name
            if member.is_file and not name.startswith("."):
                return _FORMAT_OF_MEMBER.get(PurePosixPath(name).suffix, "folder")
    # Its reader says what is wrong.
    return "hotpotqa" if path.name.lower().endswith(("bz2", "tbz")) else "wiki-abstracts"
