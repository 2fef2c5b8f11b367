"""Sub-questions, an early analysis of gaps, and searches for bridging names.

This program of LangProBe's HoVer task decomposes the claim. It first searches twice, for a
sub-question and for what the claim alone shows to be missing; then once for each bridging name in
the documents; then twice with three queries for what is still missing. It ranks documents by the
names that they match.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Final

import dspy

from hippohover.language_model.any_model import AnyModel
from hippohover.names.normal_forms import entity_key, normal_title, without_qualifier
from hippohover.programs.hop_program import (
    REQUESTS_A_REPLY,
    Limits,
    Run,
    Step,
    clean,
    distinct,
    told,
)
from hippohover.programs.pipeline import ProgramPipeline
from hippohover.programs.scoring_program import ScoringProgram
from hippohover.records import RankedPassage
from hippohover.sources.search_engine import SearchEngine

FIRST_DEPTH: Final = 18
DEPTH: Final = 5
MAX_BRIDGES: Final = 5
QUERIES_A_ROUND: Final = 3
ROUNDS: Final = 2
_BOTH_BONUS: Final = 2.0
_TITLE_WEIGHT: Final = 2.0
_MAX_ENTITIES: Final = 20
_MAX_FINDINGS: Final = 12
_LONGEST_TEXT: Final = 10_000


class ClaimDecomposition(dspy.Signature):
    """Break a claim into two or three questions that one document each can answer."""

    claim: str = dspy.InputField()
    sub_questions: list[str] = dspy.OutputField(
        desc="2 or 3 questions, the first to be asked first"
    )


class GapAnalyzer(dspy.Signature):
    """Say, from the claim alone, which facts must be found to check it."""

    claim: str = dspy.InputField()
    missing_information: list[str] = dspy.OutputField(desc="Facts to find, one a line")
    query: str = dspy.OutputField(desc="One short search query for them")


class EntityExtractor(dspy.Signature):
    """List what the documents name and how these are related, as far as the claim is concerned."""

    claim: str = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document")
    entities: list[str] = dspy.OutputField(desc="Names, as the documents write them")
    relationships: list[str] = dspy.OutputField(desc="Such as: Ada Finch - directed - Salt Road")


class BridgingEntityIdentifier(dspy.Signature):
    """Name the people, organisations and events that link the documents and need a document each.

    A bridging entity stands in a document, is a step between what the claim names and what it
    describes, and has no document of its own yet.
    """

    claim: str = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document")
    bridging_entities: list[str] = dspy.OutputField(desc="3 to 5 names")


class GapAnalysis(dspy.Signature):
    """Say what is still missing to check the claim, and write three short queries for it."""

    claim: str = dspy.InputField()
    entities: list[str] = dspy.InputField()
    relationships: list[str] = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document")
    missing_information: list[str] = dspy.OutputField(desc="Facts to find, one a line")
    queries: list[str] = dspy.OutputField(desc="3 queries")


class DocumentRelevanceScorer(dspy.Signature):
    """Score how much each document helps to check the claim, from 1 to 10."""

    claim: str = dspy.InputField()
    documents: str = dspy.InputField(desc="Numbered documents")
    scores: list[int] = dspy.OutputField(desc="One whole number a document, in their order")


class DecompositionWithGapAnalysis(ScoringProgram):
    """Query decomposition with early gap analysis and bridging entities.

    With ``score_documents``, documents are ranked by their relevance, 1 to 10.

    Parameters
    ----------
    keep_bridges : bool
        Whether the page of a bridging name always has a place in the answer: of what the search
        for the name found, the passage whose title is the name, else the first. Ranked only by the
        names that it matches, it can fall out.
    """

    name = "gap-analysis"
    declared: ClassVar[Limits] = Limits(
        searches=2 + MAX_BRIDGES + ROUNDS * QUERIES_A_ROUND,
        calls=(4 + 2 * ROUNDS) * REQUESTS_A_REPLY,  # the last is the relevance of documents
    )
    asked_for_scores = (dspy.ChainOfThought, DocumentRelevanceScorer)

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        *,
        keep_bridges: bool = True,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(engine, model, **options)
        self.keep_bridges = keep_bridges
        self.decompose = dspy.Predict(ClaimDecomposition)
        self.analyze_early = dspy.Predict(GapAnalyzer)
        self.extract = dspy.Predict(EntityExtractor)
        self.identify_bridges = dspy.Predict(BridgingEntityIdentifier)
        self.analyze = dspy.Predict(GapAnalysis)

    def steps(self) -> Sequence[Step]:
        first = [self._search_question, self._search_early_gap, self._note, self._search_bridges]
        return [*first, self._search_gaps, *[self._note, self._search_gaps] * (ROUNDS - 1)]

    def _search_question(self, claim: str, run: Run) -> None:
        self.read(run, self.decompose, claim, sub_questions=3)
        run.search((run.notes["sub_questions"] or [claim])[0], FIRST_DEPTH)

    def _search_early_gap(self, claim: str, run: Run) -> None:
        """Search for what the claim alone shows to be missing."""
        gap = self.read(run, self.analyze_early, claim, missing_information=_MAX_FINDINGS)
        run.search(told(getattr(gap, "query", None)) or claim, FIRST_DEPTH)

    def _note(self, claim: str, run: Run) -> None:
        """Note what the newest documents name; of relationships the newest come first."""
        known = run.notes.pop("relationships", [])
        most = {"entities": _MAX_ENTITIES, "relationships": _MAX_FINDINGS}
        self.read(run, self.extract, claim, run.newest, **most)
        run.notes["relationships"] = clean([*run.notes["relationships"], *known], _MAX_FINDINGS)

    def _search_bridges(self, claim: str, run: Run) -> None:
        found = distinct(list(chain.from_iterable(run.found)))
        self.read(run, self.identify_bridges, claim, found, bridging_entities=MAX_BRIDGES)
        names = run.notes["bridging_entities"]
        for name in names:
            run.search(name, DEPTH)
        run.notes["entities"] = clean([*run.notes["entities"], *names], _MAX_ENTITIES)

    def _search_gaps(self, claim: str, run: Run) -> None:
        answer = self.read(run, self.analyze, claim, run.newest, missing_information=_MAX_FINDINGS)
        run.search_new(clean(getattr(answer, "queries", None), QUERIES_A_ROUND), DEPTH)

    def ranked(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        ranked = by_entities(
            distinct_titles(list(chain.from_iterable(run.found))),
            in_claim=self._names(run, claim),
            in_gaps=self._names(run, " . ".join(run.notes["missing_information"])),
        )
        if self.score_documents:
            scores = self.relevance(run, ranked, claim=claim)
            order = sorted(range(len(scores)), key=lambda at: -scores[at])
            ranked = [*(ranked[at] for at in order), *ranked[len(scores) :]]
        if not self.keep_bridges:
            return ranked
        names = run.notes["bridging_entities"]
        found = ((name, run.search(name, DEPTH)) for name in names)  # known by now
        bridges = [page_of(name, passages) for name, passages in found if passages]
        return keep(ranked, bridges, self.k)

    def asks(self) -> Mapping[str, int]:
        return {
            **super().asks(),
            "decompose": 1,
            "analyze_early": 1,
            "extract": ROUNDS,
            "identify_bridges": 1,
            "analyze": ROUNDS,
        }

    def _names(self, run: Run, text: str) -> list[str]:
        """Return names of the index, and noted entities, in a text."""
        if not text.strip(" ."):
            return []
        held = f" {entity_key(text)} "
        noted = [name for name in run.notes["entities"] if f" {entity_key(name)} " in held]
        return list(dict.fromkeys([*run.engine.names_in(text[:_LONGEST_TEXT]), *noted]))


class HoverMultiHopPipeline(ProgramPipeline):
    """``DecompositionWithGapAnalysis`` with its retriever."""

    program_type = DecompositionWithGapAnalysis


def distinct_titles(passages: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Keep the first passage of each title, in order, and every one without a title."""
    first: dict[str, RankedPassage] = {}
    for passage in passages:
        first.setdefault(normal_title(passage.title) or passage.pid, passage)
    return list(first.values())


def page_of(name: str, passages: Sequence[RankedPassage]) -> RankedPassage:
    """Return the passage whose title is a name, with its qualifier or without; else the first."""
    key = entity_key(name)
    titles = [passage.title for passage in passages]
    for named in (titles, [without_qualifier(title) for title in titles]):
        for passage, title in zip(passages, named, strict=True):
            if key and entity_key(title) == key:
                return passage
    return passages[0]


def keep(
    ranked: Sequence[RankedPassage], wanted: Sequence[RankedPassage], k: int
) -> list[RankedPassage]:
    """Return the same ranking with the wanted passages, or titles, among its first ``k``.

    One that is not there takes the place of the last that is not wanted; the others keep theirs.
    """
    keys = {normal_title(passage.title) or passage.pid for passage in wanted}
    is_wanted = [(normal_title(passage.title) or passage.pid) in keys for passage in ranked]
    late = [at for at in range(k, len(ranked)) if is_wanted[at]]
    free = [at for at in range(min(k, len(ranked))) if not is_wanted[at]]
    moved = late[: len(free)]
    left_out = free[len(free) - len(moved) :]
    stay = [at for at in range(min(k, len(ranked))) if at not in left_out]
    first = [*stay, *moved]
    return [ranked[at] for at in [*first, *(n for n in range(len(ranked)) if n not in first)]]


def by_entities(
    passages: Sequence[RankedPassage], *, in_claim: Sequence[str], in_gaps: Sequence[str]
) -> list[RankedPassage]:
    """Score passages by matching names: of each kind, 1 a name in the text, 2 in the title.

    A passage that matches a name of both kinds scores 2 more. Of equal ones the first found comes
    first.
    """

    def score(passage: RankedPassage) -> float:
        title = f" {entity_key(passage.title)} "
        text = f" {entity_key(passage.text)} "
        sums = [
            sum(_TITLE_WEIGHT if key in title else float(key in text) for key in keys)
            for keys in (claim_keys, gap_keys)
        ]
        return sum(sums) + (_BOTH_BONUS if min(sums) > 0 else 0.0)

    claim_keys, gap_keys = (
        [f" {key} " for name in names if (key := entity_key(name))] for names in (in_claim, in_gaps)
    )
    return sorted(passages, key=lambda passage: -score(passage))
