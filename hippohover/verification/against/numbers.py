"""Compares numbers and dates of a claim with the evidence's."""

from bisect import bisect_left
from itertools import islice
from operator import itemgetter
from typing import Final

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.quantities.table import CURRENCIES
from hippohover.language.sentence import Sentence
from hippohover.verification.against.comparison import ABOUT, CARRIES, Comparison
from hippohover.verification.against.fields import is_of_another_field
from hippohover.verification.against.findings import Finding, instead
from hippohover.verification.against.number_places import (
    are_opposite,
    event_of_life,
    is_exchanged,
    is_other_time,
)

_HALF: Final = 0.5
_WHOLE: Final = 100.0
_WINDOW: Final = 4
_BESIDE: Final = 3
_CONVERTED: Final = 6
"""Characters from a quantity to the same in parentheses at most: "/h ("."""
_REACH: Final = 6
_LIFE: Final = frozenset(["born", "die"])
"""Stems of what both dates in "(1870-1951)" are of."""


def numbers_held(beside: Comparison) -> dict[Quantity, bool]:
    """Return each quantity of the claim, and whether a sentence about the same has it."""
    return {one: is_held(beside, one) for one in beside.claim.quantities if not one.written}


def is_held(beside: Comparison, quantity: Quantity) -> bool:
    """Return whether a sentence about the same has it; in "a 1987 war film", any sentence."""
    places = range(len(beside.evidence)) if _describes(beside, quantity) else beside.about
    if any(_has(beside, at, quantity) for at in places):
        return True
    others = (at for at in range(len(beside.evidence)) if at not in places)
    if any(_says(beside, at, quantity) and _has_all(beside, at) for at in others):
        return True
    if any(_stands_above(beside, at, quantity) for at in range(len(beside.evidence))):
        return True
    apart = not beside.subject or not beside.alone
    return apart and any(_stands_in(beside, at, quantity) for at in range(len(beside.evidence)))


def _stands_above(beside: Comparison, at: int, quantity: Quantity) -> bool:
    """Return whether a sentence that says the rest is about something with the quantity.

    "Windows 7 is not supported" in the notes of Tidewatch 4.2, or a message of that day.
    """
    above = beside.evidence[at].above
    same = any(likeness(quantity, one) == "same" for one in above)
    return same and beside.share(at) >= CARRIES


def _describes(beside: Comparison, quantity: Quantity) -> bool:
    """Return whether it describes something that the claim does not name."""
    first, *_ = [*beside.claim.places_in(quantity), 0]
    return first > beside.claim.verb + 2 and beside.claim.words[first - 1] in {"a", "an"}


def _stands_in(beside: Comparison, at: int, quantity: Quantity) -> bool:
    """Return whether any sentence has a quantity near the claim's words around it.

    "The leader of the band was born on 17 March 1967": in the passage of a leader whom it does not
    name. A whole date needs no more than one of them.
    """
    if not _says(beside, at, quantity):
        return False
    around = _around(beside.claim, quantity, _REACH) - beside.subject
    near = around & beside.evidence[at].stems
    return (bool(near) and bool(quantity.day)) or beside.share_of(around, near) >= _HALF


def _has_all(beside: Comparison, at: int) -> bool:
    """Return whether a sentence about something else has the claim's verb, names and doer.

    "The mill was built in 1906 by Ann Roe", of which the claim says that she built it; or "she
    built the mill", of which it says that the mill was built by her.
    """
    claim, told = beside.claim, beside.evidence[at]
    verb = {beside.predicate, *beside.cues.forms.get(beside.predicate, ())}
    words = zip(claim.stems, claim.named, strict=True)
    names = {stem for stem, named in words if named and stem}
    held = names <= told.stems and bool(verb & told.said.held.keys())
    if not beside.has_verb or not names - beside.subject or not held:
        return False
    if claim.passive:
        by = claim.words.index("by") if "by" in claim.words else len(claim.words)
        agent = {claim.stems[place] for place in claim.run_of_name(by + 1)} - {""}
        return bool(agent) and agent <= told.subject
    first = next((n for n, stem in enumerate(told.said.stems) if stem in beside.subject), 0)
    return "by" in told.said.words[max(0, first - _BESIDE) : first]


def held_otherwise(beside: Comparison, at: int) -> tuple[list[Quantity], list[str]]:
    """Return quantities and stems that a sentence says in another form or by an opposite."""
    if at not in beside.about:
        return [], []
    quantities = [one for one in beside.claim.quantities if _has(beside, at, one)]
    stems = [
        stem
        for stem in beside.content
        if stem not in beside.evidence[at].said.held
        and (True in beside.ways(at, stem, forms=False) or _measures(beside, at, stem))
    ]
    return quantities, stems


def _measures(beside: Comparison, at: int, stem: str) -> bool:
    """Return whether a sentence has the claim's number, with another word for its measure."""
    others = beside.cues.measures.get(stem, frozenset[str]())
    return bool(others & beside.evidence[at].said.held.keys()) and any(
        _has(beside, at, one) for one in beside.claim.quantities
    )


def other_numbers(beside: Comparison) -> list[Finding]:
    """Find quantities for which a sentence about the same thing has another one."""
    found: list[Finding] = []
    for quantity in beside.claim.quantities:
        if is_held(beside, quantity):
            continue
        other = _other_number(beside, quantity)
        if other is not None:
            found.append(other)
    return found


def _other_number(beside: Comparison, quantity: Quantity) -> Finding | None:
    """Return another quantity in the place of the claim's."""
    places = sorted(beside.about, key=lambda at: -beside.share(at))
    for wide in (False,) if beside.subject else (False, True):
        for at in places:
            other = _another(beside, at, quantity, wide=wide)
            if other is not None:
                said = _told(beside.evidence[at].said, other)
                mine = _told(beside.claim, quantity)
                sure = not wide and not any(beside.claim.denied)
                return instead("number", at, said, mine, sure=sure)
    return None


def _told(said: Sentence, quantity: Quantity) -> str:
    """Write a quantity in words; a rate with its unit."""
    per = f" a {quantity.per}" if quantity.per else ""
    start = quantity.start - (said.text[quantity.start - 1 : quantity.start] in CURRENCIES)
    return f"{said.text[start : quantity.stop]}{per}"


def _has(beside: Comparison, at: int, quantity: Quantity) -> bool:
    """Return whether a sentence about the same has a quantity, or its title a name's number."""
    told = beside.evidence[at]
    if quantity.kind == "label" and {_label_of(beside.claim, quantity), f"{quantity.low:g}"} <= (
        told.title
    ):
        return True
    if not _says(beside, at, quantity):
        return False
    if not beside.content or quantity.day or beside.share(at) >= ABOUT:
        return True
    around = _around(beside.claim, quantity, _WINDOW) - beside.subject
    around = frozenset(stem for stem in around if stem not in beside.cues.converse)
    return any(
        around & _around(told.said, one, _REACH)
        for one in told.said.quantities
        if likeness(quantity, one) == "same"
    )


def _label_of(claim: Sentence, quantity: Quantity) -> str:
    """Return the stem of the word before the number of a name."""
    places = claim.places_in(quantity)
    return claim.stems[places[0] - 1] if places and places[0] else quantity.unit


def _says(beside: Comparison, at: int, quantity: Quantity) -> bool:
    """Return whether a sentence has a quantity, not of another predicate, number or measure."""
    said = beside.evidence[at].said
    like = [likeness(quantity, one) for one in said.quantities]
    ranges = any(
        found == "same" and one.low < one.high
        for one, found in zip(said.quantities, like, strict=True)
    )
    is_range = quantity.kind == "number" and quantity.low < quantity.high
    if is_range and not ranges and "other" in like:
        return False  # "all scored between 80 % and 90 %": not where one is outside
    if "same" not in like:
        return False
    return not all(
        _elsewhere(beside, at, quantity, one) and not _is_conversion(said, one)
        for one, found in zip(said.quantities, like, strict=True)
        if found == "same"
    )


def _elsewhere(beside: Comparison, at: int, quantity: Quantity, one: Quantity) -> bool:
    """Return whether a sentence has the quantity, but of something else than the claim.

    On the other side of a date ("since 1950", "until 1950"), as what is compared with ("a year
    later than in Norland"); or its words stand at another number of the sentence.
    """
    claim, said = beside.claim, beside.evidence[at].said
    bare = all(each.unit != "share" for each in said.quantities)  # "36 failed" is not 36 %
    if are_opposite(claim, quantity, said, one) or (quantity.unit == "share" and bare):
        return True
    event = event_of_life(said, one) if quantity.kind == "date" else frozenset[str]()
    if event and _LIFE & claim.held.keys() and not event & claim.held.keys():
        return True  # the year of a death is not that of a birth
    is_aside = quantity.kind == "date" and is_other_time(said, claim)
    if is_aside or is_of_another_field(beside, at):
        return True
    wanted = {*beside.subject, *beside.content}
    return len(said.quantities) > 1 and is_exchanged(claim, quantity, said, one, wanted)


def _is_conversion(said: Sentence, quantity: Quantity) -> bool:
    """Return whether it is in parentheses behind the same in another unit: "90 km/h (56 mph)"."""
    return any(
        one.unit == quantity.unit
        and said.text[one.stop : quantity.start].split()[-1:] == ["("]
        and quantity.start - one.stop <= _CONVERTED
        for one in said.quantities
    )


def _another(
    beside: Comparison, at: int, quantity: Quantity, *, wide: bool = False
) -> Quantity | None:
    """Return another quantity of its kind among the words around the claim's.

    With ``wide``, words of the title and of the sentence's subject stand around it as well.
    """
    said = beside.evidence[at].said
    if not beside.subject and beside.share(at) < CARRIES:
        return None
    of_title = quantity.unit == "share" or wide
    title = beside.evidence[at].title if of_title else frozenset[str]()
    around = _around(beside.claim, quantity, _BESIDE) - beside.subject - title
    topic = frozenset(said.stems[: said.verb] if wide else ())
    noun = _noun(beside.claim, quantity)
    likely: list[tuple[float, float, Quantity]] = []
    for one in said.quantities:
        if likeness(quantity, one) != "other" or _answers(beside, one, quantity):
            continue
        if _counts_another(beside, said, quantity, one):
            continue
        if (
            quantity.unit == "share"
            and beside.predicate not in said.held
            and beside.share(at) < 1.0
            and (quantity.low + one.low == _WHOLE)
        ):
            continue  # four in five finish where one in five drops out
        counts = quantity.kind in {"number", "ordinal"} and not quantity.unit
        if counts and (quantity.written or one.written) and noun != _noun(said, one):
            continue
        near = _around(said, one, _REACH) | topic
        share = beside.share_of(around, near)
        if (around or beside.subject) and share >= _HALF:
            before = _around(said, one, _BESIDE, behind=False)
            likely.append((share, beside.share_of(around, before), one))
    return max(likely, key=lambda one: one[:2], default=(0, 0, None))[2]


def _counts_another(beside: Comparison, said: Sentence, quantity: Quantity, one: Quantity) -> bool:
    """Return whether a sentence's quantity belongs to something that the claim's does not.

    A birth, a way that something changed, or another noun where the sentence counts the claim's as
    well.
    """
    if quantity.kind == "date":
        held = beside.claim.held.keys()
        return bool(event_of_life(said, one) - held)
    if are_opposite(beside.claim, quantity, said, one):
        return True
    noun = _noun(beside.claim, quantity)
    nouns = {_noun(said, other) for other in said.quantities if not other.unit}
    bare = not quantity.unit and not one.unit and noun in nouns
    return bare and _noun(said, one) != noun


def _answers(beside: Comparison, one: Quantity, quantity: Quantity) -> bool:
    """Return whether a sentence's quantity is another one in the place of the claim's."""
    others = (mine for mine in beside.claim.quantities if mine is not quantity)
    return any(likeness(mine, one) == "same" for mine in others)


def _around(
    said: Sentence, quantity: Quantity, reach: int, *, behind: bool = True
) -> frozenset[str]:
    """Return stems of the words before a quantity, and after it, without those of quantities."""
    mine = said.places_in(quantity)
    if not mine:
        return frozenset()
    behind_it = range(mine[-1] + 1, len(said.stems) if behind else 0)
    return frozenset(
        stem
        for places in (range(mine[0] - 1, -1, -1), behind_it)
        for stem in islice(
            (said.stems[at] for at in places if said.stems[at] and at not in said.counted), reach
        )
    )


def _noun(said: Sentence, quantity: Quantity) -> str:
    """Return the stem of the word after a quantity: what it counts."""
    first = bisect_left(said.spans, quantity.stop, key=itemgetter(0))
    return next(filter(None, islice(said.stems, first, None)), "")
