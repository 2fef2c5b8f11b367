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
from typing import Any, ClassVar, Final, Literal

import dspy
import numpy as np
from pydantic import BaseModel, Field

from hippohover.errors import UsageError
from hippohover.language_model.any_model import AnyModel
from hippohover.names.sentences import sentence_spans
from hippohover.programs.evidence_scoring import (
    N_SCORED,
    Encode,
    EvidenceScorer,
    EvidenceScores,
    Support,
    blend_mcq_scores,
    hypothesis_evidence_aggregator,
    overlaps,
)
from hippohover.programs.hop_program import (
    REQUESTS_A_REPLY,
    HopProgram,
    Limits,
    MissingEvidence,
    ProgramPipeline,
    Run,
    check_question,
    clean,
    distinct,
    plain_line,
    told,
)
from hippohover.programs.hypothesis_run import (
    COVERAGE_RUNS,
    LEAST_COVERAGE,
    YIELD_RUNS,
    Evidence,
    HypothesisRun,
    Intent,
    Pause,
    TraversalYield,
    gives_too_little,
    names_the_answer,
)
from hippohover.programs.quantities import quantitative_claim_extractor, quantitative_weight
from hippohover.records import RankedPassage
from hippohover.sources.search_engine import SearchEngine

N_HYPOTHESES: Final = 4
MAX_QUERIES: Final = 10
FIRST_DEPTH: Final = 30
DEPTH: Final = 10
TRAVERSED_FROM: Final = 3
LINKED_A_DOCUMENT: Final = 5
TRAVERSAL_LABEL: Final = "citation_traversal"
_PAPERS_TRIED: Final = 6
"""Papers that are asked what they cite, until three have told it."""
_GAP_ROUNDS: Final = 2
_MOST_ASKED: Final = 3
"""Questions of one run: guesses, further ones, queries; or justifications, queries, scores."""
_TOKENS_EMBEDDED: Final = 512
_LONGEST_SHOWN: Final = 80
SCORING_VARIABLE: Final = "HIPPOHOVER_SEMANTIC_SCORING"
_OFF: Final = frozenset({"0", "false", "no", "off"})


class HypothesisGenerator(dspy.Signature):
    """Guess what the evidence will say: different answers or readings, each as one statement.

    Each statement names what it is about, so that it can be searched for, and could be true.
    """

    claim: str = dspy.InputField(desc="A claim to check, or a question")
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    hypotheses: list[str] = dspy.OutputField(desc="4 statements")


class FurtherHypotheses(HypothesisGenerator):
    """Guess further what the evidence will say: answers or readings other than those known.

    Each statement names what it is about, so that it can be searched for, and could be true.
    """

    known: list[str] = dspy.InputField(desc="Statements that were guessed already")


class ChoiceHypotheses(dspy.Signature):
    """For each choice write one sentence that says why it is right, the choice in it verbatim."""

    question: str = dspy.InputField()
    choices: list[str] = dspy.InputField()
    hypotheses: list[str] = dspy.OutputField(desc="One sentence a choice, in their order")


class ChoiceScores(dspy.Signature):
    """Say how likely each choice is to be right, from 0 to 100, by the documents and by itself."""

    question: str = dspy.InputField()
    choices: list[str] = dspy.InputField()
    documents: str = dspy.InputField(desc="Title and beginning of each document found so far")
    scores: list[int] = dspy.OutputField(desc="One whole number a choice, in their order")


class HypothesisQuery(BaseModel):
    """A search query that would confirm or falsify a hypothesis."""

    hypothesis: int = Field(description="Number of the hypothesis, from 1")
    intent: Intent
    query: str = Field(description="Names and words that the evidence would hold")


class HypothesisQueries(dspy.Signature):
    """For each hypothesis write 2 or 3 short search queries: to confirm it, and to falsify it."""

    claim: str = dspy.InputField()
    hypotheses: list[str] = dspy.InputField()
    queries: list[HypothesisQuery] = dspy.OutputField(desc="At most 10 in all")


class HypothesisDriven(HopProgram):
    """Hypothesis-driven retrieval.

    Parameters
    ----------
    engine : SearchEngine
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
        engine: SearchEngine,
        model: AnyModel | None = None,
        *,
        scorer: EvidenceScorer | None = None,
        traverse: Literal["auto", "always", "never"] = "auto",
        coverage: float | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(engine, model, **options)
        self.scorer = scorer or EvidenceScorer(default_encoder(engine))
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
            self._fill_gaps(claim, run)
            return self._ranked(run)
        self._collect(claim, run, choices=())
        ranked = self._ranked(run)
        run.is_covered = names_the_answer(claim, ranked, run.guesses)
        self.covered.append(run.is_covered)
        return ranked

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
        _check_choices(choices)
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
        self._collect(question, run, choices=choices)
        ranked = self._ranked(run)
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
        guesses = _others(getattr(answer, "hypotheses", None), grounded)
        if len(guesses) < N_HYPOTHESES - 1 and answer is not None:
            known = [*guesses, grounded]
            further = self.ask(
                run, self.generate_further, claim=claim, documents=self.shown(first), known=known
            )
            more: list[str] = getattr(further, "hypotheses", None) or []
            guesses = _others([*guesses, *more], grounded)
        return [*guesses, grounded]

    def hypothesis_query_builder(
        self, claim: str, hypotheses: Sequence[str], run: Run, choices: Sequence[str] = ()
    ) -> list[tuple[int, Intent, str]]:
        """Return (hypothesis from 0, intent, query), at most three each and ten in all.

        They are assigned in turn: each hypothesis gets its first confirming query, then each its
        first falsifying one, then the rest. A hypothesis without a confirming query is used as one
        itself; only the model can write a falsifying one. Each query for a choice contains the
        choice, word for word.
        """
        answer = self.ask(run, self.build_queries, claim=claim, hypotheses=list(hypotheses))
        written: list[HypothesisQuery] = getattr(answer, "queries", None) or []
        queries: list[dict[Intent, list[str]]] = [
            {"confirm": [], "falsify": []} for _ in hypotheses
        ]
        for one in written:
            if 0 < one.hypothesis <= len(hypotheses) and (query := told(one.query)):
                queries[one.hypothesis - 1][one.intent].append(query)
        built: list[tuple[int, int, Intent, str]] = []  # the first number is whose turn it is
        for at, of_one in enumerate(queries):
            of_one["confirm"] = of_one["confirm"] or [hypotheses[at]]
            choice = choices[at] if choices else ""
            for turn, (intent, query) in enumerate(_alternating(of_one)[:3]):
                whole = query if choice in query else f"{choice} {query}"
                built.append((turn, at, intent, whole))
        built.sort(key=lambda one: one[0])
        return [(at, intent, query) for _, at, intent, query in built[:MAX_QUERIES]]

    def _collect(self, claim: str, run: HypothesisRun, *, choices: Sequence[str]) -> None:
        first = run.search(claim, FIRST_DEPTH)
        _add(run, first)
        run.hypotheses = self.hypothesis_generator(claim, first, run, choices)
        n = len(run.hypotheses)
        run.kinds = ["choice"] * n if choices else [*["guess"] * (n - 1), "grounded"]
        for at, intent, query in self.hypothesis_query_builder(claim, run.hypotheses, run, choices):
            for passage in run.search(query, DEPTH):
                _add(run, [passage])
                run.evidence[passage.pid].found_by.add((at, intent))
        if self._follows_links():
            self._traverse(first, run)

    def _fill_gaps(self, claim: str, run: HypothesisRun) -> None:
        """Search twice for evidence that the model misses, for the claim itself."""
        run.hypotheses, run.kinds = [claim], ["claim"]
        _add(run, run.search(claim, FIRST_DEPTH))
        for _ in range(_GAP_ROUNDS):
            documents = [passage for passages in reversed(run.found) for passage in passages]
            answer = self.ask(
                run, self.find_missing, claim=claim, documents=self.shown(distinct(documents))
            )
            for query in clean(getattr(answer, "queries", None), 2):
                if query not in run.queries:
                    _add(run, run.search(query, DEPTH))

    def _follows_links(self) -> bool:
        if self.traverse != "auto":
            return self.traverse == "always"
        yields = tuple(self.yields)  # other threads add to them
        pays = len(yields) < YIELD_RUNS or not gives_too_little(yields)
        return pays or self.without_links.tries_again()

    def _traverse(self, first: Sequence[RankedPassage], run: HypothesisRun) -> None:
        """Add documents that the best of the first search link to, or that papers cite.

        Papers are those of all searches that are closest to a hypothesis, as far as a source knows
        what they cite.
        """
        of_index = [passage for passage in first if not passage.source][:TRAVERSED_FROM]
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
        _add(run, linked, label=TRAVERSAL_LABEL)
        n_new = len(run.evidence) - len(before)
        n_distinct = len({passage.pid for passage in linked})
        run.traversal = TraversalYield(n_new / n_distinct if n_distinct else 1.0, 1.0, 1.0)

    def _papers(self, run: HypothesisRun) -> list[RankedPassage]:
        """Return what sources found, in the index or not, closest to a hypothesis first."""
        sources = run.sources
        papers = [
            one.passage
            for pid, one in run.evidence.items()
            if sources is not None and sources.knows(pid)
        ]
        if not papers:
            return []
        texts = [f"{paper.title}. {paper.text}" for paper in papers]
        scores = self._scores(texts, run)
        order = np.argsort(-scores.similarities.max(axis=1), kind="stable")
        return [papers[row] for row in scores.rows[order].tolist()]

    def _scores(self, texts: Sequence[str], run: HypothesisRun) -> EvidenceScores:
        """Score texts against the hypotheses; keeps the cost, and once a run why vectors failed."""
        scores = self.scorer.passage_embed_score(texts, run.hypotheses)
        run.embedding += scores.usage
        if scores.failure and not run.encoding_failure:
            run.encoding_failure = scores.failure
            run.fallbacks += 1
        return scores

    def _ranked(self, run: HypothesisRun) -> list[RankedPassage]:
        """Rank the winning hypothesis's documents first, the rest by their support of any."""
        evidence = list(run.evidence.values())
        texts = [f"{document.passage.title}. {document.passage.text}" for document in evidence]
        if not evidence:
            return []
        scores = self._scores(texts, run)
        run.scored_by = scores.kind
        run.support = _support(evidence, texts, scores, len(run.hypotheses))
        ranked = _by_support(evidence, texts, scores, run.support)
        if run.traversal is not None:
            run.traversal = _yield_of(run.traversal.unique, evidence, scores, ranked[: self.k])
            self.yields.append(run.traversal)
        return [document.passage for document in ranked]


def is_semantic() -> bool:
    """Return whether to compare by vectors by default: ``HIPPOHOVER_SEMANTIC_SCORING`` is not 0."""
    return os.environ.get(SCORING_VARIABLE, "").lower() not in _OFF


def default_encoder(engine: SearchEngine) -> Encode | None:
    """Return what scores evidence by default: the engine's encoder, unless vectors are off."""
    return engine.encode if is_semantic() else None


class HoverMultiHopPipeline(ProgramPipeline):
    """``HypothesisDriven`` with its retriever."""

    program_type = HypothesisDriven


def _check_choices(choices: Sequence[str]) -> None:
    """Refuse choices that could not be told apart, or not all be searched for."""
    if (n := len(choices)) > MAX_QUERIES:
        raise UsageError(f"{n} choices: give {MAX_QUERIES} or fewer, as each needs its own query")
    for choice in choices:
        if not isinstance(choice, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"a choice is of type {type(choice).__name__}: give texts")
    plain = [plain_line(choice) for choice in choices]
    for at, choice in enumerate(plain):
        if not choice:
            raise UsageError(f"choice {at + 1} is blank: give each choice a text")
        if (first := plain.index(choice)) < at:
            raise UsageError(
                f"choices {first + 1} and {at + 1} are both {choice[:_LONGEST_SHOWN]!r}: give "
                "each choice once"
            )


def _others(written: list[str] | None, grounded: str) -> list[str]:
    """Return guesses that differ from the evidence's statement, three at most."""
    guesses = clean(written, 2 * N_HYPOTHESES)
    return [guess for guess in guesses if guess != grounded][: N_HYPOTHESES - 1]


def _alternating(queries: Mapping[Intent, Sequence[str]]) -> list[tuple[Intent, str]]:
    """Alternate confirming and falsifying queries, confirming first."""
    intents: tuple[Intent, Intent] = ("confirm", "falsify")
    most = max(len(queries[intent]) for intent in intents)
    return [
        (intent, query)
        for number in range(most)
        for intent in intents
        for query in queries[intent][number : number + 1]
    ]


def most_supported_statement(passages: Sequence[RankedPassage]) -> str:
    """Return the first sentence of one of the ten best passages; "" where none has a text.

    That is the first sentence of the most cited passage, if passages have a ``citation_count``;
    else that of the passage whose first sentence has words that occur most in the others.
    """
    best = [passage for passage in passages[:10] if passage.text.strip()]
    texts = [passage.text for passage in best]
    statements = [text[slice(*sentence_spans(text)[0])].strip() for text in texts]
    if not statements:
        return ""
    cited = [_times_cited(passage) for passage in best]
    if max(cited) > 0:
        return statements[cited.index(max(cited))]
    shared = overlaps(texts, statements)
    np.fill_diagonal(shared, 0.0)
    return statements[int(np.argmax(shared.sum(axis=0)))]


def cost_estimate(
    *,
    usd_per_million_input: float,
    usd_per_million_output: float,
    usd_per_million_embedded: float = 0.0,
    n_choices: int = 0,
) -> Mapping[str, float]:
    """Estimate the cost of one run: calls, tokens in, out and embedded, US dollars.

    Two calls; a prompt has about 400 tokens of instructions and, with documents, 600 of these. 30
    passages of 512 tokens are embedded, and the hypotheses; the index's own encoder costs nothing.
    """
    n = max(n_choices, N_HYPOTHESES)
    tokens_in = 400 + (0 if n_choices else 600) + 400 + 60 * n
    tokens_out = 50 * n + 35 * MAX_QUERIES
    embedded = N_SCORED * _TOKENS_EMBEDDED + 50 * n
    usd_embedded = embedded * usd_per_million_embedded / 1e6
    usd = (tokens_in * usd_per_million_input + tokens_out * usd_per_million_output) / 1e6
    return {
        "calls": 2,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "embedded_tokens": embedded,
        "usd_embedded": usd_embedded,
        "usd": usd + usd_embedded,
    }


def _times_cited(passage: RankedPassage) -> float:
    told_count = passage.metadata.get("citation_count")
    return told_count if isinstance(told_count, int | float) else 0


def _add(run: HypothesisRun, passages: Sequence[RankedPassage], *, label: str = "search") -> None:
    for passage in passages:
        if passage.pid not in run.evidence:
            anchors = quantitative_claim_extractor(passage.text)
            run.evidence[passage.pid] = Evidence(passage, label=label, quantitative_anchors=anchors)


def _support(
    evidence: Sequence[Evidence], texts: Sequence[str], scores: EvidenceScores, n: int
) -> Support:
    scored = [evidence[row] for row in scores.rows.tolist()]
    confirms, falsifies = (
        np.array(
            [[(at, intent) in document.found_by for at in range(n)] for document in scored], bool
        )
        for intent in ("confirm", "falsify")
    )
    weights = np.array([quantitative_weight(texts[int(row)]) for row in scores.rows])
    return hypothesis_evidence_aggregator(
        scores.similarities, weights, confirms=confirms, falsifies=falsifies
    )


def _by_support(
    evidence: Sequence[Evidence], texts: Sequence[str], scores: EvidenceScores, support: Support
) -> list[Evidence]:
    """Sort scored documents: the winner's by their support of it, then the others."""
    rows = scores.rows.tolist()
    weights = np.array([quantitative_weight(texts[int(row)]) for row in scores.rows])
    weighted = scores.similarities * weights[:, None]
    of_winner = weighted.argmax(axis=1) == support.best
    strength = np.where(of_winner, weighted[:, support.best], weighted.max(axis=1))
    order = np.lexsort((np.arange(len(rows)), -strength, ~of_winner))
    ranked = [evidence[rows[at]] for at in order.tolist()]
    scored = set(rows)
    return ranked + [document for at, document in enumerate(evidence) if at not in scored]


def _yield_of(
    unique: float, evidence: Sequence[Evidence], scores: EvidenceScores, answer: Sequence[Evidence]
) -> TraversalYield:
    linked = [at for at, document in enumerate(evidence) if document.label == TRAVERSAL_LABEL]
    selected = [at for at in linked if at in set(scores.rows.tolist())]
    answered = {document.passage.pid for document in answer}
    used = [at for at in selected if evidence[at].passage.pid in answered]
    return TraversalYield(
        unique,
        len(selected) / len(linked) if linked else 1.0,
        len(used) / len(selected) if selected else 1.0,
    )
