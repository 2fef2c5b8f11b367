"""Numbers with units, bounds and ranges, ordinals and names' numbers, at a token."""

from dataclasses import replace
from typing import Final

from hippohover.language.cues import word_list
from hippohover.language.quantities.powers import power_of_ten
from hippohover.language.quantities.quantity import EXACT, Quantity
from hippohover.language.quantities.scan import Scan
from hippohover.language.quantities.table import CURRENCIES, DASHES, number_words, ordinal_value

_SMALL: Final = 12
_MONEY: Final = {"m": 1e6, "k": 1e3, "b": 1e9}
"""Behind a sum of money: "£4.5m" are millions, and no metres."""
_EXACT: Final = 1e-6
_TIME: Final = "time"
_RATE_REACH: Final = 5
_ADVERBS: Final = frozenset(["daily", "nightly", "weekly", "monthly", "yearly", "annually"])
_LABELS: Final = word_list("labels")
_CHANGES: Final = word_list("changes")
_CHANGE_REACH: Final = 8
_PLAIN: Final = word_list("no_label")


def ordinal_at(scan: Scan) -> tuple[Quantity, int] | None:
    """Return an ordinal, unless it is a second of time."""
    value = ordinal_value(scan.low())
    if not value or (scan.low() == "second" and scan.low(-1).isdecimal()):
        return None
    return Quantity("ordinal", value, value, written=scan.low().isalpha()), 1


def number_at(scan: Scan) -> tuple[Quantity, int] | None:
    """Return a number with its unit, its bounds, and the other end of a range."""
    value, n_tokens = value_at(scan, 0)
    if not n_tokens or _is_of_a_name(scan, n_tokens):
        return None
    read = _measured(scan, value, n_tokens)
    return replace(read[0], per=_rate(scan, read[1])), read[1]


def _measured(scan: Scan, value: float, n_tokens: int) -> tuple[Quantity, int]:
    label = _label(scan, n_tokens)
    if label:
        return Quantity("label", value, value, label), n_tokens
    exact = 0.0
    if _is_negative(scan):
        value = -value
    unit, factor, n_unit = _unit_around(scan, n_tokens)
    if unit == _TIME:
        more, n_more = _smaller_unit(scan, n_tokens + n_unit, factor)
        if n_more:
            value, n_unit = value + more / factor, n_unit + n_more
            exact = _EXACT
    written = scan.low().isalpha() and value <= _SMALL and not unit
    round_ = _rounding(scan, n_tokens, value)
    second, n_second = _second_of_range(scan, n_tokens + n_unit)
    last_unit, last_factor, n_last = _unit_around(scan, n_tokens + n_unit + n_second)
    if n_second and (not unit or not last_unit or unit == last_unit):
        unit, factor = (unit, factor) if unit else (last_unit, last_factor)
        ends = sorted((value * factor, second * (last_factor if last_unit else factor)))
        n_all = n_tokens + n_unit + n_second + n_last
        falls = ends[0] < ends[1] and value * factor == ends[1]
        return Quantity("number", ends[0], ends[1], unit, falling=falls), n_all
    low, high, slack = bounded(scan, value * factor, round_ * factor + exact)
    low, high = _or_more(scan, n_tokens + n_unit, low, high)
    return Quantity("number", low, high, unit, slack=slack, written=written), n_tokens + n_unit


def _or_more(scan: Scan, ahead: int, low: float, high: float) -> tuple[float, float]:
    """Return the range of "14 or more", "14 people or fewer"."""
    ahead += scan.low(ahead).isalpha() and scan.low(ahead) != "or"
    behind = scan.low(ahead + 1) if scan.low(ahead) == "or" else ""
    if behind in {"more", "above", "over", "later"}:
        return low, float("inf")
    return (float("-inf"), high) if behind in {"less", "fewer", "below", "under"} else (low, high)


def _is_of_a_name(scan: Scan, n_tokens: int) -> bool:
    """Return whether attached letters are no unit: "6teen", "CP-400"."""
    behind = scan.low(n_tokens)
    sticks = scan.joined(n_tokens - 1) and behind.isalpha() and scan.low()[0].isdecimal()
    if sticks and not unit_behind(scan, n_tokens)[0] and behind not in number_words().scales:
        return not (scan.low(-1) in CURRENCIES and behind in _MONEY)
    hyphen = scan.low(-1) == "-" and scan.joined(-1) and scan.joined(-2)
    return hyphen and scan.text(-2).isalpha() and scan.text(-2)[:1].isupper()


def _is_negative(scan: Scan) -> bool:
    """Return whether a minus precedes it, and no hyphen, dash or minus between two ends."""
    if scan.low(-1) in {"minus", "−"}:
        between = scan.low(-2)[-1:].isdecimal() and scan.joined(-2) == scan.joined(-1)
        return scan.low(-1) == "minus" or not between
    return scan.low(-1) in DASHES and scan.joined(-1) and scan.at > 1 and not scan.joined(-2)


def _smaller_unit(scan: Scan, ahead: int, factor: float) -> tuple[float, int]:
    """Return the second part of "2 h 10 min", in seconds, and its tokens; 0, 0 without."""
    ahead += scan.low(ahead) == "and"
    value, n_tokens = value_at(scan, ahead)
    unit, smaller, n_unit = unit_behind(scan, ahead + n_tokens) if n_tokens else ("", 0.0, 0)
    joint = int(scan.low(ahead - 1) == "and")
    return (
        (value * smaller, joint + n_tokens + n_unit)
        if unit == _TIME and smaller < factor
        else (0.0, 0)
    )


def _rate(scan: Scan, ahead: int) -> str:
    """Return the unit of a rate: "day" of "40 mg of it per day"; "" without one."""
    rates = number_words().rates
    for at in range(ahead, ahead + _RATE_REACH):
        word, behind = scan.low(at), scan.low(at + 1).removesuffix("s")
        if word in {"a", "an", "per", "each", "every", "/"} and behind in rates:
            return rates[behind]
        if word in _ADVERBS or not word or not (word.isalpha() or word == "/"):
            return rates.get(word, "")
    return ""


def value_at(scan: Scan, ahead: int) -> tuple[float, int]:
    """Return the number that begins there, in digits or words, with its scale; and tokens, or 0."""
    table = number_words()
    total, current, n_tokens, seen = 0.0, 0.0, 0, False
    while word := scan.low(ahead + n_tokens):
        money = seen and n_tokens == 1 and scan.low(ahead - 1) in CURRENCIES
        if money and word in _MONEY:
            current *= _MONEY[word]
        elif (
            word[0].isdecimal()
            and word.replace(",", "").replace(".", "", 1).isdecimal()
            and not seen
        ):
            current = float(word.replace(",", ""))
        elif not seen and (power := power_of_ten(word)) is not None:
            current = power
        elif word in table.values and (
            not seen or current % 10 == 0 or scan.low(ahead + n_tokens - 1) == "and"
        ):
            current += table.values[word]
        elif word in table.scales and (seen or word in {"dozen", "hundred", "thousand", "million"}):
            if not seen and scan.low(ahead - 1) not in {"a", "an", "half"}:
                break
            scale = table.scales[word]
            current = (current or 1.0) * scale
            if scale >= 1000:
                total, current = total + current, 0.0
        elif seen and word in DASHES | {"and"} and _goes_on(scan, ahead + n_tokens, word):
            n_tokens += 1
            continue
        else:
            break
        seen = True
        n_tokens += 1
    return total + current, n_tokens if seen else 0


def _goes_on(scan: Scan, at: int, word: str) -> bool:
    """Return whether "and" or a hyphen is inside a number in words."""
    table, before, after = number_words(), scan.low(at - 1), scan.low(at + 1)
    if word == "and":
        return before in table.scales and after in table.values
    tens = before in table.values and table.values[before] >= 20
    return (tens and after in table.values) or (before.isalnum() and after in table.scales)


def _label(scan: Scan, n_tokens: int) -> str:
    """Return the name with this number ("Room 4", "No. 9"), folded; "" if it counts something."""
    before = scan.text(-1)
    if (scan.low(-2), before) == ("no", "."):
        before = scan.text(-2)
    named = before[:1].isupper() and before.isalpha() and scan.at > 1
    named = named or (before.isupper() and before.isalpha() and len(before) > 1)
    if before in _LABELS and n_tokens == 1 and scan.low()[0].isdecimal():
        return "" if unit_behind(scan, n_tokens)[0] else before  # "release 4.2"
    plain = n_tokens == 1 and scan.low().isdecimal()
    return before.casefold() if named and plain and before.casefold() not in _PLAIN else ""


def _second_of_range(scan: Scan, ahead: int) -> tuple[float, int]:
    """Return the upper end of "85% to 90%" or "between 80 and 90", and its tokens."""
    joint = scan.low(ahead)
    if joint == "−" and scan.joined(ahead - 1) and scan.joined(ahead):
        joint = "–"
    between = any(scan.low(-back) == "between" for back in (1, 2))
    since = any(scan.low(-back) == "from" for back in (1, 2))
    if since and joint == "to" and _is_change(scan):
        return 0.0, 0  # "fell from 14 to 9" is first 14, then 9
    if not (
        joint in {"–", "—"}
        or (joint == "and" and between)
        or (joint == "to" and since)
        or joint == "to"
    ):
        return 0.0, 0
    at = ahead + 1 + (scan.low(ahead + 1) in CURRENCIES)
    value, n_tokens = value_at(scan, at)
    return (value, at - ahead + n_tokens) if n_tokens else (0.0, 0)


def _is_change(scan: Scan) -> bool:
    """Return whether a verb of change is shortly before: "rose", "was cut"."""
    return any(scan.low(-back) in _CHANGES for back in range(1, _CHANGE_REACH))


def _unit_around(scan: Scan, n_tokens: int) -> tuple[str, float, int]:
    if scan.low(-1) in CURRENCIES:
        kind, factor = number_words().units[scan.low(-1)]
        return kind, factor, 0
    return unit_behind(scan, n_tokens)


def unit_behind(scan: Scan, ahead: int) -> tuple[str, float, int]:
    """Return kind, factor and tokens of the unit that follows; "", 1, 0 without one."""
    skipped = ahead + (scan.low(ahead) in DASHES)
    for length in (2, 1):
        words = [scan.low(skipped + at) for at in range(length)]
        if not all(words):
            continue
        for name in (" ".join(words), "".join(words), " ".join(words).removesuffix("s")):
            if name in number_words().units:
                kind, factor = number_words().units[name]
                return kind, factor, skipped - ahead + length
    return "", 1.0, 0


def bounded(scan: Scan, value: float, slack: float) -> tuple[float, float, float]:
    """Return the range of a number after "above", "at most" or "about", and its tolerance."""
    before = [scan.low(-back) for back in range(4, 0, -1) if scan.low(-back) not in CURRENCIES]
    told = [
        (kind, phrase)
        for kind, phrases in number_words().bounds.items()
        for phrase in phrases
        if before[-len(phrase) :] == list(phrase)
    ]
    if not told:
        return value, value, slack
    kind, phrase = max(told, key=lambda one: len(one[1]))  # "no more than", and not "more than"
    if kind == "above":
        itself = "least" in phrase or "no" in phrase
        return value * (1 + (0.0 if itself else EXACT * 2)), float("inf"), 0.0
    if kind == "below":
        return float("-inf"), value, 0.0
    return value, value, max(slack, 0.1 * abs(value))


def _rounding(scan: Scan, n_tokens: int, value: float) -> float:
    """Return half of the last place of a number in scale words ("67 million")."""
    scales = [
        number_words().scales[scan.low(at)]
        for at in range(n_tokens)
        if scan.low(at) in number_words().scales
    ]
    if not scales or value <= 0 or not scan.low()[0].isdecimal():
        return 0.0
    decimals = len(scan.low().partition(".")[2])
    return 0.5 * max(scales) / 10**decimals
