"""Whether a sentence that has a claim's word the other way denies the claim, or agrees with it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from hippohover.language.clauses import ASIDE
from hippohover.language.quantities.quantity import likeness
from hippohover.language.said import CLAUSE_BORDERS, Said
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.ranks import has_another_rank

WAS: Final = frozenset(["was", "were", "had"])
NOW: Final = frozenset({("is",), ("are",), ("has",), ("have",)})
ENDED: Final = "no longer"
_ALL: Final = frozenset(["all", "every", "most", "each"])
_WITHOUT: Final = "without"
_CONDITION: Final = 2
"""Words behind "without" that say what has to be there."""
_BUT: Final = frozenset([",", "but"])
_NOT: Final = frozenset(["not", "never", "no"])
_WITHIN: Final = frozenset(["within", "before", "until", "during"])
SPARING: Final = frozenset(["except", "but"])
_BEYOND: Final = frozenset(["after", "beyond", "since"])


def agrees(grounds: Grounds, at: int, stem: str) -> bool:
    """Return whether a sentence says all of it, or its predicate, as the claim does.

    "It did not win the prize, although it was shortlisted for it."
    """
    said, claim = grounds.evidence[at].said, grounds.claim
    if _opposite_sides(claim, said) or _no_more(grounds, said, stem) or _opposed(grounds, at):
        return True
    if (
        _is_excepted(grounds, said)
        or _not_until(grounds, said, stem)
        or _by_its_word(grounds, said)
        or _is_condition(claim, said)
    ):
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
    held = grounds.held_beside(said, {stem})
    return any(one == (False, True) and held.get(word) == one for word, one in claim.held.items())


def _by_its_word(grounds: Grounds, said: Said) -> bool:
    """Return whether a claim denies in a word what a sentence denies with a phrase, or spares.

    "Opposed the Act" is "voted against the Act"; "nobody except Ann Roe" is Ann Roe.
    """
    cue = tuple(said.cue.split())
    spares = cue in grounds.cues.deny_clause and bool(SPARING & set(said.words))
    if spares and grounds.subject and grounds.subject <= said.held.keys():
        return True
    return cue in grounds.cues.things and bool(grounds.cues.denying & set(grounds.claim.words))


def _is_condition(claim: Said, said: Said) -> bool:
    """Return whether a sentence denies it only without a thing of the claim: "not without a key".

    Then with a key it is so, or a key is needed.
    """
    without = [
        at
        for at, word in enumerate(said.words)
        if word == _WITHOUT and at and said.denied[at] % 2 and _WITHOUT not in claim.words
    ]
    return any(
        claim.held.get(one) == (True, False)
        for at in without
        for one in [stem for stem in said.stems[at + 1 :] if stem][:_CONDITION]
    )


def _opposite_sides(claim: Said, said: Said) -> bool:
    """Return whether one is about the time before and the other about the time after.

    "Can be returned within ten days", "cannot be returned after ten days".
    """
    mine, other = set(claim.words), set(said.words)
    turned = (mine & _WITHIN and other & _BEYOND) or (mine & _BEYOND and other & _WITHIN)
    return bool(turned) and not mine & other & (_WITHIN | _BEYOND)


def _no_more(grounds: Grounds, said: Said, stem: str) -> bool:
    """Return whether the claim ends a state of the sentence: "no longer", "was once", "former"."""
    if grounds.claim.cue != ENDED:
        return False
    ended = bool(WAS & set(said.words)) or any(said.hedged)
    return is_former(grounds, said, stem) or (
        ended and said.words[said.verb : said.verb + 1] not in NOW
    )


def is_former(grounds: Grounds, said: Said, stem: str) -> bool:
    """Return whether a sentence says that something was so, and is so no more."""
    if "until" in said.words and WAS & set(said.words):
        return stem in said.held
    return tuple(said.hedge.split()) in grounds.cues.past and is_hedged(grounds, said, stem)


def _is_excepted(grounds: Grounds, said: Said) -> bool:
    """Return whether the claim says the opposite of what is excepted: closed on Sunday.

    The sentence says "open every day except Sunday".
    """
    if tuple(said.cue.split()) not in ASIDE:
        return False
    spared = {stem for stem, one in said.held.items() if one == (False, True)}
    turned = any(
        stem not in said.held and grounds.opposites(stem) & said.held.keys()
        for stem in grounds.content
    )
    return turned and bool(spared & set(grounds.content))


def _not_until(grounds: Grounds, said: Said, stem: str) -> bool:
    """Return whether a sentence says when the claim came about: "not printed until 1974"."""
    if said.cue not in {"not", "n't"} or "until" not in said.words:
        return False
    until = said.words.index("until")
    behind = [one for one in said.quantities if until in {n - 1 for n in said.places_in(one)}]
    return grounds.claim.held[stem] == (True, False) and any(
        likeness(mine, replace(one, end="")) == "same"
        for mine in grounds.claim.quantities
        for one in behind
    )


def leaves_out(grounds: Grounds, at: int, stem: str) -> bool:
    """Return whether a sentence only excepts some: "all except one of the films".

    Of what it excepts, a claim about just that is denied: "all except the library are heated".
    """
    said = grounds.evidence[at].said
    claim = grounds.claim
    of_all = _ALL & set(claim.words) or any(claim.denied)
    if stem in claim.stems[: claim.verb] and not of_all:
        return False
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
    return is_hedged(grounds, said, stem)


def is_hedged(grounds: Grounds, said: Said, stem: str) -> bool:
    """Return whether a sentence has a word, and hedges it in each place."""
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
