"""Follows the chain of hops that a language model reads from the claim.

This program of LangProBe's HoVer task plans the chain first. It searches for entities of the first
hop, then with at most two queries for hops that are still missing. It ranks passages by position
and by how many hops found them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import dspy

from hippohover.language_model.any_model import AnyModel
from hippohover.programs.hop_program import (
    REQUESTS_A_REPLY,
    Limits,
    Run,
    Step,
    told,
)
from hippohover.programs.pipeline import ProgramPipeline
from hippohover.programs.scoring_program import ScoringProgram
from hippohover.records import RankedPassage
from hippohover.sources.search_engine import SearchEngine

FIRST_DEPTH: Final = 25
HOP_DEPTH: Final = 20
_HOP_BONUS: Final = 100.0
_FIRST_HOP_BONUS: Final = 50.0
_MAX_ENTITIES: Final = 8


class HopChainExtractor(dspy.Signature):
    """Read from a claim the chain of hops that leads to its evidence.

    A hop finds one document; what it says names the next. Begin with what the claim names.
    """

    claim: str = dspy.InputField()
    hop_chain: list[str] = dspy.OutputField(
        desc="One line a hop, in order, such as: author of the book -> where the author was born"
    )
    concrete_entities: list[str] = dspy.OutputField(
        desc="Names in the claim to search for first, the most concrete first"
    )


class ChainCompletenessEvaluator(dspy.Signature):
    """Say whether the documents hold evidence for every hop of the chain."""

    claim: str = dspy.InputField()
    hop_chain: list[str] = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    is_complete: bool = dspy.OutputField(desc="Whether no hop lacks a document")
    missing_hop: str = dspy.OutputField(desc="The first hop that lacks one; empty if none does")


class HopTargetedQuery(dspy.Signature):
    """Write one short search query for the missing hop, with names from the documents."""

    claim: str = dspy.InputField()
    missing_hop: str = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    query: str = dspy.OutputField(desc="Names and words that the missing document would hold")


class DocumentRelevanceScorer(dspy.Signature):
    """Score how much each document helps to check the claim along the chain, from 0 to 100."""

    claim: str = dspy.InputField()
    hop_chain: list[str] = dspy.InputField()
    documents: str = dspy.InputField(desc="Numbered documents")
    scores: list[int] = dspy.OutputField(desc="One whole number a document, in their order")


class HoverMultiHop(ScoringProgram):
    """Sequential hops with a check of completeness, then a ranking by position.

    With ``score_documents``, the relevance of documents, 0 to 100, is added to their scores.
    """

    name = "hop-chain"
    declared: ClassVar[Limits] = Limits(searches=3, calls=6 * REQUESTS_A_REPLY)
    asked_for_scores = (dspy.Predict, DocumentRelevanceScorer)

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(engine, model, **options)
        self.extract_chain = dspy.Predict(HopChainExtractor)
        self.evaluate_chain = dspy.Predict(ChainCompletenessEvaluator)
        self.write_query = dspy.Predict(HopTargetedQuery)

    def steps(self) -> Sequence[Step]:
        return [self._search_entities, *[self._search_missing_hop] * (self.limits.searches - 1)]

    def _search_entities(self, claim: str, run: Run) -> None:
        n_hops = self.declared.searches + 1
        self.read(run, self.extract_chain, claim, hop_chain=n_hops, concrete_entities=_MAX_ENTITIES)
        run.search(" ".join(run.notes["concrete_entities"]) or claim, FIRST_DEPTH)

    def _search_missing_hop(self, claim: str, run: Run) -> bool:
        """Search for the missing hop; False where none is missing, or its query is not new.

        Where the evaluation cannot be used, the chain counts as incomplete.
        """
        found = by_position(run.found)
        state = self.read(run, self.evaluate_chain, claim, found)
        if state is not None and state.is_complete:
            return False
        missing, shown = told(getattr(state, "missing_hop", None)) or claim, self.shown(found)
        written = self.ask(run, self.write_query, claim=claim, missing_hop=missing, documents=shown)
        query = told(getattr(written, "query", None))
        if not query or query in run.queries:
            return False
        run.search(query, HOP_DEPTH)
        return True

    def ranked(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        ranked = by_position(run.found)
        if not self.score_documents:
            return ranked
        chain = run.notes["hop_chain"]
        scores = self.relevance(run, ranked, claim=claim, hop_chain=chain)
        relevance: dict[str, float] = {
            passage.pid: float(min(max(score, 0), 100))
            for passage, score in zip(ranked, scores, strict=False)
        }
        return by_position(run.found, relevance)

    def asks(self) -> Mapping[str, int]:
        hops = self.limits.searches - 1
        return {
            **super().asks(),
            "extract_chain": 1,
            "evaluate_chain": hops,
            "write_query": hops,
        }


class HoverMultiHopPipeline(ProgramPipeline):
    """``HoverMultiHop`` with its retriever."""

    program_type = HoverMultiHop


def by_position(
    hops: Sequence[Sequence[RankedPassage]], relevance: Mapping[str, float] | None = None
) -> list[RankedPassage]:
    """Rank the passages of several hops by score; ties go to the first found.

    The score of a passage is ::

        (25 - best position, from 0) + 100 (hops that found it - 1) + 50 [hop 1 found it]
        + relevance
    """
    first: dict[str, RankedPassage] = {}
    scores: dict[str, float] = {}
    best: dict[str, float] = {}
    for hop, passages in enumerate(hops):
        for position, passage in enumerate(passages):
            pid = passage.pid
            first.setdefault(pid, passage)
            bonus = _FIRST_HOP_BONUS if hop == 0 else _HOP_BONUS if pid in scores else 0.0
            best[pid] = max(best.get(pid, 0.0), float(FIRST_DEPTH - position))
            scores[pid] = scores.get(pid, 0.0) + bonus
    order = list(first)
    total = {pid: scores[pid] + best[pid] + (relevance or {}).get(pid, 0.0) for pid in order}
    return [first[pid] for pid in sorted(order, key=lambda pid: -total[pid])]
