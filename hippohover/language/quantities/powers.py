"""Powers of ten, also where the superscript got lost: "10^-3 mol", "10⁻³ mol", "10−3 mol"."""

import re
from typing import Final

_SUPERSCRIPTS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN: Final = str.maketrans("⁻−–" + _SUPERSCRIPTS, "---0123456789")

UNIT: Final = (
    r"(?:[kMGTcdmµμnpf]?(?:mol|m|g|s|A|K|Hz|W|J|V|Pa|N|eV|L|l|M|T|Ω)"
    r"|mole|met(?:re|er)s?|grams?|kilograms?|lit(?:re|er)s?|seconds?|molar)(?![^\W\d_])"
)
"""Units of measurement before which a power of ten is likely: no days, no people."""
WRITTEN: Final = (
    rf"(?:\s?(?:\^|\*\*)\s?\{{?[-−]?\d{{1,2}}\}}?|⁻?[{_SUPERSCRIPTS}]{{1,2}})"
    rf"(?![\d{_SUPERSCRIPTS}])"
)
"""An exponent behind "10"."""
LOST: Final = rf"(?:−\d{{1,2}}|(?<!from 10)(?<!between 10)[-–][1-9])(?!\d)(?=\s?{UNIT})"
"""An exponent behind "10" that lost its superscript: with a minus, or with a dash and one digit.

"10-30 mol" is a range, but a range of "10-3 mol" would begin with its higher end.
"""
POWER: Final = (
    r"(?<![\d.,^$€£])(?:\d[\d,]{0,15}(?:\.\d{1,15})?\s?[×x·]\s?"
    rf"10(?:{WRITTEN}|−\d{{1,2}}(?!\d)|[-–]\d{{1,2}}(?!\d)(?=\s?{UNIT}))|10(?:{WRITTEN}|{LOST}))"
)
"""A power of ten, with the number before "×" if there is one."""

_PARTS: Final = re.compile(r"(?:(?P<times>[\d,.]+)\s?[×x·]\s?)?10\D*?(?P<exponent>-?\d+)\}?")


def power_of_ten(word: str) -> float | None:
    """Return the value of a power of ten, as ``POWER`` finds it; None for another word."""
    parts = _PARTS.fullmatch(word.translate(_PLAIN))
    if parts is None:
        return None
    return float((parts["times"] or "1").replace(",", "") + f"e{parts['exponent']}")
