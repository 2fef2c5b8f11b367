"""The corpus formats: their names, their readers, and how one is told from the others.

A new format is a file in ``readers/`` whose ``read`` is its reader, a row of ``READERS``, its name
in ``CorpusFormat``, and whatever tells it from the others in ``detect_format``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import BOM, one_line, open_stream
from hippohover.indexing.corpus.lines import LineFormat
from hippohover.indexing.corpus.readers import (
    folder,
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
    ".tar.bz2": "hotpotqa",
    ".tbz2": "hotpotqa",
    ".tar.gz": "wiki-abstracts",
    ".tgz": "wiki-abstracts",
    ".db": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
}


def detect_format(path: Path) -> CorpusFormat:
    """Format of a corpus, from its name where that says it and else from its first bytes.

    Raises
    ------
    CorpusError
        Nothing is there, or it is in no format known here.
    """
    if path.is_dir():
        return "folder"
    for suffix, name in _FORMAT_OF_SUFFIX.items():
        if path.name.lower().endswith(suffix):
            return name
    with path.open("rb") as raw:
        magic = raw.read(16)
    with open_stream(path) as stream:
        head = stream.read(1024)
    if magic == b"SQLite format 3\0":
        return "sqlite"
    if head[257:262] == b"ustar":
        return "hotpotqa" if magic.startswith(b"BZh") else "wiki-abstracts"
    first = head.removeprefix(BOM).lstrip()[:1]
    if first in (b"{", b"["):
        return "jsonl" if first == b"{" else "hipporag"
    raise CorpusError(
        f"{one_line(str(path))}: no corpus format known by this name or these first bytes: "
        f"name one of {', '.join(READERS)} as format in the recipe's [corpus]; "
        "an archive of another kind has to be unpacked first"
    )
