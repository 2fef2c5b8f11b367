"""BibTeX: each entry is a document by its title, and is called by its key, as texts cite it."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from hippohover.indexing.corpus.fields import STANDARD, Shape
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.records.record_file import RecordFile, Row
from hippohover.indexing.corpus.readers.records.tables import of_cells
from hippohover.indexing.corpus.readers.texts.source_code import latex_words
from hippohover.indexing.corpus.records import BadRecord
from hippohover.recipe import CorpusFields

SUFFIXES: Final = (".bib",)

# At the beginning of a line: an entry that does not close ends before the next.
_ENTRY: Final = re.compile(r"^[ \t]{0,9}@(?P<kind>\w{1,30})[ \t]{0,9}[{(]", re.M)
_KEY: Final = re.compile(r"\s*([^\s,{}()\"#%=]{1,200})\s*,")
_NAME: Final = re.compile(r"[\s,]*([A-Za-z][\w:-]{0,60})\s*=\s*")
_MARK: Final = re.compile(r'\\.|[{}"]', re.S)
_BARE: Final = re.compile(r"[^\s,{}()\"#]{1,200}")
_JOINED: Final = re.compile(r"\s*#\s*")
_NO_ENTRIES: Final = {"comment", "preamble"}
_MOST_CHARS: Final = 50_000  # of an entry, whose commands are looked through again and again


def _rows(file: SourceFile, _: CorpusFields) -> Iterator[Row]:
    text = file.text()
    starts = [*_ENTRY.finditer(text)]
    ends = [*(match.start() for match in starts[1:]), len(text)]
    strings: dict[str, str] = {}
    line, at = 1, 0
    for match, end in zip(starts, ends, strict=True):
        line, at = line + text.count("\n", at, match.start()), match.start()
        kind, place = match["kind"].lower(), f"{file.place}:{line}"
        if kind == "string":
            strings |= _fields(text[match.end() : end], strings)
        elif kind not in _NO_ENTRIES:
            yield _row(kind, text[match.end() : end], strings, place)


def _row(kind: str, body: str, strings: dict[str, str], place: str) -> Row:
    """Return the record of an entry without its braces."""
    key = _KEY.match(body)
    if key is None:
        return BadRecord(place, "an entry without a key: give it one before its first field")
    if len(body) > _MOST_CHARS:
        return BadRecord(place, f"an entry of over {_MOST_CHARS:,} characters: close its braces")
    fields = _fields(body[key.end() :], strings)
    above = {"links": [fields["crossref"]]} if "crossref" in fields else {}
    return place, {"id": key[1], "type": kind, **fields, "aliases": [key[1]], **above}


def _fields(body: str, strings: dict[str, str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    at = 0
    while name := _NAME.match(body, at):
        value, at = _value(body, name.end(), strings)
        fields.setdefault(name[1].lower(), latex_words(value))
    return fields


def _value(body: str, at: int, strings: dict[str, str]) -> tuple[str, int]:
    """Return a field's value, whose parts are joined by "#", and where it ends."""
    parts: list[str] = []
    while True:
        if body[at : at + 1] in ("{", '"'):
            end = _end(body, at)
            parts.append(body[at + 1 : end - 1])
        elif bare := _BARE.match(body, at):
            end = bare.end()
            parts.append(strings.get(bare[0].lower(), bare[0]))
        else:
            return "".join(parts), at
        joined = _JOINED.match(body, end)
        if joined is None:
            return "".join(parts), end
        at = joined.end()


def _end(body: str, at: int) -> int:
    """Return where what a brace or a quote opens is closed; the end where it is not."""
    closing = "}" if body[at] == "{" else '"'
    depth = 0
    for mark in _MARK.finditer(body, at + 1):
        if mark[0] == closing and not depth:
            return mark.end()
        depth += (mark[0] == "{") - (mark[0] == "}")
    return len(body)


def _shape(_first: object, _fields: object) -> Shape:
    return Shape(partial(of_cells, STANDARD, "title"), "read each entry as a document")


read: Final = RecordFile(_rows, _shape)
