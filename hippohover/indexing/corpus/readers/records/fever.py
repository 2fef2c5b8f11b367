"""FEVER's wiki-pages: ``{"id": "Dune_-LRB-film-RRB-", "text", "lines"}``, an object per page."""

from collections.abc import Iterator

from hippohover.indexing.corpus.fields import RecordFields
from hippohover.indexing.corpus.records import (
    BadRecord,
    Document,
    Link,
    clean_title,
    make_document,
    other_names,
)
from hippohover.names.fever_titles import fever_title, with_signs


def is_fever_page(record: RecordFields) -> bool:
    """Return whether a record has FEVER's fields, and no others."""
    return set(record) == {"id", "text", "lines"} and isinstance(record["lines"], str)


def fever_page(record: dict[str, object], place: str) -> Iterator[Document | BadRecord]:
    """Yield the document of a page: its id is title and name; links are in its lines.

    FEVER's first page of each file is blank.
    """
    title, text, lines = (record.get(name) for name in ("id", "text", "lines"))
    if not (isinstance(title, str) and isinstance(text, str) and isinstance(lines, str)):
        yield BadRecord(place, "no page of FEVER: give id, text and lines as texts")
        return
    document = make_document(fever_title(title) or place, with_signs(text), place)
    if isinstance(document, Document):
        document = document._replace(
            id=clean_title(title),
            aliases=other_names(document.title, [title]),
            links=tuple(_links(document.text, lines)),
            fields=record,
        )
    yield document


def _links(text: str, lines: str) -> Iterator[Link]:
    """Yield the links of a line ``number, sentence, shown, title, shown, title ...``, by tabs."""
    for line in lines.split("\n"):
        _, *parts = line.split("\t")
        for shown, target in zip(parts[1::2], parts[2::2], strict=False):
            title = clean_title(fever_title(target))
            if title:
                yield Link(max(text.find(with_signs(shown)), 0), title)
