"""The objects that verification returns, in their JSON form."""

from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

PIPELINE_VERSION: Final = "pipeline_v0.3"

Status = Literal["Supported", "Contradictory", "Low Confidence", "No Claim"]
"""The last is of what claims nothing: a question, an order, a phrase."""
Band = Literal["High", "Medium", "Low"]
Probability = Field(ge=0, le=1)
Share = Field(default=None, ge=0, le=1)


class Payload(BaseModel):
    """Base: fields that nobody knows are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Query(Payload):
    """What a user asks."""

    id: str
    text: str
    timestamp: AwareDatetime


class EvidenceChunk(Payload):
    """A sentence of a passage that was retrieved.

    Attributes
    ----------
    char_start, char_end : int
        Characters of the passage's text; ``text`` may be an elided form of them.
    score_bm25, score_dense, score_hybrid, score_ppr : float or None
        Of the passage; None for a retriever that was not asked.
    rank : int
        Of the passage, from 1.
    """

    doc_id: str
    sent_id: int = Field(ge=0)
    text: str
    char_start: int = Field(ge=0)
    char_end: int = Field(ge=0)
    score_bm25: float | None = None
    score_dense: float | None = None
    score_hybrid: float | None = None
    score_ppr: float | None = None
    rank: int = Field(ge=1)
    source: str
    version: str

    @property
    def key(self) -> str:
        """``doc_id#sent_id``."""
        return f"{self.doc_id}#{self.sent_id}"

    @model_validator(mode="after")
    def _check_span(self) -> "EvidenceChunk":
        if self.char_end < self.char_start:
            raise ValueError(f"char_end {self.char_end} is before char_start {self.char_start}")
        return self


class Claim(Payload):
    """An atomic statement of an answer, and where it stands there."""

    claim_id: str
    answer_id: str
    text: str
    answer_char_span: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
    extraction_method: str

    @model_validator(mode="after")
    def _check_span(self) -> "Claim":
        start, stop = self.answer_char_span
        if stop < start:
            raise ValueError(f"answer_char_span ends at {stop}, before its start {start}")
        return self


class EvidenceSpan(Payload):
    """A sentence of evidence, as a pair shows it."""

    doc_id: str
    sent_id: int = Field(ge=0)
    text: str
    rank: int = Field(ge=1)


class ClaimEvidencePair(Payload):
    """A claim with its evidence; keys are ``doc_id#sent_id``, best first."""

    claim_id: str
    evidence_candidates: list[str]
    top_evidence: str | None
    evidence_spans: list[EvidenceSpan]


class CitedPassage(Payload):
    """A passage that citations count from 1."""

    text: str
    title: str | None = None


class FormatterNotes(Payload):
    """How citations were put in."""

    merged_redundant: bool = True
    method: str = "right_span_insertion_v1"


class CitationFormatterOutput(Payload):
    """An answer with bracketed citations.

    Attributes
    ----------
    formatted_text : str
        ``[i]`` stands for ``passages[i - 1]``.
    citation_map : dict of str to list of int
        Claim id to the citations in its span.
    """

    formatted_text: str
    citation_map: dict[str, list[int]]
    passages: list[CitedPassage]
    notes: FormatterNotes | None = None

    @model_validator(mode="after")
    def _check_citations(self) -> "CitationFormatterOutput":
        for claim_id, numbers in self.citation_map.items():
            for number in numbers:
                if not 1 <= number <= len(self.passages):
                    raise ValueError(
                        f"citation {number} of {claim_id}: passages count to {len(self.passages)}"
                    )
        return self


class CiteEvalSystemExample(Payload):
    """What CiteEval's system evaluation reads."""

    id: str
    query: str
    passages: list[CitedPassage]
    pred: str


class Nli(Payload):
    """Probabilities that evidence entails a claim, contradicts it, or neither."""

    entail: float = Probability
    contradict: float = Probability
    neutral: float = Probability


class Coverage(Payload):
    """Shares of a claim that its evidence holds; None where the claim has nothing of the kind."""

    entities: float | None = Share
    numbers: float | None = Share
    tokens_overlap: float | None = Share


class Uncertainty(Payload):
    """Of the model that wrote the claim, in nats a token."""

    mean_entropy: float | None = None


class Consistency(Payload):
    """Variance, over samples of the answer, of how much of the claim each holds."""

    variance: float | None = None


class VerifierSignal(Payload):
    """What the signals say of one claim and one sentence of evidence."""

    claim_id: str
    doc_id: str
    sent_id: int = Field(ge=0)
    nli: Nli | None = None
    coverage: Coverage
    uncertainty: Uncertainty
    consistency: Consistency
    citation_span_match: float | None = None
    numeric_check: bool | None = None


class Confidence(Payload):
    """How sure the rules are that the evidence supports a claim."""

    support_prob: float = Probability
    contradict_prob: float = Probability
    overall_confidence: float = Probability
    band: Band


class ClaimDecision(Payload):
    """The verdict on one claim."""

    claim_id: str
    status: Status
    rationale: str
    primary_evidence: str | None
    signals_ref: list[str]
    confidence: Confidence


class SummaryStats(Payload):
    """Counts of verdicts: ``insufficient`` are those of low confidence.

    ``no_claim`` counts what claims nothing: a question, an order or a phrase. The counts of all
    verdicts make up ``claims_total``.
    """

    claims_total: int
    supported_high: int
    supported_low: int
    contradicted: int
    insufficient: int
    no_claim: int = 0
    mean_overall_confidence: float | None


class AnnotatedAnswer(Payload):
    """An answer with a decision for each of its claims."""

    answer_id: str
    query_id: str
    raw_answer: str
    claims: list[ClaimDecision]
    summary_stats: SummaryStats
    mitigation_actions: list[str]
    version: str = PIPELINE_VERSION


class ClaimPart(Payload):
    """A clause of a claim, held against the sentence that holds most of it.

    Attributes
    ----------
    share : float
        Share of its words, by rarity, that the sentence holds.
    evidence : str or None
        ``doc_id#sent_id`` of what speaks against it, else of what holds most of it.
    clause : tuple of (int, int)
        Characters of that sentence which say it; (0, 0) where there is none.
    against : str
        What speaks against it, in words; "" where nothing does.
    contradicts : bool
        Whether that contradicts it, or only leaves it open.
    """

    text: str
    share: float = Probability
    evidence: str | None
    clause: tuple[int, int] = (0, 0)
    against: str
    contradicts: bool


Mark = Literal["held", "not said", "contradicted"]


class MarkedWords(Payload):
    """Words of a claim, and how the evidence has them.

    Attributes
    ----------
    span : tuple of (int, int)
        Characters of the claim's text.
    mark : {"held", "not said", "contradicted"}
        Whether a sentence about the same has them, or a certain finding is against them.
    evidence : str or None
        ``doc_id#sent_id`` of the sentence that has them, or that says otherwise; None without one.
    said : str
        What it says in their place; "" where it has them, or nothing stands there.
    """

    span: tuple[int, int]
    text: str
    mark: Mark
    evidence: str | None = None
    said: str = ""


class VerifiedClaim(Payload):
    """What the verifier says of one claim: all raw signals, and the verdict they lead to.

    Attributes
    ----------
    confidence_breakdown : dict
        Signal -> ``{"value", "reason"}``: a value is null where the reason says why.
    """

    claim: str
    evidence: EvidenceChunk | None
    confidence_breakdown: dict[str, dict[str, float | str | None]]
    final_verdict: Status
