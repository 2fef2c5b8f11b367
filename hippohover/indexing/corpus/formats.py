"""The corpus formats: their names, their readers, and how one is told from the others.

A new format is a file in ``readers/`` whose ``read`` is its reader, a row of ``READERS``, its name
in ``CorpusFormat``, and whatever tells it from the others in ``detect_format``.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from hippohover.errors import CorpusError
from hippohover.indexing.corpus import folder
from hippohover.indexing.corpus.file_formats import reader_of
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import BOM, damage_named, one_line, open_stream
from hippohover.indexing.corpus.files.tar import tar_members
from hippohover.indexing.corpus.lines import LineFormat
from hippohover.indexing.corpus.packed import is_archive
from hippohover.indexing.corpus.readers import (
    hipporag,
    hotpotqa,
    jsonl,
    sqlite,
    wiki_abstracts,
)
from hippohover.indexing.corpus.records import Records

CorpusFormat = Literal[
    "auto", "jsonl", "hotpotqa", "wiki-abstracts", "sqlite", "hipporag", "folder"
]

Reader = Callable[[Path], Records]
"""Turns the path of a corpus into a stream of ``Document`` and ``BadRecord``.

A record that cannot be used is handed on as a ``BadRecord`` with its place; damage of the file
itself is an error, and ``damage_named`` makes it one line. Memory stays bounded whatever the file
holds, nothing is written to disk, and a library that only this reader needs is imported inside it.
"""

READERS: Final[dict[str, Reader]] = {
    "jsonl": jsonl.read,
    "hotpotqa": hotpotqa.read,
    "wiki-abstracts": wiki_abstracts.read,
    "sqlite": sqlite.read,
    "hipporag": hipporag.read,
    "folder": folder.read,
}

LINE_FORMATS: Final = {
    name: reader for name, reader in READERS.items() if isinstance(reader, LineFormat)
}
"""Those of them whose files are cut into pieces, which several processes read."""

_FORMAT_OF_SUFFIX: Final[dict[str, CorpusFormat]] = {
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl",
    ".db": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
}

_FORMAT_OF_MEMBER: Final[dict[str, CorpusFormat]] = {".bz2": "hotpotqa", ".jsonl": "wiki-abstracts"}


_RECORDS: Final = re.compile(rb"\s*(\{|\[(?=\s*(?:[\[{\]]|$)))")
_OF_RECORDS_TOO: Final = ("", ".txt")


def detect_format(path: Path) -> CorpusFormat:
    """Format of a corpus, from its name where that says it and else from its first bytes.

    Raises
    ------
    CorpusError
        Nothing is there, or it is in no format known here.
    """
    if known := _format_by_name(path):
        return known
    with path.open("rb") as raw:
        magic = raw.read(16)
    with open_stream(path) as stream:
        head = stream.read(1024)
    if magic == b"SQLite format 3\0":
        return "sqlite"
    if head[257:262] == b"ustar":
        return _tar_format(path)
    file = SourceFile(path.name, partial(open_stream, path), path)
    reader = reader_of(file)
    records = _RECORDS.match(head.removeprefix(BOM))
    if records and (reader is None or file.suffix in _OF_RECORDS_TOO):
        return "jsonl" if records[1] == b"{" else "hipporag"
    if reader:
        return "folder"
    raise CorpusError(
        f"{one_line(str(path))}: no corpus format known by this name or these first bytes: "
        f"name one of {', '.join(READERS)} as format in the recipe's [corpus]; "
        "an archive of another kind has to be unpacked first"
    )


def _format_by_name(path: Path) -> CorpusFormat | None:
    name = path.name.lower()
    if path.is_dir() or name.endswith(".zip"):
        return "folder"
    if is_archive(name):
        return _tar_format(path)
    for suffix, known in _FORMAT_OF_SUFFIX.items():
        if name.endswith(suffix):
            return known
    return None


def _tar_format(path: Path) -> CorpusFormat:
    """Format of a packed tar, by its first file."""
    with suppress(CorpusError), damage_named(path.name), open_stream(path) as stream:
        for member in tar_members(stream):
            name = PurePosixPath(member.name).name
            if member.is_file and not name.startswith("."):
                return _FORMAT_OF_MEMBER.get(PurePosixPath(name).suffix, "folder")
            if not (member.is_file or member.is_folder):
                break
    # Its reader says what is wrong.
    return "hotpotqa" if path.name.lower().endswith(("bz2", "tbz")) else "wiki-abstracts"
