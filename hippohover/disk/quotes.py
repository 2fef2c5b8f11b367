"""Errors in the quotes of a CSV row, which ``csv`` silently ignores."""

import csv
from collections.abc import Iterable
from typing import Final

OPEN_QUOTE: Final = "a quote is not closed: close it, or double it within a text"
NO_END: Final = "unexpected end of data"
"""What ``quote_problem`` says of a quote that nothing closes."""


def quote_problem(lines: Iterable[str], delimiter: str) -> str:
    """Describe the error in a row's quotes, as ``csv`` does; "" without one."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return str(error)
    return ""
