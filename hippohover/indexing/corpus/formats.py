"""The formats: of a whole corpus, and of a file in it; and which one a path or a file is in.

A name decides, and where it says nothing the first bytes do. A new kind of file is a module in
``readers/`` with ``SUFFIXES`` and ``read``, and its row in ``_KINDS``; a new format of a whole
corpus is a row of ``READERS``.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from hippohover.disk.errors import json_or_none
from hippohover.errors import CorpusError, UsageError
from hippohover.indexing.corpus.files.globs import EVERY, Globs
from hippohover.indexing.corpus.files.member_names import is_archive
from hippohover.indexing.corpus.files.source_file import Attached, SourceFile, suffix_of
from hippohover.indexing.corpus.files.streams import BOM, damage_named, one_line, open_stream
from hippohover.indexing.corpus.files.tar import tar_members
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.lines import LineFormat
from hippohover.indexing.corpus.packed import archive_files
from hippohover.indexing.corpus.readers import json_lines, sqlite
from hippohover.indexing.corpus.readers.office import docx, epub, odt, pdf, pptx
from hippohover.indexing.corpus.readers.records import (
    bibtex,
    json_values,
    mediawiki,
    parquet,
    tables,
    wiki_extracts,
    yaml_values,
)
from hippohover.indexing.corpus.readers.records.record_file import RecordFile
from hippohover.indexing.corpus.readers.texts import (
    asciidoc,
    chat_exports,
    html,
    mail,
    markdown,
    notebook,
    org,
    plain,
    restructured_text,
    source_code,
    subtitles,
)
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    PassedOver,
    Records,
    Understood,
    UnreadableError,
    clean_text,
)
from hippohover.indexing.corpus.tree import EXCLUDED, tree_files
from hippohover.recipe import NO_FIELDS, CorpusFields

Reader = Callable[[Path, CorpusFields], Records]
"""Turns the path of a corpus, and what a recipe says of its fields, into a stream of documents."""

FileReader = Callable[
    [SourceFile], Iterator[Document | BadRecord | Attached | Understood | PassedOver]
]
"""Turns a file into documents, and files that these bring with them.

Of either: a record that cannot be used is handed on as a ``BadRecord`` with its place; damage of
the file itself is an error, and ``damage_named`` makes it one line. Memory stays bounded whatever
the file holds, nothing is written to disk, and a library that only this reader needs is imported
inside it.
"""

_KINDS: Final = (
    plain, markdown, html, restructured_text, asciidoc, org, notebook, mail, subtitles, source_code,
    pdf, docx, pptx, epub, odt, json_values, tables, parquet, bibtex, yaml_values,
    mediawiki, wiki_extracts,
)  # fmt: skip
"""A module for each kind of file; which of them reads JSON, its first bytes say."""

FILE_READERS: Final[dict[str, FileReader | RecordFile]] = {
    suffix: module.read for module in _KINDS for suffix in module.SUFFIXES
}
"""By suffix, in lower case and with its dot."""

EMPTY: Final = "an empty file"
_OF_VALUES: Final = {".json", ".jsonl", ".ndjson", ".ipynb", ".eml", ".mbox"}
"""What is no damage where it is blank, but no text either: a blank text has a title."""

NO_READER: Final = "no reader for such files"
_REASONS: Final[dict[str, str]] = {
    suffix: reason
    for reason, suffixes in KNOWN["without_reader"].items()
    for suffix in suffixes.split()
}

_FILE_HEAD_BYTES: Final = 4096
# What servers write above all else; "From:" and "Date:" begin other texts as well.
_A_HEADER: Final = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|Envelope-To|X-[\w-]{1,40}|Message-ID):[ \t]"
    rb"[^\n]{1,998}\n(?:[ \t][^\n]{0,998}\n){0,9}[A-Z][\w-]{1,60}:[ \t]", re.I
)  # fmt: skip
_OF_FIRST_BYTES: Final = (
    (re.compile(rb"%PDF-"), ".pdf"),
    (_A_HEADER, ".eml"),
    (re.compile(rb"PAR1"), ".parquet"),
    (re.compile(rb"<doc id="), wiki_extracts.SUFFIXES[0]),
    (re.compile(rb"(?:<\?xml[^>]*>\s*)?<mediawiki"), ".xml"),
    (re.compile(rb'\s*\{\s*"'), ".jsonl"),
    (re.compile(rb'\s*\[\s*[\[{"]'), ".json"),
)


class CorpusReader(NamedTuple):
    """The reader of a format, and how a file of it is called or begins."""

    read: Reader
    suffixes: tuple[str, ...] = ()
    begins: bytes = b""


def read_folder(
    path: Path,
    fields: CorpusFields = NO_FIELDS,
    globs: Globs = EVERY,
    root: Path | None = None,
) -> Records:
    """Read the documents of the files, in the order of their paths.

    Parameters
    ----------
    path : Path
        A folder; or one file, which is called by its name, or as in the folder ``root``.
    fields : CorpusFields
        What a recipe says of the fields of records.
    globs : Globs
        Which files of a folder or an archive are read.
    root : Path, optional

    Raises
    ------
    UsageError
        The file is not below ``root``.
    CorpusError
        The folder itself cannot be read.
    """
    if path.is_dir():
        return documents_of(tree_files(path, globs), globs, fields)
    place = path.name if root is None else _place_below(root, path)
    return documents_in(SourceFile(place, partial(open_stream, path), path), globs, fields)


def _place_below(root: Path, path: Path) -> str:
    place = Path(os.path.relpath(path, root)).as_posix()
    if place.startswith("../"):
        raise UsageError(f"{path} is not below {root}: give a root that it is in")
    return clean_text(place)


READERS: Final = {
    "jsonl": CorpusReader(json_lines.read_lines, (".jsonl", ".ndjson")),
    "json": CorpusReader(json_values.read.corpus),
    "table": CorpusReader(tables.read.corpus, tables.SUFFIXES),
    "parquet": CorpusReader(parquet.read.corpus, parquet.SUFFIXES, b"PAR1"),
    "wiki-extracts": CorpusReader(wiki_extracts.read_corpus, (), b"<doc "),
    "mediawiki": CorpusReader(mediawiki.read.corpus, mediawiki.SUFFIXES, b"<mediawiki"),
    "hotpotqa": CorpusReader(json_lines.read_linked),
    "wiki-abstracts": CorpusReader(json_lines.read_abstracts),
    "sqlite": CorpusReader(sqlite.read, (".db", ".sqlite", ".sqlite3")),
    "hipporag": CorpusReader(json_values.read.corpus),  # its name when it read an array alone
    "folder": CorpusReader(read_folder),
}
"""The formats of a corpus, by their names."""

LINE_FORMATS: Final = {
    name: one.read for name, one in READERS.items() if isinstance(one.read, LineFormat)
}
"""Those of them whose files are cut into pieces, which several processes read."""

_FORMAT_OF_MEMBER: Final = {".bz2": "hotpotqa", ".jsonl": "wiki-abstracts"}
_OF_ANY_CONTENT: Final = (".json", ".txt")
_PACKED: Final = re.compile(r"\.(?:gz|bz2|xz)$", re.I)
_HEAD_BYTES: Final = 2**16
_MEMBERS_TRIED: Final = 10_000  # folders and links may stand before the first file
_LIST: Final = re.compile(rb"\[(?=\s*(?:[\[{\]]|$))")  # and no "[Note] of a text"
_COLUMN_SIGNS: Final = {b"\t": ".tsv", b",": ".csv", b";": ".csv"}


def corpus_file(path: Path) -> Path:
    """Return the corpus at a path: ``corpus.jsonl`` for a folder in BEIR's layout."""
    if path.is_dir() and ((path / "queries.jsonl").is_file() or (path / "qrels").is_dir()):
        files = (path / f"corpus.jsonl{packed}" for packed in ("", ".gz", ".bz2"))
        return next((file for file in files if file.is_file()), path)
    return path


def detect_format(path: Path) -> str:
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


def _of_folder(path: Path) -> str:
    if wiki_extracts.files_of(path):
        return "wiki-extracts"
    shards = json_lines.shards_of(path)
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
    is_next = not is_open and (more.startswith(b"{") or json_or_none(second) is not None)
    return not more or is_next or json_or_none(first) is not None


def _by_content(magic: bytes, head: bytes) -> str | None:
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
    signs = ((name, one.begins) for name, one in READERS.items() if one.begins)
    return next((name for name, sign in signs if text.startswith(sign)), None)


def _by_name(path: Path) -> str | None:
    if path.suffix.lower() == ".zip":
        return "folder"
    if is_archive(path.name):
        return _tar_format(path)
    suffix = _unpacked_suffix(path.name)
    name = next((name for name, one in READERS.items() if suffix in one.suffixes), None)
    is_of_a_folder = suffix in FILE_READERS and suffix not in _OF_ANY_CONTENT
    return name or ("folder" if is_of_a_folder else None)


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
    return not json_or_none(first) is not None  # then its line is named


def _likeness(path: Path, head: bytes) -> str:
    """Return the format that a text without a suffix resembles, unless it is prose."""
    lines = head.removeprefix(BOM).splitlines()[:-1][:5]
    for sign, suffix in _COLUMN_SIGNS.items():
        counts = {line.count(sign) for line in lines}
        is_table = len(lines) > 1 and len(counts) == 1 and counts.pop() > (sign != b"\t")
        if is_table and not path.suffix:
            return f" (it looks like a table: end its name in {suffix}, or name the format table)"
    return ""


def _tar_format(path: Path) -> str:
    """Detect the format of a compressed tar, by its first file."""
    with suppress(CorpusError), damage_named(path.name), open_stream(path) as stream:
        for member in islice(tar_members(stream), _MEMBERS_TRIED):
            name = PurePosixPath(member.name).name
            if member.is_file and not name.startswith("."):
                return _FORMAT_OF_MEMBER.get(PurePosixPath(name).suffix, "folder")
    # Its reader says what is wrong.
    return "hotpotqa" if path.name.lower().endswith(("bz2", "tbz")) else "wiki-abstracts"


# A file


def documents_in(
    file: SourceFile, globs: Globs, fields: CorpusFields = NO_FIELDS, *, is_attached: bool = False
) -> Records:
    """Read the documents of a file, or of an archive's files; a failed file is a bad record.

    What is attached to a message is read too, but not what is attached to that.
    """
    for record in _read(file, globs, fields, is_attached=is_attached):
        is_new = isinstance(record, BadRecord) and not record.path
        yield record._replace(path=file.place) if is_new else record


def _read(file: SourceFile, globs: Globs, fields: CorpusFields, *, is_attached: bool) -> Records:
    try:
        with damage_named(file.place):
            if is_archive(file.place):
                yield from documents_of(archive_files(file, globs), globs, fields)
            elif _is_blank(file):
                yield PassedOver(file.place, EMPTY)
            elif isinstance(reader := reader_of(file), RecordFile):
                yield from reader(file, fields)
            elif reader:
                for record in reader(file):
                    if isinstance(record, Attached):
                        yield from _attached(record, globs, fields, within=is_attached)
                    elif isinstance(record, Document) and file.encoding:
                        yield record._replace(encoding=file.encoding)
                    else:
                        yield record
            else:
                yield PassedOver(file.place, _REASONS.get(file.suffix, NO_READER))
    except (CorpusError, UnreadableError) as error:
        yield BadRecord(file.place, str(error).removeprefix(f"{file.place}: "))


def documents_of(
    files: Iterable[SourceFile | PassedOver | BadRecord], globs: Globs, fields: CorpusFields
) -> Records:
    """Read the documents of a folder's or archive's files; a bad one counts as a file too."""
    for file in files:
        if isinstance(file, SourceFile):
            yield from documents_in(file, globs, fields)
        else:
            yield file._replace(path=file.place) if isinstance(file, BadRecord) else file


def _attached(part: Attached, globs: Globs, fields: CorpusFields, *, within: bool) -> Records:
    """Read the documents of a file attached to another one, each linked with it."""
    place = part.file.place
    if globs.is_excluded(place):
        yield PassedOver(place, EXCLUDED)
    elif within or is_archive(place):
        yield PassedOver(place, "attached to what is attached" if within else "an attached archive")
    else:
        for record in documents_in(part.file, globs, fields, is_attached=True):
            is_loose = isinstance(record, Document) and not record.reply_to
            yield record._replace(reply_to=part.to) if is_loose else record


def reader_of(file: SourceFile) -> FileReader | RecordFile | None:
    """Return the reader of a file, if there is one.

    Raises
    ------
    OSError, EOFError, zlib.error, lzma.LZMAError
        It has no suffix, and its first bytes cannot be read.
    """
    suffix = _unpacked_suffix(file.place)
    if suffix.strip(".").isdigit() or not suffix:  # "README", "part-00000", "notes.1"
        suffix = _suffix_by_content(file)
    reader = FILE_READERS.get(suffix)
    is_chat = reader is json_values.read and chat_exports.reads(file)
    return chat_exports.read if is_chat else reader


def _unpacked_suffix(name: str) -> str:
    """Return the suffix of a file's name, without that of what unpacks it: "a.csv.gz" is CSV."""
    return suffix_of(_PACKED.sub("", name))


def _is_blank(file: SourceFile) -> bool:
    """Return whether a file that holds values or messages holds nothing."""
    if _unpacked_suffix(file.place) not in _OF_VALUES:
        return False
    with file.opened() as stream:
        return not stream.read(_FILE_HEAD_BYTES).strip() and not stream.read(1)


def _suffix_by_content(file: SourceFile) -> str:
    """Guess the suffix of a file from its first bytes; "" where they are not text."""
    with file.opened() as stream:
        head = stream.read(_FILE_HEAD_BYTES)
    if mail.is_box(head):
        return ".mbox"
    for magic, suffix in _OF_FIRST_BYTES:
        if magic.match(head):
            return suffix
    return "" if b"\0" in head else ".txt"
