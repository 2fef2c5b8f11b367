"""Records of a run of the hypothesis program: hypotheses, evidence, yield of links."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

import numpy as np

from hippohover.language_model.ledger import Usage
from hippohover.names.normal_forms import entity_key, without_qualifier
from hippohover.programs.evidence_scoring import (
    EvidenceScores,
    Support,
    hypothesis_evidence_aggregator,
)
from hippohover.programs.hop_program import Run
from hippohover.programs.quantities import quantitative_claim_extractor, quantitative_weight
from hippohover.records import RankedPassage

TRAVERSAL_LABEL: Final = "citation_traversal"
YIELD_RUNS: Final = 10
UNIQUE_SHARE, SELECTED_SHARE, USED_SHARE = 0.3, 0.4, 0.15
"""Least shares of linked documents that are new, of the new ones that are scored, and of the scored
ones that are in the answer; below one of them in ten runs in a row links are not followed."""

COVERAGE_RUNS: Final = 20
"""Runs whose coverage is watched: below ``LEAST_COVERAGE`` over them, gaps are filled instead."""
LEAST_COVERAGE: Final = 0.85
TRIED_AGAIN_EVERY: Final = 5
"""Runs until what is paused is tried again, so that its figures stay those of the latest runs."""
_RESTS_ON: Final = 3

Intent = Literal["confirm", "falsify"]


@dataclass
class Evidence:
    """A document, and how it was found.

    Attributes
    ----------
    passage : RankedPassage
    found_by : set of (int, str)
        Hypothesis, from 0, and intent of each query that found it; nothing for the first search.
    label : str
        "search", or "citation_traversal" for a document that only links led to.
    quantitative_anchors : tuple of str
        Quantities that it states.
    """

    passage: RankedPassage
    found_by: set[tuple[int, Intent]] = field(default_factory=set[tuple[int, Intent]])
    label: str = "search"
    quantitative_anchors: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Title and text, as they are compared."""
        return f"{self.passage.title}. {self.passage.text}"


@dataclass(frozen=True, slots=True)
class TraversalYield:
    """What following links found in one run: shares in [0, 1], 1 without any to share."""

    unique: float
    selected: float
    used: float


@dataclass
class Pause:
    """Counts the runs for which a habit does not pay, and tells which of them try it again."""

    n: int = 0

    def tries_again(self) -> bool:
        """Count a run; return whether it is the fifth, tenth and so on."""
        self.n += 1  # threads that count at once try once more or less
        return self.n % TRIED_AGAIN_EVERY == 0


@dataclass
class HypothesisRun(Run):
    """A run with its hypotheses, evidence and support.

    Attributes
    ----------
    choices : sequence of str
        Of a question: each becomes a hypothesis.
    hypotheses : list of str
    kinds : list of str
        What each is: "guess", "grounded", the statement that the evidence of the first search
        supports most, "choice", or "claim", where gaps are filled instead of hypotheses tested.
    evidence : dict of str to Evidence
        By pid, in the order in which it was found.
    support : Support or None
    scored_by : str
        "semantic" or "overlap".
    traversal : TraversalYield or None
        None when no link was followed.
    embedding : Usage
        What a service that embeds took.
    is_covered : bool or None
        Whether a guess names what the answer rests on (``names_the_answer``); None where none
        was made.
    """

    hypotheses: list[str] = field(default_factory=list[str])
    choices: Sequence[str] = ()
    kinds: list[str] = field(default_factory=list[str])
    evidence: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    support: Support | None = None
    scored_by: str = ""
    traversal: TraversalYield | None = None
    embedding: Usage = field(default_factory=Usage)
    is_covered: bool | None = None

    def add(self, passages: Sequence[RankedPassage], *, label: str = "search") -> None:
        """Add what was found, unless it was found before."""
        for passage in passages:
            if passage.pid not in self.evidence:
                anchors = quantitative_claim_extractor(passage.text)
                self.evidence[passage.pid] = Evidence(
                    passage, label=label, quantitative_anchors=anchors
                )

    def weigh(self, scores: EvidenceScores) -> list[Evidence]:
        """Compute the support of each hypothesis; return the evidence, that of the winner first.

        Scored documents are in the order of their support: the winner's of the winner, then the
        others of any hypothesis. What was not scored comes last.
        """
        evidence, rows = list(self.evidence.values()), scores.rows.tolist()
        scored = [evidence[row] for row in rows]
        weights = np.array([quantitative_weight(document.shown) for document in scored])
        confirms, falsifies = (
            np.array([[(at, intent) in one.found_by for at in range(len(self.hypotheses))]
                      for one in scored], bool)
            for intent in ("confirm", "falsify")
        )  # fmt: skip
        self.scored_by = scores.kind
        self.support = hypothesis_evidence_aggregator(
            scores.similarities, weights, confirms=confirms, falsifies=falsifies
        )
        best = self.support.best
        weighted = scores.similarities * weights[:, None]
        of_winner = weighted.argmax(axis=1) == best
        strength = np.where(of_winner, weighted[:, best], weighted.max(axis=1))
        # The winner's first, each of both kinds by strength; equals as their overlap ranked them.
        order = np.lexsort((np.arange(len(rows)), -strength, ~of_winner))
        weighed = set(rows)
        left = [document for at, document in enumerate(evidence) if at not in weighed]
        return [*(scored[at] for at in order.tolist()), *left]

    @property
    def guesses(self) -> list[str]:
        """Hypotheses except the one that is a sentence of the evidence."""
        kinds = zip(self.hypotheses, self.kinds, strict=True)
        return [hypothesis for hypothesis, kind in kinds if kind != "grounded"]

    @property
    def filled_gaps(self) -> bool:
        """Whether gaps were filled instead of hypotheses tested."""
        return self.kinds == ["claim"]

    @property
    def cost_usd(self) -> float | None:
        total = self.usage + self.embedding
        return total.known_cost_usd

    @property
    def winner_kind(self) -> str:
        """Kind of the winning hypothesis; "" without one."""
        return "" if self.support is None else self.kinds[self.support.best]

    @property
    def confidence(self) -> float:
        """How certain the winner is, in [0, 1]: ``Support.confidence``; 0 without one."""
        return 0.0 if self.support is None else self.support.confidence

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {
            "hypotheses": self.hypotheses,
            "kinds": self.kinds,
            "filled_gaps": self.filled_gaps,
            "winner_kind": self.winner_kind,
            "confidence": self.confidence,
            "scored_by": self.scored_by,
            "encoding_failure": self.encoding_failure,
            "traversal": None if self.traversal is None else asdict(self.traversal),
            "is_covered": self.is_covered,
            "embedded_tokens": self.embedding.input_tokens,
            "embedding_usd": self.embedding.known_cost_usd,
        }


def is_covered(claim: str, gold_titles: Sequence[str], hypotheses: Sequence[str]) -> bool:
    """Return whether a hypothesis names gold beyond the claim; true when the claim names all."""

    def is_in(title: str, text: str) -> bool:
        return f" {entity_key(without_qualifier(title))} " in f" {entity_key(text)} "

    bridges = [title for title in gold_titles if not is_in(title, claim)]
    return not bridges or any(
        is_in(title, hypothesis) for title in bridges for hypothesis in hypotheses
    )


def names_the_answer(
    claim: str, answer: Sequence[RankedPassage], hypotheses: Sequence[str]
) -> bool:
    """Return ``is_covered``, by the answer's first three documents where no gold is known."""
    return is_covered(claim, [passage.title for passage in answer[:_RESTS_ON]], hypotheses)


def yield_of(
    unique: float, run: HypothesisRun, scores: EvidenceScores, answer: Sequence[Evidence]
) -> TraversalYield:
    """Measure what following links gave to an answer; ``unique`` is the share that was new."""
    evidence = list(run.evidence.values())
    linked = [at for at, document in enumerate(evidence) if document.label == TRAVERSAL_LABEL]
    weighed = set(scores.rows.tolist())
    selected = [at for at in linked if at in weighed]
    answered = {document.passage.pid for document in answer}
    used = [at for at in selected if evidence[at].passage.pid in answered]
    return TraversalYield(
        unique,
        len(selected) / len(linked) if linked else 1.0,
        len(used) / len(selected) if selected else 1.0,
    )


def gives_too_little(yields: Sequence[TraversalYield]) -> bool:
    """Return whether following links found less than it must in every one of some runs."""
    return all(
        one.unique < UNIQUE_SHARE or one.selected < SELECTED_SHARE or one.used < USED_SHARE
        for one in yields
    )
