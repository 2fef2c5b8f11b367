"""Detects from the first records of a file how to read all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Never

from hippohover.disk.errors import json_or_none
from hippohover.indexing.corpus.fields import (
    FieldNames,
    RecordFields,
    Shape,
    decided,
    first_words,
    holds_text,
    titled_document,
)
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    UnreadableError,
    clean_title,
    is_object_list,
    is_text_list,
    items_in,
    make_document,
    object_in,
    other_names,
)
from hippohover.names.fever_titles import fever_title, with_signs
from hippohover.recipe import NO_FIELDS, CorpusFields
from hippohover.records import passage_id

FIRST_RECORDS: Final = 100
"""Records that are looked at, before the first document is made."""

_CLAIMS: Final = ("question", "query", "claim")
_PARAGRAPHS: Final = ("paragraphs", "context", "contexts")
_TEXTS: Final = ("paragraph_text", "text")

Paragraph = tuple[object, object, bool]
"""Title, text or sentences, and whether its text is its id."""


def shape_of(records: Sequence[RecordFields], fields: CorpusFields) -> Shape:
    """Return the shape of records with these first ones; trusts a recipe that names fields."""
    if fields == NO_FIELDS:
        if _are(records, is_question):
            return Shape(paragraphs_of, "read the paragraphs of questions, each once")
        if _are(records, is_fever_page):
            return Shape(fever_page, "read pages of FEVER: id as title")
        if _are(records, is_claim) and not any(map(holds_text, records)):
            return Shape(_claim)
    names = decided(records, fields)
    return Shape(partial(_titled, names), names.described())


def _are(records: Sequence[RecordFields], what: Callable[[RecordFields], bool]) -> bool:
    return bool(records) and all(map(what, records))


def _titled(names: FieldNames, record: dict[str, object], place: str) -> tuple[Document]:
    return (titled_document(record, place, names),)


def _claim(_record: dict[str, object], _place: str) -> Never:
    raise UnreadableError("a claim or a question, and no document to search")


# FEVER's wiki-pages: ``{"id": "Dune_-LRB-film-RRB-", "text", "lines"}``, an object per page


def is_fever_page(record: RecordFields) -> bool:
    """Return whether a record has FEVER's fields, and no others."""
    return set(record) == {"id", "text", "lines"} and isinstance(record["lines"], str)


def fever_page(record: dict[str, object], place: str) -> tuple[Document]:
    """Return the document of a page: its id is title and name; links are in its lines.

    FEVER's first page of each file is blank.
    """
    title, text, lines = (record.get(name) for name in ("id", "text", "lines"))
    if not (isinstance(title, str) and isinstance(text, str) and isinstance(lines, str)):
        raise UnreadableError("no page of FEVER: give id, text and lines as texts")
    document = make_document(fever_title(title) or place, with_signs(text))
    document = document._replace(
        id=clean_title(title),
        aliases=other_names(document.title, [title]),
        links=tuple(_links(document.text, lines)),
        fields=record,
    )
    return (document,)


def _links(text: str, lines: str) -> Iterator[Link]:
    """Yield the links of a line ``number, sentence, shown, title, shown, title ...``, by tabs."""
    for line in lines.split("\n"):
        _, *parts = line.split("\t")
        for shown, target in zip(parts[1::2], parts[2::2], strict=False):
            title = clean_title(fever_title(target))
            if title:
                yield Link(max(text.find(with_signs(shown)), 0), title)


# Questions with paragraphs as a corpus: HotpotQA, 2WikiMultihopQA, MuSiQue, HippoRAG's


def is_claim(record: RecordFields) -> bool:
    """Return whether a record asks or claims something."""
    return any(isinstance(record.get(name), str) for name in _CLAIMS)


def is_question(record: RecordFields) -> bool:
    """Return whether a record asks something of paragraphs that it holds."""
    return is_claim(record) and any(True for _ in _paragraphs(record))


def paragraphs_of(record: dict[str, object], place: str) -> Iterator[Document | BadRecord]:
    """Yield the paragraphs under a question.

    The title names them where a data set has one paragraph a title; in MuSiQue 647 titles have
    more, and the id of its one passage is that of a paragraph.
    """
    n_paragraphs = 0
    for n_paragraphs, (title, text, by_text) in enumerate(_paragraphs(record), 1):
        whole = " ".join(map(str.strip, text)) if is_text_list(text) else text
        try:
            document = make_document(title, whole)
        except UnreadableError as error:
            yield BadRecord(f"{place}, paragraph {n_paragraphs}", str(error))
            continue
        identifier = passage_id(document.title, document.text.strip(), 0) if by_text else ""
        yield document._replace(id=identifier, fields={"title": title, "text": text})
    if not n_paragraphs:
        raise UnreadableError("no question with paragraphs")


def _paragraphs(record: RecordFields) -> Iterator[Paragraph]:
    for name in _PARAGRAPHS:
        value = record.get(name)
        if isinstance(value, str):
            held = list(_held_by(_unpacked(value)))
            yield from held or [(record.get("title") or first_words(value), value, True)]
        else:
            yield from _held_by(value)


def _unpacked(text: str) -> object:
    """Parse a text that is JSON, as the Hub stores 2WikiMultihopQA; None for other text."""
    return json_or_none(text) if text.lstrip()[:1] in {"[", "{"} else None


def _held_by(value: object) -> Iterator[Paragraph]:
    """Yield the paragraphs of a list of records or pairs, or of columns."""
    if is_object_list(value):
        for item in value:
            yield item.get("title"), _text(item), True
    elif isinstance(value, dict):
        yield from _of_columns(object_in(value))
    else:
        for pair in map(items_in, items_in(value)):
            if len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], list):
                yield pair[0], pair[1], False


def _of_columns(columns: Mapping[str, object]) -> Iterator[Paragraph]:
    """Yield paragraphs in the Hub's form: ``{"title": [...], "sentences": [[...], ...]}``."""
    titles, texts = items_in(columns.get("title")), items_in(columns.get("sentences"))
    for title, sentences in zip(titles, texts, strict=False):
        yield title, sentences, False


def _text(paragraph: Mapping[str, object]) -> object:
    return next((paragraph[name] for name in _TEXTS if name in paragraph), None)
