"""A claim and all sentences of its passages -> features for the learned judge.

Rarities are shares of the rarest word's, so that they mean the same in an index of any size.
Nothing counts titles or passages: in sets of labelled claims that alone gives labels away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.language.cues import word_list
from hippohover.language.sentence import Sentence
from hippohover.verification.against.findings import Finding
from hippohover.verification.judge.phrases import phrase_features
from hippohover.verification.terms import Encode

Values = dict[str, float]

_NEAR: Final = 3
_CLAUSE_STARTS: Final = word_list("clause_starts")
_SUPERLATIVES: Final = word_list("superlatives")
_COMPARATIVES: Final = word_list("comparatives")


@dataclass(frozen=True)
class JudgeInput:
    """The input of the judge.

    Attributes
    ----------
    claim : Sentence
        All of the claim, of however many sentences.
    sentences : sequence of Sentence
        Of all passages.
    titles : sequence of frozenset of str
        Stems of the title of each sentence's passage.
    rarity : callable
        Stem -> its rarity, a share of the rarest word's, [0, 1].
    encode : callable or None
    findings : sequence of Finding
    numbers : tuple of (int, int)
        Quantities of the claim, and those of them that the evidence holds.
    otherwise : sequence of frozenset of str
        Stems that each sentence says in another form.
    part_least : float
        Of the clause that is held least: the share that one sentence holds, [0, 1].
    """

    claim: Sentence
    sentences: Sequence[Sentence]
    titles: Sequence[frozenset[str]]
    rarity: Callable[[str], float]
    encode: Encode | None
    findings: Sequence[Finding]
    numbers: tuple[int, int]
    otherwise: Sequence[frozenset[str]]
    part_least: float = 1.0

    @cached_property
    def places(self) -> list[int]:
        """Places of the claim's words that carry meaning."""
        return [at for at, stem in enumerate(self.claim.stems) if stem]

    @cached_property
    def first_places(self) -> list[int]:
        """First place of each stem."""
        first: dict[str, int] = {}
        for at in self.places:
            first.setdefault(self.claim.stems[at], at)
        return list(first.values())

    @cached_property
    def worth(self) -> dict[str, float]:
        return {self.claim.stems[at]: self.rarity(self.claim.stems[at]) for at in self.first_places}

    @cached_property
    def bags(self) -> list[frozenset[str]]:
        """Stems of each sentence with those of its title."""
        return [
            title | said.held.keys() | otherwise
            for said, title, otherwise in zip(
                self.sentences, self.titles, self.otherwise, strict=True
            )
        ]

    @cached_property
    def held(self) -> frozenset[str]:
        return frozenset[str]().union(*self.bags)

    @cached_property
    def missing(self) -> list[int]:
        """Places of the claim's stems that no sentence holds."""
        return [at for at in self.first_places if self.claim.stems[at] not in self.held]

    @cached_property
    def evidence_words(self) -> list[str]:
        placed = (zip(said.words, said.stems, strict=True) for said in self.sentences)
        return list(dict.fromkeys(word for said in placed for word, stem in said if stem))

    @cached_property
    def likeness(self) -> NDArray[np.float64]:
        """Cosine of each missing word with each word of the evidence, in [0, 1]."""
        words = [self.claim.words[at] for at in self.missing]
        if self.encode is None or not words or not self.evidence_words:
            return np.zeros((len(words), max(1, len(self.evidence_words))))
        return np.clip(self.encode(words) @ self.encode(self.evidence_words).T, 0.0, 1.0).astype(
            float
        )


def features_of(given: JudgeInput) -> Values:
    """Return features by name."""
    otherwise = frozenset[str]().union(*given.otherwise)
    return {
        **_missing(given),
        **_pairs(given),
        **_clauses(given),
        **phrase_features(given.claim, given.sentences, given.titles, given.worth, otherwise),
        **_replacements(given),
        **_wording(given),
    }


def _missing(given: JudgeInput) -> Values:
    """Return how much the evidence lacks, in all and by how words are written."""
    worth, stems = given.worth, given.claim.stems
    close = given.likeness.max(axis=1) if given.missing else np.zeros(0)
    loss = {
        at: worth[stems[at]] * (1 - float(near))
        for at, near in zip(given.missing, close, strict=True)
    }
    most = [*sorted(loss.values(), reverse=True), 0.0, 0.0, 0.0]
    total = sum(worth.values()) or 1.0
    digits = [at for at in given.missing if given.claim.words[at][0].isdigit()]
    named = [at for at in given.missing if given.claim.named[at] and at not in digits]
    plain = [at for at in given.missing if at not in digits and at not in named]
    found: Values = {
        "missing": sum(loss.values()),
        "missing_1": most[0],
        "missing_2": most[1],
        "missing_3": most[2],
        "held": 1 - sum(worth[stems[at]] for at in given.missing) / total,
        "held_softly": 1 - sum(loss.values()) / total,
        "n_missing": float(len(given.missing)),
        "n_words": float(len(worth)),
        "share_missing": len(given.missing) / max(1, len(worth)),
        "n_missing_digits": float(len(digits)),
        "numbers_missing": float(given.numbers[0] - given.numbers[1]),
    }
    for name, places in (("named", named), ("plain", plain)):
        losses = [loss[at] for at in places]
        found |= {
            f"{name}_n": float(len(places)),
            f"{name}_sum": sum(losses),
            f"{name}_most": max(losses, default=0.0),
            f"{name}_rarest": max((worth[stems[at]] for at in places), default=0.0),
        }
    return found


def _pairs(given: JudgeInput) -> Values:
    """Return how many neighbours in the claim are in one sentence, and near each other."""
    stems, worth = given.claim.stems, given.worth
    total = together = near = 0.0
    for first, second in pairwise(given.places):
        a, b = stems[first], stems[second]
        if second - first > _NEAR or a == b:
            continue
        weight = min(worth[a], worth[b])
        total += weight
        holding = [
            said
            for said, bag in zip(given.sentences, given.bags, strict=True)
            if a in bag and b in bag
        ]
        together += weight * bool(holding)
        near += weight * any(_are_near(said, a, b) for said in holding)
    return {
        "pairs_together": together / total if total else 1.0,
        "pairs_near": near / total if total else 1.0,
        "pairs_apart": total - together,
        "pairs_far": total - near,
    }


def _are_near(said: Sentence, first: str, second: str) -> bool:
    if first not in said.held or second not in said.held:
        return False
    places = [at for at, stem in enumerate(said.stems) if stem == first]
    others = [at for at, stem in enumerate(said.stems) if stem == second]
    return any(abs(at - other) <= _NEAR for at in places for other in others)


def _clauses(given: JudgeInput) -> Values:
    """Return how much of each clause one sentence holds: minimum, mean, and loss."""
    stems, worth = given.claim.stems, given.worth
    clauses: list[list[str]] = [[]]
    for word, stem in zip(given.claim.words, stems, strict=True):
        if word in _CLAUSE_STARTS:
            clauses.append([])
        if stem:
            clauses[-1].append(stem)
    shares: list[float] = []
    lost = 0.0
    for clause in clauses:
        if len(clause) < 2:
            continue
        total = sum(worth[stem] for stem in clause)
        best = max((sum(worth[s] for s in clause if s in bag) for bag in given.bags), default=0.0)
        shares.append(best / total if total else 1.0)
        lost += total - best
    return {
        "clause_least": min(shares, default=1.0),
        "clause_mean": float(np.mean(shares)) if shares else 1.0,
        "clause_lost": lost,
        "n_clauses": float(len(shares)),
    }


def _replacements(given: JudgeInput) -> Values:
    """Return missing words whose place between the same neighbours another word has."""
    number_of = {word: at for at, word in enumerate(given.evidence_words)}
    most = 0.0
    n_likely = 0
    most_number = 0.0
    for row, at in enumerate(given.missing):
        digits = given.claim.words[at][0].isdigit()
        best = max(
            (
                shared
                * (float(other[0].isdigit()) if digits else given.likeness[row, number_of[other]])
                for said in given.sentences
                for shared, other in _in_place(given.claim, at, said)
            ),
            default=0.0,
        )
        most = max(most, best * given.worth[given.claim.stems[at]])
        n_likely += best > 0.3
        most_number = max(most_number, best if digits else 0.0)
    return {
        "replaced": float(most),
        "n_replaced": float(n_likely),
        "replaced_number": float(most_number),
    }


def _in_place(claim: Sentence, at: int, said: Sentence) -> list[tuple[int, str]]:
    """Return a sentence's words with neighbours of the claim's word, and how many they share."""
    left = next((s for s in reversed(claim.stems[max(0, at - 2) : at]) if s), "")
    right = next((s for s in claim.stems[at + 1 : at + 3] if s), "")
    if not (left and left in said.held) and not (right and right in said.held):
        return []
    found: list[tuple[int, str]] = []
    for place, stem in enumerate(said.stems):
        if stem and stem not in claim.held:
            shared = (left != "" and left in said.stems[max(0, place - 2) : place]) + (
                right != "" and right in said.stems[place + 1 : place + 3]
            )
            if shared:
                found.append((shared, said.words[place]))
    return found


def _wording(given: JudgeInput) -> Values:
    """Return counts of denials, superlatives, comparisons, and findings against the claim."""
    words = given.claim.words
    held = {word for said in given.sentences for word in said.words}
    denied = any(times % 2 for times in given.claim.denied)
    sure = [one for one in given.findings if one.sure]
    return {
        "denials": float(sum(word in {"not", "n't", "no", "never", "neither"} for word in words)),
        "denied_alone": float(denied and not any(any(said.denied) for said in given.sentences)),
        "superlatives": float(sum(word in _SUPERLATIVES for word in words)),
        "superlatives_missing": float(sum(w in _SUPERLATIVES and w not in held for w in words)),
        "comparisons": float(sum(word in _COMPARATIVES for word in words)),
        "comparisons_missing": float(sum(w in _COMPARATIVES and w not in held for w in words)),
        "part_least": given.part_least,
        "findings_sure": float(len(sure)),
        "findings_unsure": float(len(given.findings) - len(sure)),
        "n_numbers": float(given.numbers[0]),
    }


HELD: Final = frozenset(
    [
        "held", "held_softly", "pairs_together", "pairs_near", "clause_least", "clause_mean",
        "joined", "joined_within", "joined_between", "joined_over", "part_least",
    ]
)  # fmt: skip
"""Shares that the evidence holds: the more, the likelier a claim is supported. Every other feature
that a tree reads counts what is missing or speaks against it: the more, the less likely."""

CLAIM_ALONE: Final = frozenset(
    ["n_words", "n_numbers", "n_clauses", "denials", "superlatives", "comparisons"]
)
"""Those that say nothing of the evidence: how a set of claims was written, which no tree reads."""
