"""The result of verifying a text: judged claims, answer, citations and summary."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

import numpy as np

from hippohover.metadata import Metadata, citation
from hippohover.verification.aggregator import Decision
from hippohover.verification.citations import format_citations
from hippohover.verification.evidence import Evidence, pair_of
from hippohover.verification.mitigation import Contradicted, mitigate
from hippohover.verification.payloads import (
    AnnotatedAnswer,
    CitationFormatterOutput,
    CitedPassage,
    Claim,
    ClaimDecision,
    ClaimEvidencePair,
    ClaimPart,
    EvidenceChunk,
    MarkedWords,
    Payload,
    Query,
    SummaryStats,
    VerifiedClaim,
    VerifierSignal,
)
from hippohover.verification.reasons import held_by, said_instead, unsaid, without_repeats
from hippohover.verification.signals import GeneratorMetadata, Reading

_CITED_A_CLAIM: Final = 3


@dataclass(frozen=True)
class Verification:
    """The result of verifying a text.

    Attributes
    ----------
    query : Query
    answer : AnnotatedAnswer
    claims : tuple of Claim
    pairs : tuple of ClaimEvidencePair
    evidence : mapping of str to EvidenceChunk
        By ``doc_id#sent_id``.
    titles : mapping of str to str
        doc_id -> title of its passage.
    metadata : mapping of str to mapping
        doc_id -> what its passage carries, as in ``RankedPassage``.
    signals : mapping of str to VerifierSignal
        By the ids that decisions refer to.
    verified_claims : tuple of VerifiedClaim
    formatted : CitationFormatterOutput
    generator_metadata : mapping of str to GeneratorMetadata
        By claim id; empty for a text that was not written here.
    final_response : str
    failure : str
        What first went wrong with a model on the way; "" when nothing did. Claims that it did not
        judge say so in their readings.
    parts : mapping of str to tuple of ClaimPart
        The clauses of each claim, by its id; the claim is as well supported as the weakest.
    marks : mapping of str to tuple of MarkedWords
        The words of each claim that say something, by its id, with how the evidence has them.
    """

    query: Query
    answer: AnnotatedAnswer
    claims: tuple[Claim, ...]
    pairs: tuple[ClaimEvidencePair, ...]
    evidence: Mapping[str, EvidenceChunk]
    titles: Mapping[str, str]
    metadata: Mapping[str, Metadata]
    signals: Mapping[str, VerifierSignal]
    verified_claims: tuple[VerifiedClaim, ...]
    formatted: CitationFormatterOutput
    generator_metadata: Mapping[str, GeneratorMetadata]
    final_response: str
    failure: str = ""
    parts: Mapping[str, tuple[ClaimPart, ...]] = field(
        default_factory=dict[str, tuple[ClaimPart, ...]]
    )
    marks: Mapping[str, tuple[MarkedWords, ...]] = field(
        default_factory=dict[str, tuple[MarkedWords, ...]]
    )

    @property
    def citations(self) -> dict[str, str]:
        """Map doc_id to the place of its passage, in words: "report.pdf, p. 12"; else its title."""
        return {doc: citation(title, self.metadata[doc]) for doc, title in self.titles.items()}

    @property
    def sources(self) -> list[str]:
        """Places of ``formatted.passages``, in words."""
        citations = self.citations
        places: dict[tuple[str, str], str] = {}
        for chunk in self.evidence.values():  # of equal sentences the first one counts
            places.setdefault((chunk.text, self.titles[chunk.doc_id]), citations[chunk.doc_id])
        return [places[one.text, one.title or ""] for one in self.formatted.passages]

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        told = {
            "query": self.query,
            "answer": self.answer,
            "draft_response": self.answer.raw_answer,
            "final_response": self.final_response,
            "claims": self.claims,
            "claim_evidence_pairs": self.pairs,
            "generator_metadata": {
                key: asdict(generated) for key, generated in self.generator_metadata.items()
            },
            "evidence": self.evidence,
            "titles": self.titles,
            "metadata": {doc: dict(told) for doc, told in self.metadata.items()},
            "citations": self.citations,
            "signals": self.signals,
            "verified_claims": self.verified_claims,
            "parts": self.parts,
            "marks": self.marks,
            "formatted": self.formatted,
            "failure": self.failure,
        }
        return {name: _dumped(value) for name, value in told.items()}

    def _repr_html_(self) -> str:
        """Show each claim with its verdict, and its best evidence."""
        from hippohover.rendering.html import as_html, table

        rows: list[list[str]] = []
        for claim, decision, pair in zip(self.claims, self.answer.claims, self.pairs, strict=True):
            best = next(iter(pair.evidence_spans), None)
            evidence = "" if best is None else f"{self.citations[best.doc_id]}: {best.text}"
            sure = f"{decision.status} {decision.confidence.overall_confidence:.2f}"
            rows.append([claim.text, sure, decision.rationale, evidence])
        return as_html(table(["claim", "verdict", "why", "evidence"], rows, self.query.text))


def _dumped(value: Any) -> Any:  # noqa: ANN401  (JSON is anything)
    """Return payloads in a value as JSON has them; tuples of them become lists."""
    if isinstance(value, Payload):
        return value.model_dump(mode="json")
    if isinstance(value, tuple) and all(isinstance(one, Payload) for one in value):
        return [_dumped(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _dumped(one) for key, one in value.items()}
    return value


@dataclass
class JudgedClaim:
    """One claim, verified."""

    claim: Claim
    evidence: Evidence
    readings: dict[str, Reading]
    decision: Decision
    metadata: Mapping[str, Metadata]
    """Of the passages of its evidence, by doc_id."""
    generated: GeneratorMetadata | None = None
    parts: tuple[ClaimPart, ...] = ()
    marks: tuple[MarkedWords, ...] = ()
    signals: dict[str, VerifierSignal] = field(default_factory=dict[str, VerifierSignal])


def verification_of(
    judged: Sequence[JudgedClaim],
    *,
    text: str,
    question: str,
    contradicted: Contradicted,
    failure: str,
) -> Verification:
    """Make the result of a text's judged claims, in the order of the text.

    Parameters
    ----------
    judged : sequence of JudgedClaim
    text, question : str
        What was verified, and the question that it answers, or "".
    contradicted : {"suppress", "warn"}
        What becomes of a contradicted claim.
    failure : str
        What first went wrong with a model on the way; "" when nothing did.
    """
    claims = tuple(one.claim for one in judged)
    formatted = format_citations(
        text,
        claims,
        _cited_chunks(judged),
        _cited_passages(judged),
        [one.claim.claim_id for one in judged if one.decision.status == "Contradictory"],
    )
    mitigated = mitigate(
        text,
        claims,
        {one.claim.claim_id: one.decision.status for one in judged},
        cited=formatted.citation_map,
        contradicted=contradicted,
    )
    asked = question or text
    query = Query(id=f"q_{_digest(asked)}", text=asked, timestamp=datetime.now(UTC))
    answer = AnnotatedAnswer(
        answer_id=answer_id_of(text),
        query_id=query.id,
        raw_answer=text,
        claims=[_decision(one) for one in judged],
        summary_stats=_statistics([one.decision for one in judged]),
        mitigation_actions=list(mitigated.actions),
    )
    return Verification(
        query=query,
        answer=answer,
        claims=claims,
        pairs=tuple(pair_of(one.claim, one.evidence) for one in judged),
        evidence={chunk.key: chunk for one in judged for chunk in one.evidence.chunks},
        titles={doc: title for one in judged for doc, title in one.evidence.titles.items()},
        metadata={doc: told for one in judged for doc, told in one.metadata.items()},
        signals={key: signal for one in judged for key, signal in one.signals.items()},
        verified_claims=tuple(_verified_claim(one) for one in judged),
        formatted=formatted,
        generator_metadata={
            one.claim.claim_id: one.generated for one in judged if one.generated is not None
        },
        final_response=mitigated.final_response,
        failure=failure,
        parts={one.claim.claim_id: one.parts for one in judged},
        marks={one.claim.claim_id: one.marks for one in judged},
    )


def with_reasons(judged: JudgedClaim) -> Decision:
    """Return a claim's decision with what its words' marks say; what contradicts it comes first."""
    decision, marks = judged.decision, judged.marks
    instead, lacking = said_instead(marks), unsaid(marks)
    supported = decision.status == "Supported"
    held = held_by(marks, judged.evidence.titles, enough=supported)
    *told, last = decision.reasons or ("",)
    against = told if decision.status == "Contradictory" else []
    reasons = without_repeats([*against, *instead, *told[: bool(decision.vetoes)], *lacking, *told])
    reasons = [*held, *instead, *lacking] if supported else reasons or held
    return replace(decision, reasons=(*reasons, *filter(None, [last])))


def answer_id_of(text: str) -> str:
    """Return the id of a text that is verified."""
    return f"ans_{_digest(text)}"


def _cited_chunks(judged: Sequence[JudgedClaim]) -> dict[str, list[str]]:
    """Return keys of the sentences that each supported claim cites, by its id."""
    return {
        claim.claim.claim_id: [chunk.key for chunk in claim.evidence.chunks[:_CITED_A_CLAIM]]
        for claim in judged
        if claim.decision.status == "Supported"
    }


def _cited_passages(judged: Sequence[JudgedClaim]) -> dict[str, CitedPassage]:
    """Return the passages that may be cited, by their sentence's key: those cited first, first."""
    return {
        chunk.key: CitedPassage(text=chunk.text, title=claim.evidence.titles[chunk.doc_id])
        for claim in sorted(judged, key=lambda one: one.decision.status != "Supported")
        for chunk in claim.evidence.chunks[:_CITED_A_CLAIM]
    }


def _decision(judged: JudgedClaim) -> ClaimDecision:
    chunks = judged.evidence.chunks
    return ClaimDecision(
        claim_id=judged.claim.claim_id,
        status=judged.decision.status,
        rationale=judged.decision.rationale,
        primary_evidence=chunks[0].key if chunks else None,
        signals_ref=list(judged.signals),
        confidence=judged.decision.confidence,
    )


def _verified_claim(judged: JudgedClaim) -> VerifiedClaim:
    chunks = judged.evidence.chunks
    return VerifiedClaim(
        claim=judged.claim.text,
        evidence=chunks[0] if chunks else None,
        confidence_breakdown={
            name: {"value": reading.value, "reason": reading.told or reading.reason}
            for name, reading in judged.readings.items()
        },
        final_verdict=judged.decision.status,
    )


def _statistics(decisions: Sequence[Decision]) -> SummaryStats:
    supported = [decision for decision in decisions if decision.status == "Supported"]
    n_high = sum(decision.confidence.band == "High" for decision in supported)
    overall = [
        decision.confidence.overall_confidence
        for decision in decisions
        if decision.status != "No Claim"
    ]
    return SummaryStats(
        claims_total=len(decisions),
        supported_high=n_high,
        supported_low=len(supported) - n_high,
        contradicted=sum(decision.status == "Contradictory" for decision in decisions),
        insufficient=sum(decision.status == "Low Confidence" for decision in decisions),
        no_claim=sum(decision.status == "No Claim" for decision in decisions),
        mean_overall_confidence=float(np.mean(overall)) if overall else None,
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
