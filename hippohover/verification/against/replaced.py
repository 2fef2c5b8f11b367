"""A word of a claim that no sentence has, and the word in its place."""

from typing import Final

from hippohover.language.said import Said
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.grounds import Grounds

_ALIKE: Final = 0.4
"""Cosine of two words of one kind: "British" and "American"."""


def replaced_words(grounds: Grounds) -> list[Finding]:
    """Find words that no sentence has, where one of the same kind has the same neighbours."""
    everywhere = frozenset[str]().union(*(told.stems for told in grounds.evidence))
    counted = {at for one in grounds.claim.quantities for at in grounds.claim.places_in(one)}
    for at, stem in enumerate(grounds.claim.stems):
        known = stem in everywhere or bool(grounds.opposites(stem) & everywhere)
        converse = grounds.cues.converse.get(stem, frozenset())
        known = known or ("than" in grounds.claim.words and bool(converse & everywhere))
        if not stem or at in counted or known:
            continue
        for number, told in enumerate(grounds.evidence):
            other = _in_its_place(grounds, at, told.said)
            if other >= 0:
                word = told.said.words[other]
                told_ = f"“{word}”, not “{grounds.claim.words[at]}”"
                return [Finding("replaced", number, word, told_, sure=False)]
    return []


def _in_its_place(grounds: Grounds, at: int, said: Said) -> int:
    """Return the place of another word of the kind between the same neighbours; -1 without one."""
    left, right = _sides(grounds.claim, at)
    for other, stem in enumerate(said.stems):
        if not stem or stem in grounds.claim.held or said.named[other] != grounds.claim.named[at]:
            continue
        if any(
            {grounds.claim.words[at], said.words[other]} <= one for one in grounds.cues.together
        ):
            continue
        converse = grounds.cues.converse.get(grounds.claim.stems[at])
        if converse is not None and stem not in converse:
            continue  # nothing but "below" stands for "above"
        is_verb = grounds.cues.is_verb
        if is_verb(said.words[other]) != is_verb(grounds.claim.words[at]):
            continue
        before, after = _sides(said, other)
        both = set(left) & set(before) and set(right) & set(after)
        alike = both and grounds.alike(grounds.claim.words[at], said.words[other]) >= _ALIKE
        if alike or (both and left[-1] == before[-1] and right[0] == after[0]):
            return other
    return -1


def _sides(said: Said, at: int) -> tuple[list[str], list[str]]:
    """Return stems of the two words before a word, and of the two after it."""
    before = [stem for stem in said.stems[:at] if stem]
    after = [stem for stem in said.stems[at + 1 :] if stem]
    return before[-2:], after[:2]
