"""Quantities in a text: numbers that a measurement, a test or a survey states."""

import re
from typing import Final

from hippohover.language.quantities.powers import LOST

QUANTITY_WEIGHT: Final = 1.5
"""Weight of a passage that states a quantity, beside 1 for others."""

# Bounded, and never begun within a number: in a text of digits alone the search stays linear.
_DIGITS = r"\d{1,15}"
_EXPONENT = r"(?:(?:\^|\*\*)\s?\{?[-−]?\d{1,3}\}?|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})"
_POWER = rf"10(?:\s?{_EXPONENT}(?![\d⁰¹²³⁴⁵⁶⁷⁸⁹])|{LOST})"
_NUMBER = (
    rf"(?<![\d.,^])(?<!\^[-−])(?<!\*\*)(?<!\*\*[-−])(?:{_POWER}|[-+−]?"
    rf"(?:{_DIGITS}(?:[,\u00a0\u202f]\d{{3}}(?!\d)){{0,4}}"
    rf"(?:\.{_DIGITS}|,\d{{1,2}}(?!\d))?|\.{_DIGITS})(?!\d)"
    rf"(?:\s?[×x]\s?10\s?(?:{_EXPONENT}|[-−–]?\d{{1,3}})|[eE][-+]?\d{{1,3}})?)"
)
_UNIT = (
    r"(?:[kMGTcmµμnp]?(?:m|g|(?<!\d{4})s|A|K|mol|Hz|W|J|V|Pa|N|eV|B|L|l|bit|bytes?|M|T|Ω)\b(?:\^?[²³]|\^?-?\d)?"
    r"(?:\s?/\s?(?:[A-Za-zµμ]{1,12})\b)?"
    r"|°\s?[CF]|km²|m²|hectares?|acres?|square\s(?:miles?|kilomet(?:er|re)s?)|miles?|feet|ft|inches"
    r"|years?|months?|days?|hours?|hrs?|minutes?|min|seconds?|sec|people|inhabitants|metres|meters"
    r"|kilomet(?:er|re)s?|kilograms?|tonnes?|tons?|pounds?|lbs?|dollars?|euros?|million|billion)"
)
_EFFECT = (
    r"(?i:Cohen['’]s\s+d|Hedges['’]?s?\s+g|(?:odds|hazards?|risk|rate|prevalence|likelihood)\s+ratios?"
    r"|relative\s+risks?|standardi[sz]ed\s+mean\s+differences?|(?:log_?2\s+)?fold[-\s]changes?)"
)
_SHORT_EFFECT = r"a?(?:OR|HR|RR|IRR|SMD)"
_SAYS = r"(?:\s?[=:,≈~]\s?|\s+(?:of|was|were|is|about)\s+|\s+)"
_PATTERNS: Final = {
    "interval": r"(?:(?<!\d)\d{1,3}\s?%\s?)?(?:CI|confidence\s+interval)s?\s?[:=,]?\s?[\[(]?"
    rf"\s?{_NUMBER}\s?(?:%\s?)?(?:to|[-–—,;])\s?{_NUMBER}",
    "plus-minus": rf"{_NUMBER}\s?(?:±|\+/-)\s?{_NUMBER}",
    "p-value": rf"\b[pP](?:\s?[<>=≤≥]|[-\s]?values?\s?(?:[<>=≤≥]|of|was|is))\s?{_NUMBER}",
    "effect size": rf"\b(?:{_EFFECT}(?:\s?\({_SHORT_EFFECT}s?\))?{_SAYS}{_NUMBER}"
    # Without a sign of equality only with a fraction: "Salem, OR 97301", "red OR 2 blue".
    rf"|{_SHORT_EFFECT}s?{_SAYS}(?=[-−]?\d*\.\d){_NUMBER}"
    rf"|(?:{_SHORT_EFFECT}|R\^?2|R²|[dgrβη]²?)\s?[=:]\s?{_NUMBER})",
    "percentage": rf"{_NUMBER}\s?(?:%|per\s?cent\b|percentage\s+points?\b)",
    "money": rf"(?:US)?[$€£¥]\s?{_NUMBER}(?!\s?\^)(?:\s?(?:k|m|bn|million|billion)\b)?",
    "fold": rf"{_NUMBER}\s?-?(?:fold|times)\b",
    # Not the size of a picture (3x4), and no name (10x Genomics).
    "factor": rf"{_NUMBER}[x×](?![\w-]|\s?[\dA-Z])",
    "ratio": rf"(?<![\d:.]){_DIGITS}(?:\.{_DIGITS})?\s?:\s?{_DIGITS}(?:\.{_DIGITS})?(?![\d:])",
    "unit": rf"{_NUMBER}\s?-?{_UNIT}",
}
_ANY: Final = re.compile(
    "|".join(
        f"(?P<{name.replace(' ', '_').replace('-', '_')}>{p})" for name, p in _PATTERNS.items()
    )
)


def quantitative_claim_extractor(text: str) -> tuple[str, ...]:
    """Find quantities that a text states, in order, as it writes them.

    Numbers with units, percentages, p-values, effect sizes, intervals, plus-minus, sums of money,
    ratios and multiples; neither years nor other bare numbers.
    """
    quantities = (" ".join(match.group().split()) for match in _ANY.finditer(text))
    return tuple(dict.fromkeys(quantities))


def quantitative_weight(text: str) -> float:
    """Return ``QUANTITY_WEIGHT`` for a text that states a quantity, else 1."""
    return QUANTITY_WEIGHT if _ANY.search(text) else 1.0
