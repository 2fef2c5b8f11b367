"""Finds what a sentence limits, or gives a reason for: "only on Mondays", "because it rained"."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import CARRIES, SHORT, Grounds
from hippohover.verification.against.owners import with_forms
from hippohover.verification.against.unsaid import left_unsaid
from hippohover.verification.reading.said import MARKS, Said

_ONLY: Final = "only"
_LIMIT: Final = 5
"""Words behind "only" that say to what it is limited, at most."""
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


def limited(grounds: Grounds) -> list[Finding]:
    """Find "only on Mondays" in a sentence that says the claim, which does not say "only"."""
    claim = grounds.claim
    is_short = grounds.alone and len(claim.words) <= SHORT
    if not is_short or _ONLY in claim.words or any(claim.denied):
        return []
    held = claim.held.keys()
    places = [
        (at, limit)
        for at in grounds.about
        for limit in _limits(grounds.evidence[at].said)
        if grounds.evidence[at].said.stems[limit.start - 2] in held
    ]
    for at, limit in places:
        said = grounds.evidence[at].said
        stems = {said.stems[place] for place in limit if said.stems[place]}
        numbers = {place for one in said.quantities for place in said.places_in(one)}
        if not stems or stems & held or numbers & set(limit):
            return []
    for at, limit in places:
        said = grounds.evidence[at].said
        told = said.text[said.spans[limit.start][0] : said.spans[limit.stop - 1][1]]
        return [Finding("denied", at, _ONLY, f"“only {told}”", sure=False)]
    return []


def _limits(said: Said) -> Iterator[range]:
    """Yield the places of the words behind each "only" up to a mark or "and"."""
    for at, word in enumerate(said.words):
        if word != _ONLY or at == 0 or said.words[at - 1] == "not":
            continue
        stop = at + 1
        while stop < min(at + 1 + _LIMIT, len(said.words)) and (
            said.words[stop] not in MARKS | {"and", "but", "if"}
        ):
            stop += 1
        if stop > at + 1:
            yield range(at + 1, stop)


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
