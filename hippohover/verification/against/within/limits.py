"""Finds what a sentence limits, or gives a reason for: "only on Mondays", "because it rained"."""

from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import CARRIES, Grounds
from hippohover.verification.against.owners import with_forms
from hippohover.verification.against.unsaid import left_unsaid

_ONLY: Final = "only"
_BECAUSE: Final = (
    ("because", "of"),
    ("because",),
    ("due", "to"),
    ("owing", "to"),
    ("as", "a", "result", "of"),
)
_REASONS: Final = frozenset(
    ["because", "due", "owing", "result", "so", "for", "since", "as", "led", "caused", "made"]
)
"""Words of a sentence that may give a reason."""


def other_causes(grounds: Grounds) -> list[Finding]:
    """Find a reason that no sentence gives for what the claim gives it for."""
    claim = grounds.claim
    found = next(
        (
            (at, cue)
            for at in range(len(claim.words))
            for cue in _BECAUSE
            if claim.words[at : at + len(cue)] == cue
        ),
        None,
    )
    if found is None:
        return []
    at, cue = found
    stop = len(claim.words)
    if not at:  # "Because it rained, the match was stopped."
        stop = claim.words.index(",") if "," in claim.words else stop
    behind = range(at + len(cue), stop)
    reason = {claim.stems[place]: claim.words[place] for place in behind if claim.stems[place]}
    effect = {stem for stem in (*claim.stems[:at], *claim.stems[stop:]) if stem}
    if not reason or not effect:
        return []
    shares: list[float] = []
    for place, told in enumerate(grounds.evidence):
        stems = with_forms(grounds, grounds.stems[place] | told.title)
        shares.append(grounds.share_of(effect, stems))
        if _REASONS & set(told.said.words) and shares[-1] >= CARRIES:
            unsaid = left_unsaid(grounds, place, reason)
            if grounds.share_of(reason, reason.keys() - unsaid) >= CARRIES:
                return []
    best = max(range(len(shares)), key=shares.__getitem__, default=-1)
    if best < 0:
        return []
    told_ = f"“{claim.written(frozenset(reason))}” is not given as the reason"
    return [Finding("scattered", best, cue[0], told_, sure=False)]
