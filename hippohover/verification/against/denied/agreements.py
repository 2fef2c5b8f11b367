"""Whether a sentence that has a claim's word the other way denies the claim, or agrees with it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.ranks import has_another_rank
from hippohover.verification.reading.clauses import ASIDE
from hippohover.verification.reading.said import CLAUSE_BORDERS, Said

WAS: Final = frozenset(["was", "were", "had"])
NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
ENDED: Final = "no longer"
_BUT: Final = frozenset([",", "but"])
_NOT: Final = frozenset(["not", "never", "no"])
_WITHIN: Final = frozenset(["within", "before", "until", "during"])
_BEYOND: Final = frozenset(["after", "beyond", "since"])


def agrees(grounds: Grounds, at: int, stem: str) -> bool:
    """Return whether a sentence says all of it, or its predicate, as the claim does.

    "It did not win the prize, although it was shortlisted for it."
    """
    said, claim = grounds.evidence[at].said, grounds.claim
    if _opposite_sides(claim, said) or _no_more(claim, said) or _opposed(grounds, at):
        return True
    if claim.held[stem] == (False, True) and (
        has_another_rank(claim, said) or _spared(claim, said) or _only_hedged(grounds, said, stem)
    ):
        return True
    length = len(claim.words) - (claim.words[-1:] == (".",))
    if said.words[:length] == claim.words[:length]:
        return True
    apart = _in_another_clause(grounds, said, stem) and not _elided(grounds, at, stem)
    if apart and grounds.ways(at, grounds.predicate) == {True}:
        return True
    held = grounds.held_beside(said, stem)
    return any(one == (False, True) and held.get(word) == one for word, one in claim.held.items())


def _opposite_sides(claim: Said, said: Said) -> bool:
    """Return whether one is about the time before and the other about the time after.

    "Can be returned within ten days", "cannot be returned after ten days".
    """
    mine, other = set(claim.words), set(said.words)
    turned = (mine & _WITHIN and other & _BEYOND) or (mine & _BEYOND and other & _WITHIN)
    return bool(turned) and not mine & other & (_WITHIN | _BEYOND)


def _no_more(claim: Said, said: Said) -> bool:
    """Return whether the claim ends a state of the sentence: "no longer", "was once"."""
    ended = bool(WAS & set(said.words)) or any(said.hedged)
    return claim.cue == ENDED and ended and said.words[said.verb : said.verb + 1] not in NOW


def leaves_out(grounds: Grounds, at: int, stem: str) -> bool:
    """Return whether a sentence only excepts some: "all except one of the films"."""
    said = grounds.evidence[at].said
    names = {one for one, named in zip(said.stems, said.named, strict=True) if named}
    return tuple(said.cue.split()) in ASIDE and stem in said.held and stem not in names


def _spared(claim: Said, said: Said) -> bool:
    """Return whether a sentence excepts the claim's subject: "all except the mill"."""
    if tuple(said.cue.split()) not in ASIDE:
        return False
    spared = {stem for stem, one in said.held.items() if one == (False, True)}
    return bool(spared & {stem for stem in claim.stems[: claim.verb] if stem})


def _only_hedged(grounds: Grounds, said: Said, stem: str) -> bool:
    """Return whether a sentence says a word only as what did not come about: "would have won"."""
    if tuple(said.hedge.split()) in grounds.cues.past or said.hedge == grounds.claim.hedge:
        return False  # "may keep", "may not keep"
    forms = {stem, *grounds.cues.forms.get(stem, ())}
    places = [at for at, one in enumerate(said.stems) if one in forms]
    return bool(places) and all(said.hedged[at] for at in places)


def _opposed(grounds: Grounds, at: int) -> bool:
    """Return whether the claim denies the opposite of the sentence: "not convicted"."""
    held = grounds.evidence[at].said.held
    return any(
        said == (False, True) and stem not in held and grounds.ways(at, stem) == {True}
        for stem, said in grounds.claim.held.items()
    )


def _elided(grounds: Grounds, at: int, stem: str) -> bool:
    """Return whether a sentence ends in "not" about a word: "dogs are let in, cats are not"."""
    said = grounds.evidence[at].said
    ends = said.words[-1:] if said.words[-1:] != (".",) else said.words[-2:-1]
    return ends in {("not",), ("n't",)} and stands_in_subject(grounds, stem)


def are_presupposed(grounds: Grounds, against: Sequence[int], stem: str) -> bool:
    """Return whether sentences that deny a word of the subject still say that it exists.

    "It failed to win back its budget" has a budget.
    """
    return stands_in_subject(grounds, stem) and all(
        tuple(grounds.evidence[at].said.cue.split()) in grounds.cues.deny_verbs for at in against
    )


def stands_in_subject(grounds: Grounds, stem: str) -> bool:
    """Return whether a word is nowhere after the claim's verb, and something else is."""
    claim = grounds.claim
    behind = [one for one in claim.stems[claim.verb :] if one]
    return bool(behind) and stem not in behind


def _in_another_clause(grounds: Grounds, said: Said, stem: str) -> bool:
    """Return whether a clause's beginning separates a word from the claim's predicate.

    What follows "but not" is denied of the predicate itself: "in the Union, but not in Norland". Of
    several forms of the predicate the nearest counts: "won the cup but failed to win the shield".
    """
    if grounds.predicate == stem or not {stem, grounds.predicate} <= said.held.keys():
        return False
    between = _between(grounds, said, stem)
    if CLAUSE_BORDERS & set(_between(grounds, grounds.claim, stem)):
        return False  # "when it is full, the server retries"
    if any(one in _BUT and other in _NOT for one, other in pairwise(between)):
        return False
    return bool(CLAUSE_BORDERS & set(between))


def _between(grounds: Grounds, said: Said, stem: str) -> tuple[str, ...]:
    """Return the words from a word to the nearest form of the claim's predicate, either way."""
    forms = {grounds.predicate, *grounds.cues.forms.get(grounds.predicate, ())}
    own = said.stems.index(stem)
    places = [at for at, one in enumerate(said.stems) if one in forms]
    verb = min(places, key=lambda at: abs(at - own), default=own)
    return said.words[min(verb, own) : max(verb, own)]
