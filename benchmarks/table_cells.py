"""How the tables of results write their cells."""

from collections.abc import Iterable
from typing import Any

Run = dict[str, Any]
"""What a script wrote into ``results/``."""


def percent(cell: dict[str, float] | None) -> str:
    """ "92.1 (90.3 to 93.6)" from fractions; a dash without a cell."""
    if cell is None:
        return "-"
    value, low, high = (100 * cell[key] for key in ("value", "low", "high"))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"


def change(cell: dict[str, float] | None, key: str = "difference") -> str:
    """ "+1.3 (-0.2 to +2.9)" from a difference of fractions; a dash without a cell."""
    if cell is None:
        return "-"
    value, low, high = (100 * cell[name] for name in (key, "low", "high"))
    return f"{value:+.1f} ({low:+.1f} to {high:+.1f})"


def percentiles(times: dict[str, float]) -> str:
    """ "12 / 31" from the median and the 95th percentile."""
    return f"{times['p50']:.0f} / {times['p95']:.0f}"


def markdown(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(header)]
    lines += [["---"] * len(lines[0]), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
