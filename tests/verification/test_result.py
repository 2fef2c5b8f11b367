"""From judged claims to the whole result: sums, citations, the answer, the page of a notebook."""

import json

import pytest

from hippohover.verification.aggregator import Decision
from hippohover.verification.evidence import Evidence
from hippohover.verification.payloads import Band, Claim, Confidence, Status
from hippohover.verification.result import JudgedClaim, Verification, answer_id_of, verification_of
from hippohover.verification.signals import Reading
from hippohover.verification.statements.statements import Statement

TEXT = "Isk is <b>old</b>. Ort is new. Nobody knows."


def judged(text: str, status: Status, band: Band, sure: float, *sentences: str) -> JudgedClaim:
    start = TEXT.index(text)
    chunks = tuple(
        Statement(
            doc_id="d", sent_id=number, text=sentence, char_start=0, char_end=len(sentence),
            rank=1, source="ppr", version="v", about="Isk", said=sentence,
        )
        for number, sentence in enumerate(sentences)
    )  # fmt: skip
    confidence = Confidence(
        support_prob=sure, contradict_prob=0.0, overall_confidence=sure, band=band
    )
    return JudgedClaim(
        Claim(
            claim_id=f"c_{start}", answer_id=answer_id_of(TEXT), text=text,
            answer_char_span=(start, start + len(text)), extraction_method="whole_text_v1",
        ),
        Evidence(chunks, {"d": "Isk"}),
        {"coverage_tokens": Reading(sure, "words")},
        Decision(status, confidence, ("because",)),
        {"d": {"path": "isk.pdf", "page": 2, "year": 1901}} if chunks else {},
    )  # fmt: skip


@pytest.fixture
def found() -> Verification:
    claims = [
        judged("Isk is <b>old</b>.", "Supported", "High", 0.9, *"abcd"),
        judged("Ort is new.", "Contradictory", "Low", 0.1, "Ort is old."),
        judged("Nobody knows.", "Low Confidence", "Low", 0.2),
    ]
    return verification_of(claims, text=TEXT, question="", contradicted="suppress", failure="late")


def test_claims_are_summed_by_their_verdicts(found: Verification):
    sums = found.answer.summary_stats
    assert (sums.claims_total, sums.supported_high, sums.supported_low) == (3, 1, 0)
    assert (sums.contradicted, sums.insufficient, sums.no_claim) == (1, 1, 0)
    assert sums.mean_overall_confidence == pytest.approx(0.4)
    nothing = verification_of([], text=TEXT, question="", contradicted="warn", failure="")
    assert nothing.answer.summary_stats.mean_overall_confidence is None


def test_a_supported_claim_cites_three_sentences_and_a_contradicted_one_is_left_out(
    found: Verification,
):
    assert [one.final_verdict for one in found.verified_claims][1] == "Contradictory"
    assert [one.primary_evidence for one in found.answer.claims] == ["d#0", "d#0", None]
    cited = [number for numbers in found.formatted.citation_map.values() for number in numbers]
    assert len(cited) == 3
    assert found.sources == ["isk.pdf, p. 2"] * 3
    assert "Ort is new." not in found.final_response
    assert found.failure == "late"


def test_the_same_text_has_the_same_ids_whatever_is_asked():
    asked = [
        verification_of([], text=TEXT, question=question, contradicted="warn", failure="")
        for question in ("", "How old is Isk?")
    ]
    assert asked[0].answer.answer_id == asked[1].answer.answer_id == answer_id_of(TEXT)
    assert asked[0].query.id != asked[1].query.id
    assert asked[1].query.text == "How old is Isk?"


def test_it_is_json_and_a_notebook_shows_each_claim_as_it_stands(found: Verification):
    whole = json.loads(json.dumps(found.as_dict()))
    assert whole["draft_response"] == TEXT
    assert whole["titles"] == {"d": "Isk"}
    assert whole["metadata"] == {"d": {"path": "isk.pdf", "page": 2, "year": 1901}}
    assert whole["citations"] == {"d": "isk.pdf, p. 2"}
    page = found._repr_html_()  # pyright: ignore[reportPrivateUsage]  # what notebooks call
    assert page.count("<tr>") == 4
    assert "&lt;b&gt;old" in page
    assert "Supported 0.90" in page
    assert "isk.pdf, p. 2: a" in page


def test_the_first_mark_of_a_text_is_the_first_number():
    claims = [
        judged("Isk is <b>old</b>.", "Low Confidence", "Low", 0.2, "b", "a"),
        judged("Ort is new.", "Supported", "High", 0.9, "b", "a", "c"),
    ]
    chunks = claims[1].evidence.chunks
    claims[1].evidence = Evidence((chunks[2], *chunks[:2]), claims[1].evidence.titles)
    told = verification_of(claims, text=TEXT, question="", contradicted="warn", failure="")
    assert told.formatted.citation_map == {"c_19": [1, 2, 3]}
    assert [one.text for one in told.formatted.passages] == ["c", "b", "a"]
