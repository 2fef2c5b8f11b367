"""What sentences deny of everybody, and the claim says of somebody."""

from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.reading.said import Said

_NOBODY: Final[tuple[tuple[str, ...], ...]] = (("nobody",), ("no", "one"))
_LIMITS: Final = frozenset(
    ["but", "except", "other", "else", "until", "till", "before", "since", "after", "when", "if"]
)
"""With one of them somebody, or some time, is left out."""


def denied_of_everybody(grounds: Grounds) -> list[Finding]:
    """Find "Nobody has crossed its gorge" against "Ann Roe has crossed the gorge of the Teff".

    Sure where the sentence has all of the claim but its subject.
    """
    if not grounds.subject or any(grounds.claim.denied) or any(grounds.claim.hedged):
        return []
    rest = [stem for stem in grounds.content if stem not in grounds.subject]
    for at, told in enumerate(grounds.evidence):
        cue = _cue(told.said)
        counted = any(not one.written for one in told.said.quantities)
        apart = not counted and not grounds.subject & told.stems
        if cue and apart and rest and grounds.share_of(rest, grounds.stems[at]) >= 1.0:
            return [] if _is_affirmed(grounds, rest) else [Finding("denied", at, cue, f"“{cue}”")]
    return []


def _cue(said: Said) -> str:
    """Return "no one" or "nobody" where a sentence begins with it and leaves out nobody."""
    found = next((one for one in _NOBODY if said.words[: len(one)] == one), ())
    return " ".join(found) if not _LIMITS & set(said.words) else ""


def _is_affirmed(grounds: Grounds, rest: list[str]) -> bool:
    """Return whether another sentence says it of the claim's subject."""
    return any(
        grounds.subject <= told.stems
        and not any(told.said.denied)
        and grounds.share_of(rest, grounds.stems[at]) >= 1.0
        for at, told in enumerate(grounds.evidence)
    )
