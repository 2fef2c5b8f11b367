"""Finds one agent in another's place: "written by Ann Roe, illustrated by Tim Orr"."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hippohover.verification.against.comparisons import roles_behind
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.frames import frames_of, same_name
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.against.meant.bridges import of_one_root
from hippohover.verification.against.sides import name_right_before
from hippohover.verification.reading.cues import cues
from hippohover.verification.reading.said import FORMS_OF_BE, MARKS, STOPS, Said

_BY: Final = "by"
_JOINTS: Final = frozenset([",", "and", "or"])
_ENDS: Final = STOPS | {_BY, "with", "who", "which", "while", "but"}
_BACK: Final = 6
"""Words from "by" back to what was done: "opened on 3 May 1990 by"."""
_ADVERBS: Final = 3
"""Words from "who" to its verb at most: "who later also built it"."""
_LISTED: Final = 16
"""Words behind "by" in which its agents stand."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What a sentence says that somebody did, in the passive.

    Attributes
    ----------
    verbs : frozenset of str
        Stems of what was done: of "written and directed by" both.
    agents : tuple of frozenset of str
        Stems of each name behind "by".
    words : frozenset of str
        Stems of the words since the deed before.
    """

    verbs: frozenset[str]
    agents: tuple[frozenset[str], ...]
    words: frozenset[str]


def crossed_agents(grounds: Grounds) -> list[Finding]:
    """Find who did the claim's deed where a sentence names the claim's agent for something else.

    Never sure: one may have done both.
    """
    found: list[Finding] = []
    for agent, verb in () if any(grounds.claim.denied) else _of_claim(grounds):
        aside = {*agent, verb}
        rest = [stem for stem in (*grounds.subject, *grounds.content) if stem not in aside]
        for at, told in enumerate(grounds.evidence):
            if _does(grounds, at, agent, verb):
                return []
            if not rest or grounds.share_of(rest, told.stems) < CARRIES:
                continue
            deeds = deeds_in(told.said)
            mine = _of_verb(grounds, deeds, verb, rest)
            if agent <= frozenset[str]().union(*(name for one in mine for name in one.agents)):
                return []
            others = [one for one in deeds if one not in mine]
            among = any(agent <= name for one in others for name in one.agents)
            against = mine or (others if verb in grounds.cues.makers and among else [])
            if against and agent <= told.stems:
                did = told.said.written(against[0].verbs)
                told_ = f"“{did} by {told.said.written(against[0].agents[0])}”"
                found.append(Finding("object", at, _BY, told_, sure=False))
    return found[:1]


def other_agents(grounds: Grounds) -> list[Finding]:
    """Find "Tim Orr built it" where a sentence has "He taught Ann Roe, who later built it".

    Never sure: both may have done it.
    """
    found: list[Finding] = []
    for agent, verb in () if any(grounds.claim.denied) else _agents_of_claim(grounds):
        aside = {*agent, verb}
        rest = [stem for stem in (*grounds.subject, *grounds.content) if stem not in aside]
        for at, told in enumerate(grounds.evidence):
            for who in _who_did(grounds, told.said, verb, rest) if rest else ():
                if same_name(agent, who):
                    return []
                told_ = f"“{told.said.written(who)}”, not “{grounds.claim.written(agent)}”"
                found.append(Finding("object", at, "who", told_, sure=False))
    return found[:1]


def _agents_of_claim(grounds: Grounds) -> Iterator[tuple[frozenset[str], str]]:
    """Yield agent and deed of a claim, in the passive of any subject: "the Solway bridge was"."""
    [*found] = _of_claim(grounds)
    yield from found
    for one in () if found else deeds_in(grounds.claim):
        if len(one.agents) == len(one.verbs) == 1:
            yield one.agents[0], min(one.verbs)


def _who_did(grounds: Grounds, said: Said, verb: str, rest: list[str]) -> Iterator[frozenset[str]]:
    """Yield names behind which a relative clause says the deed: "Ann Roe, who later built it"."""
    alike = {verb, *grounds.cues.forms.get(verb, ())}
    for at, word in enumerate(said.words):
        behind = range(at + 1, min(at + 1 + _ADVERBS, len(said.words)))
        place = next((n for n in behind if said.stems[n] in alike), 0) if word == "who" else 0
        name = name_right_before(said, at) if place and not said.denied[place] else frozenset()
        stop = next((n for n in range(place, len(said.words)) if said.words[n] in MARKS), None)
        if name and grounds.share_of(rest, {*said.stems[place:stop]}) >= CARRIES:
            yield name


def _of_verb(grounds: Grounds, deeds: list[Deed], verb: str, rest: list[str]) -> list[Deed]:
    """Return deeds of a verb or noun; of several those with most of the claim's other words."""
    mine = [
        one
        for one in deeds
        if any(_is_deed(grounds, stem, verb) for stem in one.verbs) and one.agents
    ]
    shares = [grounds.share_of(rest, one.words) for one in mine]
    return [one for one, share in zip(mine, shares, strict=True) if share == max(shares)]


def _is_deed(grounds: Grounds, stem: str, verb: str) -> bool:
    """Return whether a word tells of the deed of a verb or noun: "written", "novel by", author."""
    doers = grounds.cues.doers.get(verb, frozenset[str]())
    made = bool({verb, *doers} & grounds.cues.makers) and stem in grounds.cues.made_by
    return stem in doers or made or of_one_root(grounds, stem, verb)


def _does(grounds: Grounds, at: int, agent: frozenset[str], verb: str) -> bool:
    """Return whether a sentence says in the active that the agent does it."""
    told = grounds.evidence[at]
    frames = frames_of(told.said, verb, (told.subject,))
    return any(not one.passive and same_name(agent, name) for one in frames for name in one.first)


def _of_claim(grounds: Grounds) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the claim's agent and what it did: by a verb, or "is the author of"."""
    claim, frame = grounds.claim, grounds.frame
    if frame is not None and frame.passive:
        yield frame.second, claim.stems[frame.at]
    elif claim.words[claim.verb : claim.verb + 1] and claim.words[claim.verb] in FORMS_OF_BE:
        yield from _by_noun(claim, grounds.subject)
    elif grounds.has_verb and grounds.subject:
        yield grounds.subject, grounds.predicate


def _by_noun(claim: Said, subject: frozenset[str]) -> Iterator[tuple[frozenset[str], str]]:
    """Yield agent and noun of "Ann Roe is the author of it", "the author of it is Ann Roe"."""
    if subject:
        yield from ((subject, noun) for noun, _ in roles_behind(claim, claim.verb))
        return
    of = claim.words.index("of") if "of" in claim.words else 0
    run = claim.run_of_name(claim.verb + 1)
    if 0 < of < claim.verb and claim.stems[of - 1] and run:
        yield frozenset(claim.stems[at] for at in run if claim.stems[at]), claim.stems[of - 1]


def deeds_in(said: Said) -> list[Deed]:
    """Return what a sentence says was done by whom, in order."""
    found: list[Deed] = []
    begin = 0
    for by, word in enumerate(said.words):
        verbs = frozenset(_done(said, by)) if word == _BY else frozenset[str]()
        if verbs:
            words = frozenset(stem for stem in said.stems[begin:by] if stem)
            found.append(Deed(verbs, tuple(_agents(said, by)), words))
            begin = by + 1
    return found


def _done(said: Said, by: int) -> Iterator[str]:
    """Yield stems of what is right before "by", and of the verbs that "and" joins to it."""
    numbers = {at for one in said.quantities for at in said.places_in(one)}
    at, joined = by - 1, False
    while at >= max(0, by - _BACK) and said.words[at] not in STOPS | {_BY}:
        if said.words[at] in _JOINTS:
            joined = True
        elif said.stems[at] and not said.named[at] and at not in numbers:
            if joined and not cues().is_verb(said.words[at]):
                return
            yield said.stems[at]
            if said.words[at - 1 : at] and said.words[at - 1] not in _JOINTS:
                return
        at -= 1


def _agents(said: Said, by: int) -> Iterator[frozenset[str]]:
    """Yield stems of the names behind "by", up to the next verb."""
    run: list[str] = []
    for at in range(by + 1, min(by + _LISTED, len(said.words))):
        if said.named[at]:
            run.append(said.stems[at])
            continue
        if run:
            yield frozenset(run) - {""}
        run = []
        if said.words[at] in _ENDS or cues().is_verb(said.words[at]):
            return
    if run:
        yield frozenset(run) - {""}
