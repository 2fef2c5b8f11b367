"""Whether a sentence that has a claim's word the other way denies the claim, or agrees with it."""

from collections.abc import Sequence
from typing import Final

from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.ranks import has_another_rank
from hippohover.verification.reading.clauses import ASIDE
from hippohover.verification.reading.said import CLAUSE_BORDERS, Said

WAS: Final = frozenset(["was", "were", "had"])
NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
ENDED: Final = "no longer"
_BUT_NOT: Final = ((",", "not"), ("but", "not"), (",", "never"), ("but", "never"))
_WITHIN: Final = frozenset(["within", "before", "until", "during"])
_BEYOND: Final = frozenset(["after", "beyond", "since"])


def agrees(grounds: Grounds, at: int, stem: str) -> bool:
    """Whether a sentence says all of it, or its predicate, as the claim does.

    "It did not win the prize, although it was shortlisted for it."
    """
    said, claim = grounds.evidence[at].said, grounds.claim
    if _opposite_sides(claim, said) or _no_more(claim, said) or _opposed(grounds, at):
        return True
    if claim.held[stem] == (False, True) and (
        has_another_rank(claim, said) or _spared(claim, said)
    ):
        return True
    length = len(claim.words) - (claim.words[-1:] == (".",))
    if said.words[:length] == claim.words[:length]:
        return True
    apart = _in_another_clause(grounds, said, stem) and not _elided(grounds, at, stem)
    if apart and grounds.ways(at, grounds.predicate) == {True}:
        return True
    return any(
        one == (False, True) and said.held.get(word) == one for word, one in claim.held.items()
    )


def _opposite_sides(claim: Said, said: Said) -> bool:
    """Whether one speaks of the time before and the other of what follows it.

    "Can be returned within ten days", "cannot be returned after ten days".
    """
    mine, other = set(claim.words), set(said.words)
    turned = (mine & _WITHIN and other & _BEYOND) or (mine & _BEYOND and other & _WITHIN)
    return bool(turned) and not mine & other & (_WITHIN | _BEYOND)


def _no_more(claim: Said, said: Said) -> bool:
    """Whether the claim ends what the sentence says was so: "no longer", "was once"."""
    ended = bool(WAS & set(said.words)) or any(said.hedged)
    return claim.cue == ENDED and ended and said.words[said.verb : said.verb + 1] not in NOW


def leaves_out(grounds: Grounds, at: int, stem: str) -> bool:
    """Whether a sentence only makes an exception of some: "all except one of the films"."""
    said = grounds.evidence[at].said
    names = {one for one, named in zip(said.stems, said.named, strict=True) if named}
    return tuple(said.cue.split()) in ASIDE and stem in said.held and stem not in names


def _spared(claim: Said, said: Said) -> bool:
    """Whether a sentence makes an exception of what the claim is about: "all except the mill"."""
    if tuple(said.cue.split()) not in ASIDE:
        return False
    spared = {stem for stem, one in said.held.items() if one == (False, True)}
    return bool(spared & {stem for stem in claim.stems[: claim.verb] if stem})


def _opposed(grounds: Grounds, at: int) -> bool:
    """Whether the claim denies what the sentence says the opposite of: "not convicted"."""
    held = grounds.evidence[at].said.held
    return any(
        said == (False, True) and stem not in held and grounds.ways(at, stem) == {True}
        for stem, said in grounds.claim.held.items()
    )


def _elided(grounds: Grounds, at: int, stem: str) -> bool:
    """Whether a sentence ends what it says of a word in "not": "dogs are let in, cats are not"."""
    said = grounds.evidence[at].said
    ends = said.words[-1:] if said.words[-1:] != (".",) else said.words[-2:-1]
    return ends in {("not",), ("n't",)} and stands_in_subject(grounds, stem)


def are_presupposed(grounds: Grounds, against: Sequence[int], stem: str) -> bool:
    """Whether sentences that deny a word of the claim's subject say that there is such a thing.

    "It failed to win back its budget" has a budget.
    """
    return stands_in_subject(grounds, stem) and all(
        tuple(grounds.evidence[at].said.cue.split()) in grounds.cues.deny_verbs for at in against
    )


def stands_in_subject(grounds: Grounds, stem: str) -> bool:
    """Whether a word stands nowhere behind the claim's verb, and something else does."""
    claim = grounds.claim
    behind = [one for one in claim.stems[claim.verb :] if one]
    return bool(behind) and stem not in behind


def _in_another_clause(grounds: Grounds, said: Said, stem: str) -> bool:
    """Whether a mark or a word that begins a clause parts a word from the claim's predicate.

    What follows "but not" is denied of the predicate itself: "in the Union, but not in Norland".
    """
    if grounds.predicate == stem or not {stem, grounds.predicate} <= said.held.keys():
        return False
    start, stop = sorted((said.stems.index(stem), said.stems.index(grounds.predicate)))
    between = said.words[start:stop]
    if any(between[at : at + len(cut)] == cut for cut in _BUT_NOT for at in range(len(between))):
        return False
    return bool(CLAUSE_BORDERS & set(between))
