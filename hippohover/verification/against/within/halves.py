"""Finds a claim made of the halves of two things that one sentence says.

"He studied under Hans and taught Sofia" does not say that he studied under Sofia.
"""

from dataclasses import dataclass
from itertools import permutations
from typing import Final

from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.sides import name_right_before
from hippohover.verification.reading.cues import cues
from hippohover.verification.reading.said import Said

_BORDERS: Final = frozenset([",", ";", "and", "but", "while"])
_RELATIVES: Final = frozenset({("who",), ("which",)})


@dataclass(frozen=True, slots=True)
class Half:
    """A part of a sentence with a verb of its own.

    Attributes
    ----------
    verb : str
        Stem of its first verb.
    stems, behind : frozenset of str
        All of its stems, and those behind the verb; without those of numbers. Behind a name and
        ", who" the name's are among all.
    """

    verb: str
    stems: frozenset[str]
    behind: frozenset[str]


def exchanged_halves(grounds: Grounds) -> list[Finding]:
    """Find a claim with words of two parts of a sentence that each say something else as well."""
    claim = grounds.claim
    joined = {"and", "or", ","} & set(claim.words)
    if not grounds.alone or joined or any(claim.denied) or any(claim.hedged):
        return []
    found: list[int] = []
    for at, told in enumerate(grounds.evidence):
        halves = _halves(told.said)
        if any(_rest(grounds, told) <= half.stems for half in halves):
            return []
        if any(_is_mixed(grounds, told, *pair) for pair in permutations(halves, 2)):
            found.append(at)
    told_ = "two parts of the sentence are exchanged"
    return [Finding("object", at, "", told_, sure=False) for at in found[:1]]


def _rest(grounds: Grounds, told: Told) -> frozenset[str]:
    """Return the claim's stems that the title does not have."""
    return frozenset({*grounds.subject, *grounds.content} - told.title)


def _is_mixed(grounds: Grounds, told: Told, first: Half, second: Half) -> bool:
    """Return whether the claim has the first's verb, and what stands behind the second's."""
    wanted = _rest(grounds, told)
    if not wanted <= first.stems | second.stems or first.verb not in wanted:
        return False
    mine = (wanted & first.stems) - second.stems
    borrowed = (wanted & second.stems) - first.stems
    if borrowed & grounds.subject:
        return False  # "he beat Al, but lost to Bo": Al lost to him
    others = all(
        one.stems - wanted - other.stems - told.title
        for one, other in ((first, second), (second, first))
    )
    apart = second.verb == first.verb or second.verb not in wanted
    return bool(mine and borrowed) and borrowed <= second.behind and others and apart


def _halves(said: Said) -> list[Half]:
    """Return the parts of a sentence between borders that have a verb, in order."""
    inside = {at for one in said.quantities for at in said.places_in(one)}
    borders = [at for at, word in enumerate(said.words) if word in _BORDERS]
    found: list[Half] = []
    for start, stop in zip([-1, *borders], [*borders, len(said.words)], strict=True):
        places = [at for at in range(start + 1, stop) if said.stems[at] and at not in inside]
        verb = next((at for at in places if _is_verb(said, at)), -1)
        if verb >= 0:
            behind = frozenset(said.stems[at] for at in places if at > verb)
            relative = said.words[start + 1 : start + 2] in _RELATIVES
            who = name_right_before(said, start + 1) if relative else frozenset[str]()
            stems = who.union(said.stems[at] for at in places)
            found.append(Half(said.stems[verb], stems, behind))
    return found


def _is_verb(said: Said, at: int) -> bool:
    return not said.named[at] and (cues().is_verb(said.words[at]) or said.stems[at] in cues().forms)
