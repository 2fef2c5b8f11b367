"""Numbers and dates written in another way, in a wider one, or as others."""

import random
import re
from typing import Final

from evidence.words import WORDS

ONES: Final[list[str]] = WORDS["ones"]
TENS: Final[list[str]] = WORDS["tens"]
ORDINALS: Final[list[str]] = WORDS["ordinals"]
MONTHS: Final[list[str]] = WORDS["months"]
_DAY: Final = re.compile(rf"(?:({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})"
                         rf"|(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}}))")  # fmt: skip


def spelled(number: int) -> str:
    """A number below a hundred in words."""
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


_VALUES: Final = {spelled(n): n for n in range(100)}


def value(word: str) -> int | None:
    """The whole number that a word is."""
    if re.fullmatch(r"\d{1,3}(,\d{3})+|\d+", word):
        return int(word.replace(",", ""))
    return _VALUES.get(word.lower())


def is_year(word: str) -> bool:
    """Whether a word looks like a year."""
    return re.fullmatch(r"1[0-9]\d\d|20[0-4]\d", word) is not None


def rewritten(word: str) -> str:
    """The same number written in the other way, or nothing."""
    number = value(word)
    if number is None or is_year(word) or number >= 100:
        return ""
    return spelled(number) if word.isdigit() else str(number)


def another(word: str, draw: random.Random) -> str:
    """Another number of the same looks, or nothing."""
    number = value(word)
    if word.lower() in ORDINALS:
        return draw.choice([one for one in ORDINALS[:5] if one != word.lower()])
    if is_year(word):
        far = draw.choice([1, 2, 3, 5, 10, 20, 50])
        return str(int(word) + draw.choice([-far, far]))
    if number is None:
        return _another_form(word, draw)
    if number < 20:
        other = draw.choice([n for n in range(1, 21) if n != number])
    else:
        other = int(number * draw.choice([0.1, 0.5, 0.8, 0.9, 1.1, 1.2, 1.5, 2, 10])) + 1
    if other == number or not (word[0].isdigit() or other < 100):
        return ""
    if not word[0].isdigit():
        return spelled(other)
    return f"{other:,}" if "," in word else str(other)


def _another_form(word: str, draw: random.Random) -> str:
    """Another ordinal in figures or decimal."""
    ordinal = re.fullmatch(r"(\d+)(st|nd|rd|th)", word)
    if ordinal:
        number = max(1, int(ordinal[1]) + draw.choice([-2, -1, 1, 2, 3]))
        ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 * (number // 10 % 10 != 1), "th")
        return f"{number}{ending}" if f"{number}{ending}" != word else ""
    decimal = re.fullmatch(r"(\d+)\.(\d+)", word)
    if not decimal:
        return ""
    return f"{int(decimal[1]) + draw.choice([1, 2, 3, 7])}.{decimal[2]}"


def day_forms(text: str) -> list[tuple[str, str]]:
    """Preposition and words of a day in other ways: the other order, its month, its year."""
    found = _DAY.fullmatch(text)
    if not found:
        return []
    month, day, year = found[1] or found[5], found[2] or found[4], found[3] or found[6]
    other = f"{day} {month} {year}" if found[1] else f"{month} {day}, {year}"
    return [("on", other), ("in", f"{month} {year}"), ("in", year), ("in", f"the {year[:3]}0s")]


def another_day(text: str, draw: random.Random) -> str:
    """A day that differs in one part."""
    found = _DAY.fullmatch(text)
    if not found:
        return ""
    month, day, year = found[1] or found[5], found[2] or found[4], found[3] or found[6]
    match draw.randrange(3):
        case 0:
            year = another(year, draw)
        case 1:
            month = draw.choice([one for one in MONTHS if one != month])
        case _:
            day = str(draw.choice([n for n in range(1, 29) if n != int(day)]))
    return f"{month} {day}, {year}" if found[1] else f"{day} {month} {year}"


def bounds(word: str, draw: random.Random) -> tuple[str, str]:
    """A bound that holds for a number and one that does not, as words before and with it."""
    number = value(word)
    if number is None or number < 2:
        return "", ""
    off = draw.choice([1, 2, 3]) if number < 10 else max(1, number // draw.choice([3, 5, 10]))
    low, high = max(1, number - off), number + off

    def shown(bound: int) -> str:
        if not word[0].isdigit() and bound < 100:
            return spelled(bound)
        return f"{bound:,}" if "," in word else str(bound)

    over, under = draw.choice([("more than", "fewer than"), ("over", "under"),
                               ("at least", "at most")])  # fmt: skip
    holds = [f"{over} {shown(low)}", f"{under} {shown(high)}"]
    fails = [f"{over} {shown(high)}", f"{under} {shown(low)}"]
    if low == number or low <= 0:
        return "", ""
    return draw.choice(holds), draw.choice(fails)
