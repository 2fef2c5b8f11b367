"""JSON files: an array of records, a sequence of objects, or one object that holds all.

One object holds a list of records ("docs", "data"), or leads from titles to texts or to lists of
sentences, or from ids to records; or it is a record itself. What of a record is its text, a recipe
may say.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, cast

from hippohover.indexing.corpus.fields import holds_text
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import MAX_RECORD_BYTES, NOT_UTF8, too_long
from hippohover.indexing.corpus.readers.records.json_stream import JsonStream, Value
from hippohover.indexing.corpus.readers.records.record_file import RecordFile, Row
from hippohover.indexing.corpus.records import BadRecord, as_object, is_object_list, is_text_list
from hippohover.recipe import CorpusFields

SUFFIXES: Final = (".json", ".jsonl", ".ndjson")

_MOST_WHOLE_CHARS: Final = 8 * 2**20  # an object that is read whole, to see what it is
_TEXT_WORDS: Final = 5
_SENTENCE_WORDS: Final = 3
_ENDED: Final = re.compile(r"[.!?。！？][\"'”’»)]*\s*$")
_DEPTH: Final = 2  # of objects in the one over the whole file: {"data": {"items": [...]}}
_META: Final = frozenset({"version", "source", "license", "description", "name", "date"})


def _rows(file: SourceFile, fields: CorpusFields) -> Iterator[Row]:
    with file.opened() as stream:
        source = JsonStream(stream, file.place)
        sign = source.sign()
        file.encoding = source.encoding
        if sign != "{":
            source.open("[")
            yield from _numbered(source.items(), file.place)
        elif (first := source.short_value(_MOST_WHOLE_CHARS)) is None:
            yield from _numbered(_members(source, file.place, fields), file.place)
        elif source.sign():
            yield from _numbered(chain([first], source.values()), file.place)
        else:
            value, is_utf8 = first
            records = _inside(cast("dict[str, object]", value), fields)
            yield from _numbered(((record, is_utf8) for record in records), file.place)
        source.end()


def _numbered(values: Iterable[Value], file: str) -> Iterator[Row]:
    for number, (value, is_utf8) in enumerate(values, 1):
        place = f"{file}: item {number}"
        if isinstance(value, BadRecord):
            record = value
        else:
            record = as_object(value, place) if is_utf8 else BadRecord(place, NOT_UTF8)
        yield record if isinstance(record, BadRecord) else (place, record)


def _inside(whole: dict[str, object], fields: CorpusFields) -> list[object]:
    """Return the records of one object."""
    if _is_record(whole, fields):
        return [whole]
    if lists := list(_lists_in(whole, _DEPTH)):
        return list[object](max(lists, key=len))
    held = {name: value for name, value in whole.items() if value is not None}
    members = [_member(name, value, fields) for name, value in held.items()]
    named = [member for member in members if member is not None]
    texts = [value for value in held.values() if isinstance(value, str)]
    if named and len(named) == len(members) and 2 * sum(map(_is_text, texts)) >= len(texts):
        return cast("list[object]", named)
    return [whole]


def _is_text(value: str) -> bool:
    """Return whether a value is text, not a setting: it has some words, or is a short sentence."""
    n_words = len(value.split())
    return n_words >= _TEXT_WORDS or (n_words >= _SENTENCE_WORDS and bool(_ENDED.search(value)))


def _lists_in(whole: dict[str, object], depth: int) -> Iterator[list[dict[str, object]]]:
    """Yield lists of records in an object, or in the objects in it, as in servers' replies."""
    lists = [value for value in whole.values() if is_object_list(value)]
    yield from lists
    for value in whole.values() if depth and not lists else ():
        if isinstance(value, dict):
            inner = _lists_in(cast("dict[str, object]", value), depth - 1)
            yield from (found for found in inner if any(map(holds_text, found)))


def _is_record(value: dict[str, object], fields: CorpusFields) -> bool:
    return fields.text in value if fields.text else holds_text(value)


def _member(name: str, value: object, fields: CorpusFields) -> dict[str, object] | None:
    """Make a record of a name and its value; None if the value is no text or record."""
    if isinstance(value, dict):
        record = cast("dict[str, object]", value)
        return {fields.id or "id": name, **record} if _is_record(record, fields) else None
    is_text = isinstance(value, str) or (is_text_list(value) and bool(value))
    return {fields.title or "title": name, fields.text or "text": value} if is_text else None


def _members(source: JsonStream, place: str, fields: CorpusFields) -> Iterator[Value]:
    """Yield records of an object that is too long to be read whole."""
    source.open("{")
    for name in source.names():
        if source.sign() != "[":
            value, is_utf8 = source.value()
        elif source.open("[") == "{":
            yield from source.items()
            continue
        else:
            value, is_utf8 = _sentences(source, place)
        member = _member(name, value, fields)
        if member is not None and _is_record({name: value}, fields):
            raise too_long(f"{place}: {name}")  # a record that does not end
        if member is not None and name not in _META:
            yield member, is_utf8


def _sentences(source: JsonStream, place: str) -> Value:
    """Return the rest of an opened array."""
    items: list[object] = []
    n_chars, all_utf8 = 0, True
    for item, is_utf8 in source.items():
        items.append(item)
        all_utf8 = all_utf8 and is_utf8
        n_chars += len(item) if isinstance(item, str) else 1
        if n_chars > MAX_RECORD_BYTES:
            raise too_long(place)
    return items, all_utf8


read: Final = RecordFile(_rows)
