"""Words of numbers, units and dates: the lists of ``numbers.toml``."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

DASHES: Final = frozenset("-–—")
CURRENCIES: Final = frozenset("$€£")


@dataclass(frozen=True)
class Table:
    values: dict[str, float]
    scales: dict[str, float]
    repetitions: dict[str, float]
    ordinals: dict[str, int]
    decades: dict[str, int]
    months: dict[str, list[int]]
    fractions: dict[str, int]
    rates: dict[str, str]
    units: dict[str, tuple[str, float]]
    bounds: dict[str, list[tuple[str, ...]]]
    money: frozenset[str]
    """Units that count money."""


@cache
def number_words() -> Table:
    told: dict[str, Any] = tomllib.loads(
        (files("hippohover.language.quantities") / "numbers.toml").read_text("utf-8")
    )
    told["units"] = {
        name: (kind, float(factor))
        for kind, names in told["units"].items()
        for name, factor in names.items()
    }
    told["bounds"] = {
        kind: sorted((tuple(phrase.split()) for phrase in phrases), key=len, reverse=True)
        for kind, phrases in told["bounds"].items()
    }
    return Table(money=frozenset(told.pop("kinds")["money"]), **told)


def ordinal_value(word: str) -> int:
    if match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word):
        return int(match[1])
    return number_words().ordinals.get(word, 0)
