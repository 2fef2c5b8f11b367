"""The verifier: a text -> its claims, their evidence, all signals, and a verdict on each."""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Protocol, get_args

from hippohover.errors import (
    BudgetError,
    LanguageModelError,
    NotInIndexError,
    ReplyError,
    UsageError,
)
from hippohover.language.antecedents import Resolved, with_antecedents
from hippohover.language.claim_kinds import why_no_claim
from hippohover.names.normal_forms import entity_key, without_unseen
from hippohover.progress import Progress, silent
from hippohover.records import RankedPassage, Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.against.sentences import Sentences
from hippohover.verification.aggregator import (
    Aggregator,
    LearnedAggregator,
    without_claim,
    without_evidence,
)
from hippohover.verification.claims import (
    MODEL,
    RULE,
    WHOLE,
    check_draft,
    claims_of,
    rule_sentence_split_v1,
    spans_of_parts,
    whole_span,
    why_not_compared,
    without_markers,
)
from hippohover.verification.evidence import (
    Evidence,
    evidence_for,
    with_evidence_of_parts,
)
from hippohover.verification.evidence_model import EvidenceModel
from hippohover.verification.judge.learned import LearnedJudge
from hippohover.verification.languages import by_numbers_alone, is_known
from hippohover.verification.marks import clauses_of, marks_of, with_marked
from hippohover.verification.mitigation import Contradicted
from hippohover.verification.nli import NliJudge
from hippohover.verification.payloads import (
    Claim,
    Consistency,
    Coverage,
    Nli,
    Uncertainty,
    VerifierSignal,
)
from hippohover.verification.result import (
    JudgedClaim,
    Verification,
    answer_id_of,
    verification_of,
    with_reasons,
)
from hippohover.verification.signals import (
    NO_EVIDENCE,
    SIGNALS,
    ClaimContext,
    GeneratorMetadata,
    Reading,
    Signal,
)
from hippohover.verification.statements.neighbours import with_neighbours
from hippohover.verification.statements.statements import statements_of
from hippohover.verification.terms import TermReader
from hippohover.verification.trouble import Trouble, read_safely

N_PASSAGES: Final = 4
"""Passages that a claim is held against: more hold its words by chance (benchmarks/verifier.py)."""
SIGNALS_A_CLAIM: Final = 3
_WORKERS: Final = 4
_SECONDS_A_WORD: Final = 0.001  # what an ordinary claim takes
_SCORED: Final = ("bm25", "dense", "hybrid")
_FIRST: Final = 21
_COMMON_NAME: Final = 1000
"""A name in more than one of so many passages, and in more than ten, links nothing."""


class Retrieve(Protocol):
    """A retriever or a program by its name: ``HippoHover.retrieve``, or ``WithPrograms``'."""

    def __call__(self, claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        """Return at most ``k`` passages, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """A text to verify.

    Attributes
    ----------
    text : str
    question : str
        What it answers; "" for a bare claim, or someone else's text.
    passages : tuple of RankedPassage, or None
        What it was written from, in the order that its citations count; evidence is then sought
        in these. None: for each claim, what retrieval finds.
    metadata : callable, optional
        Characters of the text, (start, stop), to what its writer's model says of their tokens;
        None for a text that was not written here.
    samples : tuple of str
        Further answers to the same question.
    """

    text: str
    question: str = ""
    passages: tuple[RankedPassage, ...] | None = None
    metadata: Callable[[tuple[int, int]], GeneratorMetadata] | None = None
    samples: tuple[str, ...] = ()


class Verifier:
    """Verifies texts against an index; safe from several threads.

    Parameters
    ----------
    engine : HippoHover
    nli : NliJudge, optional
        Without one the rules do without.
    judge : LearnedJudge, optional
        Where the signal ``judged_support`` is from; the one that ships when not given.
    model : callable, optional
        Claim and evidence to what they mean for each other, which moves the judge; the model of
        evidence that ships when not given.
    aggregator : Aggregator, optional
        The learned judge with the rules beside it, when not given; each takes the same readings.
    signals : mapping of str to Signal
        Those to read, by name; a trained one may stand for any of them. All when not given; a
        verdict by rules needs those that ``RuleAggregator.signals`` names.
    retrieve : Retrieve, optional
        Where retrievers and programs answer by name; the engine's own when not given.
    retriever : str
        Name of the retriever or program that finds evidence.
    n_passages : int
        Best passages that a claim is held against, 1 to 21.
    contradicted : {"suppress", "warn"}
        What becomes of a contradicted claim.
    split : callable, optional
        Text to parts that a model names; sentences by rule when not given.
    all_scores : bool
        Whether evidence carries its passage's score by every retriever, and not by one alone.
    progress : callable
        Called with ("claims", done, total) after each claim; what it raises ends the work.
    seconds : float
        Processor time for one text: claims that are begun later have no verdict, and say why.

    Raises
    ------
    UsageError
        ``contradicted`` is neither.
    """

    def __init__(  # noqa: PLR0913
        self,
        engine: HippoHover,
        *,
        nli: NliJudge | None = None,
        judge: LearnedJudge | None = None,
        model: Callable[[str, Evidence], Nli | None] | None = None,
        aggregator: Aggregator | None = None,
        signals: Mapping[str, Signal] = SIGNALS,
        retrieve: Retrieve | None = None,
        retriever: str = "ppr",
        n_passages: int = N_PASSAGES,
        contradicted: Contradicted = "suppress",
        split: Callable[[str], Sequence[str]] | None = None,
        all_scores: bool = False,
        progress: Progress = silent,
        seconds: float = math.inf,
    ) -> None:
        if contradicted not in get_args(Contradicted):
            raise UsageError(f"contradicted is {contradicted!r}: give suppress or warn")
        self._engine = engine
        self._nli = nli
        self._knows_english_alone = nli is None and judge is None
        self._judge = judge or LearnedJudge()
        self._model = model or EvidenceModel()
        self._aggregator = aggregator or LearnedAggregator()
        self._signals = signals
        self._retrieve = retrieve or engine.retrieve
        self._retriever = retriever
        self._n_passages = n_passages
        self._contradicted: Contradicted = contradicted
        self._split = split
        self._all_scores = all_scores
        self._progress = progress
        self._seconds = seconds
        self._read = TermReader(engine.tables.arrays.lexical)
        self._source = engine.stored.recipe().name

    @property
    def engine(self) -> HippoHover:
        return self._engine

    def verify_claim(
        self, text: str, *, passages: Sequence[RankedPassage] | None = None
    ) -> Verification:
        """Verify one statement as a whole, however many sentences it has: HoVer's case."""
        given = None if passages is None else tuple(passages)
        return self._verified(Draft(text, passages=given), whole=True)

    def verify(self, draft: Draft) -> Verification:
        """Verify a text claim by claim.

        Raises
        ------
        UsageError
            The text has no words, or is too long.
        """
        return self._verified(draft, whole=False)

    def _verified(self, draft: Draft, *, whole: bool) -> Verification:
        check_draft(draft.text)
        trouble = Trouble()
        claims = self._claims(draft.text, whole=whole, trouble=trouble)
        told = [without_unseen(without_markers(one.text).text) for one in claims]
        why_none = why_not_compared(told)
        told = ["" if why else one for one, why in zip(told, why_none, strict=True)]
        about = list(zip(with_antecedents(told), ["", *told[:-1]], why_none, strict=True))
        with ThreadPoolExecutor(_WORKERS) as pool, ThreadPoolExecutor(_WORKERS) as signals:
            judge = partial(self._judged, draft=draft, trouble=trouble, pool=signals)
            waiting = [
                pool.submit(copy_context().run, self._in_time, judge, trouble, claim, *one)
                for claim, one in zip(claims, about, strict=True)
            ]
            judged: list[JudgedClaim] = []
            try:
                for judging in waiting:
                    self._progress("claims", len(judged), len(claims))
                    judged.append(judging.result())
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        self._progress("claims", len(claims), len(claims))
        return verification_of(
            judged,
            text=draft.text,
            question=draft.question,
            contradicted=self._contradicted,
            failure=trouble.failures[0] if trouble.failures else "",
        )

    def _claims(self, text: str, *, whole: bool, trouble: Trouble) -> list[Claim]:
        answer_id = answer_id_of(text)
        if whole:
            return claims_of(text, answer_id, whole_span(text), WHOLE)
        if self._split is not None:
            try:
                parts = self._split(text)
            except (LanguageModelError, BudgetError) as error:
                trouble.failures.append(str(error))
            else:
                return claims_of(text, answer_id, spans_of_parts(text, parts), MODEL)
        return claims_of(text, answer_id, rule_sentence_split_v1(text), RULE)

    def _in_time(
        self,
        judge: Callable[[Claim, Resolved, str, str], JudgedClaim],
        trouble: Trouble,
        claim: Claim,
        resolved: Resolved,
        before: str,
        why_none: str,
    ) -> JudgedClaim:
        """Judge a claim, unless those before it took the time of the text."""
        if not why_none and sum(trouble.seconds) > self._seconds:
            why_none = "the claims before it took the time of one text: verify the rest by itself"
        with trouble.timed(0.0 if why_none else _SECONDS_A_WORD * len(claim.text.split())):
            return judge(claim, resolved, before, why_none)

    def _judged(
        self,
        claim: Claim,
        resolved: Resolved,
        before: str,
        why_none: str,
        *,
        draft: Draft,
        trouble: Trouble,
        pool: ThreadPoolExecutor,
    ) -> JudgedClaim:
        """Judge one claim by its words, with the name that a pronoun stands for.

        ``before`` is the previous claim: without a name in this one, it is sought with it. With a
        ``why_none`` nothing reads the claim.
        """
        generated = None if draft.metadata is None else draft.metadata(claim.answer_char_span)
        if why_none:
            none = dict.fromkeys(self._signals, Reading(None, why_none))
            return JudgedClaim(claim, Evidence(), none, without_evidence(why_none), {}, generated)
        words, cited_text = resolved.text, without_markers(claim.text)
        names = self._names(words)
        sought = words if names else f"{before} {words}"
        passages, why_none = self._passages(sought, draft, trouble)
        titles: dict[str, str] = {passage.pid: passage.title for passage in passages}
        terms = self._read(words)
        chunks = statements_of(passages, retriever=self._retriever, source=self._source)
        evidence = evidence_for(terms, chunks, titles, self._read)
        sentences = Sentences(chunks, titles, self._read, encode=self._engine.encode_words)
        case = ComparedClaim(words, sentences)
        if evidence.chunks:
            evidence = with_evidence_of_parts(evidence, case, titles)
        if self._all_scores:
            evidence = self._scored(evidence, sought)
        nli, reason = self._nli_of(words, evidence, trouble)
        cited, cited_reason = _cited(cited_text.citations, draft)
        context = ClaimContext(
            text=words,
            terms=terms,
            evidence=evidence,
            read=self._read,
            names=tuple(names),
            names_of=partial(self._linking_names, passages, names),
            encode=self._engine.encode_words,
            generated=generated,
            samples=draft.samples,
            cited=cited,
            cited_reason=cited_reason,
            nli=nli,
            nli_reason=reason,
            why_none=why_none,
            nli_by_sentence=self._nli is not None and self._nli.by_sentence,
            read_case=case,
            judge=self._judge,
            model=self._model,
        )
        reading = {
            name: pool.submit(copy_context().run, read_safely, name, signal, context, trouble)
            for name, signal in self._signals.items()
        }
        readings = {name: future.result() for name, future in reading.items()}
        judged = self._decided(claim, cited_text.text or claim.text, context, readings)
        judged.metadata = {
            held.pid: held.metadata for held in passages if held.pid in judged.evidence.titles
        }
        judged.signals = self._of_sentences(judged, context, trouble)
        return judged

    def _decided(
        self, claim: Claim, words: str, context: ClaimContext, readings: dict[str, Reading]
    ) -> JudgedClaim:
        """Decide on a claim by its readings; on what claims nothing, without evidence."""
        evidence = context.evidence
        if not evidence.chunks:
            decision = without_evidence(context.why_none)
        elif why := why_no_claim(words):
            decision, evidence = without_claim(why), replace(evidence, chunks=())
        elif self._knows_english_alone and not is_known(words, context):
            decision = by_numbers_alone(context.case)
        else:
            decision = self._aggregator(readings)
        judged = JudgedClaim(claim, evidence, readings, decision, {}, context.generated)
        if evidence.chunks:
            judged.parts = clauses_of(context.case)
            judged.marks = marks_of(claim.text, context.case)
            judged.evidence = with_marked(evidence, judged.marks, context.case)
            judged.decision = with_reasons(judged)
        return judged

    def _passages(
        self, words: str, draft: Draft, trouble: Trouble
    ) -> tuple[tuple[RankedPassage, ...], str]:
        """Return passages for a claim, and a note where there are none.

        A program whose language model fails finds nothing for this claim, which says so.
        """
        if draft.passages is not None:
            return draft.passages, NO_EVIDENCE
        query = f"{draft.question} {words}".strip()[:MAX_CLAIM_CHARS]
        try:
            retrieval = self._retrieve(query, self._n_passages, self._retriever)
        except (LanguageModelError, BudgetError) as error:
            trouble.failures.append(str(error))
            return (), f"{NO_EVIDENCE}: {error}"
        return with_neighbours(self._engine, retrieval.passages), NO_EVIDENCE

    def _scored(self, evidence: Evidence, words: str) -> Evidence:
        """Return evidence with its passage's scores by the retrievers that rank it high."""
        scores: dict[str, dict[str, float]] = {}
        for name in _SCORED:
            with suppress(NotInIndexError):  # an index without vectors has no dense scores
                found = self._engine.retrieve(words[:MAX_CLAIM_CHARS], _FIRST, name)
                scores[f"score_{name}"] = {one.pid: one.score for one in found.passages}
        chunks = tuple(
            chunk.model_copy(
                update={
                    name: by.get(chunk.doc_id) for name, by in scores.items() if chunk.doc_id in by
                }
            )
            for chunk in evidence.chunks
        )
        return replace(evidence, chunks=chunks)

    def _names(self, text: str) -> dict[str, int]:
        return self._engine.names_in(text[:MAX_CLAIM_CHARS]) if text.strip() else {}

    def _linking_names(
        self, passages: Sequence[RankedPassage], of_claim: Mapping[str, int], doc_id: str
    ) -> frozenset[str]:
        """Return names in one of the passages, without those so common that they link everything.

        Those of the claim count even inside a longer name: "Canada" in "Ontario, Canada".
        """
        passage = next(held for held in passages if held.pid == doc_id)
        text = f"{passage.title}. {passage.text}"
        most = max(10, self._engine.n_passages // _COMMON_NAME)
        held = f" {entity_key(text)} "
        inside = {name for name in of_claim if f" {entity_key(name)} " in held}
        return frozenset(inside | {name for name, n in self._names(text).items() if n <= most})

    def _nli_of(
        self, words: str, evidence: Evidence, trouble: Trouble
    ) -> tuple[tuple[Nli, ...] | None, str]:
        """Return judgements, and who made them, or why there are none.

        A judge that does not answer is let be; one whose reply cannot be used may do better with
        the next claim.
        """
        if self._nli is None:
            return None, "no NLI model"
        if not evidence.chunks:
            return None, NO_EVIDENCE
        if trouble.judge_gone:
            return None, f"the judge had failed before ({trouble.judge_gone})"
        sentences = [f"{one.about}. {one.said}" for one in evidence.chunks]
        try:
            return self._nli.judge(sentences, words), self._nli.name
        except (LanguageModelError, BudgetError) as error:
            trouble.failures.append(str(error))
            if not isinstance(error, ReplyError):
                trouble.judge_gone = str(error)
            return None, str(error)

    def _of_sentences(
        self, judged: JudgedClaim, context: ClaimContext, trouble: Trouble
    ) -> dict[str, VerifierSignal]:
        """Return the signals of the best sentences, each by itself."""
        signals: dict[str, VerifierSignal] = {}
        claim_id = judged.claim.claim_id
        by_sentence = context.nli if self._nli is not None and self._nli.by_sentence else None
        for at, chunk in enumerate(judged.evidence.chunks[:SIGNALS_A_CLAIM]):
            title = judged.evidence.titles[chunk.doc_id]
            only = Evidence((chunk,), {chunk.doc_id: title})
            alone = replace(context, evidence=only, read_case=None)
            value = partial(self._value, alone, trouble)
            numeric = value("numeric_check")
            signals[f"sig_{claim_id}_{at + 1}"] = VerifierSignal(
                claim_id=claim_id,
                doc_id=chunk.doc_id,
                sent_id=chunk.sent_id,
                nli=None if by_sentence is None else by_sentence[at],
                coverage=Coverage(
                    entities=value("coverage_entities"),
                    numbers=value("coverage_numbers"),
                    tokens_overlap=value("coverage_tokens"),
                ),
                uncertainty=Uncertainty(mean_entropy=value("mean_entropy")),
                consistency=Consistency(variance=value("consistency_variance")),
                citation_span_match=value("citation_span_match"),
                numeric_check=None if numeric is None else bool(numeric),
            )
        return signals

    def _value(self, context: ClaimContext, trouble: Trouble, name: str) -> float | None:
        """Return the value of a signal, if it is read at all."""
        signal = self._signals.get(name)
        return None if signal is None else read_safely(name, signal, context, trouble).value


def _cited(numbers: Sequence[int], draft: Draft) -> tuple[tuple[str, ...] | None, str]:
    """Return the text of a claim's valid citations, or why there is none."""
    if not numbers:
        return None, "the claim cites nothing"
    if draft.passages is None:
        return None, "nobody said which passages the citations count"
    given = draft.passages
    return tuple(
        f"{given[number - 1].title}. {given[number - 1].text}" if number <= len(given) else ""
        for number in numbers
    ), ""
