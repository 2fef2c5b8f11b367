"""The order of two events: "sailed to Bergen, then to Oslo", "married him before she met her"."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from hippohover.verification.against.compared.pieces import pieces_of, stems_of_piece
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.against.pairs import is_later
from hippohover.verification.reading.cues import cues
from hippohover.verification.reading.quantities.quantity import LAST_YEAR
from hippohover.verification.reading.said import MARKS, Said

_BEFORE: Final = "before"
_ORDERS: Final = frozenset(["before", "after"])
_THEN: Final = frozenset(["then", "afterwards", "subsequently"])
_LATER: Final = frozenset(["later"])
_WHO: Final = frozenset(["he", "she", "it", "they"])
_INNER: Final = 3
"""Words of a clause behind "before" at least."""
_TURNED: Final = "it happened in another order"


@dataclass(frozen=True, slots=True)
class Order:
    """Stems of an event, and of one that came later.

    Attributes
    ----------
    earlier, later : frozenset of str
    """

    earlier: frozenset[str]
    later: frozenset[str]


def turned_orders(grounds: Grounds) -> list[Finding]:
    """Find "A before B" where sentences say that B came first, in words or by its date."""
    claim = grounds.claim
    orders = list(orders_in(claim))
    if len(orders) != 1 or any(claim.denied):
        return []
    mine = _apart(grounds, orders[0])
    found: list[int] = []
    for at, told in enumerate(grounds.evidence):
        ways = [_way(grounds, mine, other) for other in _orders_of(told)]
        if True in ways:
            return []
        if False in ways:
            found.append(at)
    found = found or _by_dates(grounds, orders[0])
    return [Finding("roles", at, "", _TURNED, sure=False) for at in found[:1]]


def orders_in(said: Said) -> Iterator[Order]:
    """Yield what came earlier and later by "before", "after", "then" and "followed by"."""
    for at, word in enumerate(said.words):
        if word in _ORDERS:
            main, inner = _around(said, at)
            yield from _ordered(said, *((main, inner) if word == _BEFORE else (inner, main)))
        elif word == "by" and at and said.words[at - 1] == "followed":
            yield from _ordered(said, range(at - 1), range(at + 1, _end(said, at + 1)))
    thens = [at for at, word in enumerate(said.words) if word in _THEN and at]
    parts = [range(a, b) for a, b in zip([0, *thens], [*thens, len(said.words)], strict=True)]
    for first, second in combinations(parts, 2):
        yield from _ordered(said, first, second)


def _around(said: Said, at: int) -> tuple[range, range]:
    """Return places of the main clause, and of what stands behind "before" or "after"."""
    if at:
        first = next(n for n, word in enumerate(said.words) if word in _ORDERS)
        return range(first), range(at + 1, _end(said, at + 1))
    behind = range(1 + _INNER, len(said.words))
    stop = next((n for n in behind if said.words[n] in _WHO | {","}), len(said.words))
    return range(stop, len(said.words)), range(1, stop)


def _end(said: Said, at: int) -> int:
    """Return the place where a clause ends: at a mark, or the next "before" or "and after"."""
    ends = (n for n in range(at, len(said.words)) if said.words[n] in MARKS | _ORDERS)
    return next(ends, len(said.words))


def _ordered(said: Said, first: range, second: range) -> Iterator[Order]:
    dates = {at for one in said.quantities if one.kind == "date" for at in said.places_in(one)}
    times = {at for one in said.quantities if one.unit == "time" for at in said.places_in(one)}
    a, b = (
        {said.stems[at] for at in part if said.stems[at] and at not in dates | times} - _ORDERS
        for part in (first, second)
    )
    if a - b and b - a:
        yield Order(frozenset(a), frozenset(b))


def _orders_of(told: Told) -> Iterator[Order]:
    """Yield the orders of a sentence of the evidence; also of "left a year later"."""
    said = told.said
    if any(said.denied):
        return
    yield from orders_in(said)
    later = [at for at, word in enumerate(said.words) if word in _LATER]
    pieces = list(pieces_of(said))
    for before, piece in pairwise(pieces):
        if any(at in piece for at in later):
            yield from _ordered(said, before, piece)


def _way(grounds: Grounds, mine: Order, other: Order) -> bool | None:
    """Return whether a sentence has the claim's order (True), or the reverse (False)."""
    straight = _are(grounds, mine, other)
    crossed = _are(grounds, mine, Order(other.later, other.earlier))
    return None if straight == crossed else straight


def _apart(grounds: Grounds, mine: Order) -> Order:
    """Return the events without what both have, nor who does both where each has words besides."""
    claim = grounds.claim
    verb = claim.verb if claim.verb < len(claim.words) else _verb_in_s(claim)
    own = frozenset(stem for stem in claim.stems[:verb] if stem)
    a, b = mine.earlier - mine.later, mine.later - mine.earlier
    return Order(a - own, b - own) if a - own and b - own else Order(a, b)


def _verb_in_s(said: Said) -> int:
    """Return the place of the first word in -s behind a noun: "The ferry calls at"; else 0."""
    places = range(1, len(said.words))
    return next((n for n in places if said.words[n].endswith("s") and said.stems[n - 1]), 0)


def _are(grounds: Grounds, mine: Order, other: Order) -> bool:
    """Return whether both events of the claim are those of a sentence, in this order."""
    return all(
        grounds.share_of(wanted, with_forms(held)) >= CARRIES
        for wanted, held in ((mine.earlier, other.earlier), (mine.later, other.later))
    )


def with_forms(stems: frozenset[str]) -> frozenset[str]:
    """Return stems, with other forms of irregular verbs."""
    return stems.union(*(cues().forms.get(stem, frozenset()) for stem in stems))


def _by_dates(grounds: Grounds, mine: Order) -> list[int]:
    """Return the place of the sentence that dates the claim's earlier event after its later."""
    shared = mine.earlier - _names(grounds)
    later = mine.later if mine.later - _names(grounds) else mine.later | shared
    first = _dated(grounds, mine.earlier)
    second = _dated(grounds, later)
    if first is None or second is None:
        return []
    return [first[0]] if first[1] > second[2] else []


def _names(grounds: Grounds) -> frozenset[str]:
    claim = grounds.claim
    return frozenset(s for s, one in zip(claim.stems, claim.named, strict=True) if one and s)


def _dated(grounds: Grounds, event: frozenset[str]) -> tuple[int, float, float] | None:
    """Return the sentence of an event with a date, and its first and last day; None if unsure."""
    best: dict[float, list[tuple[int, float, float]]] = {}
    for at, told in enumerate(grounds.evidence):
        said = told.said
        for piece in pieces_of(said):
            dates = [
                one
                for one in said.quantities
                if one.kind == "date" and one.low > 0 and one.high < LAST_YEAR
                if {*said.places_in(one)[:1]} & {*piece}
            ]
            stems = stems_of_piece(told, piece)
            share = grounds.share_of(event, stems)
            later = any(is_later(said, one) for one in said.quantities)
            if len(dates) == 1 and share >= CARRIES and not later:
                best.setdefault(share, []).append((at, dates[0].low, dates[0].high))
    found = best[max(best)] if best else []
    return found[0] if len({one[1:] for one in found}) == 1 else None
