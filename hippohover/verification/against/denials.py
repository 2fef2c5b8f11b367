"""What sentences deny that the claim says, or say only as what may be."""

from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.reading.clauses import CLAUSE_BORDERS, Said

_NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
_PAST: Final = frozenset(
    ["former", "formerly", "used to", "previously", "ex", "left", "quit", "resigned",
     "resigned from", "withdrew from", "retired from"]
)  # fmt: skip
"""What stands behind these is so no more, and was so."""


def denials(grounds: Grounds) -> list[Finding]:
    """A word of the claim that sentences which carry it say the other way, and none its way."""
    for stem in grounds.content:
        ways = {at: grounds.ways(at, stem) for at in grounds.carriers}
        against = [
            at for at, said in ways.items() if said == {False} and not _agrees(grounds, at, stem)
        ]
        if not against or any(True in said for said in ways.values()):
            continue
        if any(True in grounds.ways(at, stem) for at in grounds.about):
            continue
        at = against[0]
        said = grounds.evidence[at].said
        opposite = next(
            (
                w
                for w, s in zip(said.words, said.stems, strict=True)
                if s in grounds.opposites(stem)
            ),
            "",
        )
        cue = (said.cue if stem in said.held else opposite) or grounds.claim.cue or opposite
        return [Finding("denied", at, cue, f"“{cue}”", sure=_sure_denial(grounds, at, said.cue))]
    return []


def _agrees(grounds: Grounds, at: int, stem: str) -> bool:
    """Whether a sentence says all of it, or its predicate, as the claim does.

    "It did not win the prize, although it was shortlisted for it."
    """
    said, claim = grounds.evidence[at].said, grounds.claim
    length = len(claim.words) - (claim.words[-1:] == (".",))
    if said.words[:length] == claim.words[:length]:
        return True
    if _in_another_clause(grounds, said, stem) and grounds.ways(at, grounds.predicate) == {True}:
        return True
    return any(
        one == (False, True) and said.held.get(word) == one for word, one in claim.held.items()
    )


def _in_another_clause(grounds: Grounds, said: Said, stem: str) -> bool:
    """Whether a mark or a word that begins a clause parts a word from the claim's predicate."""
    if grounds.predicate == stem or not {stem, grounds.predicate} <= said.held.keys():
        return False
    start, stop = sorted((said.stems.index(stem), said.stems.index(grounds.predicate)))
    return bool(CLAUSE_BORDERS & set(said.words[start:stop]))


def _sure_denial(grounds: Grounds, at: int, cue: str) -> bool:
    """Not where the claim has the same cue, or denies of two things, or a thing not found."""
    words = grounds.claim.words
    denied = [stem for stem, said in grounds.claim.held.items() if said == (False, True)]
    if {"both", "either", "also"} & set(words) or (cue and cue.split(maxsplit=1)[0] in words):
        return not denied and not (cue and cue.split(maxsplit=1)[0] in words)
    return not denied or grounds.share_of(denied, grounds.stems[at]) >= 1.0


def hedges(grounds: Grounds) -> list[Finding]:
    """What the claim says outright, and the evidence only as what may be."""
    if any(grounds.claim.hedged):
        return []
    now = grounds.claim.words[grounds.claim.verb : grounds.claim.verb + 1] in _NOW
    firm: set[str] = set()
    soft: dict[str, int] = {}
    for at in range(len(grounds.evidence)):
        said = grounds.evidence[at].said
        names_it = bool(grounds.subject) and grounds.subject <= said.held.keys()
        if at not in grounds.carriers and not (names_it and grounds.share(at) >= CARRIES):
            continue
        if said.hedge in _PAST and not now:
            continue
        for stem, hedged in zip(said.stems, said.hedged, strict=True):
            if stem in grounds.content and hedged:
                soft.setdefault(stem, at)
            elif stem:
                firm.add(stem)
    at = next((at for stem, at in soft.items() if stem not in firm), -1)
    if at < 0:
        return []
    cue = grounds.evidence[at].said.hedge
    return [Finding("hedged", at, cue, f"“{cue}”", sure=False)]
