"""A word of a claim that no sentence has, and the word in its place."""

from typing import Final

from hippohover.language.sentence import Sentence
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import Finding, instead

_ALIKE: Final = 0.4
"""Cosine of two words of one kind: "British" and "American"."""


def replaced_words(beside: Comparison) -> list[Finding]:
    """Find words that no sentence has, where one of the same kind has the same neighbours."""
    everywhere = frozenset[str]().union(*(told.stems for told in beside.evidence))
    for at, stem in enumerate(beside.claim.stems):
        known = stem in everywhere or bool(beside.opposites(stem) & everywhere)
        converse = beside.cues.converse.get(stem, frozenset())
        known = known or ("than" in beside.claim.words and bool(converse & everywhere))
        if not stem or at in beside.claim.counted or known:
            continue
        for number, told in enumerate(beside.evidence):
            other = _in_its_place(beside, at, told.said)
            if other >= 0:
                word = told.said.words[other]
                return [instead("replaced", number, word, beside.claim.words[at], sure=False)]
    return []


def _in_its_place(beside: Comparison, at: int, said: Sentence) -> int:
    """Return the place of another word of the kind between the same neighbours; -1 without one."""
    left, right = _sides(beside.claim, at)
    for other, stem in enumerate(said.stems):
        if not stem or stem in beside.claim.held or said.named[other] != beside.claim.named[at]:
            continue
        if any({beside.claim.words[at], said.words[other]} <= one for one in beside.cues.together):
            continue
        converse = beside.cues.converse.get(beside.claim.stems[at])
        if converse is not None and stem not in converse:
            continue  # nothing but "below" stands for "above"
        is_verb = beside.cues.is_verb
        if is_verb(said.words[other]) != is_verb(beside.claim.words[at]):
            continue
        before, after = _sides(said, other)
        both = set(left) & set(before) and set(right) & set(after)
        alike = both and beside.alike(beside.claim.words[at], said.words[other]) >= _ALIKE
        if alike or (both and left[-1] == before[-1] and right[0] == after[0]):
            return other
    return -1


def _sides(said: Sentence, at: int) -> tuple[list[str], list[str]]:
    """Return stems of the two words before a word, and of the two after it."""
    before = [stem for stem in said.stems[:at] if stem]
    after = [stem for stem in said.stems[at + 1 :] if stem]
    return before[-2:], after[:2]
