"""Finds words not said of the claim's names: a verb, one of two in a list, what follows "by"."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.frames import same_name
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.against.values import listed_behind, other_values
from hippohover.verification.reading.cues import cues
from hippohover.verification.reading.said import CLAUSE_BORDERS, Said

_SLOTS: Final = frozenset(["by", "at", "on", "to", "from", "in"])
_PLACE: Final = "in"
"""What only the whole of a claim says: a part may name a larger place than the evidence."""
_REACH: Final = 6


def unsaid_predicate(grounds: Grounds) -> list[Finding]:
    """Find the claim's verb where no sentence that has it names the claim's subject."""
    verb = grounds.predicate
    plain = grounds.has_verb and bool(grounds.subject) and grounds.alone
    plain = plain and not any(grounds.claim.denied)
    if not plain or {"and", "or"} & set(grounds.claim.words[: grounds.claim.verb]):
        return []
    with_verb = [at for at in range(len(grounds.evidence)) if verb in grounds.stems[at]]
    named = any(_names(grounds, at, grounds.subject) for at in range(len(grounds.evidence)))
    if not with_verb or not named:
        return []
    if any(grounds.subject & grounds.evidence[at].stems for at in with_verb):
        return []
    cue = grounds.claim.words[grounds.claim.verb]
    return [Finding("object", with_verb[0], cue, f"“{cue}” is said of another", sure=False)]


def unnamed_members(grounds: Grounds) -> list[Finding]:
    """Find a name of "Ann Roe and Tim Orr" that no sentence has with the verb, unlike the other.

    Nor any other sentence that holds most of the claim.
    """
    if any(grounds.claim.denied) or not grounds.has_verb or "both" in grounds.claim.words:
        return []
    with_verb = [
        at for at in range(len(grounds.evidence)) if grounds.predicate in grounds.stems[at]
    ]
    for members in _lists(grounds.claim):
        held = [any(_names(grounds, at, one) for at in with_verb) for one in members]
        if any(held) and not all(held):
            missing = members[held.index(False)]
            if not any(_names(grounds, at, missing) for at in range(len(grounds.evidence))):
                return []  # another word may stand for it
            first = members[held.index(True)]
            at = next(at for at in with_verb if _names(grounds, at, first))
            name = grounds.claim.written(missing)
            return [Finding("object", at, "and", f"“{name}” is not named there", sure=False)]
    return []


def other_slots(grounds: Grounds) -> list[Finding]:
    """Find another name after the claim's verb and preposition: "climbed by", "lies on"."""
    if any(grounds.claim.denied) or not grounds.predicate:
        return []
    if any(one.sure for one in other_values(grounds)):
        return []
    mine = dict(_slots(grounds.claim, grounds.predicate))
    with_verb = [
        at for at in range(len(grounds.evidence)) if grounds.predicate in grounds.stems[at]
    ]
    for slot, name in mine.items():
        if slot == _PLACE and not grounds.alone:
            continue
        if any(_has_behind(grounds, at, slot, name) for at in with_verb):
            continue
        told_of = [at for at in with_verb if grounds.subject <= grounds.evidence[at].stems]
        for at in dict.fromkeys([*grounds.about, *(told_of if grounds.subject else ())]):
            other = dict(_slots(grounds.evidence[at].said, grounds.predicate)).get(slot)
            if other and not same_name(other, name):
                there = grounds.evidence[at].said.written(other)
                told = f"“{slot} {there}”, not “{grounds.claim.written(name)}”"
                return [Finding("object", at, slot, told, sure=False)]
    return []


def _has_behind(grounds: Grounds, at: int, slot: str, name: frozenset[str]) -> bool:
    """Return whether a sentence has a name; behind "by", in what it governs: no other agent."""
    said = grounds.evidence[at].said
    verb = said.stems.index(grounds.predicate) if grounds.predicate in said.stems else -1
    places = range(verb + 1, min(verb + 1 + _REACH, len(said.words)))
    by = next((place for place in places if said.words[place] == "by"), -1)
    if slot != "by" or verb < 0 or by < 0:
        return _names(grounds, at, name)
    return grounds.share_of(name, set(listed_behind(said, by))) >= CARRIES


def _names(grounds: Grounds, at: int, name: frozenset[str]) -> bool:
    """Return whether a sentence, or the title of its passage, has most of a name."""
    return grounds.share_of(name, grounds.evidence[at].stems) >= CARRIES


def _lists(said: Said) -> Iterator[list[frozenset[str]]]:
    """Yield names that "and" joins, at least two of one list."""
    runs = list(_runs(said))
    for (begin, stop), (start, end) in pairwise(runs):
        if said.words[stop:start] == ("and",):
            yield [
                frozenset(stem for stem in said.stems[a:b] if stem)
                for a, b in ((begin, stop), (start, end))
            ]


def _runs(said: Said) -> Iterator[tuple[int, int]]:
    """Yield the place of each name, and the place after it."""
    at = 0
    while at < len(said.words):
        begin = at
        while at < len(said.words) and said.named[at]:
            at += 1
        if at > begin and any(said.stems[begin:at]):
            yield begin, at
        at += at == begin


def _slots(said: Said, verb: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield prepositions shortly after a verb, each with the stems of the name after it."""
    forms = {verb, *cues().forms.get(verb, ())}
    at = next((n for n, stem in enumerate(said.stems) if stem in forms), len(said.words))
    dates = {place for one in said.quantities for place in said.places_in(one)}
    for place in range(at + 1, min(at + 1 + _REACH, len(said.words))):
        if said.words[place] in CLAUSE_BORDERS | {"and", "or"}:
            return
        if said.words[place] in _SLOTS:
            run = [one for one in said.run_of_name(place + 1) if one not in dates]
            name = frozenset(said.stems[one] for one in run if said.stems[one])
            if name:
                yield said.words[place], name
