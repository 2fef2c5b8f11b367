"""How often verdicts were wrong, and true claims supported, on labelled sets."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("rates.json")
"""Verdicts by set and truth; ``benchmarks/verdict_rates.py`` writes it."""
SHORT: Final = "short claims, evidence found"
HEADER: Final = (
    "set", "true claims: Supported", "false claims: Supported", "of those Supported, false or open",
    "of those Contradictory, true or open",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SetRates:
    """Verdicts on the claims of one labelled set.

    Attributes
    ----------
    name : str
    verdicts : dict
        "true", "false" (refuted) or "open" (the evidence does not tell) -> verdict -> claims.
    """

    name: str
    verdicts: dict[str, dict[str, int]]

    def share(self, truth: str, status: str) -> tuple[int, int]:
        """Return how many claims of one truth have a verdict, and how many there are."""
        own = self.verdicts.get(truth, {})
        return own.get(status, 0), sum(own.values())

    def wrong(self, status: str, right: str) -> tuple[int, int]:
        """Return how many claims with a verdict are not what it says, and how many have it."""
        n = {truth: said.get(status, 0) for truth, said in self.verdicts.items()}
        return sum(n.values()) - n.get(right, 0), sum(n.values())


def read() -> list[SetRates]:
    """Read the rates of the verifier that ships."""
    return [SetRates(**one) for one in json.loads(FILE.read_text(encoding="utf-8"))]


def lines(sets: Sequence[SetRates]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table with ``HEADER``."""
    for one in sets:
        yield (
            one.name,
            _told(*one.share("true", "Supported")),
            _told(*one.share("false", "Supported")),
            _told(*one.wrong("Supported", "true")),
            _told(*one.wrong("Contradictory", "false")),
        )


def _told(n: int, of: int) -> str:
    return f"{n / of:.0%} ({n} of {of})" if of else "-"
