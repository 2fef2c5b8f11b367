"""Numbers, units and dates in running text, and whether one says the same as another.

``quantulum3``, ``word2number`` and ``text2num`` were tried on the tests' phrases: none reads dates,
a range becomes its mean, "third" one third, and the first takes 2 seconds to load. The words stand
in ``numbers.toml``.
"""

import math
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from hippohover.verification.reading.cues import word_list

Kind = Literal["number", "date", "ordinal", "label"]
Likeness = Literal["same", "other", "open"]

_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d{3,4}s\b|\d+(?:st|nd|rd|th)\b|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|[^\W\d_][^\W_]*|[%$€£°–—-]|\S"
)
_YEARS = range(1000, 2101)
_SMALL: Final = 12
_EXACT: Final = 1e-9
_MONEY: Final = {"m": 1e6, "k": 1e3, "b": 1e9}
"""Behind a sum of money: "£4.5m" are millions, and no metres."""
_DASHES = frozenset("-–—")
_JOINED_BY = frozenset("ofthe")
_CURRENCIES = frozenset("$€£")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, an ordinal, a date, or the number of a name ("Room 4"), as a range.

    Attributes
    ----------
    kind : {"number", "date", "ordinal", "label"}
    low, high : float
        Of a number in the base unit of its kind of unit; of a date in years.
    unit : str
        Kind of unit; "" for a bare number; of a label the word before it, folded.
    start, stop : int
        Characters of the text.
    months : frozenset of int
        Of a date; empty where it names none.
    day : int
        0 where there is none.
    slack : float
        How far a value may be off and still be this one: what rounding leaves open.
    written : bool
        A number of at most twelve in letters: it may count nothing ("one of them").
    falling : bool
        A range that goes down: "from 8 to 5".
    """

    kind: Kind
    low: float
    high: float
    unit: str = ""
    start: int = 0
    stop: int = 0
    months: frozenset[int] = frozenset()
    day: int = 0
    slack: float = 0.0
    written: bool = False
    falling: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    low: str
    start: int
    stop: int


@dataclass
class _Scan:
    """The tokens of a text, and how many of them were read."""

    tokens: list[_Token]
    at: int = 0
    found: list[Quantity] = field(default_factory=list[Quantity])

    def low(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].low if 0 <= at < len(self.tokens) else ""

    def text(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""


def quantities_in(text: str) -> list[Quantity]:
    """Quantities of a text, in order."""
    scan = _Scan([_Token(m[0], m[0].casefold(), *m.span()) for m in _TOKEN.finditer(text)])
    while scan.at < len(scan.tokens):
        read = _date(scan) or _ordinal(scan) or _number(scan)
        if read is None:
            scan.at += 1
            continue
        quantity, n_tokens = read
        first, last = scan.tokens[scan.at], scan.tokens[scan.at + n_tokens - 1]
        scan.found.append(_placed(quantity, first.start, last.stop))
        scan.at += n_tokens
    return scan.found


def likeness(claim: Quantity, evidence: Quantity) -> Likeness | None:
    """Whether a quantity of the evidence is the claim's, another one, or leaves it open.

    None where the two are not of one kind. A claim that names a range, a decade or a season holds
    for each value inside it.
    """
    if claim.kind == "date" == evidence.kind:
        return _dates(claim, evidence)
    if {claim.kind, evidence.kind} == {"date", "number"}:  # "1959" may count something
        year = claim if claim.kind == "date" else evidence
        other = evidence if year is claim else claim
        same = not year.months and year.low == year.high == other.low == other.high
        return "same" if same and not other.unit else None
    if claim.kind != evidence.kind:
        return None
    if claim.unit != evidence.unit:
        bare = claim.kind == "number" and not (claim.unit and evidence.unit)
        return (
            "same" if bare and claim.low == evidence.low and claim.high == evidence.high else None
        )
    return _ranges(claim, evidence)


def _ranges(claim: Quantity, evidence: Quantity) -> Likeness:
    """The same of two numbers of one unit."""
    low, high = _wider(claim.low, -claim.slack), _wider(claim.high, claim.slack)
    if _both_to(claim, evidence) and not (
        _wider(evidence.high, -claim.slack) <= claim.high <= _wider(evidence.high, claim.slack)
        and (low <= evidence.low or claim.low == evidence.low)
        and evidence.low <= _wider(claim.low, claim.slack)
    ):
        return "other"  # "up to 60" is not said where it is up to 16
    if claim.falling != evidence.falling and low < high and evidence.low < evidence.high:
        return "other"  # "from 8 to 5" is not from 5 to 8
    if low <= evidence.low and evidence.high <= high:
        return "same"
    apart = evidence.high < low or evidence.low > high
    near = (
        evidence.low - evidence.slack <= claim.low and claim.high <= evidence.high + evidence.slack
    )
    return "open" if near or not apart else "other"


def _both_to(claim: Quantity, evidence: Quantity) -> bool:
    """Whether both have an upper end: "up to 60", "between 45 and 120"."""
    ranges = claim.low < claim.high and evidence.low < evidence.high
    return ranges and math.isfinite(claim.high) and math.isfinite(evidence.high)


def _wider(end: float, slack: float) -> float:
    """An end of a range, with what rounding leaves open: 188 cm are 1.88 m."""
    return end + slack + (math.copysign(_EXACT * abs(end), slack) if math.isfinite(end) else 0.0)


def _dates(claim: Quantity, evidence: Quantity) -> Likeness:
    if evidence.high < claim.low or evidence.low > claim.high:
        return "other"
    if claim.months and evidence.months and not claim.months & evidence.months:
        return "other"
    if claim.day and evidence.day and claim.day != evidence.day:
        return "other"
    finer = (
        claim.low <= evidence.low
        and evidence.high <= claim.high
        and (not claim.months or (bool(evidence.months) and evidence.months <= claim.months))
        and (not claim.day or bool(evidence.day))
    )
    return "same" if finer else "open"


def _date(scan: _Scan) -> tuple[Quantity, int] | None:
    low = scan.low()
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", low):
        year, month, day = (int(part) for part in low.split("-"))
        if 1 <= month <= 12 and 1 <= day <= 31:
            return _day(year, frozenset([month]), day), 1
    return _day_first(scan) or _month_first(scan) or _span_of_years(scan)


def _day_first(scan: _Scan) -> tuple[Quantity, int] | None:
    """ "19 June 1959", "the 19th of June"."""
    day = _day_number(scan.low())
    if not day:
        return None
    ahead = 2 if scan.low(1) == "of" else 1
    months = _months(scan, ahead)
    if not months or len(months) > 1:
        return None
    year, n_more = _year_behind(scan, ahead + 1)
    return _day(year, months, day), ahead + 1 + n_more


def _month_first(scan: _Scan) -> tuple[Quantity, int] | None:
    """ "June 19, 1959", "June 1959", "the spring of 1932"; a month alone behind "in" or "of"."""
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


def _span_of_years(scan: _Scan) -> tuple[Quantity, int] | None:
    """ "1959", "1950s", "the fifties", "1939-45", "between 1939 and 1945", "19th century"."""
    low = scan.low()
    if low in _table().decades and (scan.low(-1) in {"the", "early", "late", "mid"}):
        start = _table().decades[low]
        return Quantity("date", start, start + 9), 1
    if re.fullmatch(r"\d{3}0s", low):
        start = int(low[:-1])
        return Quantity("date", start, start + (99 if start % 100 == 0 else 9)), 1
    century = _ordinal_value(low)
    ahead = 2 if scan.low(1) in _DASHES else 1
    if century and scan.low(ahead) == "century":
        end = century * 100
        return Quantity("date", end - 99, end), ahead + 1
    year = _year(low)
    if (
        not year
        or scan.low(-1) in _CURRENCIES
        or _unit(scan, 1)[0]
        or scan.low(1) in _table().scales
    ):
        return None
    if scan.low(1) in _DASHES | {"to"} or (scan.low(1) == "and" and scan.low(-1) == "between"):
        last = _year(scan.low(2), year)
        if last > year:
            return Quantity("date", year, last), 3
    return Quantity("date", year, year), 1


def _year_behind(scan: _Scan, ahead: int) -> tuple[int, int]:
    """The year that follows, past "of", "the" and a comma, and its tokens; or 0, 0."""
    n_more = 0
    while scan.low(ahead + n_more) in {"of", "the", ",", "in"} and n_more < 2:
        n_more += 1
    year = _year(scan.low(ahead + n_more))
    return (year, n_more + 1) if year else (0, 0)


def _ordinal(scan: _Scan) -> tuple[Quantity, int] | None:
    value = _ordinal_value(scan.low())
    if not value or (scan.low() == "second" and scan.low(-1).isdecimal()):
        return None
    return Quantity("ordinal", value, value, written=scan.low().isalpha()), 1


def _number(scan: _Scan) -> tuple[Quantity, int] | None:
    value, n_tokens = _value(scan, 0)
    if not n_tokens:
        return None
    label = _label(scan, n_tokens)
    if label:
        return Quantity("label", value, value, label), n_tokens
    unit, factor, n_unit = _unit_around(scan, n_tokens)
    written = scan.low().isalpha() and value <= _SMALL and not unit
    round_ = _rounding(scan, n_tokens, value)
    second, n_second = _second_of_range(scan, n_tokens + n_unit)
    if n_second:
        last_unit, last_factor, n_last = _unit_around(scan, n_tokens + n_unit + n_second)
        unit, factor = (unit, factor) if unit else (last_unit, last_factor)
        ends = sorted((value * factor, second * (last_factor if last_unit else factor)))
        n_all = n_tokens + n_unit + n_second + n_last
        falls = ends[0] < ends[1] and value * factor == ends[1]
        return Quantity("number", ends[0], ends[1], unit, falling=falls), n_all
    low, high, slack = _bounded(scan, value * factor, round_ * factor)
    return Quantity("number", low, high, unit, slack=slack, written=written), n_tokens + n_unit


def _value(scan: _Scan, ahead: int) -> tuple[float, int]:
    """The number that begins there, in digits or letters, with its scale; and its tokens, or 0."""
    table = _table()
    total, current, n_tokens, seen = 0.0, 0.0, 0, False
    while word := scan.low(ahead + n_tokens):
        money = seen and n_tokens == 1 and scan.low(ahead - 1) in _CURRENCIES
        if money and word in _MONEY:
            current *= _MONEY[word]
        elif (
            word[0].isdecimal()
            and word.replace(",", "").replace(".", "", 1).isdecimal()
            and not seen
        ):
            current = float(word.replace(",", ""))
        elif word in table.values and (
            not seen or current % 10 == 0 or scan.low(ahead + n_tokens - 1) == "and"
        ):
            current += table.values[word]
        elif word in table.scales and (seen or word in {"dozen", "hundred", "thousand", "million"}):
            if not seen and scan.low(ahead - 1) not in {"a", "an", "half"}:
                break
            scale = table.scales[word]
            current = (current or 1.0) * scale
            if scale >= 1000:
                total, current = total + current, 0.0
        elif seen and word in _DASHES | {"and"} and _goes_on(scan, ahead + n_tokens, word):
            n_tokens += 1
            continue
        else:
            break
        seen = True
        n_tokens += 1
    return total + current, n_tokens if seen else 0


def _goes_on(scan: _Scan, at: int, word: str) -> bool:
    """Whether "and" or a hyphen stands inside a number in letters."""
    table, before, after = _table(), scan.low(at - 1), scan.low(at + 1)
    if word == "and":
        return before in table.scales and after in table.values
    tens = before in table.values and table.values[before] >= 20
    return (tens and after in table.values) or (before.isalnum() and after in table.scales)


def _label(scan: _Scan, n_tokens: int) -> str:
    """The name whose number this is ("Room 4", "PEP 563"), folded; "" where it counts something."""
    before = scan.text(-1)
    named = before[:1].isupper() and before.isalpha() and scan.at > 1
    named = named or (before.isupper() and before.isalpha() and len(before) > 1)
    plain = n_tokens == 1 and scan.low().isdecimal()
    return before.casefold() if named and plain and before.casefold() not in _PLAIN else ""


_PLAIN: Final = word_list("no_label")


def _second_of_range(scan: _Scan, ahead: int) -> tuple[float, int]:
    """The upper end of "85% to 90%" or "between 80 and 90", and its tokens with what joins them."""
    joint = scan.low(ahead)
    between = any(scan.low(-back) == "between" for back in (1, 2))
    since = any(scan.low(-back) == "from" for back in (1, 2))
    if not (
        joint in {"–", "—"}
        or (joint == "and" and between)
        or (joint == "to" and since)
        or joint == "to"
    ):
        return 0.0, 0
    at = ahead + 1 + (scan.low(ahead + 1) in _CURRENCIES)
    value, n_tokens = _value(scan, at)
    return (value, at - ahead + n_tokens) if n_tokens else (0.0, 0)


def _unit_around(scan: _Scan, n_tokens: int) -> tuple[str, float, int]:
    if scan.low(-1) in _CURRENCIES:
        kind, factor = _table().units[scan.low(-1)]
        return kind, factor, 0
    return _unit(scan, n_tokens)


def _unit(scan: _Scan, ahead: int) -> tuple[str, float, int]:
    """Kind, factor and tokens of the unit that follows; "", 1, 0 without one."""
    skipped = ahead + (scan.low(ahead) in _DASHES)
    for length in (2, 1):
        words = [scan.low(skipped + at) for at in range(length)]
        if not all(words):
            continue
        for name in (" ".join(words), "".join(words), " ".join(words).removesuffix("s")):
            if name in _table().units:
                kind, factor = _table().units[name]
                return kind, factor, skipped - ahead + length
    return "", 1.0, 0


def _bounded(scan: _Scan, value: float, slack: float) -> tuple[float, float, float]:
    """Range of a number behind "above", "at most" or "about"; how far it may be off."""
    before = [scan.low(-back) for back in range(4, 0, -1) if scan.low(-back) not in _CURRENCIES]
    told = [
        (kind, phrase)
        for kind, phrases in _table().bounds.items()
        for phrase in phrases
        if before[-len(phrase) :] == list(phrase)
    ]
    if not told:
        return value, value, slack
    kind, phrase = max(told, key=lambda one: len(one[1]))  # "no more than", and not "more than"
    if kind == "above":
        itself = "least" in phrase or "no" in phrase
        return value * (1 + (0.0 if itself else _EXACT * 2)), float("inf"), 0.0
    if kind == "below":
        return float("-inf"), value, 0.0
    return value, value, max(slack, 0.1 * abs(value))


def _rounding(scan: _Scan, n_tokens: int, value: float) -> float:
    """Half of the last place that a number in scale words ("67 million") is given to."""
    scales = [
        _table().scales[scan.low(at)] for at in range(n_tokens) if scan.low(at) in _table().scales
    ]
    if not scales or value <= 0 or not scan.low()[0].isdecimal():
        return 0.0
    decimals = len(scan.low().partition(".")[2])
    return 0.5 * max(scales) / 10**decimals


@dataclass(frozen=True)
class _Table:
    values: dict[str, float]
    scales: dict[str, float]
    ordinals: dict[str, int]
    decades: dict[str, int]
    months: dict[str, list[int]]
    units: dict[str, tuple[str, float]]
    bounds: dict[str, list[tuple[str, ...]]]


@cache
def _table() -> _Table:
    told: dict[str, Any] = tomllib.loads(
        (files("hippohover.verification.reading") / "numbers.toml").read_text("utf-8")
    )
    units = {
        name: (kind, float(factor))
        for kind, names in told["units"].items()
        for name, factor in names.items()
    }
    bounds = {
        kind: sorted((tuple(phrase.split()) for phrase in phrases), key=len, reverse=True)
        for kind, phrases in told["bounds"].items()
    }
    kept = ("values", "scales", "ordinals", "decades", "months")
    return _Table(**{name: told[name] for name in kept}, units=units, bounds=bounds)


def _day(year: int, months: frozenset[int], day: int) -> Quantity:
    low, high = (year, year) if year else (0, 9999)
    return Quantity("date", low, high, months=months, day=day)


def _day_number(word: str) -> int:
    digits = word.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return int(digits) if digits.isdecimal() and len(digits) < 3 and 1 <= int(digits) <= 31 else 0


def _months(scan: _Scan, ahead: int) -> frozenset[int]:
    return frozenset(_table().months.get(scan.low(ahead), ()))


def _year(word: str, first: int = 0) -> int:
    """The year that a word is; "45" behind 1939 is 1945. 0 when it is none."""
    if not word.isdecimal():
        return 0
    if len(word) == 2 and first:
        return first // 100 * 100 + int(word)
    return int(word) if len(word) == 4 and int(word) in _YEARS else 0


def _ordinal_value(word: str) -> int:
    if match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word):
        return int(match[1])
    return _table().ordinals.get(word, 0)


def _placed(quantity: Quantity, start: int, stop: int) -> Quantity:
    from dataclasses import replace

    return replace(quantity, start=start, stop=stop)
