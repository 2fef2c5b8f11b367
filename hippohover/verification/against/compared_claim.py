"""A claim and the sentences of its passages, read once for all signals."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Final

from hippohover.language.antecedents import with_antecedents
from hippohover.language.clause_parts import main_clauses, parts_of
from hippohover.language.cues import word_list
from hippohover.language.quantities.quantity import Quantity, likeness
from hippohover.language.sentence import Sentence
from hippohover.names.normal_forms import tokens
from hippohover.names.sentences import sentence_spans
from hippohover.verification.against.checks import findings_of
from hippohover.verification.against.comparison import Comparison
from hippohover.verification.against.findings import Finding
from hippohover.verification.against.numbers import held_otherwise, numbers_held
from hippohover.verification.against.scattered import scattered_words
from hippohover.verification.against.sentences import Sentences
from hippohover.verification.statements.statements import Statement

_PARTNERS: Final = 3
_HALF: Final = 0.5
_ARTICLES: Final = word_list("articles")


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a claim, and the evidence for and against it.

    Attributes
    ----------
    text : str
    share : float
        Largest share of its words, by rarity, that one sentence holds, [0, 1].
    at : int
        Place of that sentence; -1 where there is none.
    findings : tuple of Finding
    """

    text: str
    share: float
    at: int
    findings: tuple[Finding, ...]

    @property
    def against(self) -> Finding | None:
        """Strongest finding against it."""
        return min(self.findings, key=lambda one: not one.sure, default=None)

    @property
    def shown(self) -> int:
        """Place of the sentence that contradicts it, else of the one that holds most of it."""
        return self.at if self.against is None else self.against.sentence


class ComparedClaim:
    """One claim against the sentences of its passages.

    Parameters
    ----------
    text : str
    sentences : Sentences
    """

    def __init__(self, text: str, sentences: Sentences) -> None:
        self.text = text
        self.sentences = sentences

    @property
    def chunks(self) -> tuple[Statement, ...]:
        return self.sentences.chunks

    @cached_property
    def said(self) -> Sentence:
        """What the claim says, as a whole."""
        return self.sentences.read(self.text)

    @cached_property
    def parts(self) -> list[Part]:
        """The claim's clauses, each against the evidence; main clauses as they would be alone."""
        if self.clauses:
            return [part for clause in self.clauses for part in clause.parts]
        return [self._part(beside) for beside in self.comparisons]

    @cached_property
    def clauses(self) -> "list[ComparedClaim]":
        """The main clauses of a claim of one sentence, each as a claim by itself; or none.

        A pronoun in one is who the clause before it is about.
        """
        told = with_antecedents(main_clauses(self.text))
        if len(told) < 2 or len(sentence_spans(self.text)) > 1:
            return []
        return [ComparedClaim(one.text, self.sentences) for one in told]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each clause of the claim beside all of the evidence."""
        if self.clauses:
            return [one for clause in self.clauses for one in clause.comparisons]
        parts = parts_of(self.text)
        return [self._beside(self.sentences.read(part), alone=len(parts) == 1) for part in parts]

    def _beside(self, claim: Sentence, *, alone: bool = True) -> Comparison:
        given = self.sentences
        return Comparison(claim, given.told, given.rarity, given.alike, alone=alone)

    @cached_property
    def findings(self) -> list[Finding]:
        """Findings against any part, the certain ones first."""
        return sorted(
            (finding for part in self.parts for finding in part.findings),
            key=lambda one: not one.sure,
        )

    @cached_property
    def numbers(self) -> tuple[int, int]:
        """Quantities of the claim, and those of them in the evidence.

        One that clauses share counts once, and is held where one of them has it.
        """
        held: dict[Quantity, bool] = {}
        for one in self.comparisons:
            for quantity, has in numbers_held(one).items():
                alone = replace(quantity, start=0, stop=0)
                held[alone] = held.get(alone, False) or has
        return len(held), sum(held.values())

    @cached_property
    def numbers_lacking(self) -> list[tuple[str, bool]]:
        """Numbers that no sentence about the same has, as written, and whether any has them."""
        told = [number for one in self.sentences.told for number in one.said.quantities]
        return [
            (
                one.claim.text[number.start : number.stop],
                any(likeness(number, other) == "same" for other in told),
            )
            for one in self.comparisons
            for number, has in numbers_held(one).items()
            if not has
        ]

    def written(self, word: str) -> str:
        """Return a folded word as the claim has it."""
        spans = dict(zip(self.said.words, self.said.spans, strict=True))
        start, stop = spans.get(word, (0, 0))
        return self.text[start:stop] or word

    @cached_property
    def partners(self) -> list[Statement]:
        """Statements that hold at least half of the claim's words, the fullest three."""
        whole = self._beside(self.said)
        wanted = self.said.held.keys()
        shares = [
            whole.share_of(wanted, stems | told.title)
            for stems, told in zip(whole.stems, self.sentences.told, strict=True)
        ]
        fullest = sorted(range(len(shares)), key=lambda at: -shares[at])[:_PARTNERS]
        return [self.chunks[at] for at in fullest if shares[at] >= _HALF]

    @cached_property
    def otherwise(self) -> list[frozenset[str]]:
        """Terms that each sentence says in another form: "67,000,000", or open for not closed."""
        return [self._otherwise(at) for at in range(len(self.sentences.told))]

    @cached_property
    def held_otherwise(self) -> frozenset[str]:
        """Terms that some sentence says in another form."""
        return frozenset[str]().union(*self.otherwise)

    def _otherwise(self, at: int) -> frozenset[str]:
        found: set[str] = set()
        for one in self.comparisons:
            quantities, stems = held_otherwise(one, at)
            found |= set(stems)
            for quantity in quantities:
                words = tokens(one.claim.text[quantity.start : quantity.stop])[0]
                found |= {*self.sentences.terms.stems(words), *one.claim.stems_in(quantity)}
        return frozenset(found)

    def clause_of(self, part: Part) -> tuple[int, int]:
        """Return the characters of a part's shown sentence that say the claim, or contradict it."""
        if part.shown < 0:
            return 0, 0
        cue = "" if part.against is None else part.against.cue
        stems = self.sentences.stems(part.text)
        return self.sentences.read(self.chunks[part.shown].text).window(stems, cue)

    def _part(self, beside: Comparison) -> Part:
        claim = beside.claim
        wanted = set(claim.held)
        total = self._worth(wanted)
        shares = [
            self._worth(wanted & (told.stems | otherwise))
            for told, otherwise in zip(self.sentences.told, self.otherwise, strict=True)
        ]
        best = max(range(len(shares)), key=shares.__getitem__, default=-1)
        share = min(1.0, shares[best] / total) if best >= 0 and total else float(best >= 0)
        findings = tuple(findings_of(beside) or scattered_words(beside))
        if not beside.alone and _is_any_of_its_kind(claim):
            findings = tuple(replace(one, sure=False) for one in findings)
        return Part(claim.text, share, best, findings)

    def _worth(self, stems: Collection[str]) -> float:
        """Return a stem's exact worth, so that no order of a set changes a sum."""
        return fsum(self.sentences.rarity(stem) for stem in stems)


def _is_any_of_its_kind(claim: Sentence) -> bool:
    """Return whether a part is about "the team" that another part says which it is.

    What a sentence says of a team may be said of another one.
    """
    subject = claim.words[: claim.verb]
    written = claim.text.split(maxsplit=2)[1:2]
    return len(subject) == 2 and subject[0] in _ARTICLES and written[:1] == [subject[1]]
