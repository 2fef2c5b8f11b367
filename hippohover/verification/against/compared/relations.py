"""Who is what to whom, in other words: "Ann supervised Tim", "Tim was the supervisor of Ann"."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.comparisons import relations_of, roles_behind
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.frames import frames_of, name_before, same_name
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.meant.bridges import of_one_root

_SPOUSE: Final = "spous"
"""Stem of what stands for a wife and a husband."""
_ARTICLES: Final = frozenset(["the", "a", "an"])
_PLACES: Final = frozenset(["in", "at", "near", "of"])
_TURNED: Final = "the two change places"

Relation = tuple[frozenset[str], str, frozenset[str]]


def turned_kin_and_deeds(grounds: Grounds) -> list[Finding]:
    """Find A as the mother of B where B is A's father, and A's deed to B where B does it to A.

    Never sure: the two may do it to each other.
    """
    claim = grounds.claim
    if any(claim.denied) or not grounds.subject:
        return []
    words = {word for word, named in zip(claim.words, claim.named, strict=True) if not named}
    if grounds.cues.symmetric & words:
        return []
    found: list[int] = []
    for agent, verb, patient in _of_claim(grounds):
        for at in range(len(grounds.evidence)):
            for one, other in _said(grounds, at, verb):
                if same_name(agent, one) and same_name(patient, other):
                    return []
                if same_name(agent, other) and same_name(patient, one):
                    found.append(at)
    return [Finding("roles", at, "", _TURNED, sure=False) for at in found[:1]]


def _of_claim(grounds: Grounds) -> Iterator[Relation]:
    """Yield who is, or does, what to whom in the claim."""
    frame = grounds.frame
    if frame is not None and not frame.slot:
        agent, patient = frame.agent_and_patient
        yield agent, grounds.claim.stems[frame.at], patient
    yield from relations_of(grounds.claim, grounds.subject, frozenset())


def _said(grounds: Grounds, at: int, verb: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield agent and patient of each place where a sentence says it, by a verb or a noun."""
    told = grounds.evidence[at]
    if any(told.said.denied):
        return
    known = grounds.cues
    kin = known.kin.get(verb, "")
    for holder, noun, of in kin_relations(told):
        theirs = known.kin.get(noun, "")
        if kin and theirs == kin:
            yield holder, of
        elif kin and kin in known.converse.get(theirs, ()):
            yield of, holder
        elif not kin and not theirs and of_one_root(grounds, noun, verb):
            yield holder, of
    for stem in dict.fromkeys(told.said.stems):
        if stem and stem != verb and of_one_root(grounds, stem, verb) and not kin:
            for frame in frames_of(told.said, stem, (told.subject,)):
                if frame.first and not frame.slot:
                    yield frame.agent_and_patient


def kin_relations(told: Told) -> Iterator[Relation]:
    """Yield who is what of whom; also by a description: "Ann Roe, the niece of Tim Orr"."""
    said = told.said
    yield from relations_of(said, told.subject, told.title)
    for at in range(1, len(said.words) - 1):
        if said.words[at] != "," or said.words[at + 1] not in _ARTICLES:
            continue
        begin = next((n for n in range(at - 1, -1, -1) if not said.named[n]), -1)
        near = name_before(said, at) if said.named[at - 1] else frozenset[str]()
        placed = begin >= 0 and said.words[begin] in _PLACES
        for noun, of in roles_behind(said, at):
            if holder := (near if near and not placed else told.subject):
                yield holder, noun, of


def other_spouse(grounds: Grounds) -> list[Finding]:
    """Find "Ann is the wife of Tim" where the evidence has her married to another alone."""
    claim = grounds.claim
    of_spouse = [
        (holder, of)
        for holder, noun, of in relations_of(claim, grounds.subject, frozenset())
        if noun in grounds.cues.kin and grounds.cues.kin[noun] == _SPOUSE
    ]
    found: list[int] = []
    for holder, of in of_spouse if not any(claim.denied) else ():
        for at, pair in _married(grounds):
            if all(any(same_name(mine, one) for one in pair) for mine in (holder, of)):
                return []
            if any(same_name(mine, one) for one in pair for mine in (holder, of)):
                found.append(at)
    return [Finding("object", at, "", "married to another", sure=False) for at in found[:1]]


def _married(grounds: Grounds) -> Iterator[tuple[int, tuple[frozenset[str], frozenset[str]]]]:
    for at, told in enumerate(grounds.evidence):
        for holder, noun, of in kin_relations(told):
            if noun in grounds.cues.kin and grounds.cues.kin[noun] == _SPOUSE:
                yield at, (holder, of)
        for frame in frames_of(told.said, "marri", (told.subject,)):
            if frame.first and frame.second:
                yield at, (frame.first[0], frame.second)
