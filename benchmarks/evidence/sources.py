"""Which labelled sets belong together, how often they are learned from, and which only measure."""

from typing import Any, Final

SOURCES: Final = {
    "fever": ("fever",),
    "logic": ("negation", "monotonicity"),
    "hops": ("hover", "exfever"),
}
"""What a run leaves out: sets whose names begin so."""
MEASURING: Final = ("fool-me-twice-dev", "climate-fever-dev", "covid-fact", "negation RTE")
"""Sets whose mean decides between candidates: none of them trains."""
LONGEST: Final = 448
"""Tokens of a pair of these sets, of claim and evidence."""
REPEATS: Final = {"fever-symmetric": 3, "exfever": 2, "hover": 2, "hover-train": 2,
                  "negation SNLI": 2, "negation MNLI": 2}  # fmt: skip
"""How often an epoch has each pair of a small set."""


def left_out(row: dict[str, Any], run: str) -> bool:
    """Whether a run does not learn from a row."""
    if run.startswith("fold"):
        return row["fold"] == int(run[4:])
    return row["set"].startswith(SOURCES.get(run, ("-",)))
