"""Numbers, units and dates in running text.

``quantulum3``, ``word2number`` and ``text2num`` were tried on the tests' phrases: none reads dates,
a range becomes its mean, "third" one third, and the first takes 2 seconds to load. The words stand
in ``numbers.toml``.
"""

import re
from dataclasses import replace
from typing import Final

from hippohover.language.quantities.clock import time_at
from hippohover.language.quantities.dates import date_at
from hippohover.language.quantities.fractions import fraction_at, repetition_at
from hippohover.language.quantities.numbers import number_at, ordinal_at
from hippohover.language.quantities.powers import POWER
from hippohover.language.quantities.quantity import Quantity
from hippohover.language.quantities.scan import Scan, Token

_TOKEN: Final = re.compile(
    rf"{POWER}|"
    r"\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}:\d{2}(?::\d{2})?(?![\d:])|\d{3,4}s\b|[1-9]0s\b|\d+(?:st|nd|rd|th)\b|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|[^\W\d_][^\W_]*|[%$€£°–—-]|\S"
)

_READERS: Final = (time_at, fraction_at, date_at, ordinal_at, repetition_at, number_at)
"""The first that reads something at a token does."""


def quantities_in(text: str) -> list[Quantity]:
    """Return the quantities of a text, in order."""
    scan = Scan([Token(m[0], m[0].casefold(), *m.span()) for m in _TOKEN.finditer(text)])
    while scan.at < len(scan.tokens):
        read = next((found for read_at in _READERS if (found := read_at(scan)) is not None), None)
        if read is None:
            scan.at += 1
            continue
        quantity, n_tokens = read
        first, last = scan.tokens[scan.at], scan.tokens[scan.at + n_tokens - 1]
        scan.found.append(replace(quantity, start=first.start, stop=last.stop))
        scan.at += n_tokens
    return scan.found
