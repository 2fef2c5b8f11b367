"""Dates as fields of documents have them: to ISO 8601, and to seconds since 1970."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from typing import Final

from hippohover.language.quantities.table import number_words

_LONGEST_DATE: Final = 80
_DIGITS_OF_SECONDS: Final = 10
_SINCE_1970: Final = re.compile(r"([1-9]\d{9}|[1-9]\d{12})(?:\.\d{1,9})?")
_MONTH: Final = {name: at for name, at in number_words().months.items() if len(at) == 1}
_NAME: Final = rf"(?P<month>{'|'.join(sorted(_MONTH, key=len, reverse=True))})\.?"
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
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_AND_MONTH: Final = re.compile(r"\d{4}(-\d\d)?")
_SECONDS: Final = re.compile(r"\d{9,15}(\.\d{0,9})?")
_LEAST_MILLISECONDS: Final = 1e11  # as seconds it would be the year 5138


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
            month = parts["month"].lower()
            [number] = _MONTH[month] if month in _MONTH else [int(month)]
            day = f"-{int(parts['day']):02}" if parts.get("day") else ""
            time = f"T{parts['time'].rjust(5, '0')}" if parts.get("time") else ""
            return f"{parts['year']}-{number:02}{day}{time}{parts.get('zone') or ''}"
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def seconds_of(date: object) -> float:
    """Convert a date to seconds since 1970, -inf where it is none.

    Read are ISO 8601 (``2024``, ``2024-05``, ``2024-05-01``, ``2024-05-01T10:00Z``), the dates that
    ``iso_date`` reads, and seconds or milliseconds since 1970. UTC where no zone is named.
    """
    if isinstance(date, bool) or not isinstance(date, str | int | float):
        return -inf
    text = str(date).strip()
    if len(text) > _LONGEST_DATE:
        return -inf
    if _SECONDS.fullmatch(text):
        number = float(text)
        return number / 1000 if number >= _LEAST_MILLISECONDS else number
    for written in (text, iso_date(text)):
        if whole := _YEAR_AND_MONTH.fullmatch(written):
            written += "-01" if whole[1] else "-01-01"  # noqa: PLW2901
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            continue
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - _EPOCH).total_seconds()
    return -inf
