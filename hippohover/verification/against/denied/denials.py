"""What sentences deny that the claim says."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from hippohover.language.quantities.quantity import likeness
from hippohover.language.speech import speech_in
from hippohover.verification.against.denied.agreements import (
    agrees,
    are_presupposed,
    leaves_out,
    stands_in_subject,
)
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import Grounds
from hippohover.verification.against.owners import clauses_of

_REACH: Final = 6
_CLOSER: Final = 0.15
"""So much more of a claim a sentence holds that denies it, where another says it."""
_OPENING_NOT: Final = frozenset(["not", "never"])


def denials(grounds: Grounds) -> list[Finding]:
    """Find words that all sentences with the claim's words deny."""
    unsure: list[Finding] = []
    for stem in grounds.content:
        ways = {at: grounds.ways(at, stem) for at in grounds.carriers}
        against = [
            at for at, said in ways.items() if said == {False} and not agrees(grounds, at, stem)
        ]
        agreeing = [
            grounds.share(at)
            for at, said in ways.items()
            if True in said and (_has_date(grounds, at) or not _have_date(grounds, against))
        ]
        best = max((grounds.share(at) for at in against), default=0.0)
        if not against or any(share > best - _CLOSER for share in agreeing):
            continue
        framed = tuple(grounds.claim.cue.split()) in grounds.cues.frames
        twice = framed and max(grounds.claim.denied) > 1  # "it is not so that it was not"
        against = [at for at in against if not leaves_out(grounds, at, stem)]
        if (
            not against
            or are_presupposed(grounds, against, stem)
            or (twice and grounds.claim.held[stem][1])
        ):
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
        mine = grounds.claim.held[stem] == (False, True)
        cue = "" if mine and stem in said.held else said.cue if stem in said.held else opposite
        cue = cue or grounds.claim.cue or opposite
        sure = _sure_denial(grounds, at, said.cue) and _of_the_predicate(grounds, at, stem)
        told = f"it says so without “{cue}”" if cue == grounds.claim.cue and mine else f"“{cue}”"
        found = Finding("denied", at, cue, told, sure=sure)
        if not any(True in grounds.ways(at, stem) for at in grounds.about):
            return [found]
        unsure.append(replace(found, sure=False))  # another sentence may say it of the same thing
    return unsure[:1]


def _have_date(grounds: Grounds, places: Sequence[int]) -> bool:
    return any(_has_date(grounds, at) for at in places)


def _has_date(grounds: Grounds, at: int) -> bool:
    """Return whether a sentence has a date of the claim: it is then about that time."""
    return any(
        likeness(mine, one) == "same"
        for mine in grounds.claim.quantities
        for one in grounds.evidence[at].said.quantities
        if mine.kind == "date"
    )


def _of_the_predicate(grounds: Grounds, at: int, stem: str) -> bool:
    """Return whether a denied word is not only in the claim's subject.

    Nor is what a claim says is not so, but without a verb, or of a thing that is described: another
    may be meant.
    """
    claim = grounds.claim
    if claim.words[:1] == tuple(claim.cue.split()[:1]) and claim.words[0] in _OPENING_NOT:
        return False
    if stands_in_subject(grounds, stem):
        behind = [one for one in claim.stems[claim.verb :] if one in grounds.content]
        return any(grounds.ways(at, one) == {False} for one in behind)
    if claim.held[stem] != (False, True):
        return True
    told = grounds.evidence[at]
    numbers = told.said.quantities
    if any(all(likeness(mine, one) != "same" for one in numbers) for mine in claim.quantities):
        return False  # "the third vase" is none of "two vases"
    aimed = [one for one in grounds.content if not grounds.subject or claim.held[one][1]]
    forms = grounds.cues.forms
    wanted = [
        one
        for one in aimed
        if not (grounds.opposites(one) | forms.get(one, frozenset())) & told.said.held.keys()
    ]
    parts = [{told.said.stems[place] for place in segment} for segment in told.said.segments]
    clauses = [set(one.stems) for one in clauses_of(told.said)]
    best = min(
        max(grounds.share_of(wanted, part | told.title) for part in some)
        for some in (parts, clauses)
        if some
    )
    return best >= 1.0 and (bool(grounds.subject) or grounds.alone)


def _sure_denial(grounds: Grounds, at: int, cue: str) -> bool:
    """Return whether a denial is certain: not with the claim's own cue, or of two things.

    Nor where the sentence says only what came to nothing, or reports what the claim's "denied" is
    the answer to; nor of a claim that adds only a number, which the sentence does not speak of:
    "must not be used on wounds", "is used for two weeks".
    """
    said = grounds.evidence[at].said
    counted = any(one.kind == "number" for one in grounds.claim.quantities)
    shared = [stem for stem in grounds.content if stem in grounds.stems[at]]
    if (counted and len(shared) == 1 and not said.quantities) or _for_a_time(grounds, at):
        return False
    if ("but", "not") in pairwise(grounds.claim.words):
        lost = frozenset[str]().union(*map(grounds.opposites, grounds.content))
        if lost & said.held.keys():
            return False  # "won this but not that" is "lost that" too
    by_verb = tuple(grounds.claim.cue.split()) in grounds.cues.deny_verbs
    if by_verb and speech_in(said) is not None:
        return False
    if tuple(said.hedge.split()) in grounds.cues.dropped:
        return False
    words = grounds.claim.words
    denied = [stem for stem, said in grounds.claim.held.items() if said == (False, True)]
    if {"both", "either", "also"} & set(words) or (cue and cue.split(maxsplit=1)[0] in words):
        return not denied and not (cue and cue.split(maxsplit=1)[0] in words)
    return not denied or grounds.share_of(denied, grounds.stems[at]) >= 1.0


def _for_a_time(grounds: Grounds, at: int) -> bool:
    """Return whether a sentence says the opposite of a stretch of time that the claim has not.

    "It was closed for six months in 2006" does not deny that it was opened in 1989, nor that it is
    open.
    """
    said, claim = grounds.evidence[at].said, grounds.claim
    forms = grounds.cues.forms
    verbatim = any(
        ({stem} | forms.get(stem, frozenset())) & said.held.keys()
        for stem in grounds.content
        if grounds.opposites(stem) & said.held.keys()
    )
    times = [one for one in said.quantities if one.unit == "time"]
    turned = any(grounds.opposites(stem) & said.held.keys() for stem in grounds.content)
    shared = any(likeness(mine, one) == "same" for mine in claim.quantities for one in times)
    return turned and not verbatim and bool(times) and not shared
