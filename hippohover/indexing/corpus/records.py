"""Checks and cleans records of a corpus, or refuses them with reason and place."""

import html
import json
import math
import re
import unicodedata
from collections.abc import Generator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeGuard, cast

from hippohover.disk.errors import not_json
from hippohover.indexing.corpus.files.streams import NOT_UTF8, one_line
from hippohover.metadata import MetadataValue
from hippohover.names.normal_forms import without_unseen


class Link(NamedTuple):
    """A link of a document: where its sentence or words begin, and its target.

    ``title`` is a title, another name, an id or a path of a document.
    """

    offset: int
    title: str


class Heading(NamedTuple):
    """A heading of a document: where its line begins, and the headings down to it, joined.

    ``anchor`` is what stands behind the ``#`` of an address that leads there; "" without one.
    """

    offset: int
    path: str
    anchor: str = ""


class Page(NamedTuple):
    """A page of a document: where its text begins, and its number, from 1.

    0 is the number of a chapter that is in a file of its own: no passage goes over its border.
    """

    offset: int
    number: int


class Document(NamedTuple):
    """A cleaned document: no control character, no lone surrogate; its title in NFC."""

    title: str
    text: str
    links: tuple[Link, ...] = ()
    fields: Mapping[str, object] = MappingProxyType({})
    """All that its record holds."""
    metadata: tuple[MetadataValue | None, ...] = ()
    """Values of the fields that are kept."""
    id: str = ""
    """Its id or its path in a folder; empty where the title alone names it."""
    aliases: tuple[str, ...] = ()
    """Further names."""
    headings: tuple[Heading, ...] = ()
    """In the order of the text."""
    reply_to: str = ""
    """The id of the document that it answers: a link beside the others."""
    path: str = ""
    """The file that it is in, below the corpus, with its suffix: "notes/sync.md"."""
    pages: tuple[Page, ...] = ()
    """In the order of the text."""
    encoding: str = ""
    """What its file is in, where that is not UTF-8."""


class UnreadableError(Exception):
    """A file or a record that no document can be made of; the text says why, and what to do.

    Who reads it knows its place, and hands a ``BadRecord`` on.
    """


class BadRecord(NamedTuple):
    """A record that cannot be used: its place, and the reason."""

    place: str
    reason: str
    path: str = ""
    """The file of a folder or an archive that it is in, or is."""


class Understood(NamedTuple):
    """How the fields of a file's records were read: reported once, on one line."""

    text: str


class PassedOver(NamedTuple):
    """A file of a folder or an archive that is not read: its place, and the reason."""

    place: str
    reason: str


Records = Generator[Document | BadRecord | Understood | PassedOver]
"""What a reader makes of the path of a corpus."""

# Control characters that are no blanks, and halves of surrogate pairs.
_UNWANTED = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
_HEAD_CHARS: Final = 1000
_HEAD_LINE = re.compile(
    r"^[ \t>*_-]{0,4}(?P<name>\w[\w .-]{0,39}?)[ \t*_]{0,4}[:：][ \t*_]{0,4}"
    r"(?P<value>\S[^\n]{0,300})$"
    r"|^[^\n]*[.!?…。！？]$",
    re.M,
)
_DECODE_JSON = json.JSONDecoder().decode


def clean_text(text: str) -> str:
    """Replace each control character and lone surrogate of a text by a blank.

    Its length stays, so that offsets stay what they were.
    """
    return text if text.isprintable() else _UNWANTED.sub(" ", text)


def clean_title(title: str) -> str:
    """Return a title in NFC, on one line, stripped, without invisible characters."""
    return clean_line(without_unseen(title))


def clean_line(text: str) -> str:
    """Return a text in NFC, on one line, stripped."""
    return unicodedata.normalize("NFC", " ".join(clean_text(text).split()))


def make_document(
    title: object, text: object, *, joiner: str = " ", unescape: bool = False
) -> Document:
    """Make a document of checked and cleaned fields.

    Parameters
    ----------
    title, text : object
        What the record holds; the text may be a list of sentences.
    joiner : str
        Stands between the sentences of a list.
    unescape : bool
        Resolve HTML entities in the title, as Wikipedia's extracts leave them there.

    Raises
    ------
    UnreadableError
        A field is of the wrong type, or the title is blank.
    """
    if not isinstance(title, str):
        raise UnreadableError(field_problem("title", title, "text"))
    if is_text_list(text):
        text = joiner.join(text)
    if not isinstance(text, str):
        raise UnreadableError(field_problem("text", text, "text or a list of sentences"))
    title = clean_title(html.unescape(title) if unescape else title)
    if not title:
        raise UnreadableError("the title is blank")
    return Document(title, clean_text(text))


def with_metadata(record: Document | BadRecord, names: Sequence[str]) -> Document | BadRecord:
    """Add the values of some fields of its record to a document; None where it has none.

    A number that JSON has no word for, as one beyond all bounds, is the text that Python writes.
    A list, as tags are, is the text of its values with commas between them; what holds mappings,
    as the authors of a post may, is JSON. What the record lacks may be a line of its text's head.
    """
    if isinstance(record, BadRecord) or not names:
        return record
    values: list[MetadataValue | None] = []
    said = [name.casefold().replace("_", " ") for name in names]
    lines = head_lines(record.text, said) if not record.fields.keys() >= {*names} else {}
    for name, words in zip(names, said, strict=True):
        try:
            value = _flat(record.fields.get(name, lines.get(words)))
        except (ValueError, RecursionError):
            place = f"document {one_line(record.title, longest=80)!r}"
            return BadRecord(place, f'field "{one_line(name)}" is nested too deep', record.path)
        if isinstance(value, float) and not math.isfinite(value):
            value = json.dumps(value)
        elif isinstance(value, str):
            value = clean_title(value)
        values.append(value)
    return record._replace(metadata=tuple(values))


def head_lines(text: str, names: Sequence[str] = ()) -> dict[str, str]:
    """Return what lines above the first sentence say: "Author: Ada Finch"; names in lower case.

    A name of several words may open a byline too: "Created by Ada Finch on Mar 14, last ...".
    """
    lines: dict[str, str] = {}
    head = text[:_HEAD_CHARS]
    for match in _HEAD_LINE.finditer(head):
        if not match["name"]:
            head = head[: match.start()]
            break
        name = match["name"].casefold().replace("_", " ")
        lines.setdefault(name, match["value"].strip(" \t*_"))
    for name in names:
        byline = rf"(?<!\w){re.escape(name)}[ \t]+([^\n,;|·•]{{1,100}})" if " " in name else r"(?!)"
        if said := re.search(byline, head, re.I):
            words = takewhile(lambda word: not word[0].islower(), said[1].split())
            lines.setdefault(name, " ".join(words))
    return {name: value for name, value in lines.items() if value}


def _flat(value: object) -> MetadataValue | None:
    """Join a list of texts and numbers into a text, None for an empty one; write others as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    if all(isinstance(item, str | int | float) for item in items):
        texts = (item if isinstance(item, str) else json.dumps(item) for item in items)
        return ", ".join(texts) or None
    return json.dumps(value, ensure_ascii=False, default=str)


def names_in(value: object) -> list[str]:
    """Return the names in a field: a text, or a list of texts; none for anything else."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, str)]


def other_names(title: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are not the title, cleaned, each once."""
    cleaned = dict.fromkeys(clean_title(name) for name in names)
    return tuple(name for name in cleaned if name and name != title)


def field_problem(field: str, value: object, wanted: str) -> str:
    """Say what is wrong with a field of the wrong type."""
    if value is None:
        return f'field "{field}" is missing'
    return f'field "{field}" is of type {type(value).__name__}, not {wanted}'


def is_text_list(value: object) -> TypeGuard[list[str]]:
    """Return whether a value is a list of strings alone."""
    return isinstance(value, list) and all(
        isinstance(item, str) for item in cast("list[object]", value)
    )


def is_object_list(value: object) -> TypeGuard[list[dict[str, object]]]:
    """Return whether a value is a list of JSON objects, one or more."""
    return bool(objects_in(value)) and len(objects_in(value)) == len(items_in(value))


def items_in(value: object) -> list[object]:
    """Return a list of JSON; an empty one for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def object_in(value: object) -> dict[str, Any]:
    """Return an object of JSON; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list of JSON; none for anything else."""
    return [object_in(item) for item in items_in(value) if isinstance(item, dict)]


def json_record(line: bytes, place: str) -> dict[str, object] | BadRecord:
    """Parse the JSON object on one line."""
    try:
        record: object = _DECODE_JSON(line.decode())
    except UnicodeDecodeError:
        return BadRecord(place, NOT_UTF8)
    except (ValueError, RecursionError) as error:
        return BadRecord(place, not_json(error))
    return as_object(record, place)


def as_object(record: object, place: str) -> dict[str, object] | BadRecord:
    """Return the record, if it is a JSON object."""
    if isinstance(record, dict):
        return cast("dict[str, object]", record)
    return BadRecord(place, f"a JSON {type(record).__name__}, not an object with title and text")
