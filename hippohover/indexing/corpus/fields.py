"""Finds the fields of id, title and text in records, and makes their documents.

A recipe's ``[corpus.fields]`` names fields; else the names that people use are tried on the first
records of a file, and ``described`` says what was understood.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from hippohover.indexing.corpus.files.streams import one_line
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Heading,
    Link,
    UnreadableError,
    clean_text,
    clean_title,
    field_problem,
    is_object_list,
    is_text_list,
    make_document,
    names_in,
    other_names,
)
from hippohover.recipe import CorpusFields

RecordFields = Mapping[str, object]

_IDS, _TITLES, _TEXTS, _DATES = (
    tuple[str, ...](KNOWN["records"][name]) for name in ("ids", "titles", "texts", "dates")
)
_PARTS: Final = ("sections", "chapters")  # records with a title and a text each
_REPLIES: Final = ("reply_to", "in_reply_to")
_MOST_SHOWN: Final = 20
_TITLE_WORDS: Final = 8
_LONGEST_TITLE: Final = 80
_MOST_DEPTH: Final = 8  # of sections within others


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNames:
    """Names of the fields that records have.

    Attributes
    ----------
    id : tuple of str
        The first of them that a record has a text or a whole number in.
    title, text, links, aliases, date : str
    has_titles : bool
        Whether the first records have a field of titles.
    absent : tuple of str
        Of the others, what a recipe names and none of the first records has.
    """

    id: tuple[str, ...] = ("id", "_id", "path")
    title: str = "title"
    text: str = "text"
    links: str = "links"
    aliases: str = "aliases"
    date: str = "date"
    has_titles: bool = True
    absent: tuple[str, ...] = ()

    def described(self) -> str:
        """Describe which fields are read as what, where names are unusual; else ""."""
        read = {name: getattr(self, name) for name in ("title", "text", "links", "aliases", "date")}
        if self.id != STANDARD.id:
            read = {"id": self.id[0], **read}
        parts = [
            f"{one_line(name, longest=40)} as {role}"
            for role, name in read.items()
            if name not in self.absent and (role == "id" or name != getattr(STANDARD, role))
        ]
        lacking = [] if self.has_titles else ["no title"]
        lacking += [
            f'no "{one_line(name, longest=40)}" in the first records, which [corpus.fields] names'
            for name in self.absent
        ]
        said = [f"read {', '.join(parts)}"] if parts else []
        return "; ".join(said + lacking)


STANDARD: Final = FieldNames()
"""Names as they are documented."""


class Shape(NamedTuple):
    """What the records of a file are: how they become documents, and a line that says so."""

    documents: Callable[[dict[str, object], str], Iterable[Document | BadRecord]]
    said: str = ""

    def records(self, record: dict[str, object], place: str) -> Iterator[Document | BadRecord]:
        """Yield the documents of a record, or why there is none."""
        try:
            yield from self.documents(record, place)
        except UnreadableError as error:
            yield BadRecord(place, str(error))


def always(
    documents: Callable[[dict[str, object], str], Iterable[Document | BadRecord]],
) -> Callable[[object, object], Shape]:
    """Return what gives a file this shape, whatever its first records are."""
    return lambda _first, _fields: Shape(documents)


def decided(records: Sequence[RecordFields], fields: CorpusFields) -> FieldNames:
    """Return names of the fields of a file with these first records.

    What the recipe does not name is the first of the usual names, in any case of its letters, that
    records have with a value of the right type.
    """
    known: dict[str, str] = {}
    for record in records:
        for name in record:
            known.setdefault(name.strip().casefold(), name)

    def usual(names: Sequence[str], is_right: "type | tuple[type, ...]") -> str:
        if names[0] in known.values():
            return names[0]
        spelled = (known[name] for name in names if name in known)
        return next((name for name in spelled if _holds(records, name, is_right)), names[0])

    title = fields.title or usual(_TITLES, str)
    ids = [known[name] for name in _IDS if name in known]
    kept = tuple(name for name in ids if name in _IDS[:2] or name == "path")
    named = filter(None, (fields.id, fields.title, fields.links, fields.aliases, fields.date))
    return FieldNames(
        id=(fields.id,) if fields.id else STANDARD.id if kept or not ids else (ids[0],),
        title=title,
        text=fields.text or usual(_TEXTS, (str, list)),
        links=fields.links or STANDARD.links,
        aliases=fields.aliases or STANDARD.aliases,
        date=fields.date or usual(_DATES, (str, int)),
        has_titles=not records or any(_has_words(record.get(title)) for record in records),
        absent=tuple(
            name for name in named if records and not any(name in record for record in records)
        ),
    )


def titled_document(record: RecordFields, place: str, names: FieldNames = STANDARD) -> Document:
    """Return the document of ``{"title", "text"}``, by their names, with optional fields.

    The text may be a list of sentences, or of paragraphs. ``"id"``: a text or a whole number that
    no other document has; it is the title of a document that has none, and without either that is
    its first words. ``"aliases"``: further names. ``"links"``: titles, names or ids of others,
    placed where the text has them. ``"reply_to"`` or ``"in_reply_to"``: the id of the record that
    this one answers.
    """
    sections = _sections(record.get(names.text)) if names.text in _PARTS else None
    text = _joined(record.get(names.text)) if sections is None else sections.text
    if text is None:
        raise UnreadableError(f'field "{one_line(names.text)}" is missing{_among(record)}')
    identifier = id_of(record, names.id)
    title = record.get(names.title)
    if isinstance(text, str) and not text.strip() and "_id" in record:
        text = title or text  # documents of BEIR that have a title alone are judged too
    if title is None or (isinstance(title, str) and not clean_title(title)):
        title = identifier or first_words(text) or place
    joiner = "\n\n" if names.text == "paragraphs" else " "
    document = make_document(title, text, joiner=joiner)
    _refuse_wrong_type(record, names)
    dated = names.date != "date" and names.date in record
    document = document._replace(
        fields={**record, "date": record[names.date]} if dated else record,
        headings=tuple(sections.headings) if sections else (),
        id=identifier,
        aliases=other_names(document.title, names_in(record.get(names.aliases))),
        reply_to=id_of(record, _REPLIES),
    )
    links = record.get(names.links)
    if not is_text_list(links):
        return document
    titles = filter(None, map(clean_title, links))
    placed = (Link(max(document.text.find(title), 0), title) for title in titles)
    return document._replace(links=tuple(placed))


def holds_text(record: RecordFields) -> bool:
    """Return whether a record has a text under one of the usual names."""
    named = {name.strip().casefold(): value for name, value in record.items()}
    texts = (_joined(named[name]) for name in _TEXTS if name in named)
    return any(isinstance(text, str) or (text and is_text_list(text)) for text in texts)


def is_usual_name(name: str) -> bool:
    """Return whether a field or column of this name has a known meaning."""
    return name.strip().casefold() in {*_IDS, *_TITLES, *_TEXTS, *_DATES, "links", "aliases"}


def first_words(text: object) -> str:
    """Return the name of a text without title and id: its first words."""
    sentences = text if is_text_list(text) else [text if isinstance(text, str) else ""]
    head = " ".join(sentence[: 4 * _LONGEST_TITLE] for sentence in sentences[:_TITLE_WORDS])
    return " ".join(clean_text(head).split()[:_TITLE_WORDS])[:_LONGEST_TITLE].strip()


def _joined(text: object) -> object:
    """Join a list of sentences, paragraphs, lists of them or records into a text."""
    if not isinstance(text, list) or not text or is_text_list(text):
        return text
    paragraphs = [_paragraph(item) for item in cast("list[object]", text)]
    texts = [paragraph for paragraph in paragraphs if paragraph is not None]
    return "\n\n".join(texts) if len(texts) == len(paragraphs) else text


class _Sections(NamedTuple):
    """The texts of sections below their titles, and where these stand."""

    text: str
    headings: list[Heading]


def _sections(value: object, above: str = "", depth: int = 0) -> _Sections | None:
    """Return the sections of a record, nested ones too; None for anything but a list of records."""
    if not is_object_list(value) or depth > _MOST_DEPTH:
        return None
    parts: list[str] = []
    headings: list[Heading] = []
    for item in value:
        words = clean_title(next((str(item[name]) for name in _TITLES if item.get(name)), ""))
        path = " > ".join(filter(None, (above, words)))
        offset = sum(len(part) + 2 for part in parts)
        if words:
            headings.append(Heading(offset, path))
        inner = next(
            (found for name in _PARTS if (found := _sections(item.get(name), path, depth + 1))),
            None,
        )
        parts += filter(None, (words, _paragraph(item) or ""))
        if inner:
            offset = sum(len(part) + 2 for part in parts)
            headings += [one._replace(offset=offset + one.offset) for one in inner.headings]
            parts.append(inner.text)
    return _Sections("\n\n".join(parts), headings)


def _paragraph(item: object) -> str | None:
    if isinstance(item, dict):
        record = cast("dict[str, object]", item)
        names = (name for name in _TEXTS if name not in _PARTS and name in record)
        item = next((record[name] for name in names), None)
    if is_text_list(item):
        return " ".join(item)
    return item if isinstance(item, str) else None


def _among(record: RecordFields) -> str:
    """List the fields of a record, for a message about a missing one."""
    names = ", ".join(one_line(name, longest=40) for name in sorted(record)[:_MOST_SHOWN])
    return f" among {one_line(names)}" if names else " of an object without fields"


def _holds(records: Sequence[RecordFields], name: str, is_right: type | tuple[type, ...]) -> bool:
    """Return whether some records have a name, all with values of one type."""
    values = [value for record in records if (value := record.get(name)) is not None]
    return bool(values) and all(isinstance(value, is_right) for value in values)


def _has_words(title: object) -> bool:
    return title is not None and not (isinstance(title, str) and not title.strip())


def _refuse_wrong_type(record: RecordFields, names: FieldNames) -> None:
    """Refuse a wrong type of further names, links or answered id."""
    aliases, links = record.get(names.aliases), record.get(names.links)
    if aliases is not None and not isinstance(aliases, str | list):
        raise UnreadableError(field_problem(names.aliases, aliases, "a list of names"))
    if links is not None and not is_text_list(links):
        raise UnreadableError(field_problem(names.links, links, "a list of titles"))
    for name in _REPLIES:
        answered = record.get(name)
        if answered is not None and not _is_id(answered):
            raise UnreadableError(field_problem(name, answered, "an id"))


def id_of(record: RecordFields, fields: Iterable[str] = ("id",)) -> str:
    """Return the first text or whole number among these fields; "" without one."""
    ids = (str(value) for name in fields if _is_id(value := record.get(name)))
    return next(filter(None, map(clean_title, ids)), "")


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
