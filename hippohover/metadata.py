"""Metadata of a passage: its document, its place there, and fields of the corpus."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, TypeAlias
from urllib.parse import urlsplit

MetadataValue: TypeAlias = str | int | float | bool
Metadata: TypeAlias = Mapping[str, MetadataValue]

OWN_NAMES: Final = ("id", "path", "page", "anchor", "heading")
"""Names of ours: the document's id and file, the page and the place in it, the headings above."""

_LONGEST_DATE: Final = 80
_DIGITS_OF_SECONDS: Final = 10
_SINCE_1970: Final = re.compile(r"([1-9]\d{9}|[1-9]\d{12})(?:\.\d{1,9})?")
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
_NAME: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_TIME: Final = r"(?:,?[T ](?P<time>\d?\d:\d\d(?::\d\d)?) ?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
_WEEKDAY: Final = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
_YEAR: Final = r"(?P<year>\d{4})"
_NUMBER: Final = r"(?P<month>0?[1-9]|1[0-2])"
_OTHER_DATES: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_WEEKDAY}{_DAY}(?:st|nd|rd|th)?[ -]{_NAME},?[ -]{_YEAR}{_TIME}",
        rf"{_WEEKDAY}{_NAME} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}{_TIME}",
        rf"{_NAME},? {_YEAR}",
        rf"{_YEAR}([-/.]){_NUMBER}\2{_DAY}{_TIME}",
        rf"{_DAY}\.{_NUMBER}\.{_YEAR}{_TIME}",
    )
)
_THIS_MACHINE: Final = frozenset(["localhost", "127.0.0.1", "::1"])
_WEB_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_OWN_NAME = re.compile(rf"(?:field\.)*(?:{'|'.join(OWN_NAMES)})")


def iso_date(text: str) -> str:
    """Return a date in ISO 8601; "" for anything else, or where it may be two: 5/6/2024.

    Read are dates of mail, of ``date`` and of social media ("Wed, 1 May 2024 10:00:00 +0200", "Wed
    May  1 10:00:00 +0000 2024"), "1 May 2024", "May 1, 2024", "May 2024", "2024/05/01",
    "2024-5-1", "1.5.2024", and seconds or milliseconds since 1970, of 2001 or later.
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST_DATE:
        return ""
    if seconds := _SINCE_1970.fullmatch(text):
        whole = float(text) / (1000 if len(seconds[1]) > _DIGITS_OF_SECONDS else 1)
        return datetime.fromtimestamp(whole, UTC).isoformat()
    for form in _OTHER_DATES:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            month = parts["month"].lower()[:3]
            number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
            day = f"-{int(parts['day']):02}" if parts.get("day") else ""
            time = f"T{parts['time'].rjust(5, '0')}" if parts.get("time") else ""
            return f"{parts['year']}-{number:02}{day}{time}{parts.get('zone') or ''}"
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def name_of_field(field: str) -> str:
    """Return the name of a corpus field among ours: "page" becomes "field.page".

    No two fields get one name, and none gets one of ours.
    """
    return f"field.{field}" if _OWN_NAME.fullmatch(field) else field


def citation(title: str, metadata: Metadata) -> str:
    """Return a passage's place in words: "report.pdf, p. 12" or "notes/x.md#Rates".

    A passage that is in no file is cited by its document's title, and by its ``url`` if it has one.
    """
    path, page, anchor = (metadata.get(name) for name in ("path", "page", "anchor"))
    if page:
        return f"{path or title}, p. {page}"
    if path:
        return f"{path}#{anchor}" if anchor else str(path)
    address = web_address(metadata.get("url"))
    return f"{title}, {address}" if address else title


def web_address(value: object) -> str:
    """Return an address that a browser opens over HTTP; "" for anything else."""
    return value if isinstance(value, str) and _WEB_ADDRESS.fullmatch(value) else ""


def is_private(address: str) -> bool:
    """Return whether nobody on the way reads what is sent: HTTPS, or HTTP on this machine."""
    parts = urlsplit(address)
    is_local = parts.scheme == "http" and parts.hostname in _THIS_MACHINE
    return bool(parts.hostname) and (parts.scheme == "https" or is_local)
