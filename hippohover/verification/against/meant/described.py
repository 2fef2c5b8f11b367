"""Puts a name in the place of a description: "the director of Low Tide" is Ann Venn.

Only where the evidence names one for it: then what speaks against the claim in her name counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hippohover.language.cues import cues
from hippohover.language.said import FORMS_OF_BE, MARKS, Said
from hippohover.verification.against.compared.relations import kin_relations
from hippohover.verification.against.frames import frames_of, name_behind, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.against.meant.bridges import named_as

_RELATIVES: Final = frozenset(["who", "which", "that"])
_FORMER: Final = frozenset(["former", "previous", "late", "old", "first", "second", "last"])
_IN: Final = frozenset(["in", "at"])
_TIMES: Final = frozenset(["year", "month", "day", "decade", "century", "season", "time", "way"])
"""Nouns before "in which" that no place has."""
_PLACE: Final = 6
"""Words from a verb to the place at most: "born on 4 May 1968 in"."""
_WORDS: Final = 3
"""Words of the noun of a description at most: "the chief executive"."""


@dataclass(frozen=True, slots=True)
class Description:
    """A description of a thing by a name.

    Attributes
    ----------
    start, stop : int
        Places of its words.
    verb, noun : str
        Stem of what the name is to it: "the director of Low Tide", "the man who taught Ann Roe".
    of : frozenset of str
        Stems of the name.
    where : bool
        Whether it is the place of the verb: "the town where Ann Roe was born".
    """

    start: int
    stop: int
    noun: str
    verb: str
    of: frozenset[str]
    where: bool = False


def named(grounds: Grounds) -> tuple[Description, frozenset[str], int] | None:
    """Return a claim's description, the stems of the one it is, and the sentence; or None."""
    for one in _descriptions(grounds.claim):
        found = [
            (name, at) for at in range(len(grounds.evidence)) for name in _names(grounds, at, one)
        ]
        found = [pair for pair in found if _has_word(grounds, pair[1], one)] or found
        first = max(found, key=lambda pair: len(pair[0]), default=None)
        held = grounds.claim.held.keys() - one.of
        if first is None or not all(same_name(first[0], name) for name, _ in found):
            continue
        if not first[0] & held and not is_listed(grounds.evidence[first[1]].said, first[0]):
            return one, *first
    return None


def _has_word(grounds: Grounds, at: int, one: Description) -> bool:
    """Return whether a sentence has the noun itself: of an engineer, not of an engine."""
    words = grounds.claim.words[one.start : one.stop]
    stems = grounds.claim.stems[one.start : one.stop]
    nouns = {word for word, stem in zip(words, stems, strict=True) if stem and stem == one.noun}
    return bool(nouns & set(grounds.evidence[at].said.words))


def _names(grounds: Grounds, at: int, one: Description) -> Iterator[frozenset[str]]:
    """Yield names that a sentence gives to what is described."""
    told, known = grounds.evidence[at], grounds.cues
    if one.where:
        yield from _where(grounds, at, one.verb, one.of)
        return
    if one.noun not in known.kin:
        yield from (
            named_as(grounds, told, one.noun, one.of)
            if one.noun
            else who_did(grounds, at, one.verb, one.of)
        )
        return
    kin = known.kin[one.noun]
    for holder, noun, of in () if any(told.said.denied) else kin_relations(told):
        theirs = known.kin.get(noun, "")
        if theirs == kin and same_name(of, one.of):
            yield holder
        elif kin in known.converse.get(theirs, ()) and same_name(holder, one.of):
            yield of


def who_did(grounds: Grounds, at: int, verb: str, of: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield who a sentence says did something to the name: "He taught Ann Roe"."""
    told = grounds.evidence[at]
    for stem in (verb, *sorted(grounds.cues.forms.get(verb, ()))):
        for frame in frames_of(told.said, stem, (told.subject,)):
            if told.said.denied[frame.at] or told.said.hedged[frame.at]:
                continue
            agent, patient = frame.agent_and_patient if frame.first else (frame.second, of)
            if frame.first and same_name(patient, of) and agent and not same_name(agent, of):
                yield agent


def _where(grounds: Grounds, at: int, verb: str, of: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield where a sentence says that the name did something: "She was born in Telk"."""
    told = grounds.evidence[at]
    said, forms = told.said, {verb, *grounds.cues.forms.get(verb, ())}
    mine = grounds.share_of(of, told.subject) >= CARRIES and not told.owned
    for place in range(len(said.words)) if mine and not any(said.denied) else ():
        behind = range(place + 1, min(place + 1 + _PLACE, len(said.words)))
        stop = next((n for n in behind if said.words[n] in MARKS), behind.stop)
        runs = [said.run_of_name(n + 1) for n in behind if n < stop and said.words[n] in _IN]
        if said.stems[place] in forms and any(runs):
            yield _stems(said, next(run for run in runs if run))


def is_listed(said: Said, name: frozenset[str]) -> bool:
    """Return whether a sentence names others beside it: "directed by Ann Venn and Tim Orr"."""
    last = max((at for at, stem in enumerate(said.stems) if stem in name), default=-2)
    behind, then = said.words[last + 1 : last + 2], last + 2
    then += said.words[then : then + 1] == ("and",)
    return behind in {("and",), (",",)} and any(said.named[then : then + 1])


def _descriptions(claim: Said) -> Iterator[Description]:
    """Yield "the director of Low Tide", "Low Tide's director", "the man who taught Ann Roe"."""
    for at, word in enumerate(claim.words):
        if word == "of" and (start := _start(claim, at)) >= 0:
            run = claim.run_of_name(at + 1)
            if run:
                yield Description(start, run[-1] + 1, claim.stems[at - 1], "", _stems(claim, run))
        elif word == "where" or claim.words[at - 1 : at + 1] == ("in", "which"):
            yield from _by_place(claim, _start(claim, at - (word == "which")), at + 1)
        elif word in _RELATIVES and (start := _start(claim, at)) >= 0:
            yield from _by_deed(claim, start, at + 1)
        elif at and claim.named[at - 1] and not claim.named[at] and claim.stems[at]:
            begin, stop = claim.spans[at - 1]
            owns = claim.text[begin:stop].replace("’", "'").endswith(("'s", "s'"))
            start = next((n for n in range(at - 1, -1, -1) if not claim.named[n]), -1) + 1
            ends = not any(claim.stems[at + 1 : at + 2]) or cues().is_verb(claim.words[at + 1])
            if owns and ends:
                run = list(range(start, at))
                yield Description(start, at + 1, claim.stems[at], "", _stems(claim, run))


def _by_deed(claim: Said, start: int, verb: int) -> Iterator[Description]:
    """Yield a description by a relative clause of a verb and a name, behind which a verb is."""
    of = name_behind(claim, verb + 1)
    if verb >= len(claim.words) or not claim.stems[verb] or not of or claim.named[verb]:
        return
    stop = next(n for n in range(verb + 1, len(claim.words)) if claim.named[n])
    while stop < len(claim.words) and claim.named[stop]:
        stop += 1
    if claim.words[stop : stop + 1] and cues().is_verb(claim.words[stop]):
        yield Description(start, stop, "", claim.stems[verb], of)


def _by_place(claim: Said, start: int, behind: int) -> Iterator[Description]:
    """Yield a description by what a name did in a place: "the town where Ann Roe was born"."""
    run = claim.run_of_name(behind)
    if start < 0 or not run or _TIMES & set(claim.words[start:behind]):
        return
    verb = run[-1] + 1
    while claim.words[verb : verb + 1] and claim.words[verb] in FORMS_OF_BE:
        verb += 1
    then = claim.words[verb + 1 : verb + 2]
    if then and claim.stems[verb] and cues().is_verb(then[0]):
        yield Description(start, verb + 1, "", claim.stems[verb], _stems(claim, run), where=True)


def _start(claim: Said, at: int) -> int:
    """Return the place of the article of the noun before a place; -1 without such a noun."""
    if not at or not claim.stems[at - 1] or claim.named[at - 1]:
        return -1
    for place in range(at - 2, max(-1, at - 2 - _WORDS), -1):
        if claim.words[place] == "the":
            return -1 if _FORMER & set(claim.words[place:at]) else place
        if not claim.stems[place] or claim.named[place]:
            return -1
    return -1


def _stems(claim: Said, run: list[int]) -> frozenset[str]:
    return frozenset(claim.stems[at] for at in run if claim.stems[at])
