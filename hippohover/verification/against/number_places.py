"""Decides which words of a sentence a number belongs to: its side, its event, its chunk.

"The north tower is 80 m high and the south tower 72 m", "8080 by default, 8443 with TLS", "18
teachers and 240 pupils", "16 (was 10)": each number has the words between two borders.
"""

from collections.abc import Collection
from typing import Final

from hippohover.language.cues import word_list
from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.quantities.table import DASHES
from hippohover.language.sentence import MARKS, Sentence, life_in

_OPPOSITE_DATES: Final = (
    {"since", "until"}, {"before", "after"}, {"since", "before"}, {"until", "after"},
)  # fmt: skip
_OPPOSITE_NUMBERS: Final = ({"from", "to"}, {"by", "to"}, {"from", "by"})
_SIDES: Final = frozenset[str]().union(*_OPPOSITE_DATES, *_OPPOSITE_NUMBERS, {"till"})
_BEFORE_A_NUMBER: Final = frozenset(
    ["about", "around", "nearly", "almost", "only", "some", "over", "a", "the"]
)
_CHUNK_BORDERS: Final = frozenset([",", ";", "and", "but", "while", "("])
_WITH: Final = "with"
"""Right before a number it begins another: "400 g of flour with 120 g of butter"."""
_RELATIVES: Final = word_list("relatives")
_FORMER: Final = frozenset(["was", "were", "formerly", "previously", "before", "until", "earlier"])
_LATER: Final = frozenset(["later", "earlier", "afterwards", "before", "after"])
_TIME_UNITS: Final = word_list("time_units")
_EVENTS: Final = frozenset(["born", "died"])


def side_of(said: Sentence, quantity: Quantity) -> str:
    """Return the preposition in front of a quantity, past "about" or "the"; "" without one."""
    places = said.places_in(quantity)
    at = places[0] - 1 if places else -1
    while at >= 0 and said.words[at] in _BEFORE_A_NUMBER:
        at -= 1
    return said.words[at] if at >= 0 and said.words[at] in _SIDES else ""


def are_opposite(claim: Sentence, quantity: Quantity, said: Sentence, one: Quantity) -> bool:
    """Return whether the two are on other sides: "since 1950", "until 1950"; "to 5", "by 5"."""
    mine, other = side_of(claim, quantity), side_of(said, one)
    if quantity.kind != "date":
        return {mine, other} in _OPPOSITE_NUMBERS
    alike = {"till": "until", "from": "since"}
    sides = {alike.get(side, side) for side in (mine, other)}
    return not one.lasts and sides in _OPPOSITE_DATES  # "from 1935 to 1950" has both sides


def is_other_time(said: Sentence, claim: Sentence) -> bool:
    """Return whether the claim is of what a sentence's date is only compared with.

    "Sold in Spain in 2014, two years later than in Norland": in Norland it was not in 2014.
    """
    for at in range(1, len(said.words)):
        than = said.words[at] == "than" and said.words[at - 1] in _LATER
        aside = said.words[at] in {"before", "after"} and said.words[at - 1] in _TIME_UNITS
        if not than and not aside:
            continue
        stop = next((n for n in range(at, len(said.words)) if said.words[n] in MARKS), None)
        names, before = _names_in(said, at + 1, stop), _names_in(said, 0, at)
        mine = claim.held.keys()
        if names - before and names <= mine and before - names - mine:
            return True
    return False


def _names_in(said: Sentence, begin: int, stop: int | None) -> set[str]:
    """Return stems of names between two places, without those of dates."""
    places = range(begin, len(said.words) if stop is None else stop)
    return {said.stems[at] for at in places if said.named[at] and at not in said.counted} - {""}


def event_of_life(said: Sentence, quantity: Quantity) -> frozenset[str]:
    """Return the stem of "born" or "died" for a date of life: "(born 17 May 1956)", "(1870-1951)".

    Empty elsewhere.
    """
    places = said.places_in(quantity)
    if not places:
        return frozenset()
    opened, at = said.words.index("(") if "(" in said.words else -1, places[0]
    if life_in(said.text) is not None and opened < at < said.words.index(")"):
        dash = next(n for n in range(opened, len(said.words)) if said.words[n] in DASHES)
        return frozenset([said.stems[opened if at < dash else dash]])
    bracketed = at > 1 and said.words[at - 2] == "(" and said.words[at - 1] in _EVENTS
    return frozenset([said.stems[at - 1]]) if bracketed else frozenset()


def is_exchanged(
    claim: Sentence, quantity: Quantity, said: Sentence, one: Quantity, wanted: Collection[str]
) -> bool:
    """Return whether a sentence has the claim's number, with the claim's words at another one.

    Parameters
    ----------
    claim : Sentence
    quantity : Quantity
    said : Sentence
        A sentence with several numbers.
    one : Quantity
        That of the sentence which is the claim's.
    wanted : collection of str
        The claim's stems without those of numbers.
    """
    if _is_dated(claim, said, one):
        return False
    if _is_former(said, one) and not _FORMER & set(claim.words):
        return True
    rivals = [
        rival
        for rival in said.quantities
        if rival.kind == one.kind and likeness(quantity, rival) == "other"
    ]
    noun = noun_behind(claim, quantity)
    own = noun_behind(said, one)
    counts = one.kind == "number" and not one.unit and bool(noun and own) and own != noun
    if counts and any(noun_behind(said, rival) == noun for rival in rivals if not rival.unit):
        return True
    return any(_is_at(said, rival, one, frozenset(wanted)) for rival in rivals)


def noun_behind(said: Sentence, quantity: Quantity) -> str:
    """Return the stem of the word right behind a number; "" where a mark or light word is."""
    places = said.places_in(quantity)
    return "".join(said.stems[places[-1] + 1 : places[-1] + 2]) if places else ""


def _is_dated(claim: Sentence, said: Sentence, one: Quantity) -> bool:
    """Return whether a number has the claim's date beside it, or a date its number: "9 in 2019"."""
    chunk = {*_bounds(said, one)}
    return any(
        likeness(mine, other) == "same" and {*said.places_in(other)} & chunk
        for mine in claim.quantities
        for other in said.quantities
        if mine.kind == other.kind and {mine.kind, one.kind} == {"date", "number"}
    )


def _is_former(said: Sentence, quantity: Quantity) -> bool:
    """Return whether a number in parentheses is what was before: "16 (was 10)"."""
    places = said.places_in(quantity)
    at = places[0] if places else 0
    return at > 1 and said.words[at - 1] in _FORMER and said.words[at - 2] == "("


def _is_at(said: Sentence, rival: Quantity, one: Quantity, wanted: frozenset[str]) -> bool:
    """Return whether the words around a rival are all the claim's, and those around one are not."""
    own, other = _chunk(said, one), _chunk(said, rival)
    if own == other or not own or not other:
        return False
    mine = (wanted & other) - own
    return bool(mine) and bool(own - wanted - other) and not other - wanted - own


def _chunk(said: Sentence, quantity: Quantity) -> frozenset[str]:
    """Return stems between the borders around a number, without those of numbers.

    None where it begins with "who".
    """
    chunk = _bounds(said, quantity)
    if not chunk or said.words[chunk[0]] in _RELATIVES:
        return frozenset()
    return frozenset(said.stems[n] for n in chunk if said.stems[n] and n not in said.counted)


def _bounds(said: Sentence, quantity: Quantity) -> range:
    """Return places of the words between the borders around a number."""
    places = said.places_in(quantity)
    if not places:
        return range(0)
    before = (n for n in range(places[0] - 1, -1, -1) if _is_border(said, n))
    behind = (n for n in range(places[-1] + 1, len(said.words)) if _is_border(said, n))
    return range(next(before, -1) + 1, next(behind, len(said.words)))


def _is_border(said: Sentence, at: int) -> bool:
    """Return whether the words of a number end there."""
    with_number = said.words[at] == _WITH and at + 1 in said.counted
    return at not in said.counted and (said.words[at] in _CHUNK_BORDERS or with_number)
