"""Decides which words and other numbers a sentence's number belongs to."""

from collections.abc import Sequence
from typing import Final

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.said import MARKS, Said, life_in
from hippohover.verification.against.sides import ONE_SIDED, owner_at, side_of

_BORDERS: Final[dict[str, int]] = {
    ",": 6,
    ";": 12,
    ":": 12,
    ".": 24,
    "and": 3,
    "but": 6,
    "while": 6,
}
"""Words that a mark, or what begins a clause, counts for: what stands beyond it is further away."""
_BACKWARDS: Final = 1
_PAIR: Final = 3
"""Words between two numbers of one result at most."""
_LATER: Final = frozenset(["later", "earlier", "afterwards", "before", "after"])
_CLOSING: Final = frozenset([",", ";", ".", "("])
_LISTS: Final = frozenset([",", "and", "or"])


def is_of_another(said: Said, claim: Said, quantity: Quantity, predicate: str) -> bool:
    """Return whether a claim's quantity in a sentence belongs to another predicate or number.

    "It was begun in 1990 and finished in 1994": 1994 is not when it was begun.
    """
    found = [(one, likeness(quantity, one)) for one in said.quantities]
    same = [one for one, like in found if like == "same"]
    others = [one for one, like in found if like in {"other", "open"} and one.kind == quantity.kind]
    others += [one for one in said.quantities if quantity.kind == "date" and is_later(said, one)]
    others = [one for one in others if not any(_listed(said, one, mine) for mine in same)]
    if not same or not others or _on_its_side(said, claim, quantity, same, others):
        return False
    if _right_behind_its_word(said, claim, quantity, same, others):
        return False
    anchor = _anchor(said, claim, quantity)
    if anchor >= 0:
        return _nearer(said, anchor, others, same)
    others_of_claim = [mine for mine in claim.quantities if mine is not quantity]
    if any(_is_in(said, mine) for mine in others_of_claim):
        return any(
            _crossed(said, same, mine) or _turned(claim, quantity, mine, said)
            for mine in others_of_claim
        )
    places = [at for at, stem in enumerate(said.stems) if predicate and stem == predicate]
    places = places[:1] if life_in(said.text) is not None else places
    places = [at for at in places if not _told_of_another(said, claim, at)]
    return bool(places) and all(_nearer(said, at, others, same) for at in places)


def _on_its_side(
    said: Said,
    claim: Said,
    quantity: Quantity,
    same: Sequence[Quantity],
    others: Sequence[Quantity],
) -> bool:
    """Return whether the claim's preposition is before it, and before no other: "fell to 9"."""
    side = side_of(claim, quantity)
    return (
        side in ONE_SIDED
        and any(side_of(said, one) == side for one in same)
        and not any(side_of(said, one) == side for one in others)
    )


def _right_behind_its_word(
    said: Said,
    claim: Said,
    quantity: Quantity,
    same: Sequence[Quantity],
    others: Sequence[Quantity],
) -> bool:
    """Return whether the claim's word is right before it, and before no other: "won 8, lost 3"."""
    word = _before(claim, quantity)
    theirs = {_before(said, one) for one in same}
    return bool(word) and word in theirs and word not in {_before(said, one) for one in others}


def _before(said: Said, quantity: Quantity) -> str:
    """Return the stem of the word right before a quantity; "" where it tells nothing."""
    places = said.places_in(quantity)
    at = places[0] - 1 if places else -1
    return said.stems[at] if at >= 0 and not said.named[at] else ""


def _anchor(said: Said, claim: Said, quantity: Quantity) -> int:
    """Return a sentence's place of the name shortly before the claim's quantity; or -1.

    "Married Ann Roe in 1964" where a sentence names two marriages; "Low Tide (2006)". The name that
    the claim is about says nothing, nor one that stands twice.
    """
    places = claim.places_in(quantity)
    at = places[0] - 1 if places else -1
    while at >= 0 and not claim.stems[at] and claim.words[at] not in MARKS:
        at -= 1
    if at <= claim.verb or not claim.named[at] or said.stems.count(claim.stems[at]) != 1:
        return -1
    return said.stems.index(claim.stems[at])


def _told_of_another(said: Said, claim: Said, at: int) -> bool:
    """Return whether a word is about a name that the claim does not hold."""
    owner = owner_at(said, at)
    return bool(owner) and not owner <= claim.held.keys()


def is_later(said: Said, one: Quantity) -> bool:
    """Return whether it states a date relative to another one: "five years later"."""
    places = said.places_in(one)
    behind = said.words[places[-1] + 1 : places[-1] + 2] if places else ()
    return one.unit == "time" and bool(behind) and behind[0] in _LATER


def _is_in(said: Said, quantity: Quantity) -> bool:
    return any(likeness(quantity, one) == "same" for one in said.quantities)


def _listed(said: Said, one: Quantity, other: Quantity) -> bool:
    """Return whether two quantities are items of one list: "in 1934, 1951 and 1988"."""
    first, second = sorted((said.places_in(one), said.places_in(other)))
    between = range(first[-1] + 1, second[0]) if first and second else range(0)
    inside = {at for each in said.quantities for at in said.places_in(each)}
    return all(at in inside or said.words[at] in _LISTS for at in between)


def _turned(claim: Said, first: Quantity, second: Quantity, said: Said) -> bool:
    """Return whether a result is given in reverse: "212 votes to 198"."""
    mine = _order(claim, first, second)
    return mine != 0 and any(
        _order(said, one, other) == -mine
        for one in said.quantities
        for other in said.quantities
        if likeness(first, one) == likeness(second, other) == "same"
    )


def _order(said: Said, first: Quantity, second: Quantity) -> int:
    """Return 1 for "first to second", -1 for "second of first", 0 without such a pair."""
    a, b = said.places_in(first), said.places_in(second)
    if not a or not b:
        return 0
    (start, stop), sign = ((a[-1], b[0]), 1) if a[-1] < b[0] else ((b[-1], a[0]), -1)
    between = said.words[start + 1 : stop]
    return sign if {"to", "of"} & set(between) and len(between) <= _PAIR else 0


def _crossed(said: Said, same: Sequence[Quantity], mine: Quantity) -> bool:
    """Return whether each such number is nearer to another one than to the claim's second."""
    found = [(one, likeness(mine, one)) for one in said.quantities]
    partners = [one for one, like in found if like == "same"]
    rivals = [one for one, like in found if like == "other" and one not in same]
    if not partners or not rivals:
        return False
    return all(
        _nearer(said, at, rivals, partners) for one in same for at in said.places_in(one)[-1:]
    )


def _nearer(said: Said, at: int, first: Sequence[Quantity], second: Sequence[Quantity]) -> bool:
    """Return whether one of the first quantities is nearer to a word than all of the second."""
    return min(_apart(said, at, one) for one in first) < min(
        _apart(said, at, one) for one in second
    )


def _apart(said: Said, at: int, quantity: Quantity) -> int:
    """Count the words between a word and a quantity; a mark between them counts for several."""
    places = said.places_in(quantity)
    if not places:
        return len(said.words) * max(_BORDERS.values())
    start, stop = (at + 1, places[0]) if places[0] > at else (places[-1] + 1, at)
    if _is_set_off(said, quantity):
        start, stop = (
            (start, _comma_before(said, places[0])) if places[0] > at else (start + 1, stop)
        )
    between = said.words[start:stop]
    backwards = _BACKWARDS if places[-1] < at else 0
    return len(between) + sum(_BORDERS.get(word, 0) for word in between) + backwards


def _is_set_off(said: Said, quantity: Quantity) -> bool:
    """Return whether a date stands alone between marks: "the last train, in 1936, herself"."""
    places = said.places_in(quantity)
    behind = said.words[places[-1] + 1 : places[-1] + 2]
    closes = not behind or behind[0] in _CLOSING
    return quantity.kind == "date" and closes and _comma_before(said, places[0]) >= 0


def _comma_before(said: Said, at: int) -> int:
    """Return the place of the comma before a word and its preposition; -1 without one."""
    return next((n for n in (at - 1, at - 2) if said.words[n] == ","), -1)
