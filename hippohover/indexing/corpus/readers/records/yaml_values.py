"""YAML: a list of mappings is a table of records; any other file is read as source code.

Each item of the list begins a line, and is parsed by itself: the tree of a large file would take a
hundred times its size.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, Final

from hippohover.indexing.corpus.fields import STANDARD
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.readers.records.record_file import RecordFile, Row
from hippohover.indexing.corpus.readers.records.tables import row_shape
from hippohover.indexing.corpus.readers.texts import source_code
from hippohover.indexing.corpus.records import BadRecord, Records, is_text_list
from hippohover.recipe import NO_FIELDS, CorpusFields

SUFFIXES: Final = (".yaml", ".yml")

_NOTHING: Final = r"(?:[ \t]*(?:#[^\n]*)?\n)*+"
_ABOVE: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n|%[^\n]*\n|---[ \t]*\n)*+")
_ONE_KEY: Final = re.compile(rf"\w[\w .-]{{0,60}}:[ \t]*\n{_NOTHING}")
_LINE: Final = re.compile(r"^(?P<indent>[ ]*+)(?:(?P<dash>-[ \n])|[^\s#])", re.M)
_MOST_CHARS: Final = 100_000  # of an item, whose tree is held in memory
_FIRST: Final = 20
_FEWEST: Final = 2


def _rows(file: SourceFile, _: CorpusFields) -> Iterator[Row]:
    for number, item in enumerate(_items(file.text()), 1):
        place = f"{file.place}: row {number}"
        mapping = _mapping(item) if len(item) <= _MOST_CHARS else None
        if mapping is None:
            yield BadRecord(place, "no mapping of YAML without aliases: check its indents")
        else:
            yield place, {str(name): _cell(str(name), value) for name, value in mapping.items()}


def _items(text: str) -> Iterator[str]:
    """Yield the items of the list that a text is, or holds under its only name."""
    start = _end(_ONE_KEY, text, _end(_ABOVE, text, 0))
    begins: list[int] = []
    depth = len(text[start:]) - len(text[start:].lstrip(" "))
    for line in _LINE.finditer(text, start):
        if line.end("indent") - line.start() > depth:
            continue
        if not line["dash"]:
            return  # another name beside the list
        begins.append(line.start())
    for first, last in pairwise([*begins, len(text)]):
        yield text[first:last]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _mapping(item: str) -> dict[object, object] | None:
    """Parse an item; None for what is no mapping, and where aliases would repeat parts of it."""
    import yaml

    # Nothing is made of a scalar but text.
    base: type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        loader = base(item)
        node: Any = loader.get_single_node()
        mapping = node.value[0] if node else None
        if not isinstance(mapping, yaml.MappingNode) or _has_aliases(mapping):
            return None
        return loader.construct_document(mapping)
    except (yaml.YAMLError, ValueError, TypeError, IndexError, RecursionError):
        return None


def _has_aliases(node: Any) -> bool:  # noqa: ANN401  (yaml has no types)
    seen: set[int] = set()
    left = [node]
    while left:
        one = left.pop()
        if id(one) in seen:
            return True
        seen.add(id(one))
        if not isinstance(one.value, str):
            left += [
                part for pair in one.value for part in (pair if isinstance(pair, tuple) else [pair])
            ]
    return False


def _cell(name: str, value: object) -> object:
    """Return a value as a cell's text; lists of names stay."""
    is_names = name in {STANDARD.links, STANDARD.aliases} and is_text_list(value)
    return value if is_names else _words(value)


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_words(item)}" for name, item in value.items())
    return ", ".join(map(_words, value)) if isinstance(value, list) else str(value)


_RECORDS: Final = RecordFile(_rows, row_shape)


def read(file: SourceFile) -> Records:
    """Yield the documents of a list of records, or that of settings."""
    is_list = _are_records(list(islice(_rows(file, NO_FIELDS), _FIRST)))
    yield from _RECORDS(file) if is_list else source_code.read(file)


def _are_records(rows: list[Row]) -> bool:
    """Return whether all are mappings, and a field that they share tells each from the others."""
    records = [row[1] for row in rows if not isinstance(row, BadRecord)]
    if len(records) < len(rows) or len(rows) < _FEWEST:
        return False
    shared = set[str].intersection(*(set(record) for record in records))
    return any(len({str(record[name]) for record in records}) == len(records) for name in shared)
