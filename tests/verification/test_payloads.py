"""The payloads: the source's fields, as examples of ours; what is refused; the schemas."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from hippohover.verification import payloads
from hippohover.verification.payloads import EvidenceChunk, Payload

EXAMPLES: dict[str, dict[str, Any]] = {
    "Query": {
        "id": "q_20250201_001",
        "text": "Who directed Lantern Hill?",
        "timestamp": "2025-02-01T10:10:10Z",
    },
    "EvidenceChunk": {
        "doc_id": "toy_12345", "sent_id": 17, "text": "Lantern Hill was filmed in 1961 by...",
        "char_start": 210, "char_end": 265, "score_bm25": 7.43, "score_dense": 0.62,
        "score_hybrid": 0.69, "rank": 3, "source": "wikipedia", "version": "wiki_sent_v1",
    },
    "Claim": {
        "claim_id": "c_0007", "answer_id": "ans_001", "text": "Lantern Hill was filmed in 1961.",
        "answer_char_span": [134, 175], "extraction_method": "rule_sentence_split_v1",
    },
    "ClaimEvidencePair": {
        "claim_id": "c_0007", "evidence_candidates": ["toy_12345#17", "toy_77889#04"],
        "top_evidence": "toy_12345#17",
        "evidence_spans": [
            {"doc_id": "toy_12345", "sent_id": 17, "text": "Lantern Hill was...", "rank": 3}
        ],
    },
    "CitationFormatterOutput": {
        "formatted_text": "Lantern Hill was filmed in 1961. [1]",
        "citation_map": {"c_0007": [1]},
        "passages": [
            {"text": "Lantern Hill was filmed in 1961 by...", "title": "Lantern Hill"},
            {"text": "Lantern Hill is a film.", "title": "Lantern Hill"},
        ],
        "notes": {"merged_redundant": True, "method": "right_span_insertion_v1"},
    },
    "CiteEvalSystemExample": {
        "id": "ex_0001", "query": "Who filmed Lantern Hill?",
        "passages": [{"text": "Lantern Hill was filmed in 1961 by...", "title": "Lantern Hill"}],
        "pred": "Lantern Hill was filmed in 1961. [1]",
    },
    "VerifierSignal": {
        "claim_id": "c_0007", "doc_id": "toy_12345", "sent_id": 17,
        "nli": {"entail": 0.81, "contradict": 0.03, "neutral": 0.16},
        "coverage": {"entities": 0.83, "numbers": 1.0, "tokens_overlap": 0.74},
        "uncertainty": {"mean_entropy": 1.12}, "consistency": {"variance": None},
        "citation_span_match": 0.9, "numeric_check": True,
    },
    "ClaimDecision": {
        "claim_id": "c_0007", "status": "Supported", "rationale": "two rules fired",
        "primary_evidence": "toy_12345#17", "signals_ref": ["sig_c_0007_17"],
        "confidence": {
            "support_prob": 0.81, "contradict_prob": 0.03, "overall_confidence": 0.74,
            "band": "High",
        },
    },
    "VerifiedClaim": {
        "claim": "Lantern Hill was filmed in 1961.", "evidence": None,
        "confidence_breakdown": {"entropy_score": {"value": 0.85, "reason": ""}},
        "final_verdict": "Supported",
    },
}  # fmt: skip
EXAMPLES["AnnotatedAnswer"] = {
    "answer_id": "ans_001",
    "query_id": "q_20250201_001",
    "raw_answer": "…",
    "claims": [EXAMPLES["ClaimDecision"]],
    "summary_stats": {
        "claims_total": 9, "supported_high": 5, "supported_low": 1, "contradicted": 1,
        "insufficient": 2, "no_claim": 0, "mean_overall_confidence": 0.61,
    },
    "mitigation_actions": ["removed_contradicted_claims"],
    "version": "pipeline_v0.3",
}  # fmt: skip


def kind_of(name: str) -> type[Payload]:
    return vars(payloads)[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_come_back_as_they_are(name: str):
    payload = kind_of(name).model_validate_json(json.dumps(EXAMPLES[name]))
    again = payload.model_dump(mode="json")
    assert {key: again[key] for key in EXAMPLES[name]} == EXAMPLES[name]
    added = {key: value for key, value in again.items() if key not in EXAMPLES[name]}
    assert added == ({"score_ppr": None} if name == "EvidenceChunk" else {})


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_payload_has_a_schema(name: str):
    schema = kind_of(name).model_json_schema()
    assert set(EXAMPLES[name]) <= set(schema["properties"])
    assert schema["additionalProperties"] is False
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize(
    ("name", "change", "place", "message"),
    [
        ("Query", {"timestamp": "2025-02-01T10:10:10"}, "timestamp", "timezone"),
        ("Query", {"more": 1}, "more", "not permitted"),
        ("EvidenceChunk", {"char_end": 3}, "", "char_end 3 is before char_start 210"),
        ("EvidenceChunk", {"rank": 0}, "rank", "greater than or equal to 1"),
        (
            "VerifierSignal",
            {"nli": {"entail": 2, "contradict": 0, "neutral": 0}},
            "nli.entail",
            "less than or equal to 1",
        ),
        ("ClaimDecision", {"status": "True"}, "status", "'Supported'"),
    ],
)
def test_what_does_not_fit_is_named(name: str, change: dict[str, Any], place: str, message: str):
    with pytest.raises(ValidationError, match=message) as raised:
        kind_of(name).model_validate_json(json.dumps(EXAMPLES[name] | change))
    assert ".".join(map(str, raised.value.errors()[0]["loc"])) == place


def test_a_text_may_be_elided():
    chunk = EvidenceChunk.model_validate(EXAMPLES["EvidenceChunk"])
    assert len(chunk.text) != chunk.char_end - chunk.char_start
    assert chunk.key == "toy_12345#17"
