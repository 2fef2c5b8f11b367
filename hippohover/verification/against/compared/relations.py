"""Who is what to whom, in other words: "Ann supervised Tim", "Tim was the supervisor of Ann"."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.comparisons import relations_of, roles_behind
from hippohover.verification.against.findings import Told
from hippohover.verification.against.frames import frames_of, name_before
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.meant.bridges import of_one_root

_ARTICLES: Final = frozenset(["the", "a", "an"])
_PLACES: Final = frozenset(["in", "at", "near", "of"])
_TURNED: Final = "the two change places"

Relation = tuple[frozenset[str], str, frozenset[str]]


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
