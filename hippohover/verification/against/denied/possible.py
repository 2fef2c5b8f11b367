"""What the evidence says only as possible, by the modal of the very verb that the claim has."""

from collections.abc import Iterator
from typing import Final

from hippohover.verification.against.compared.pieces import pieces_of, stems_of_piece
from hippohover.verification.against.denied.hedges import hedges
from hippohover.verification.against.findings import Finding, Told
from hippohover.verification.against.grounds import CARRIES, Grounds

_WILL: Final = "will"
_POSSIBLE: Final = frozenset(["may", "might", "could"])
_MODALS: Final = _POSSIBLE | {"will", "would", "shall", "should", "can", "must"}
_CLOSE: Final = 0.05
"""So much less of a claim another part may hold that says the same."""


def only_possible(grounds: Grounds) -> list[Finding]:
    """Find "Kell will cut jobs" where each part of a sentence that has it says "might cut jobs".

    Also what is "expected to" be so, where the claim says that it is.
    """
    claim = grounds.claim
    own = _MODALS & set(claim.words)
    if not grounds.alone or not (grounds.has_verb or own):
        return []
    if any(claim.denied) or own - {_WILL} or (any(claim.hedged) and claim.hedge != _WILL):
        return []
    rest = [one for one in (*grounds.subject, *grounds.content) if one != grounds.predicate]
    said = [
        (grounds.share_of(rest, stems), at, hedge)
        for at, told in enumerate(grounds.evidence)
        for stems, hedge in _said(grounds, told, by_modal=bool(own))
    ]
    best = max((share for share, *_ in said), default=0.0)
    likely = [one for one in said if one[0] >= best - _CLOSE]
    if not rest or best < CARRIES or any(not hedge for *_, hedge in likely):
        return []
    _, at, hedge = likely[0]
    if hedges(grounds):
        return []  # found already
    return [Finding("hedged", at, hedge, f"“{hedge}”", sure=False)]


def _said(grounds: Grounds, told: Told, *, by_modal: bool) -> Iterator[tuple[frozenset[str], str]]:
    """Yield stems of each part with the claim's verb, and what hedges that; "" where nothing does.

    With ``by_modal``, only "may", "might" and "could" do.
    """
    said = told.said
    forms = {grounds.predicate, *grounds.cues.forms.get(grounds.predicate, ())} - {""}
    for piece in pieces_of(said):
        for at in (n for n in piece if said.stems[n] in forms):
            before = (n for n in range(piece.start, at) if not said.named[n])  # "in May 1990"
            modals = [said.words[n] for n in before if said.words[n] in _MODALS]
            hedge = modals[-1] if modals and modals[-1] in _POSSIBLE else ""
            phrase = said.hedge if said.hedged[at] and not by_modal else ""
            phrase = "" if tuple(phrase.split()) in grounds.cues.past else phrase
            yield stems_of_piece(told, piece) | told.title, hedge or phrase
