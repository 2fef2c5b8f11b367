"""Hypotheses first: guess answers, query to confirm or falsify them, weigh the evidence.

After a first search, a language model guesses what the evidence will say; one guess is always the
statement that the evidence supports most. Each guess gets queries that would confirm it and queries
that would falsify it; documents record which guess and which intent found them. From the best
documents, links lead to further ones, and from papers of sources, citations. Similarity measures
how much a document supports a guess, and the documents of the winning guess come first.
"""

import os
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Final, Literal

import dspy
import numpy as np

from hippohover.errors import UsageError
from hippohover.language_model.any_model import AnyModel
from hippohover.programs.evidence_scoring import (
    Encode,
    EvidenceScorer,
    EvidenceScores,
    blend_mcq_scores,
)
from hippohover.programs.guesses import (
    MAX_QUERIES,
    N_HYPOTHESES,
    ChoiceHypotheses,
    ChoiceScores,
    FurtherHypotheses,
    HypothesisGenerator,
    HypothesisQueries,
    HypothesisQuery,
    check_choices,
    most_supported_statement,
    other_guesses,
    shared_out,
)
from hippohover.programs.hop_program import (
    REQUESTS_A_REPLY,
    HopProgram,
    Limits,
    MissingEvidence,
    Run,
    Step,
    check_question,
    clean,
    told,
)
from hippohover.programs.hypothesis_run import (
    COVERAGE_RUNS,
    LEAST_COVERAGE,
    TRAVERSAL_LABEL,
    YIELD_RUNS,
    Evidence,
    HypothesisRun,
    Intent,
    Pause,
    TraversalYield,
    gives_too_little,
    names_the_answer,
    yield_of,
)
from hippohover.programs.pipeline import ProgramPipeline
from hippohover.records import RankedPassage
from hippohover.sources.search_engine import SearchEngine

FIRST_DEPTH: Final = 30
DEPTH: Final = 10
TRAVERSED_FROM: Final = 3
LINKED_A_DOCUMENT: Final = 5
_PAPERS_TRIED: Final = 6
"""Papers that are asked what they cite, until three have told it."""
_GAP_ROUNDS: Final = 2
_MOST_ASKED: Final = 3
"""Questions of one run: guesses, further ones, queries; or justifications, queries, scores."""
SCORING_VARIABLE: Final = "HIPPOHOVER_SEMANTIC_SCORING"
"""Whether to compare by vectors by default."""
_OFF: Final = frozenset({"0", "false", "no", "off"})


class HypothesisDriven(HopProgram):
    """Hypothesis-driven retrieval.

    Parameters
    ----------
    engine : SearchEngine, optional
    scorer : EvidenceScorer, optional
        By default one with the engine's encoder, or, if ``HIPPOHOVER_SEMANTIC_SCORING`` is 0, one
        that compares tokens, as ``EvidenceScorer(None)`` does. The variable changes no scorer that
        is given.
    traverse : {"auto", "always", "never"}
        Whether links are followed; "auto" stops after ten runs that gained too little, and tries
        again at every fifth run.
    coverage : float, optional
        Share of validation claims whose hypotheses name a bridge, in [0, 1]: ``is_covered``. Below
        0.85, hypotheses are not trusted: instead, the model is asked twice for at most two queries
        for what is missing, and evidence is weighed for the claim itself. By default, it is the
        share of the last 20 runs whose hypotheses name what their answers rest on; every fifth run
        tests hypotheses then too, so they come back once that share rises. Runs at once decide by
        the order in which they end.
    """

    name = "hypothesis"
    declared: ClassVar[Limits] = Limits(
        searches=1 + MAX_QUERIES, calls=_MOST_ASKED * REQUESTS_A_REPLY
    )
    run_type = HypothesisRun

    def __init__(
        self,
        engine: SearchEngine | None = None,
        model: AnyModel | None = None,
        *,
        scorer: EvidenceScorer | None = None,
        traverse: Literal["auto", "always", "never"] = "auto",
        coverage: float | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(engine, model, **options)
        self.scorer = scorer or EvidenceScorer(default_encoder(self.engine))
        self.traverse = traverse
        self.coverage = coverage
        self.yields: deque[TraversalYield] = deque(maxlen=YIELD_RUNS)
        self.covered: deque[bool] = deque(maxlen=COVERAGE_RUNS)
        self.without_links, self.without_hypotheses = Pause(), Pause()
        self.generate = dspy.Predict(HypothesisGenerator)
        self.generate_further = dspy.Predict(FurtherHypotheses)
        self.justify = dspy.Predict(ChoiceHypotheses)
        self.score_choices = dspy.Predict(ChoiceScores)
        self.build_queries = dspy.Predict(HypothesisQueries)
        self.find_missing = dspy.Predict(MissingEvidence)

    def gather(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        assert isinstance(run, HypothesisRun)  # noqa: S101
        if self.fills_gaps and not self._tries_hypotheses():
            self.take([self._search_claim, *[self._fill_gap] * _GAP_ROUNDS], claim, run)
            return self.ranked(claim, run)
        self.take(self.steps(), claim, run)
        ranked = self.ranked(claim, run)
        run.is_covered = names_the_answer(claim, ranked, run.guesses)
        self.covered.append(run.is_covered)
        return ranked

    def steps(self) -> Sequence[Step]:
        return [self._search_claim, self._guess, self._search_queries, self._follow_links]

    def asks(self) -> Mapping[str, int]:
        if self.fills_gaps:
            return {"find_missing": _GAP_ROUNDS}
        return {"generate": 1, "build_queries": 1}

    @property
    def fills_gaps(self) -> bool:
        """Whether to fill gaps: hypotheses too seldom name what evidence supports."""
        if self.coverage is not None:
            return self.coverage < LEAST_COVERAGE
        covered = tuple(self.covered)  # other threads add to them
        return len(covered) == COVERAGE_RUNS and sum(covered) / COVERAGE_RUNS < LEAST_COVERAGE

    def _tries_hypotheses(self) -> bool:
        """Return whether to measure coverage again, unless it was given."""
        return self.coverage is None and self.without_hypotheses.tries_again()

    def answer_choices(
        self,
        question: str,
        choices: Sequence[str],
        model_scores: Sequence[float] | None = None,
    ) -> tuple[list[float], HypothesisRun]:
        """Return blended scores of choices, and the run that weighed the evidence.

        Parameters
        ----------
        model_scores : sequence of float, optional
            What a language model gives each choice, in [0, 1]. When not given it is asked, with the
            best evidence; a reply without a score each is a fallback that gives all 0.5.

        Raises
        ------
        UsageError
            The question or a choice is no text or blank; there are fewer than two choices or more
            than ten, as each needs one of the ten queries; two are the same; there are not as many
            scores, or one outside [0, 1].
        """
        check_question(question)
        check_choices(choices)
        n_scores = len(choices) if model_scores is None else len(model_scores)
        if len(choices) < 2 or len(choices) != n_scores:
            raise UsageError(
                f"{len(choices)} choices and {n_scores} scores: give two choices or more, "
                "and a score each"
            )
        if bad := [score for score in model_scores or () if not 0 <= score <= 1]:
            raise UsageError(f"a choice has the score {bad[0]}: give numbers in [0, 1]")
        run = self.begin()
        assert isinstance(run, HypothesisRun)  # noqa: S101
        run.choices = choices
        self.take(self.steps(), question, run)
        ranked = self.ranked(question, run)
        given = model_scores or self._choice_scores(question, choices, ranked, run)
        net = None if run.support is None else run.support.net.tolist()
        return blend_mcq_scores(given, net), run

    def _choice_scores(
        self, question: str, choices: Sequence[str], ranked: Sequence[RankedPassage], run: Run
    ) -> list[float]:
        """Return the model's score of each choice, in [0, 1]; 0.5, a fallback, without one."""
        answer = self.ask(
            run, self.score_choices, question=question, choices=list(choices),
            documents=self.shown(ranked),
        )  # fmt: skip
        scores: list[int] = getattr(answer, "scores", None) or []
        if len(scores) != len(choices):
            run.fallbacks += answer is not None
            return [0.5] * len(choices)
        return [min(max(score, 0), 100) / 100 for score in scores]

    def hypothesis_generator(
        self, claim: str, first: Sequence[RankedPassage], run: Run, choices: Sequence[str] = ()
    ) -> list[str]:
        """Return four hypotheses, the last the statement of most evidence; or one per choice.

        A model that guesses fewer than three others is asked once more; what is missing then is
        left out. No choice is left out: a choice without a justification is its own, and a
        justification that lacks its choice gets it.
        """
        if choices:
            answer = self.ask(run, self.justify, question=claim, choices=list(choices))
            written: list[str] = getattr(answer, "hypotheses", None) or []
            lines = [told(text) for text in written]
            lines += [""] * (len(choices) - len(lines))
            return [
                line if choice in line else f"{choice} {line}".strip()
                for choice, line in zip(choices, lines, strict=False)
            ]
        answer = self.ask(run, self.generate, claim=claim, documents=self.shown(first))
        grounded = most_supported_statement(first) or claim
        guesses = other_guesses(getattr(answer, "hypotheses", None), grounded)
        if len(guesses) < N_HYPOTHESES - 1 and answer is not None:
            known = [*guesses, grounded]
            further = self.ask(
                run, self.generate_further, claim=claim, documents=self.shown(first), known=known
            )
            more: list[str] = getattr(further, "hypotheses", None) or []
            guesses = other_guesses([*guesses, *more], grounded)
        return [*guesses, grounded]

    def hypothesis_query_builder(
        self, claim: str, hypotheses: Sequence[str], run: Run, choices: Sequence[str] = ()
    ) -> list[tuple[int, Intent, str]]:
        """Ask for queries that would confirm or falsify each hypothesis: ``shared_out``."""
        answer = self.ask(run, self.build_queries, claim=claim, hypotheses=list(hypotheses))
        written: list[HypothesisQuery] = getattr(answer, "queries", None) or []
        return shared_out(written, hypotheses, choices)

    def _search_claim(self, claim: str, run: HypothesisRun) -> None:
        run.add(run.search(claim, FIRST_DEPTH))

    def _guess(self, claim: str, run: HypothesisRun) -> None:
        run.hypotheses = self.hypothesis_generator(claim, run.found[0], run, run.choices)
        n = len(run.hypotheses)
        run.kinds = ["choice"] * n if run.choices else [*["guess"] * (n - 1), "grounded"]

    def _search_queries(self, claim: str, run: HypothesisRun) -> None:
        built = self.hypothesis_query_builder(claim, run.hypotheses, run, run.choices)
        for at, intent, query in built:
            passages = run.search(query, DEPTH)
            run.add(passages)
            for passage in passages:
                run.evidence[passage.pid].found_by.add((at, intent))

    def _fill_gap(self, claim: str, run: HypothesisRun) -> None:
        """Search for evidence that the model misses, for the claim itself."""
        run.hypotheses, run.kinds = [claim], ["claim"]
        answer = self.read(run, self.find_missing, claim, run.newest)
        n_before = len(run.found)
        run.search_new(clean(getattr(answer, "queries", None), 2), DEPTH)
        run.add(list(chain.from_iterable(run.found[n_before:])))

    def _follows_links(self) -> bool:
        if self.traverse != "auto":
            return self.traverse == "always"
        yields = tuple(self.yields)  # other threads add to them
        pays = len(yields) < YIELD_RUNS or not gives_too_little(yields)
        return pays or self.without_links.tries_again()

    def _follow_links(self, claim: str, run: HypothesisRun) -> None:
        """Add documents that the best of the first search link to, or that papers cite.

        Papers are those of all searches that are closest to a hypothesis, as far as a source knows
        what they cite.
        """
        if not self._follows_links():
            return
        of_index = [passage for passage in run.found[0] if not passage.source][:TRAVERSED_FROM]
        found = [run.engine.linked(best.pid, LINKED_A_DOCUMENT) for best in of_index]
        n_citing = 0
        tried = {passage.pid for passage in of_index}
        papers = [paper for paper in self._papers(run) if paper.pid not in tried]
        for paper in papers[:_PAPERS_TRIED]:
            if n_citing < TRAVERSED_FROM:
                found.append(run.engine.linked(paper.pid, LINKED_A_DOCUMENT))
                n_citing += bool(found[-1])
        linked = [passage for passages in found for passage in passages]
        before = set(run.evidence)
        run.add(linked, label=TRAVERSAL_LABEL)
        n_new = len(run.evidence) - len(before)
        n_distinct = len({passage.pid for passage in linked})
        run.traversal = TraversalYield(n_new / n_distinct if n_distinct else 1.0, 1.0, 1.0)

    def _papers(self, run: HypothesisRun) -> list[RankedPassage]:
        """Return what sources found, in the index or not, closest to a hypothesis first."""
        sources = run.sources
        papers = [
            one for pid, one in run.evidence.items() if sources is not None and sources.knows(pid)
        ]
        if not papers:
            return []
        scores = self._scores(papers, run)
        order = np.argsort(-scores.similarities.max(axis=1), kind="stable")
        return [papers[row].passage for row in scores.rows[order].tolist()]

    def _scores(self, evidence: Sequence[Evidence], run: HypothesisRun) -> EvidenceScores:
        """Score evidence by the hypotheses; keeps the cost, and once a run why vectors failed."""
        texts = [document.shown for document in evidence]
        scores = self.scorer.passage_embed_score(texts, run.hypotheses)
        run.embedding += scores.usage
        if scores.failure and not run.encoding_failure:
            run.encoding_failure = scores.failure
            run.fallbacks += 1
        return scores

    def ranked(self, claim: str, run: Run) -> list[RankedPassage]:
        """Rank the winning hypothesis's documents first, the rest by their support of any."""
        assert isinstance(run, HypothesisRun)  # noqa: S101
        if not run.evidence:
            return []
        scores = self._scores(list(run.evidence.values()), run)
        ranked = run.weigh(scores)
        if run.traversal is not None:
            run.traversal = yield_of(run.traversal.unique, run, scores, ranked[: self.k])
            self.yields.append(run.traversal)
        return [document.passage for document in ranked]


def default_encoder(engine: SearchEngine) -> Encode | None:
    """Return what scores evidence by default: the engine's encoder, unless vectors are off."""
    return None if os.environ.get(SCORING_VARIABLE, "").lower() in _OFF else engine.encode


class HoverMultiHopPipeline(ProgramPipeline):
    """``HypothesisDriven`` with its retriever."""

    program_type = HypothesisDriven
