"""Fields of a service's reply, whatever their types."""

import html
import re
from typing import Any, Final, cast

from hippohover.sources.document import LONGEST_TEXT

_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_DOI: Final = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+", re.IGNORECASE)
_ARXIV: Final = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf|html)/|arxiv[.:])"
    r"((?:\d{4}\.\d{4,5})|(?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}))",
    re.IGNORECASE,
)
_MOST_COUNTED: Final = 10**9
_FIRST_YEAR: Final = 1000
_LAST_YEAR: Final = 3000
_WORD: Final = re.compile(r"\w+")


def plain(value: object) -> str:
    """Put a text on one line, without tags, 4,000 characters at most; "" for no text."""
    if not isinstance(value, str):
        return ""
    text = html.unescape(_TAG.sub("", value[: 4 * LONGEST_TEXT]))
    return " ".join(text.encode("utf-8", "ignore").decode().split())[:LONGEST_TEXT]


def count_in(value: object) -> int | None:
    """Return a count from a number or a text; None for anything else, or what counts nothing."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST_COUNTED else None


def year_in(value: object) -> int | None:
    """Return a year from a number or a text; None for anything else, or no year of papers."""
    year = count_in(value)
    return year if year is not None and _FIRST_YEAR <= year <= _LAST_YEAR else None


def mapping(value: object) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def rows(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; nothing for anything else."""
    return [mapping(one) for one in cast("list[Any]", value)] if isinstance(value, list) else []


def doi_in(text: object) -> str:
    """Find the DOI in a text or an address, in lower case; "" where there is none."""
    found = _DOI.search(text) if isinstance(text, str) else None
    return found[0].rstrip(".,;)").lower() if found else ""


def arxiv_id_in(text: object) -> str:
    """Find the arXiv id, without version, in an address or DOI; "" without one."""
    found = _ARXIV.search(text) if isinstance(text, str) else None
    return found[1].lower() if found else ""


def words_in_order(value: object) -> str:
    """Return the words of an index of words to places."""
    placed = [
        (place, word)
        for word, places in mapping(value).items()
        for place in (cast("list[object]", places) if isinstance(places, list) else ())
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:LONGEST_TEXT])


def words_of(query: str, most: int | None = None) -> list[str]:
    """Return the distinct words of a query, in order: services read signs as operators."""
    return list(dict.fromkeys(_WORD.findall(query)))[:most]
