"""What is wrong with the quotes of a row of CSV, which ``csv`` reads over in silence."""

import csv
from collections.abc import Iterable
from typing import Final

OPEN_QUOTE: Final = "a quote is not closed: close it, or double it within a text"
NO_END: Final = "unexpected end of data"
"""What ``quote_problem`` says of a quote that nothing closes."""


def quote_problem(lines: Iterable[str], delimiter: str) -> str:
    """What is wrong with the quotes of a row, as ``csv`` says it; "" where nothing is."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return str(error)
    return ""
