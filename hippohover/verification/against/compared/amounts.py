"""What two sentences tell of two things, compared: "A has 40 rooms. B has 60."."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hippohover.verification.against.compared.pieces import pieces_of, stems_of_piece
from hippohover.verification.against.comparisons import Compared, comparisons_in
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.cues import Amount
from hippohover.verification.reading.quantities.quantity import LAST_YEAR, Quantity
from hippohover.verification.reading.said import Said

_MORE: Final = frozenset(["more"])
_LESS: Final = frozenset(["less", "fewer"])
_AFTER: Final = frozenset(["after", "behind"])
_RANK: Final = 4
"""Letters of a superlative's ending, "est", and one at least."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number or date that a sentence tells of one side of a comparison."""

    at: int
    low: float
    high: float
    unit: str


def turned_amounts(grounds: Grounds) -> list[Finding]:
    """Find "A has more rooms than B" where B has 60 and A has 40; "older", by the years of birth.

    Never sure: the numbers may be of different times. Where a sentence compares the two, it counts.
    """
    claim = grounds.claim
    compared = list(comparisons_in(claim, frozenset()))
    if len(compared) != 1 or any(claim.denied):
        return []
    one = compared[0]
    if any(_compares(grounds, told, one) for told in grounds.evidence):
        return []
    if (at := _above(grounds, one)) >= 0:
        return [Finding("roles", at, one.word, f"“{one.word}” is the other", sure=False)]
    for amount, sign in _amounts(grounds, one):
        first, second = (
            _value(grounds, side, amount)
            for side in (_side(grounds, one, first=True), _side(grounds, one, first=False))
        )
        if first is None or second is None or first.unit != second.unit:
            continue
        low, high = (first, second) if sign > 0 else (second, first)
        if low.high < high.low:
            told = f"“{_written(grounds, first)}” and “{_written(grounds, second)}”"
            return [Finding("roles", first.at, one.word, told, sure=False)]
    return []


def _compares(grounds: Grounds, told: Told, mine: Compared) -> bool:
    """Return whether a sentence compares both sides itself."""
    sides = [mine.first - mine.second, mine.second - mine.first]
    return any(
        all(grounds.share_of(*pair) >= CARRIES for pair in zip(sides, others, strict=True))
        for other in comparisons_in(told.said, told.subject)
        for others in ((other.first, other.second), (other.second, other.first))
    )


def _amounts(grounds: Grounds, one: Compared) -> Iterator[tuple[Amount, int]]:
    """Yield what a comparison may compare, with 1 where the first side has more of it."""
    sign = 1 if one.word in _MORE else -1 if one.word in _LESS else 0
    if sign:
        nouns = frozenset(one.by.split()[1:])
        yield Amount(_MORE, _LESS, frozenset(), nouns), sign
    for amount in grounds.cues.amounts:
        if one.word in amount.more | amount.less:
            yield amount, 1 if one.word in amount.more else -1


def _side(grounds: Grounds, one: Compared, *, first: bool) -> frozenset[str]:
    """Return the name on one side; where not both have one, its words beside the claim's name."""
    side = one.first - one.second if first else one.second - one.first
    claim = grounds.claim
    names = {stem for stem, named in zip(claim.stems, claim.named, strict=True) if named}
    second = one.second - one.first
    both = names & side and names & second
    return frozenset(names & side) if both else side - grounds.subject or side


def _value(grounds: Grounds, side: frozenset[str], amount: Amount) -> Value | None:
    """Return the only value that the evidence has of a side; None without one."""
    found = [
        one for at in range(len(grounds.evidence)) for one in _values(grounds, at, side, amount)
    ]
    return found[0] if len({(one.low, one.high, one.unit) for one in found}) == 1 else None


def _values(grounds: Grounds, at: int, side: frozenset[str], amount: Amount) -> Iterator[Value]:
    told = grounds.evidence[at]
    for piece in pieces_of(told.said):
        stems = stems_of_piece(told, piece)
        if grounds.share_of(side, stems) < CARRIES or any(told.said.denied[n] for n in piece):
            continue
        likely = [one for one in told.said.quantities if _is_in(told.said, one, piece, amount)]
        whole = told.stems
        if amount.beside and not amount.beside & (stems if len(likely) > 1 else stems | whole):
            continue
        likely = _nearest(told.said, likely, amount)
        if len(likely) == 1:
            [one] = likely
            yield Value(at, one.low, one.high, "date" if one.kind == "date" else one.unit)


def _is_in(said: Said, one: Quantity, piece: range, amount: Amount) -> bool:
    """Return whether a quantity of the kind that is compared stands in a part of a sentence."""
    if not {*said.places_in(one)[:1]} & {*piece}:
        return False
    if "date" in amount.units:
        return one.kind == "date" and one.low > 0 and one.high < LAST_YEAR
    return one.kind == "number" and (not amount.units or one.unit in amount.units)


def _nearest(said: Said, likely: list[Quantity], amount: Amount) -> list[Quantity]:
    """Return those right before or behind the words of the measure; of "12 of 31 seats" the 12."""
    parts = [one for one in likely if said.words[said.places_in(one)[-1] + 1 :][:1] == ("of",)]
    if parts and len(likely) == 2:
        return parts
    beside = [
        one
        for one in likely
        if amount.beside
        & {stem for n in said.places_in(one) for stem in said.stems[max(0, n - 2) : n + 2]}
    ]
    return beside or likely


def _above(grounds: Grounds, one: Compared) -> int:
    """Return the sentence by which the second side is above all, or above the first; -1 without.

    "Dola is the highest", "Kessa is the second-highest, after Dola".
    """
    superlative = f"{one.word.removesuffix('er')}est"
    first, second = _side(grounds, one, first=True), _side(grounds, one, first=False)
    for at, told in enumerate(grounds.evidence):
        said = told.said
        if superlative not in said.words or "of" in said.words[: said.words.index(superlative)]:
            continue
        place = said.words.index(superlative)
        behind = said.words[place:]
        after = next((place + n for n, word in enumerate(behind) if word in _AFTER), -1)
        named = {stem for stem in said.stems[after + 1 :] if stem} if after >= 0 else set[str]()
        if first <= told.subject and second and second <= named:
            return at
        second_of = said.words[place - 1] if place else ""
        plain = second_of == "the" and after < 0
        if plain and second and second <= told.subject and not first <= told.stems:
            return at
    return -1


def _written(grounds: Grounds, value: Value) -> str:
    said = grounds.evidence[value.at].said
    of = (one for one in said.quantities if (one.low, one.high) == (value.low, value.high))
    one = next(of)
    return said.text[one.start : one.stop]
