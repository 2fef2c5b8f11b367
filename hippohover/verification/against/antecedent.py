"""Whether the evidence says a claim of the one that its pronoun stands for."""

from typing import Final

from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import ABOUT, CARRIES, Grounds

_MORE: Final = 0.15
"""So much more of a claim sentences about others hold than those about the one it is about."""


def said_of_no_other(grounds: Grounds, name: frozenset[str]) -> list[Finding]:
    """Find what only sentences say that neither name the one, nor stand in its passage.

    ``name`` are stems of what a pronoun of the claim stands for; another part of the claim may be
    about somebody else.
    """
    rest = [stem for stem in grounds.claim.held if stem not in name]
    if not name or not name <= grounds.claim.held.keys() or not rest:
        return []
    shares = [grounds.share_of(rest, stems) for stems in grounds.stems]
    own = [
        share
        for share, told in zip(shares, grounds.evidence, strict=True)
        if grounds.share_of(name, told.stems) >= CARRIES
    ]
    at = max(range(len(shares)), key=shares.__getitem__, default=-1)
    if at < 0 or shares[at] < ABOUT or shares[at] <= max(own, default=0.0) + _MORE:
        return []
    told_ = f"it is not said of “{grounds.claim.written(name)}”"
    return [Finding("object", at, "", told_, sure=False)]
