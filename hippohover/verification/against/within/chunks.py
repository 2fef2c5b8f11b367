"""Tells which of several numbers in one sentence a claim's words belong to.

"The north tower is 80 m high and the south tower 72 m", "8080 by default, 8443 with TLS", "18
teachers and 240 pupils", "16 (was 10)": each number has the words between two borders.
"""

from collections.abc import Collection
from typing import Final

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.said import Said

_BORDERS: Final = frozenset([",", ";", "and", "but", "while", "("])
_WITH: Final = "with"
"""Right before a number it begins another: "400 g of flour with 120 g of butter"."""
_RELATIVES: Final = frozenset(["who", "which", "whose", "that", "where"])
_FORMER: Final = frozenset(["was", "were", "formerly", "previously", "before", "until", "earlier"])


def is_exchanged(
    claim: Said, quantity: Quantity, said: Said, one: Quantity, wanted: Collection[str]
) -> bool:
    """Return whether a sentence has the claim's number, with the claim's words at another one.

    Parameters
    ----------
    claim : Said
    quantity : Quantity
    said : Said
        A sentence with several numbers.
    one : Quantity
        That of the sentence which is the claim's.
    wanted : collection of str
        The claim's stems without those of numbers.
    """
    if _is_dated(claim, said, one):
        return False
    if is_former(said, one) and not _FORMER & set(claim.words):
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


def _is_dated(claim: Said, said: Said, one: Quantity) -> bool:
    """Return whether a number has the claim's date beside it, or a date its number: "9 in 2019"."""
    chunk = {*_bounds(said, one)}
    return any(
        likeness(mine, other) == "same" and {*said.places_in(other)} & chunk
        for mine in claim.quantities
        for other in said.quantities
        if mine.kind == other.kind and {mine.kind, one.kind} == {"date", "number"}
    )


def is_its_own(said: Said, one: Quantity, wanted: Collection[str]) -> bool:
    """Return whether the words around a number are the claim's, and another's are not."""
    rivals = [rival for rival in said.quantities if rival.kind == one.kind and rival != one]
    return bool(rivals) and all(_is_at(said, one, rival, frozenset(wanted)) for rival in rivals)


def is_former(said: Said, quantity: Quantity) -> bool:
    """Return whether a number in parentheses is what was before: "16 (was 10)"."""
    places = said.places_in(quantity)
    at = places[0] if places else 0
    return at > 1 and said.words[at - 1] in _FORMER and said.words[at - 2] == "("


def noun_behind(said: Said, quantity: Quantity) -> str:
    """Return the stem of the word right behind a number; "" where a mark or light word is."""
    places = said.places_in(quantity)
    return "".join(said.stems[places[-1] + 1 : places[-1] + 2]) if places else ""


def _is_at(said: Said, rival: Quantity, one: Quantity, wanted: frozenset[str]) -> bool:
    """Return whether the words around a rival are all the claim's, and those around one are not."""
    own, other = _chunk(said, one), _chunk(said, rival)
    if own == other or not own or not other:
        return False
    mine = (wanted & other) - own
    return bool(mine) and bool(own - wanted - other) and not other - wanted - own


def _chunk(said: Said, quantity: Quantity) -> frozenset[str]:
    """Return stems between the borders around a number, without those of numbers.

    None where it begins with "who".
    """
    chunk = _bounds(said, quantity)
    inside = {at for one in said.quantities for at in said.places_in(one)}
    if not chunk or said.words[chunk[0]] in _RELATIVES:
        return frozenset()
    return frozenset(said.stems[n] for n in chunk if said.stems[n] and n not in inside)


def _bounds(said: Said, quantity: Quantity) -> range:
    """Return places of the words between the borders around a number."""
    places = said.places_in(quantity)
    if not places:
        return range(0)
    inside = {at for one in said.quantities for at in said.places_in(one)}
    borders = [
        n
        for n, word in enumerate(said.words)
        if n not in inside and (word in _BORDERS or (word == _WITH and n + 1 in inside))
    ]
    begin = max((n for n in borders if n < places[0]), default=-1) + 1
    return range(begin, min((n for n in borders if n > places[-1]), default=len(said.words)))
