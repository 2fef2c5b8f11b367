"""A claim's own words: which the evidence holds, which it does not say, and what it says instead.

A word is held by a sentence that is about the same, or that names lead to from one; where another
stands in its place, that is shown beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.sentence import Sentence
from hippohover.names.normal_forms import is_letter
from hippohover.verification.against.compared_claim import ComparedClaim, Part
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.numbers import is_held
from hippohover.verification.against.scattered import chain, have_one_root, with_forms
from hippohover.verification.evidence import Evidence
from hippohover.verification.payloads import ClaimPart, Mark, MarkedWords

_ALIKE: Final = 0.4
"""Cosine of two words of one kind: "British" and "American"."""
_ROOT: Final = 3
_COMPARED: Final = 3
"""Sentences in which something is sought that stands in the place of a word."""
_LONGEST: Final = 6
"""Words in the place of a claim's at most: more say something else."""


@dataclass(frozen=True, slots=True)
class _Found:
    """How the evidence has a word: by which sentence, -1 without one, and what it says instead."""

    mark: Mark
    at: int = -1
    said: str = ""


_NOT_SAID: Final = _Found("not said")


def marks_of(text: str, case: ComparedClaim) -> tuple[MarkedWords, ...]:
    """Return the words of a claim that say something, in order, with how the evidence has them.

    ``text`` is the claim as it stands: what was compared may have a name for its pronoun, and has
    no citations. Words side by side that one sentence has alike are one.
    """
    words: list[str] = []
    found: list[_Found] = []
    for beside, part in zip(case.comparisons, case.parts, strict=True):
        part_of = _MarkedPart(case, beside, part)
        for at in part_of.places:
            words.append(beside.claim.words[at])
            found.append(part_of.found(at))
    given = case.sentences.read(text)
    blocks = SequenceMatcher(None, given.words, words, autojunk=False).get_matching_blocks()
    placed = [(a + n, found[b + n]) for a, b, size in blocks for n in range(size)]
    return tuple(_runs(text, given, case, placed))


def with_marked(evidence: Evidence, marks: Sequence[MarkedWords], case: ComparedClaim) -> Evidence:
    """Return evidence with every sentence that a mark names, behind the others."""
    named = {one.evidence for one in marks} - {one.key for one in evidence.chunks}
    more = tuple(one for one in case.chunks if one.key in named)
    titles = {one.doc_id: case.sentences.titles[one.doc_id] for one in more}
    return Evidence((*evidence.chunks, *more), {**evidence.titles, **titles})


def clauses_of(case: ComparedClaim) -> tuple[ClaimPart, ...]:
    """Return the clauses of a claim, each with its evidence and what contradicts it."""
    return tuple(
        ClaimPart(
            text=part.text,
            share=part.share,
            evidence=case.chunks[part.shown].key if part.shown >= 0 else None,
            clause=case.clause_of(part),
            against="" if part.against is None else part.against.told,
            contradicts=part.against is not None and part.against.sure,
        )
        for part in case.parts
    )


def _runs(
    text: str, given: Sentence, case: ComparedClaim, placed: Sequence[tuple[int, _Found]]
) -> Iterator[MarkedWords]:
    """Yield the words at some places, those that are had alike together."""
    for number, (at, one) in enumerate(placed):
        if number and placed[number - 1][1] == one:
            continue
        last = number
        while last + 1 < len(placed) and placed[last + 1][1] == one:
            last += 1
        span = given.spans[at][0], given.spans[placed[last][0]][1]
        key = case.chunks[one.at].key if one.at >= 0 else None
        words = text[slice(*span)]
        yield MarkedWords(span=span, text=words, mark=one.mark, evidence=key, said=one.said)


class _MarkedPart:
    """A part of a claim beside the evidence."""

    def __init__(self, case: ComparedClaim, beside: Comparison, part: Part) -> None:
        self._case = case
        self._beside = beside
        self._part = part
        shown = [at for at in (part.shown, part.at) if at >= 0]
        joined = [other for at in shown[-1:] for other in chain(beside, at)]
        self._order = list(dict.fromkeys((*shown, *beside.about, *joined)))

    @cached_property
    def places(self) -> list[int]:
        """Places of words that say something, and of what findings are against."""
        claim, cue = self._beside.claim, self._beside.claim.cue.split()
        own = (at for at, stem in enumerate(claim.stems) if stem and claim.words[at] not in cue)
        return sorted({*self._against, *own})

    def found(self, at: int) -> _Found:
        """Return how the evidence has the word at a place."""
        against = self._against.get(at)
        if against is not None and against.sure:
            return _Found("contradicted", against.sentence, against.theirs)
        if against is not None and against.kind == "scattered":
            return _Found("not said", against.sentence)  # what has it says it of something else
        holder = self._holder(at)
        if holder >= 0:
            return _Found("held", holder)
        if against is not None:
            return _Found("not said", against.sentence, against.theirs)
        return self._in_its_place(at)

    @cached_property
    def _against(self) -> dict[int, Finding]:
        """The strongest finding against the word at each place."""
        found: dict[int, Finding] = {}
        for one in sorted(self._part.findings, key=lambda one: one.sure):
            words = self._case.sentences.read(one.mine).words
            for at in range(len(self._beside.claim.words) - len(words) + 1 if words else 0):
                if self._beside.claim.words[at : at + len(words)] == words:
                    found |= dict.fromkeys(range(at, at + len(words)), one)
        return found

    def _holder(self, at: int) -> int:
        """Return the sentence that holds the word, or the number that it is of; -1 without one."""
        beside, stem = self._beside, self._beside.claim.stems[at]
        if (number := self._number_at(at)) is not None:
            return self._holder_of(number)
        for one in self._order:
            if stem in with_forms(beside, beside.stems[one] | self._case.otherwise[one]):
                return one
        return next((one for one in self._order if self._has_root(at, one)), -1)

    def _has_root(self, at: int, sentence: int) -> bool:
        """Return whether a sentence has another word of the same root, if it is no name."""
        claim, said = self._beside.claim, self._beside.evidence[sentence].said
        words = zip(said.words, said.stems, strict=True)
        word = claim.words[at]
        return (
            not claim.named[at]
            and not is_letter(word[0])
            and any(
                have_one_root(word, other) or _makes_noun(claim.stems[at], stem)
                for other, stem in words
            )
        )

    def _number_at(self, at: int) -> Quantity | None:
        claim = self._beside.claim
        return next((one for one in claim.quantities if at in claim.places_in(one)), None)

    def _holder_of(self, number: Quantity) -> int:
        if not is_held(self._beside, number):
            return -1
        every = range(len(self._beside.evidence))
        return next(
            (
                at
                for at in (*self._order, *every)
                for one in self._beside.evidence[at].said.quantities
                if likeness(number, one) == "same"
            ),
            -1,
        )

    def _in_its_place(self, at: int) -> _Found:
        """Return what stands in the place of a word that no sentence has."""
        number = self._number_at(at)
        for one in self._order[:_COMPARED]:
            said = self._beside.evidence[one].said
            others = [q for q in said.quantities if number and likeness(number, q) == "other"]
            if len(others) == 1:
                return _Found("not said", one, said.text[others[0].start : others[0].stop])
            said = self._aligned(at, said)
            if said:
                return _Found("not said", one, said)
        return _NOT_SAID

    def _aligned(self, at: int, said: Sentence) -> str:
        """Return what a sentence has between the words that are beside a word in the claim."""
        claim = self._beside.claim
        mine, theirs = _units(claim), _units(said)
        blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
        for number, (tag, i, j, a, b) in enumerate(blocks):
            if tag != "replace" or not i <= at < j:
                continue
            beside = [*blocks[max(0, number - 1) : number], *blocks[number + 1 : number + 2]]
            anchors = {stem for _, start, stop, _, _ in beside for stem in claim.stems[start:stop]}
            anchors = (anchors & said.held.keys()) - self._beside.subject
            places = [place for place in range(a, b) if said.stems[place]]
            own = (p for p in range(i, j) if claim.stems[p] not in {"", *self._beside.subject})
            held = any(self._holder(place) >= 0 for place in own)
            alike = any(self._is_like(at, said, place) for place in places)
            if anchors and alike and not held and len(places) <= _LONGEST:
                return said.text[said.spans[a][0] : said.spans[places[-1]][1]].lstrip(" ,;:")
        return ""

    def _is_like(self, at: int, said: Sentence, place: int) -> bool:
        """Return whether two words are of one kind: both written as names, or alike in meaning."""
        claim = self._beside.claim
        if claim.named[at] and said.named[place]:
            return True
        return self._beside.alike(claim.words[at], said.words[place]) >= _ALIKE


def _units(said: Sentence) -> list[str]:
    return [stem or word for stem, word in zip(said.stems, said.words, strict=True)]


def _makes_noun(stem: str, other: str) -> bool:
    """Return whether one word is the other with two letters more: "owner", "owns"."""
    short, long = sorted((stem, other), key=len)
    return len(short) >= _ROOT and long.startswith(short) and len(long) == len(short) + 2
