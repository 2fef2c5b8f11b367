"""Metadata of a document, in Dublin Core's and other elements: title, author, dates."""

import re
from collections.abc import Iterable
from typing import Final

from hippohover.indexing.corpus.readers.office.package import Element, elements, tag
from hippohover.indexing.corpus.records import clean_title

_FIELDS: Final = {
    "title": "title",
    "creator": "author",
    "initial-creator": "author",
    "subject": "subject",
    "description": "description",
    "keywords": "keywords",
    "keyword": "keywords",
    "category": "category",
    "language": "language",
    "publisher": "publisher",
    "created": "date",
    "creation-date": "date",
    "modified": "modified",
}
"""Names of elements -> names of fields."""

_SEVERAL: Final = ("author", "subject", "keywords")
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(?:-?(\d\d))?(?:-?(\d\d))?")


def fields_of(root: Element | None, names: dict[str, str] | None = None) -> dict[str, object]:
    """Return fields of the elements below one; several of a kind are a list."""
    named = _FIELDS | (names or {})
    pairs = ((named.get(tag(entry), ""), "".join(entry.itertext())) for entry in elements(root))
    return fields_from(pairs)


def fields_from(pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Return fields of names and values: drops blank ones; dates become days ("2024-03-01")."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        words = clean_title(value)
        if name in ("date", "modified"):
            words = day(words)
        if name and words and words not in values.setdefault(name, []):
            values[name].append(words)
    return {
        name: some if len(some) > 1 and name in _SEVERAL else some[0]
        for name, some in values.items()
        if some
    }


def day(date: str) -> str:
    """Return the day of a date in ISO 8601 or PDF's form; leaves anything else as it is."""
    match = _DATE.match(date)
    return "-".join(filter(None, match.groups())) if match else date
