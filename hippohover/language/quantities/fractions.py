"""Shares in words at a token: "one in five", "two thirds of", "half of", "all of"."""

from typing import Final

from hippohover.language.quantities.numbers import bounded, unit_behind, value_at
from hippohover.language.quantities.quantity import Quantity
from hippohover.language.quantities.scan import Scan
from hippohover.language.quantities.table import number_words

_WHOLE: Final = 100.0
_MOST: Final = 1_000_000
_YEAR: Final = 4
_COUNTED: Final = frozenset(["of", "more", "less", "fewer", "larger", "smaller", "as"])

_NO_REPETITIONS: Final = frozenset(
    ["the", "a", "an", "as", "that", "his", "her", "its", "their", "-"]
)
_ENDS: Final = frozenset(["", ".", ",", ";", "!"])


def fraction_at(scan: Scan) -> tuple[Quantity, int] | None:
    """Return a share in per cent; None where none begins."""
    return _one_in_five(scan) or _two_thirds(scan)


def repetition_at(scan: Scan) -> tuple[Quantity, int] | None:
    """Return "twice" as two times, and "once" at the end of a clause as one; None elsewhere.

    Not "twice the size", "twice as many", "twice a week", "it was once a mill".
    """
    value, behind = number_words().repetitions.get(scan.low(), 0.0), scan.low(1)
    if not value or behind in _NO_REPETITIONS or (value == 1 and behind not in _ENDS):
        return None
    return Quantity("number", float(value), float(value), "times"), 1


def _one_in_five(scan: Scan) -> tuple[Quantity, int] | None:
    """Read "one in five", "3 in 100,000", "four out of five"; not "two in 10 minutes"."""
    value, n_tokens = value_at(scan, 0)
    if not n_tokens:
        return None
    joint = 2 if (scan.low(n_tokens), scan.low(n_tokens + 1)) == ("out", "of") else 1
    if joint == 1 and scan.low(n_tokens) != "in":
        return None
    whole, n_whole = value_at(scan, n_tokens + joint)
    digits = scan.low(n_tokens + joint)
    year = digits.isdecimal() and len(digits) == _YEAR
    if not n_whole or not 0 < value < whole <= _MOST or year:
        return None
    n_all = n_tokens + joint + n_whole
    if unit_behind(scan, n_all)[0] or scan.low(n_all) in {"-", "st", "nd", "rd", "th"}:
        return None
    share = _WHOLE * value / whole
    return Quantity("number", share, share, "share", slack=1e-6), n_all


def _two_thirds(scan: Scan) -> tuple[Quantity, int] | None:
    """Read "half of", "a third of", "two-thirds more", "all of"."""
    table = number_words()
    if scan.low() in {"all", "half"} and scan.low(1) == "of":
        low, high, slack = bounded(scan, _WHOLE if scan.low() == "all" else _WHOLE / 2, 0.0)
        return Quantity("number", low, high, "share", slack=slack, written=True), 1
    parts = 1.0 if scan.low() in {"a", "one"} else table.values.get(scan.low(), 0.0)
    name = 2 if scan.low(1) == "-" else 1
    divisor = table.fractions.get(scan.low(name).removesuffix("s"), 0)
    if not parts or not divisor or parts >= divisor or scan.low(name + 1) not in _COUNTED:
        return None
    low, high, slack = bounded(scan, _WHOLE * parts / divisor, 1.0)
    return Quantity("number", low, high, "share", slack=slack, written=True), name + 1
