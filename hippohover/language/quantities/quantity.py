"""A number, an ordinal or a date, and the comparison of two."""

import math
from dataclasses import dataclass
from typing import Final, Literal

from hippohover.language.quantities.table import number_words

Kind = Literal["number", "date", "ordinal", "label", "time"]
Likeness = Literal["same", "other", "open"]

EXACT: Final = 1e-9
LAST_YEAR: Final = 9999
_YEAR: Final = 31_556_952.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, an ordinal, a date, or the number of a name ("Room 4"), as a range.

    Attributes
    ----------
    kind : {"number", "date", "ordinal", "label", "time"}
    low, high : float
        Of a number in the base unit of its kind of unit; of a date in years; of a time of day in
        minutes.
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
    lasts : bool
        Of a date: "from 1935 to 1950", a stretch of time with two ends.
    end : {"", "first", "last"}
        Of a date: "since 1935" and "until 1950" are an end of a stretch of time.
    per : str
        Of a rate, what it is counted by, folded: "day" of "40 mg a day"; "" of what is no rate.
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
    lasts: bool = False
    end: Literal["", "first", "last"] = ""
    per: str = ""

    @property
    def is_compared(self) -> bool:
        """Whether it is all years before or after one: "before 1920"."""
        return self.kind == "date" and not self.months and (self.low == 0 or self.high == LAST_YEAR)


def likeness(claim: Quantity, evidence: Quantity) -> Likeness | None:
    """Return whether the evidence's quantity is the claim's, another one, or undecided.

    None where the two are not of one kind. A claim that names a range, a decade or a season holds
    for each value inside it; "from 1935 to 1950" needs a year at one of its ends.
    """
    if claim.kind == "date" == evidence.kind:
        return _dates(claim, evidence)
    if {claim.kind, evidence.kind} == {"date", "number"}:  # "1959" may count something
        return _date_and_number(claim, evidence)
    if claim.kind != evidence.kind:
        return None
    if claim.per and evidence.per and claim.per != evidence.per:
        return "other"
    if claim.unit != evidence.unit:
        return _of_two_units(claim, evidence)
    return _ranges(claim, evidence)


def _date_and_number(claim: Quantity, evidence: Quantity) -> Likeness | None:
    """Compare a year with a bare number, and "from 1935 to 1950" with a claim's "15 years"."""
    year, other = (claim, evidence) if claim.kind == "date" else (evidence, claim)
    if other is claim and year.lasts and other.unit == "time":
        n_years = year.high - year.low
        return "same" if other.low == other.high and abs(other.low / _YEAR - n_years) < 1 else None
    same = not year.months and year.low == year.high == other.low == other.high
    return "same" if same and not other.unit else None


def _of_two_units(claim: Quantity, evidence: Quantity) -> Likeness | None:
    """Compare two numbers of which one may lack its unit; two sums of money differ."""
    if {claim.unit, evidence.unit} <= number_words().money:
        return "other"
    bare = claim.kind == "number" and not (claim.unit and evidence.unit)
    return "same" if bare and claim.low == evidence.low and claim.high == evidence.high else None


def _ranges(claim: Quantity, evidence: Quantity) -> Likeness:
    """Return the same for two numbers of one unit."""
    low, high = _wider(claim.low, -claim.slack), _wider(claim.high, claim.slack)
    if math.isinf(claim.low) and low < evidence.low < evidence.high <= high:
        return "open"  # "less than 10" is so between 5 and 8; "up to 10" may not be
    if _both_to(claim, evidence) and not (
        _wider(evidence.high, -claim.slack) <= claim.high <= _wider(evidence.high, claim.slack)
        and (low <= evidence.low or claim.low == evidence.low)
        and (math.isinf(claim.low) or evidence.low <= _wider(claim.low, claim.slack))
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
    """Return whether both have an upper end: "up to 60", "between 45 and 120"."""
    ranges = claim.low < claim.high and evidence.low < evidence.high
    return ranges and math.isfinite(claim.high) and math.isfinite(evidence.high)


def _wider(end: float, slack: float) -> float:
    """Widen an end of a range by what rounding leaves open: 188 cm are 1.88 m."""
    return end + slack + (math.copysign(EXACT * abs(end), slack) if math.isfinite(end) else 0.0)


def _ends_alike(claim: Quantity, evidence: Quantity) -> bool:
    """Return whether what the claim says of the ends of a stretch of time is so."""
    first = claim.end == "last" or claim.low == evidence.low
    return first and (claim.end == "first" or claim.high == evidence.high)


def _is_inside(claim: Quantity, evidence: Quantity) -> Likeness | None:
    """Return "same" for a date after "since 2004", and "open" for one before "until 1910".

    What was so until 1910 began at a time that nobody says. None beyond that end.
    """
    if not evidence.end or claim.end or claim.lasts or claim.is_compared or not evidence.low:
        return None
    mine, other = _days_counted(claim), _days_counted(evidence)
    if evidence.end == "first":
        return "same" if mine[0] > other[1] else None
    return "open" if mine[1] < other[0] else None


def _days_counted(date: Quantity) -> tuple[float, float]:
    """Return the first and the last day of a date, counted from the year 0 in months of 31."""
    first = (date.low * 12 + min(date.months, default=1)) * 31 + (date.day or 1)
    last = (date.high * 12 + max(date.months, default=12)) * 31 + (date.day or 31)
    return first, last


def _dates(claim: Quantity, evidence: Quantity) -> Likeness:
    return _is_inside(claim, evidence) or _of_two_dates(claim, evidence)


def _of_two_dates(claim: Quantity, evidence: Quantity) -> Likeness:
    if evidence.lasts and (claim.lasts or claim.end):
        return "same" if _ends_alike(claim, evidence) else "other"
    if evidence.lasts and evidence.low <= claim.low and claim.high <= evidence.high:
        return "same"  # what lasted from 1935 to 1950 was so in 1940
    if evidence.high < claim.low or evidence.low > claim.high:
        return "other"
    if claim.months and evidence.months and not claim.months & evidence.months:
        return "other"
    if claim.day and evidence.day and claim.day != evidence.day:
        return "other"
    # What happened in 1940 does not say that something lasted from 1935 to 1950.
    amid = claim.lasts and claim.low < evidence.low and evidence.high < claim.high
    finer = (
        claim.low <= evidence.low
        and evidence.high <= claim.high
        and not amid
        and (not claim.months or (bool(evidence.months) and evidence.months <= claim.months))
        and (not claim.day or bool(evidence.day))
    )
    return "same" if finer else "open"
