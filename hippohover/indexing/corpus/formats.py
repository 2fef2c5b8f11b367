"""The corpus formats: what each file holds, and how it is told from the others.

Every reader turns a path into a stream of ``Document`` and ``BadRecord``. A record that cannot
be used is handed on as a ``BadRecord`` with its place; damage of the file itself is an error.
"""

import html
import os
import re
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from urllib.parse import unquote

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.archives import archive_members
from hippohover.indexing.corpus.files import (
    BOM,
    MAX_RECORD_BYTES,
    NOT_UTF8,
    JsonArray,
    damage_named,
    one_line,
    open_stream,
    too_long,
)
from hippohover.indexing.corpus.lines import Piece, line_pieces, lines_of, packed_pieces
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    as_object,
    clean_title,
    field_problem,
    is_text_list,
    json_record,
    make_document,
    titled_document,
)

CorpusFormat = Literal[
    "auto", "jsonl", "hotpotqa", "wiki-abstracts", "sqlite", "hipporag", "folder"
]


Records = Generator[Document | BadRecord]
_FETCH: Final = "check that it is whole and from where it should be, or fetch it again"
_ANCHOR = re.compile(r'<a href="([^"]*)"')


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


@dataclass(frozen=True)
class LineFormat:
    """A format of JSON lines: its files are cut into pieces, which can be read apart.

    Attributes
    ----------
    pieces : callable
        Path -> ``Piece`` after ``Piece``, in the order of the files.
    document : callable
        (record, its place) -> ``Document`` or ``BadRecord``.
    """

    pieces: Callable[[Path], Iterator[Piece]]
    document: Callable[[dict[str, object], str], Document | BadRecord]

    def records(self, piece: Piece) -> Records:
        """What the lines of a piece hold."""
        for number, line in lines_of(piece):
            place = f"{piece.place}:{number}"
            record = json_record(line, place)
            yield record if isinstance(record, BadRecord) else self.document(record, place)

    def __call__(self, path: Path) -> Records:
        """What all files hold."""
        for piece in self.pieces(path):
            yield from self.records(piece)


def cut_jsonl(path: Path) -> Iterator[Piece]:
    """Lines of ``{"title", "text"}``, packed or not, and fields that a recipe may keep."""
    with open_stream(path) as stream:
        yield from line_pieces(stream, path.name)


def read_hipporag(path: Path) -> Records:
    """One JSON array of ``{"title", "text", "idx"}``, packed or not."""
    with open_stream(path) as stream:
        for number, (item, is_utf8) in enumerate(JsonArray(stream, path.name), 1):
            place = f"{path.name}: item {number}"
            record = as_object(item, place) if is_utf8 else BadRecord(place, NOT_UTF8)
            yield record if isinstance(record, BadRecord) else titled_document(record, place)


def cut_hotpotqa(path: Path) -> Iterator[Piece]:
    """HotpotQA's abstracts with links: a tar of bzip2 files of JSON lines.

    See https://hotpotqa.github.io/wiki-readme.html; the sentences hold their own blanks.
    """
    for member, content in archive_members(path, ".bz2"):
        name = f"{path.name}:{member}"
        with damage_named(name):
            yield from packed_pieces(content, name)


def _abstract(record: dict[str, object], place: str) -> Document | BadRecord:
    """A record of HotpotQA's abstracts; a link stands where its sentence begins."""
    sentences, linked = record.get("text"), record.get("text_with_links", [])
    if not is_text_list(linked):
        return BadRecord(place, field_problem("text_with_links", linked, "a list of sentences"))
    document = make_document(record.get("title"), sentences, place, joiner="", unescape=True)
    if isinstance(document, BadRecord):
        return document
    links = _anchors(sentences if is_text_list(sentences) else [], linked)
    return document._replace(links=tuple(links), fields=record)


def _anchors(sentences: Sequence[str], linked: Iterable[str]) -> Iterator[Link]:
    offset = 0
    for number, sentence in enumerate(linked):
        for target in _ANCHOR.findall(sentence):
            page, _, _ = unquote(target).partition("#")  # "Page#Section" is on Page
            title = clean_title(html.unescape(page))
            if title:
                yield Link(offset, title)
        offset += len(sentences[number]) if number < len(sentences) else 0


def cut_wiki_abstracts(path: Path) -> Iterator[Piece]:
    """DSPy's wiki.abstracts.2017: a tar of JSON lines ``{"title", "text": [sentences]}``."""
    for member, content in archive_members(path, ".jsonl"):
        yield from line_pieces(content, f"{path.name}:{member}")


def _wiki_abstract(record: dict[str, object], place: str) -> Document | BadRecord:
    document = make_document(record.get("title"), record.get("text"), place, unescape=True)
    return document._replace(fields=record) if isinstance(document, Document) else document


def read_sqlite(path: Path) -> Records:
    """HoVer's wiki_wo_links.db: table ``documents(id, text)``, the id a title in NFD."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD_BYTES)
        database.text_factory = _text_or_bytes
        n_bytes = _refuse_cut(path, database)
        _refuse_computed(path, database)
        rows: Iterable[tuple[object, object]] = database.execute("SELECT id, text FROM documents")
        n_read = 0
        for number, (title, text) in enumerate(rows, 1):
            place = f"{path.name}: row {number}"
            n_read += 1 + sum(len(cell) for cell in (title, text) if isinstance(cell, str | bytes))
            if n_read > 2 * n_bytes:
                raise CorpusError(f"{one_line(place)}: more text than the file holds: {_FETCH}")
            if isinstance(title, bytes) or isinstance(text, bytes):
                yield BadRecord(place, NOT_UTF8)
            else:
                yield make_document(title, text, place, unescape=True)


def _refuse_cut(path: Path, database: sqlite3.Connection) -> int:
    """Bytes of all pages. SQLite reads zeros where its last page is cut off, and says nothing."""
    (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    (n_pages,) = database.execute("PRAGMA page_count").fetchone()
    if path.stat().st_size < page_bytes * n_pages:
        raise EOFError
    return page_bytes * n_pages


def _refuse_computed(path: Path, database: sqlite3.Connection) -> None:
    """What a view or a column computes may have no end: only a table of stored cells is read."""
    found = database.execute(
        "SELECT 1 FROM sqlite_master WHERE name = 'documents' COLLATE NOCASE "
        "AND (type = 'view' OR (type = 'table' AND rootpage = 0)) "
        "UNION ALL SELECT 1 FROM pragma_table_xinfo('documents') WHERE hidden <> 0"
    ).fetchone()
    if found:
        raise CorpusError(
            f'{one_line(path.name)}: "documents" is computed, not a table of stored text: {_FETCH}'
        )


def _text_or_bytes(cell: bytes) -> str | bytes:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell


def read_folder(path: Path) -> Records:
    """A folder of .txt and .md files, in the order of their paths; hidden ones are passed over.

    The title is the file's name without its suffix, or the heading that opens an .md file.
    """
    for file in sorted(_text_files(path)):
        place = file.relative_to(path).as_posix()
        with damage_named(str(file)):
            yield _text_file(file, place)


def _text_file(file: Path, place: str) -> Document | BadRecord:
    if not file.is_file():
        raise CorpusError(f"{one_line(str(file))}: not a regular file: take it out of the folder")
    with file.open("rb") as stream:
        content = stream.read(MAX_RECORD_BYTES + 1)
    if len(content) > MAX_RECORD_BYTES:
        raise too_long(str(file))
    try:
        text = content.removeprefix(BOM).decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return BadRecord(place, NOT_UTF8)
    title = file.stem
    if file.suffix.lower() == ".md":
        head, _, body = text.lstrip().partition("\n")
        if head.startswith(("# ", "#\t")):
            title, text = _heading(head) or title, body
    return make_document(title, text, place)


def _heading(line: str) -> str:
    """ "# A title ##" -> "A title"."""
    title = " ".join(line[1:].split())
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare.endswith(" ") else title


def _text_files(path: Path) -> Iterator[Path]:
    """Visible text files below ``path``.

    A link to a folder inside it is not followed: what it shows is met at its own place.
    """
    if not path.is_dir():
        raise CorpusError(f"{one_line(str(path))}: not a folder: name the folder of the files")
    root = os.path.realpath(path)
    for folder, names, files in os.walk(path, onerror=_raise):
        names[:] = [name for name in names if not name.startswith(".")]
        texts = [
            name
            for name in files
            if name.lower().endswith((".txt", ".md")) and not name.startswith(".")
        ]
        for name in (*names, *texts):
            _refuse_leaving(root, os.path.join(folder, name))  # noqa: PTH118
        yield from (Path(folder, name) for name in texts)


def _refuse_leaving(root: str, path: str) -> None:
    """Raise for a symbolic link that leads out of ``root``."""
    if os.path.islink(path):  # noqa: PTH114
        target = os.path.realpath(path)
        if os.path.commonpath([root, target]) != root:
            raise CorpusError(
                f"{one_line(path)}: a symbolic link that leaves the folder: "
                "put a copy of the file in its place"
            )


def _raise(error: OSError) -> None:
    with damage_named(str(error.filename)):
        raise error


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

LINE_FORMATS: Final = {
    "jsonl": LineFormat(cut_jsonl, titled_document),
    "hotpotqa": LineFormat(cut_hotpotqa, _abstract),
    "wiki-abstracts": LineFormat(cut_wiki_abstracts, _wiki_abstract),
}

READERS: Final[dict[str, Callable[[Path], Records]]] = {
    **LINE_FORMATS,
    "sqlite": read_sqlite,
    "hipporag": read_hipporag,
    "folder": read_folder,
}
