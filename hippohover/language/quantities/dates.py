"""Days, months, seasons, years, decades and centuries that begin at a token."""

import re
from dataclasses import replace
from typing import Final, Literal

from hippohover.language.quantities.numbers import unit_behind
from hippohover.language.quantities.quantity import LAST_YEAR, Quantity
from hippohover.language.quantities.scan import Scan
from hippohover.language.quantities.table import CURRENCIES, DASHES, number_words, ordinal_value

_YEARS: Final = range(1000, 2101)
_THIS_CENTURY: Final = 1900
_SIDES: Final = {"before": "before", "after": "after"}
_COMPARED: Final = {"earlier": "before", "later": "after"}
_ENDS: Final[dict[str, Literal["first", "last"]]] = {
    "since": "first",
    "until": "last",
    "till": "last",
}


def date_at(scan: Scan) -> tuple[Quantity, int] | None:
    low = scan.low()
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", low):
        year, month, day = (int(part) for part in low.split("-"))
        if 1 <= month <= 12 and 1 <= day <= 31:
            return _day(year, frozenset([month]), day), 1
    whole = _day_first(scan) or _month_first(scan)
    return _with_end(scan, whole) if whole else _compared(scan) or _span_of_years(scan)


def _with_end(scan: Scan, found: tuple[Quantity, int]) -> tuple[Quantity, int]:
    """Return a date of a year as an end of a stretch of time behind "since" or "until"."""
    date, n_tokens = found
    end = _ENDS.get(scan.low(-1), "") if date.low else ""
    return replace(date, end=end), n_tokens


def _compared(scan: Scan) -> tuple[Quantity, int] | None:
    """Read "before 1920", "after 1900", "later than 1900", "prior to 1900": all years beyond."""
    side, ahead = _SIDES.get(scan.low(), ""), 1
    if scan.low(1) == "than":
        side, ahead = _COMPARED.get(scan.low(), ""), 2
    if (scan.low(), scan.low(1)) == ("prior", "to"):
        side, ahead = "before", 2
    year = _year(scan.low(ahead)) if side else 0
    behind = scan.low(ahead + 1)
    counts = unit_behind(scan, ahead + 1)[0] or behind in number_words().scales
    if not year or counts or behind in DASHES:
        return None
    low, high = (0, year - 1) if side == "before" else (year + 1, LAST_YEAR)
    return Quantity("date", low, high), ahead + 1


def _day_first(scan: Scan) -> tuple[Quantity, int] | None:
    """Read "19 June 1959", "the 19th of June"."""
    day = _day_number(scan.low())
    if not day:
        return None
    ahead = 2 if scan.low(1) == "of" else 1
    months = _months(scan, ahead)
    if not months or len(months) > 1:
        return None
    year, n_more = _year_behind(scan, ahead + 1)
    return _day(year, months, day), ahead + 1 + n_more


def _month_first(scan: Scan) -> tuple[Quantity, int] | None:
    """Read "June 19, 1959", "June 1959", "the spring of 1932"; a month alone after "in" or "of"."""
    months = _months(scan, 0)
    if not months:
        return None
    day = _day_number(scan.low(1)) if len(months) == 1 else 0
    year, n_more = _year_behind(scan, 2 if day else 1)
    if day or year:
        return _day(year, months, day), 1 + bool(day) + n_more
    alone = scan.low(-1) in {"in", "of", "since", "until", "by", "during", "the"}
    certain = len(months) > 1 or scan.text()[:1].isupper()
    return (_day(0, months, 0), 1) if alone and certain and scan.low() not in {"fall"} else None


def _span_of_years(scan: Scan) -> tuple[Quantity, int] | None:
    """Read "1959", "1950s", "the fifties", "1939-45", "between 1939 and 1945", "19th century"."""
    low = scan.low()
    if low in number_words().decades and (scan.low(-1) in {"the", "early", "late", "mid"}):
        start = number_words().decades[low]
        return Quantity("date", start, start + 9), 1
    if decade := _decade(low):
        return decade, 1
    century = ordinal_value(low)
    ahead = 2 if scan.low(1) in DASHES else 1
    if century and scan.low(ahead) == "century":
        end = century * 100
        return Quantity("date", end - 99, end), ahead + 1
    year = _year(low)
    if (
        not year
        or scan.low(-1) in CURRENCIES
        or unit_behind(scan, 1)[0]
        or scan.low(1) in number_words().scales
    ):
        return None
    since = scan.low(-1) == "from" and scan.low(1) in {"until", "till"}
    between = scan.low(1) == "and" and scan.low(-1) == "between"
    if scan.low(1) in DASHES | {"to"} or since or between:
        last = _year(scan.low(2), year)
        if last > year:
            return Quantity("date", year, last, lasts=not between), 3
    return Quantity("date", year, year, end=_ENDS.get(scan.low(-1), "")), 1


def _decade(word: str) -> Quantity | None:
    """Read "1950s", "the 1900s" (a century), "the 50s"."""
    if re.fullmatch(r"[1-9]0s", word):
        start = _THIS_CENTURY + int(word[:-1])
        return Quantity("date", start, start + 9)
    if re.fullmatch(r"\d{3}0s", word):
        start = int(word[:-1])
        return Quantity("date", start, start + (99 if start % 100 == 0 else 9))
    return None


def _year_behind(scan: Scan, ahead: int) -> tuple[int, int]:
    """Return the year that follows, past "of", "the" and a comma, and its tokens; or 0, 0."""
    n_more = 0
    while scan.low(ahead + n_more) in {"of", "the", ",", "in"} and n_more < 2:
        n_more += 1
    year = _year(scan.low(ahead + n_more))
    return (year, n_more + 1) if year else (0, 0)


def _day(year: int, months: frozenset[int], day: int) -> Quantity:
    low, high = (year, year) if year else (0, LAST_YEAR)
    return Quantity("date", low, high, months=months, day=day)


def _day_number(word: str) -> int:
    digits = word.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return int(digits) if digits.isdecimal() and len(digits) < 3 and 1 <= int(digits) <= 31 else 0


def _months(scan: Scan, ahead: int) -> frozenset[int]:
    return frozenset(number_words().months.get(scan.low(ahead), ()))


def _year(word: str, first: int = 0) -> int:
    """Return the year of a word; "45" after 1939 is 1945. 0 when it is none."""
    if not word.isdecimal():
        return 0
    if len(word) == 2 and first:
        return first // 100 * 100 + int(word)
    return int(word) if len(word) == 4 and int(word) in _YEARS else 0
