"""More of one than of the other: "swans outnumber geese", "8 in 2015, up from 6 in 2005"."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import ABOUT, Grounds
from hippohover.verification.reading.cues import word_list
from hippohover.verification.reading.quantities.quantity import Quantity, likeness
from hippohover.verification.reading.said import CLAUSE_BORDERS, FORMS_OF_BE, MARKS, Said

_MORE: Final = frozenset(["more", "higher", "larger", "greater", "bigger"])
_LESS: Final = frozenset(["fewer", "less", "lower", "smaller"])
_OUTNUMBERS: Final = word_list("outnumbers")
_ENDS: Final = MARKS | CLAUSE_BORDERS | FORMS_OF_BE | word_list("prepositions") | {"and", "or"}
_IN_REACH: Final = 5
"""Words from a number to its year: "3,900 tonnes of flour in 2019"."""
_TURNED: Final = "the two change places"


def turned_counts(grounds: Grounds) -> list[Finding]:
    """Find "more geese than swans" where a sentence has swans outnumber geese.

    Never sure: the claim may be of another place.
    """
    mine = next(_counts(grounds.claim), None)
    if mine is None or any(grounds.claim.denied):
        return []
    found: list[int] = []
    for at, told in enumerate(grounds.evidence):
        others = () if any(told.said.denied) else _counts(told.said)
        for other in others:
            if other == mine:
                return []
            if other == mine[::-1]:
                found.append(at)
    return [Finding("roles", at, "more", _TURNED, sure=False) for at in found[:1]]


def _counts(said: Said) -> Iterator[tuple[str, str]]:
    """Yield stems of what there is more of, and of what there is less of."""
    for at, word in enumerate(said.words):
        behind = _noun_from(said, at + 1)
        if word in _MORE | _LESS:
            than = next((n for n in range(at, len(said.words)) if said.words[n] == "than"), at)
            other = _noun_from(said, than + 1)
            if behind and other and than > at:
                yield (behind, other) if word in _MORE else (other, behind)
        elif word in _OUTNUMBERS and at:
            by = said.words[at + 1 : at + 2] == ("by",)
            before = next((s for s in said.stems[at - 1 :: -1] if s), "")
            other = _noun_from(said, at + 2) if by else behind
            if before and other:
                yield (other, before) if by else (before, other)


def _noun_from(said: Said, begin: int) -> str:
    """Return the last stem of the phrase that begins there."""
    words = range(begin, len(said.words))
    phrase = takewhile(lambda at: said.words[at] not in _ENDS | {"than"}, words)
    return next((said.stems[at] for at in reversed([*phrase]) if said.stems[at]), "")


def turned_years(grounds: Grounds) -> list[Finding]:
    """Find "more in 2005 than in 2015" where a sentence counts 840 in 2015, and 610 in 2005.

    Never sure: the numbers may be of different things.
    """
    claim = grounds.claim
    more, less = _years_compared(claim)
    if more is None or less is None or any(claim.denied):
        return []
    for at, told in enumerate(grounds.evidence):
        if grounds.share(at) < ABOUT:
            continue
        told_more, told_less = _years_compared(told.said)
        if told_more is not None and told_less is not None:  # "in 2015, 30 fewer than in 2014"
            if likeness(more, told_less) == likeness(less, told_more) == "same":
                return [Finding("roles", at, "than", _TURNED, sure=False)]
            if likeness(more, told_more) == likeness(less, told_less) == "same":
                return []
        values = dict(_by_year(told.said))
        pair = [
            [one for year, one in values.items() if likeness(mine, year) == "same"]
            for mine in (more, less)
        ]
        if all(len(one) == 1 for one in pair) and pair[0][0].unit == pair[1][0].unit:
            if pair[0][0].high >= pair[1][0].low:
                return []
            numbers = " and ".join(told.said.text[one.start : one.stop] for [one] in pair)
            return [Finding("roles", at, "than", f"“{numbers}”", sure=False)]
    return []


def _years_compared(claim: Said) -> tuple[Quantity | None, Quantity | None]:
    """Return the year with more and the year with less; None, None without such a comparison."""
    words = claim.words
    years = [one for one in claim.quantities if one.kind == "date"]
    compared = {*words} & (_MORE | _LESS)
    if "than" not in words or len(years) != 2 or len(compared) != 1:
        return None, None
    than = words.index("than")
    first, second = sorted(years, key=lambda one: one.start)
    if not claim.places_in(first)[0] < than < claim.places_in(second)[0]:
        return None, None
    return (first, second) if compared <= _MORE else (second, first)


def _by_year(said: Said) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield years with the number right before each; the only other two belong together."""
    years = [one for one in said.quantities if one.kind == "date"]
    numbers = [one for one in said.quantities if one.kind == "number"]
    for year in [*years]:
        start = said.places_in(year)[0]
        near = [one for one in numbers if 0 < start - said.places_in(one)[-1] <= _IN_REACH]
        between = range(said.places_in(near[-1])[-1], start) if near else range(0)
        if near and not any(said.words[at] in MARKS for at in between):
            yield year, near[-1]
            years.remove(year)
            numbers.remove(near[-1])
    if len(years) == len(numbers) == 1:
        yield years[0], numbers[0]
