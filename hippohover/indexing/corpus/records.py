"""Records of a corpus: checked, cleaned, or refused with the reason and the place."""

import html
import json
import math
import re
import unicodedata
from collections.abc import Generator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeGuard, cast

from hippohover.indexing.corpus.files.streams import NOT_UTF8, one_line
from hippohover.metadata import MetadataValue


class Link(NamedTuple):
    """A link of a document: where its sentence or its words begin, and what it leads to.

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
    """A page of a document: where its text begins, and its number as a reader counts, from 1."""

    offset: int
    number: int


class Document(NamedTuple):
    """One document, cleaned: no control character, no lone surrogate; its title in NFC."""

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


class BadRecord(NamedTuple):
    """A record that cannot be used: where it stands, and why."""

    place: str
    reason: str


class PassedOver(NamedTuple):
    """A file of a folder or an archive that is not read: where it stands, and why."""

    place: str
    reason: str


Records = Generator[Document | BadRecord | PassedOver]
"""What a reader makes of the path of a corpus."""

# Control characters that are no blanks, and halves of surrogate pairs.
_UNWANTED = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
_DECODE_JSON = json.JSONDecoder().decode


def clean_text(text: str) -> str:
    """Text with a blank for each control character and lone surrogate.

    Its length stays, so that offsets stay what they were.
    """
    return text if text.isprintable() else _UNWANTED.sub(" ", text)


def clean_title(title: str) -> str:
    """Title in NFC, on one line, without blanks at its ends."""
    return unicodedata.normalize("NFC", " ".join(clean_text(title).split()))


def make_document(
    title: object, text: object, place: str, *, joiner: str = " ", unescape: bool = False
) -> Document | BadRecord:
    """A document of checked and cleaned fields, or why there is none.

    Parameters
    ----------
    title, text : object
        What the record holds; the text may be a list of sentences.
    place : str
        Where the record stands, for the message.
    joiner : str
        Stands between the sentences of a list.
    unescape : bool
        Resolve HTML entities in the title, as Wikipedia's extracts leave them there.
    """
    if not isinstance(title, str):
        return BadRecord(place, field_problem("title", title, "text"))
    if is_text_list(text):
        text = joiner.join(text)
    if not isinstance(text, str):
        return BadRecord(place, field_problem("text", text, "text or a list of sentences"))
    title = clean_title(html.unescape(title) if unescape else title)
    if not title:
        return BadRecord(place, "the title is blank")
    return Document(title, clean_text(text))


def with_metadata(record: Document | BadRecord, names: Sequence[str]) -> Document | BadRecord:
    """A document with the values of some fields of its record; None where it has none.

    A number that JSON has no word for, as one beyond all bounds, is the text that Python writes.
    """
    if isinstance(record, BadRecord) or not names:
        return record
    values: list[MetadataValue | None] = []
    for name in names:
        value = record.fields.get(name)
        if value is not None and not isinstance(value, str | int | float):
            place = f"document {one_line(record.title, longest=80)!r}"
            return BadRecord(place, field_problem(name, value, "text, a number, true or false"))
        if isinstance(value, float) and not math.isfinite(value):
            value = json.dumps(value)
        elif isinstance(value, str):
            value = clean_title(value)
        values.append(value)
    return record._replace(metadata=tuple(values))


def names_in(value: object) -> list[str]:
    """Names that a field holds: a text, or a list of texts; anything else is none."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, str)]


def other_names(title: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that are not the title, cleaned, each once."""
    cleaned = dict.fromkeys(clean_title(name) for name in names)
    return tuple(name for name in cleaned if name and name != title)


def field_problem(field: str, value: object, wanted: str) -> str:
    """What is wrong with a field that does not hold what is wanted."""
    if value is None:
        return f'field "{field}" is missing'
    return f'field "{field}" is of type {type(value).__name__}, not {wanted}'


def is_text_list(value: object) -> TypeGuard[list[str]]:
    """Whether a value is a list of nothing but strings."""
    return isinstance(value, list) and all(
        isinstance(item, str) for item in cast("list[object]", value)
    )


def json_record(line: bytes, place: str) -> dict[str, object] | BadRecord:
    """The JSON object on one line."""
    try:
        record: object = _DECODE_JSON(line.decode())
    except UnicodeDecodeError:
        return BadRecord(place, NOT_UTF8)
    except (ValueError, RecursionError) as error:
        return BadRecord(place, f"not JSON ({one_line(str(error), longest=80)})")
    return as_object(record, place)


def as_object(record: object, place: str) -> dict[str, object] | BadRecord:
    """The record, if it is a JSON object."""
    if isinstance(record, dict):
        return cast("dict[str, object]", record)
    return BadRecord(place, f"a JSON {type(record).__name__}, not an object with title and text")


_ID_FIELDS = ("id", "_id", "path")
_REPLY_FIELDS = ("reply_to", "in_reply_to")


def titled_document(record: dict[str, object], place: str) -> Document | BadRecord:
    """``{"title", "text"}``, and optionally more of the document.

    ``"id"``, ``"_id"`` or ``"path"``: a text or a whole number that no other document has.
    ``"aliases"``: further names. ``"links"``: titles, names or ids of others, placed where the
    text has them. ``"reply_to"`` or ``"in_reply_to"``: the id of the record that this one answers.
    """
    document = make_document(record.get("title"), record.get("text"), place)
    if isinstance(document, BadRecord):
        return document
    if problem := _wrong_type(record):
        return BadRecord(place, problem)
    document = document._replace(
        fields=record,
        id=_first_id(record, _ID_FIELDS),
        aliases=other_names(document.title, names_in(record.get("aliases"))),
        reply_to=_first_id(record, _REPLY_FIELDS),
    )
    links = record.get("links")
    if not is_text_list(links):
        return document
    titles = filter(None, map(clean_title, links))
    placed = (Link(max(document.text.find(title), 0), title) for title in titles)
    return document._replace(links=tuple(placed))


def _wrong_type(record: dict[str, object]) -> str:
    """What is wrong with the type of a record's further names, links or answered id; or ""."""
    aliases, links = record.get("aliases"), record.get("links")
    if aliases is not None and not isinstance(aliases, str | list):
        return field_problem("aliases", aliases, "a list of names")
    if links is not None and not is_text_list(links):
        return field_problem("links", links, "a list of titles")
    for name in _REPLY_FIELDS:
        answered = record.get(name)
        if answered is not None and not _is_id(answered):
            return field_problem(name, answered, "an id")
    return ""


def _first_id(record: dict[str, object], fields: Iterable[str]) -> str:
    """The first text or whole number among these fields; "" without one."""
    ids = (str(value) for name in fields if _is_id(value := record.get(name)))
    return next(filter(None, map(clean_title, ids)), "")


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
