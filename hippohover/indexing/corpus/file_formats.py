"""Chooses the reader of a file in a folder or archive: by its suffix, else its first bytes.

A new kind of file is a module in ``readers/`` with ``SUFFIXES`` and ``read``, and its place in
``_MODULES``.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.globs import Globs
from hippohover.indexing.corpus.files.member_names import is_archive
from hippohover.indexing.corpus.files.source_file import Attached, SourceFile
from hippohover.indexing.corpus.files.streams import damage_named
from hippohover.indexing.corpus.packed import archive_files
from hippohover.indexing.corpus.readers.office import docx, epub, odt, pdf, pptx
from hippohover.indexing.corpus.readers.records import (
    json_values,
    mediawiki,
    parquet,
    tables,
    wiki_extracts,
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
from hippohover.indexing.corpus.records import BadRecord, Document, PassedOver, Records, Understood
from hippohover.indexing.corpus.tree import EXCLUDED
from hippohover.recipe import NO_FIELDS, CorpusFields

FileReader = Callable[[SourceFile], Iterator[Document | BadRecord | Attached | Understood]]
"""Turns a file into documents, and files that these bring with them.

What cannot be used of it is handed on as a ``BadRecord``. Memory stays bounded whatever the file
holds, nothing is written to disk, and a library that only this reader needs is imported inside it.
"""

# Which of them reads JSON, its first bytes say.
_OF_RECORDS: Final = (json_values, tables, parquet, mediawiki, wiki_extracts)
_MODULES: Final = (
    plain,
    markdown,
    html,
    restructured_text,
    asciidoc,
    org,
    notebook,
    mail,
    subtitles,
    source_code,
    pdf,
    docx,
    pptx,
    epub,
    odt,
)

FILE_READERS: Final[dict[str, FileReader | RecordFile]] = {
    suffix: module.read for module in (*_MODULES, *_OF_RECORDS) for suffix in module.SUFFIXES
}
"""By suffix, in lower case and with its dot."""

EMPTY: Final = "an empty file"
_OF_VALUES: Final = {".json", ".jsonl", ".ndjson", ".ipynb", ".eml", ".mbox"}
"""What is no damage where it is blank, but no text either: a blank text has a title."""

NO_READER: Final = "no reader for such files"
_WITHOUT_READER: Final = {
    "pictures": ".png .jpg .jpeg .gif .svg .webp .bmp .tif .tiff .heic .ico .psd",
    "sounds and films": ".mp3 .wav .m4a .flac .ogg .opus .mp4 .m4v .mov .mkv .avi .webm",
    "spreadsheets: save each sheet as .csv": ".xlsx .xls .xlsm .xlsb .ods .numbers",
    "texts of other programs: save them as .docx, .odt or .pdf": ".doc .dot .rtf .wpd .wps .pages",
    "slides of other programs: save them as .pptx or .pdf": ".ppt .pps .odp .key",
    "mail of Outlook: save it as .eml or .mbox": ".msg .pst .ost",
    "books of other programs: save them as .epub or .pdf": ".mobi .azw .azw3 .djvu .fb2",
    "archives of other programs: unpack them": ".7z .rar .zst .lz4 .cab .iso",
}
_REASONS: Final = {
    suffix: reason for reason, suffixes in _WITHOUT_READER.items() for suffix in suffixes.split()
}

_HEAD_BYTES: Final = 4096
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
    except CorpusError as error:
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
    suffix = _unpacked_suffix(file)
    if suffix.strip(".").isdigit() or not suffix:  # "README", "part-00000", "notes.1"
        suffix = _suffix_of(file)
    reader = FILE_READERS.get(suffix)
    is_chat = reader is json_values.read and chat_exports.reads(file)
    return chat_exports.read if is_chat else reader


def _unpacked_suffix(file: SourceFile) -> str:
    suffix = file.suffix
    if suffix in {".gz", ".bz2", ".xz"}:  # unpacked already
        suffix = SourceFile(file.place.removesuffix(suffix), file.opened).suffix
    return suffix


def _is_blank(file: SourceFile) -> bool:
    """Return whether a file that holds values or messages holds nothing."""
    if _unpacked_suffix(file) not in _OF_VALUES:
        return False
    with file.opened() as stream:
        return not stream.read(_HEAD_BYTES).strip() and not stream.read(1)


def _suffix_of(file: SourceFile) -> str:
    """Guess the suffix of a file from its first bytes; "" where they are not text."""
    with file.opened() as stream:
        head = stream.read(_HEAD_BYTES)
    if mail.is_box(head):
        return ".mbox"
    for magic, suffix in _OF_FIRST_BYTES:
        if magic.match(head):
            return suffix
    return "" if b"\0" in head else ".txt"
