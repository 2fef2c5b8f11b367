"""Finds where something is no more: "its office moved from Telk to Brun"."""

from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.frames import same_name
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.reading.said import FORMS_OF_BE, Said

_NOW: Final = frozenset(["is", "are", "lies", "stands", "sits", "remains"])
_MOVED: Final = frozenset(
    ["moved", "relocated", "transferred", "shifted", "changed", "renamed", "migrated", "switched"]
)
_IN: Final = frozenset(["in", "at", "on"])


def moved_away(grounds: Grounds) -> list[Finding]:
    """Find "its office is in Telk" where sentences only say that it moved from there."""
    claim = grounds.claim
    if not _NOW & set(claim.words[claim.verb : claim.verb + 1]) or any(claim.denied):
        return []
    names = [_name(claim, at + 1) for at, word in enumerate(claim.words) if word in _IN]
    names = [name for name in names if name]
    found: list[int] = []
    for at in grounds.carriers:
        said = grounds.evidence[at].said
        left = [_name(said, n + 1) for n, word in enumerate(said.words) if word == "from"]
        moved = bool(_MOVED & set(said.words))
        if moved and any(same_name(name, one) for name in names for one in left):
            found.append(at)
        elif FORMS_OF_BE & set(said.words) and any(name <= said.held.keys() for name in names):
            return []
    return [
        Finding("object", at, "from", "it moved away from there", sure=False) for at in found[:1]
    ]


def _name(said: Said, at: int) -> frozenset[str]:
    return frozenset(said.stems[n] for n in said.run_of_name(at) if said.stems[n])
