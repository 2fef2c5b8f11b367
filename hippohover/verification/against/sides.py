"""Reads the words around a number in a sentence: its side, its measure, and its owner."""

from typing import Final

from hippohover.language.cues import cues, word_list
from hippohover.language.quantities.quantity import Quantity
from hippohover.language.quantities.table import DASHES
from hippohover.language.said import MARKS, Said, life_in
from hippohover.verification.against.frames import name_before, same_name

_MEASURES: Final = word_list("measures")
_DATES: Final = ({"since", "until"}, {"before", "after"}, {"since", "before"}, {"until", "after"})
_NUMBERS: Final = ({"from", "to"}, {"by", "to"}, {"from", "by"})
_PREPOSITIONS: Final = frozenset(
    ["from", "to", "by", "until", "till", "since", "after", "before", "in", "at", "for", "within"]
)
ONE_SIDED: Final = _PREPOSITIONS - {"in", "at", "for", "within"}
"""Those that tell one of several quantities of a sentence from the others."""
_OF_AGE: Final = frozenset(["age", "child", "boy", "girl", "man", "woman"])
_RELATIVE_TIMES: Final = frozenset(["later", "earlier", "sooner", "longer"])
_SIDES: Final = frozenset(["before", "after"])
_TIME_UNITS: Final = frozenset(
    f"{unit}{plural}"
    for unit in ("year", "month", "week", "day", "decade", "hour")
    for plural in ("", "s")
)
_RELATIVES: Final = frozenset(["who", "which", "whose"])
_AMONG: Final = frozenset(["about", "around", "nearly", "almost", "only", "some", "over", "a"])
_EVENTS: Final = frozenset(["born", "died"])


def is_age(said: Said, quantity: Quantity) -> bool:
    """Return whether a number is an age: "at the age of nine", "a child of nine", "nine when"."""
    places = said.places_in(quantity)
    if not places or quantity.kind != "number":
        return False
    first, last = places[0], places[-1]
    before = said.words[max(0, first - 2) : first]
    of = before[-1:] == ("of",) and before[0] in _OF_AGE
    is_when = said.words[last + 1 : last + 2] == ("when",) and before[-1:] != ("at",)
    return of or before[-1:] == ("aged",) or is_when


def is_other_time(said: Said, claim: Said) -> bool:
    """Return whether the claim is of what a sentence's date is only compared with.

    "Sold in Spain in 2014, two years later than in Norland": in Norland it was not in 2014.
    """
    for at in range(1, len(said.words)):
        than = said.words[at] == "than" and said.words[at - 1] in _RELATIVE_TIMES
        if not than and not (said.words[at] in _SIDES and said.words[at - 1] in _TIME_UNITS):
            continue
        stop = next((n for n in range(at, len(said.words)) if said.words[n] in MARKS), None)
        names, before = _names_in(said, at + 1, stop), _names_in(said, 0, at)
        mine = claim.held.keys()
        if names - before and names <= mine and before - names - mine:
            return True
    return False


def _names_in(said: Said, begin: int, stop: int | None) -> set[str]:
    """Return stems of names between two places, without those of dates."""
    dates = {at for one in said.quantities for at in said.places_in(one)}
    places = range(begin, len(said.words) if stop is None else stop)
    return {said.stems[at] for at in places if said.named[at] and at not in dates} - {""}


def measure_behind(said: Said, quantity: Quantity) -> str:
    """Return the stem of a measure after a quantity: "long", "high"; "" without one."""
    places = said.places_in(quantity)
    word = said.words[places[-1] + 1 : places[-1] + 2] if places else ()
    return said.stems[places[-1] + 1] if word and word[0] in _MEASURES else ""


def side_of(said: Said, quantity: Quantity) -> str:
    """Return the preposition in front of a quantity, past "about" or "the"; "" without one."""
    places = said.places_in(quantity)
    at = places[0] - 1 if places else -1
    while at >= 0 and said.words[at] in _AMONG | {"the"}:
        at -= 1
    return said.words[at] if at >= 0 and said.words[at] in _PREPOSITIONS else ""


def are_opposite(claim: Said, quantity: Quantity, said: Said, one: Quantity) -> bool:
    """Return whether the two are on other sides: "since 1950", "until 1950"; "to 5", "by 5"."""
    mine, other = side_of(claim, quantity), side_of(said, one)
    if quantity.kind == "date":
        if one.lasts:
            return False  # "from 1935 to 1950" has both sides
        sides = {{"till": "until", "from": "since"}.get(side, side) for side in (mine, other)}
        return any(sides == pair for pair in _DATES)
    return any({mine, other} == pair for pair in _NUMBERS)


def is_compared(said: Said, quantity: Quantity) -> bool:
    """Return whether it follows "than", "than in"."""
    places = said.places_in(quantity)
    before = said.words[max(0, places[0] - 2) : places[0]] if places else ()
    return quantity.kind == "date" and "than" in before


def event_of_life(said: Said, quantity: Quantity) -> frozenset[str]:
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


def name_of_year(said: Said, quantity: Quantity) -> frozenset[str]:
    """Return stems of the name just before a year in parentheses: "Low Tide (2006)"."""
    places = said.places_in(quantity)
    if not places or said.words[places[0] - 1 : places[0]] != ("(",):
        return frozenset()
    if said.words[places[-1] + 1 : places[-1] + 2] != (")",):
        return frozenset()
    at = places[0] - 2
    return name_before(said, at + 1) if at >= 0 and said.named[at] else frozenset()


def of_another_clause(said: Said, one: Quantity, subject: frozenset[str], claim: Said) -> bool:
    """Return whether it is about another name: "beating Ann Roe, who got 12 votes"."""
    places = said.places_in(one)
    owner = owner_at(said, places[0]) if places and subject else frozenset[str]()
    return bool(owner) and not same_name(subject, owner) and not owner <= claim.held.keys()


def name_right_before(said: Said, at: int) -> frozenset[str]:
    """Return stems of the name before "who"; empty for a noun: "a composer who".

    Nor where another does it: "the mill, which he managed".
    """
    if said.words[at + 1 : at + 2] and (
        said.words[at + 1] in cues().pronouns or said.named[at + 1]
    ):
        return frozenset()
    last = at - 2 if said.words[at - 1] == "," else at - 1
    return name_before(said, last + 1) if last >= 0 and said.named[last] else frozenset()


def owner_at(said: Said, at: int) -> frozenset[str]:
    """Return stems of the name that a relative clause around a place is about; else empty."""
    for place in range(at - 1, 0, -1):
        if said.words[place] in _RELATIVES:
            return name_right_before(said, place)
        if said.words[place] in MARKS:
            return frozenset()
    return frozenset()


def is_score(said: Said, one: Quantity) -> bool:
    """Return whether a number is one of a result: "beat them 3-1"."""
    before, behind = said.text[: one.start], said.text[one.stop :]
    follows = before[-1:] in DASHES and before[-2:-1].isdigit()
    leads = behind[:1] in DASHES and behind[1:2].isdigit()
    return one.kind == "number" and not one.unit and (follows or leads)
