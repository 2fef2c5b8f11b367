"""The verifier on the toy index: spans, evidence, verdicts, a judge that dies, bad input."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hippohover.errors import BudgetError, LanguageModelError, ReplyError, UsageError
from hippohover.evaluation.hover import load_claims
from hippohover.records import PassageId, RankedPassage, Retrieval
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path
from hippohover.verification.aggregator import Decision, LearnedAggregator, RuleAggregator
from hippohover.verification.payloads import AnnotatedAnswer, Nli
from hippohover.verification.signals import (
    SIGNALS,
    ClaimContext,
    GeneratorMetadata,
    Reading,
    Signal,
)
from hippohover.verification.verifier import Draft, Verifier

DRAFT = (
    "Mira Oldane appeared in Lantern Hill. She trained 17 elephants for the Paris circus in 1850. "
    "Lantern Hill was directed by Mira Oldane."
)


@pytest.fixture
def engine(encoded_toy_index: Path) -> HippoHover:
    return HippoHover.open(encoded_toy_index)


class Judge:
    """Says the same of every sentence; dies after so many claims."""

    name = "a judge"
    by_sentence = True

    def __init__(self, said: Nli, *, dies_after: int = 100) -> None:
        self.said = said
        self.left = dies_after
        self.asked: list[str] = []

    def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
        self.asked.append(claim)
        self.left -= 1
        if self.left < 0:
            raise LanguageModelError("the judge is gone")
        return tuple(self.said for _ in sentences)


OPPOSES = Nli(entail=0.0, contradict=1.0, neutral=0.0)


def test_a_draft_is_verified_claim_by_claim(engine: HippoHover):
    found = Verifier(engine).verify(Draft(DRAFT))
    assert [claim.text for claim in found.claims] == [
        DRAFT[slice(*claim.answer_char_span)] for claim in found.claims
    ]
    statuses = [decision.status for decision in found.answer.claims]
    assert statuses[:2] == ["Supported", "Low Confidence"]
    first = found.pairs[0]
    assert first.top_evidence == found.answer.claims[0].primary_evidence
    assert found.evidence[first.evidence_candidates[0]].key == first.top_evidence
    assert "Mira Oldane" in found.titles.values()
    assert found.answer.summary_stats.claims_total == 3
    assert found.answer.summary_stats.insufficient == statuses.count("Low Confidence")
    assert "[low confidence]" in found.final_response
    assert statuses[2] == "Contradictory"  # it was directed by another
    assert "“Pia Nordahl Quist”, not “Mira Oldane”" in found.answer.claims[2].rationale
    assert set(found.answer.mitigation_actions) == {
        "flagged_low_confidence_claims", "removed_contradicted_claims"
    }  # fmt: skip
    for decision in found.answer.claims:
        for reference in decision.signals_ref:
            assert found.signals[reference].claim_id == decision.claim_id
    assert set(found.verified_claims[0].confidence_breakdown) == set(SIGNALS)


def test_everything_is_json_and_the_answer_comes_back(engine: HippoHover):
    found = Verifier(engine).verify(Draft(DRAFT))
    whole = json.loads(json.dumps(found.as_dict()))
    assert AnnotatedAnswer.model_validate(whole["answer"]) == found.answer
    again = Verifier(engine).verify(Draft(DRAFT)).as_dict()
    assert {key: one for key, one in again.items() if key != "query"} == {
        key: one for key, one in found.as_dict().items() if key != "query"
    }


def test_a_claim_is_verified_as_a_whole(engine: HippoHover):
    found = Verifier(engine).verify_claim(f"  {DRAFT}\n")
    [claim] = found.claims
    assert (claim.text, claim.extraction_method) == (DRAFT, "whole_text_v1")


def test_supported_claims_of_the_toy_world_are_told_from_others(engine: HippoHover):
    claims = load_claims(toy_claims_path())
    verifier = Verifier(engine)
    sure = [
        (verifier.verify_claim(c.claim).answer.claims[0].confidence.overall_confidence, c.label)
        for c in claims
    ]
    right = [one for one, label in sure if label == "SUPPORTED"]
    wrong = [one for one, label in sure if label != "SUPPORTED"]
    pairs = [(a > b) + 0.5 * (a == b) for a in right for b in wrong]
    assert sum(pairs) / len(pairs) > 0.5


def test_a_judge_that_contradicts_suppresses(engine: HippoHover):
    found = Verifier(engine, nli=Judge(OPPOSES)).verify(Draft(DRAFT))
    assert {decision.status for decision in found.answer.claims} == {"Contradictory"}
    assert found.final_response == ""
    assert found.answer.mitigation_actions == ["removed_contradicted_claims"]
    assert found.verified_claims[0].confidence_breakdown["max_contradiction_prob"] == {
        "value": 1.0, "reason": "a judge",
    }  # fmt: skip
    signal = found.signals[found.answer.claims[0].signals_ref[0]]
    assert signal.nli == OPPOSES
    warned = Verifier(engine, nli=Judge(OPPOSES), contradicted="warn").verify(Draft(DRAFT))
    assert warned.final_response.count("[Warning:") == 3


def test_a_judge_that_dies_leaves_what_was_done(engine: HippoHover):
    text = "Mira Oldane appeared in Lantern Hill. " * 12
    judge = Judge(OPPOSES, dies_after=2)
    found = Verifier(engine, nli=judge).verify(Draft(text))
    assert found.failure == "the judge is gone"
    said = [one.confidence_breakdown["max_contradiction_prob"] for one in found.verified_claims]
    assert sum(one["value"] is not None for one in said) == 2
    assert len(judge.asked) < 12  # it is let be once it is gone
    assert all("gone" in str(one["reason"]) for one in said if one["value"] is None)
    assert len(found.answer.claims) == 12


def test_a_reply_that_cannot_be_used_costs_one_claim_its_judgement(engine: HippoHover):
    class Mumbling(Judge):
        def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
            if "elephants" in claim:
                raise ReplyError("it answered in another form")
            return super().judge(sentences, claim)

    found = Verifier(engine, nli=Mumbling(OPPOSES)).verify(Draft(DRAFT))
    said = [one.confidence_breakdown["max_contradiction_prob"] for one in found.verified_claims]
    assert [one["value"] for one in said] == [1.0, None, 1.0]
    assert (said[1]["reason"], found.failure) == ("it answered in another form",) * 2


def test_a_splitter_that_fails_does_not_silence_the_judge(engine: HippoHover):
    def gone(text: str) -> list[str]:
        raise LanguageModelError("no answer")

    found = Verifier(engine, split=gone, nli=Judge(OPPOSES)).verify(Draft(DRAFT))
    assert found.failure == "no answer"
    assert {decision.status for decision in found.answer.claims} == {"Contradictory"}


def test_a_program_whose_model_dies_between_two_claims_keeps_what_was_found(engine: HippoHover):
    def retrieve(claim: str, k: int = 21, retriever: str = "ppr") -> Retrieval:
        if "elephants" in claim:
            raise LanguageModelError("the model is gone")
        return engine.retrieve(claim, k)

    found = Verifier(engine, retrieve=retrieve, retriever="hop-chain").verify(Draft(DRAFT))
    assert found.failure == "the model is gone"
    assert [one.status for one in found.answer.claims][:2] == ["Supported", "Low Confidence"]
    assert found.answer.claims[1].rationale == "no evidence: the model is gone"
    reading = found.verified_claims[1].confidence_breakdown["coverage_tokens"]
    assert reading == {"value": None, "reason": "no evidence: the model is gone"}


def test_a_budget_that_is_spent_is_such_a_death(engine: HippoHover):
    class Broke(Judge):
        def judge(self, sentences: Sequence[str], claim: str) -> tuple[Nli, ...]:
            raise BudgetError("max_calls = 0 is reached")

    found = Verifier(engine, nli=Broke(OPPOSES)).verify(Draft(DRAFT))
    assert "max_calls" in found.failure


def test_an_aggregator_and_a_signal_of_ones_own(engine: HippoHover):
    class Trained:
        def __call__(self, readings: dict[str, Reading]) -> Decision:
            assert readings["missing_information"] == Reading(7.0, "learned")
            return RuleAggregator()(readings)

    def learned(context: ClaimContext) -> Reading:
        return Reading(7.0, "learned")

    verifier = Verifier(
        engine, aggregator=Trained(),  # pyright: ignore[reportArgumentType]
        signals={**SIGNALS, "missing_information": learned},
    )  # fmt: skip
    assert (
        verifier.verify(Draft(DRAFT))
        .answer.claims[0]
        .rationale.endswith("(missing_information 7.00)")
    )


def passage(text: str, title: str = "T") -> RankedPassage:
    return RankedPassage(1, PassageId(f"p-{title}"), title, text, 1.0)


def test_given_passages_are_the_evidence_and_citations_count_them(engine: HippoHover):
    given = (passage("Fog is grey.", "Fog"), passage("Boats leak.", "Boats"))
    text = "Fog is grey. [1] Boats leak. [1][7] Sails tear."
    found = Verifier(engine).verify(Draft(text, passages=given))
    integrity = [
        one.confidence_breakdown["citation_integrity"]["value"] for one in found.verified_claims
    ]
    assert integrity == [1.0, 0.0, None]
    assert set(found.titles) <= {"p-Fog", "p-Boats"}


def test_a_claim_without_a_name_is_sought_with_the_claim_before_it(engine: HippoHover):
    text = "Mira Oldane appeared in Lantern Hill. She was raised above a bakery."
    found = Verifier(engine).verify(Draft(text))
    assert found.titles[found.pairs[1].evidence_spans[0].doc_id] == "Mira Oldane"
    assert [decision.status for decision in found.answer.claims] == ["Supported"] * 2


def test_what_is_no_claim_has_no_evidence(engine: HippoHover):
    found = Verifier(engine).verify(Draft("# Mira Oldane\nMira Oldane appeared in Lantern Hill."))
    assert [decision.status for decision in found.answer.claims] == ["No Claim", "Supported"]
    assert found.pairs[0].evidence_spans == []
    assert found.answer.claims[0].primary_evidence is None
    assert found.pairs[1].evidence_spans


def test_without_evidence_nothing_is_supported(engine: HippoHover):
    found = Verifier(engine).verify(Draft("Isk is old.", passages=()))
    [decision] = found.answer.claims
    assert (decision.status, decision.primary_evidence) == ("Low Confidence", None)
    assert found.verified_claims[0].evidence is None
    assert decision.rationale == "no evidence was found"


def test_evidence_that_contradicts_itself_is_shown_on_both_sides(engine: HippoHover):
    given = (passage("Isk is 40 miles long.", "Isk"), passage("Isk is not long.", "Isk again"))
    found = Verifier(engine).verify(Draft("Isk is not 40 miles long.", passages=given))
    assert len(found.pairs[0].evidence_candidates) >= 1
    assert found.answer.claims[0].confidence.contradict_prob < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "霧は灰色です。船は漏れる。",
        "الضباب رمادي.",
        "<script>alert(1)</script> Isk is old.",
        "Ω 12³",
    ],
)
def test_other_scripts_and_markup_are_data(engine: HippoHover, text: str):
    found = Verifier(engine).verify(Draft(text))
    assert found.answer.raw_answer == text
    assert "".join(claim.text for claim in found.claims) in text


def test_a_model_may_split(engine: HippoHover):
    found = Verifier(engine, split=lambda text: ["Mira Oldane appeared in Lantern Hill."]).verify(
        Draft(DRAFT)
    )
    assert {claim.extraction_method for claim in found.claims} == {"model_split_v1"}
    assert len(found.claims) == 3

    def gone(text: str) -> list[str]:
        raise LanguageModelError("no answer")

    rule = Verifier(engine, split=gone).verify(Draft(DRAFT))
    assert {claim.extraction_method for claim in rule.claims} == {"rule_sentence_split_v1"}
    assert rule.failure == "no answer"


def test_bad_drafts_are_refused(engine: HippoHover):
    with pytest.raises(UsageError, match="no words"):
        Verifier(engine).verify(Draft("..."))
    with pytest.raises(UsageError, match="1,000,000 characters"):
        Verifier(engine).verify(Draft("a" * 1_000_000))


@pytest.mark.parametrize("broken", ["nan", "raises"])
def test_a_signal_that_breaks_is_not_available_and_says_why(engine: HippoHover, broken: str):
    def signal(context: ClaimContext) -> Reading:
        if broken == "raises":
            raise ZeroDivisionError("by nothing")
        return Reading(float("nan"))

    verifier = Verifier(engine, signals={**SIGNALS, "coverage_numbers": signal})
    found = verifier.verify(Draft(DRAFT))
    reading = found.verified_claims[0].confidence_breakdown["coverage_numbers"]
    assert reading["value"] is None
    assert reading["reason"] in (
        "the signal gave nan", "the signal failed (ZeroDivisionError: by nothing)"
    )  # fmt: skip
    assert found.failure.startswith("coverage_numbers: the signal ")
    assert found.answer.claims[0].status == "Supported"


def all_well(_: ClaimContext) -> Reading:
    return Reading(1.0)


@pytest.mark.parametrize("signals", [{}, {"coverage_tokens": all_well}])
def test_without_evidence_nothing_is_supported_whatever_the_signals(
    engine: HippoHover, signals: dict[str, Signal]
):
    [decision] = (
        Verifier(engine, signals=signals).verify(Draft("Xyzzy.", passages=())).answer.claims
    )
    assert (decision.status, decision.rationale) == ("Low Confidence", "no evidence was found")


def test_a_name_inside_a_longer_one_is_connected(engine: HippoHover):
    passage = RankedPassage(
        1, PassageId("p"), "Mira Oldane", "Mira Oldane was born in Vessby Lantern Hill.", 1.0
    )
    names = engine.names_in("Mira Oldane, Lantern Hill, Vessby")
    assert len(names) == 3
    found = Verifier(engine).verify_claim(
        "Mira Oldane was born in Vessby, and Lantern Hill.", passages=[passage]
    )
    reading = found.verified_claims[0].confidence_breakdown["hop_completeness"]
    assert reading["value"] == 1.0


def test_names_of_passages_are_looked_up_for_who_reads_them(
    engine: HippoHover, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    names_in = engine.names_in

    def counting(text: str) -> dict[str, int]:
        asked.append(text)
        return names_in(text)

    monkeypatch.setattr(engine, "names_in", counting)
    claim = "Mira Oldane appeared in Lantern Hill."
    by_rules = {name: SIGNALS[name] for name in sorted(LearnedAggregator().signals)}
    few = Verifier(engine, signals=by_rules).verify_claim(claim)
    assert asked == [claim]
    every = Verifier(engine).verify_claim(claim)
    assert len(asked) == 2 + len({span.doc_id for span in every.pairs[0].evidence_spans})
    assert few.answer.claims[0] == every.answer.claims[0]


def test_citations_that_nobody_says_the_passages_of(engine: HippoHover):
    [claim] = Verifier(engine).verify(Draft("Mira Oldane is old [1, 2].")).verified_claims
    reading = claim.confidence_breakdown["citation_integrity"]
    assert reading == {
        "value": None, "reason": "nobody said which passages the citations count"
    }  # fmt: skip
    assert claim.confidence_breakdown["coverage_numbers"]["reason"] == "the claim holds no number"


def test_what_becomes_of_contradicted_claims_is_checked(engine: HippoHover):
    with pytest.raises(UsageError, match="contradicted is 'supress': give suppress or warn"):
        Verifier(engine, contradicted="supress")  # pyright: ignore[reportArgumentType]


def test_what_the_writer_said_of_its_tokens_is_kept(engine: HippoHover):
    said = GeneratorMetadata((-0.5,), (0.1,))
    draft = Draft(DRAFT, metadata=lambda _: said)
    found = Verifier(engine).verify(draft)
    assert found.generator_metadata == {claim.claim_id: said for claim in found.claims}
    assert found.as_dict()["generator_metadata"]["c_0001"]["log_probabilities"] == (-0.5,)
    assert Verifier(engine).verify(Draft(DRAFT)).generator_metadata == {}


def test_a_pronoun_is_not_supported_by_what_is_said_of_somebody_else(engine: HippoHover):
    passages = (
        RankedPassage(1, PassageId("a"), "Mia Sand", "Mia Sand was a pilot.", 1.0),
        RankedPassage(2, PassageId("b"), "Tom Hale", "Tom Hale sang. He was born in Telk.", 0.5),
    )
    draft = Draft("Mia Sand was a pilot. She was born in Telk.", passages=passages)
    own, other = Verifier(engine).verify(draft).answer.claims
    assert (own.status, other.status) == ("Supported", "Low Confidence")
    draft = Draft("Tom Hale sang. He was born in Telk.", passages=passages)
    found = Verifier(engine).verify(draft)
    assert found.answer.claims[1].status == "Supported"
    assert found.claims[1].text == "He was born in Telk."


@pytest.mark.parametrize(
    ("second", "status"),
    [
        ("Low Tide was directed by Mia Sand.", "Supported"),
        ("Low Tide was directed by Tom Hale.", "Contradictory"),
        ("Tom Hale was born in Telk.", "Low Confidence"),
    ],
)
def test_a_clause_is_judged_as_it_would_be_alone(engine: HippoHover, second: str, status: str):
    passages = (
        RankedPassage(1, PassageId("a"), "Mia Sand", "Mia Sand was born in Telk.", 1.0),
        RankedPassage(2, PassageId("b"), "Low Tide", "Low Tide was directed by Mia Sand.", 1.0),
        RankedPassage(3, PassageId("c"), "Tom Hale", "Tom Hale was a singer.", 0.5),
    )
    for text in (second, f"Mia Sand was born in Telk, and {second}"):
        [told] = Verifier(engine).verify(Draft(text, passages=passages)).answer.claims
        assert told.status == status


def test_a_claim_of_too_many_words_is_not_compared_and_says_so(toy_engine: HippoHover):
    text = f"Lantern Hill is a film {'and a film ' * 60}."
    [found] = Verifier(toy_engine).verify_claim(text).answer.claims
    assert found.status == "Low Confidence"
    assert "185 words, and up to 120 are compared: split it into sentences" in found.rationale


def test_claims_beyond_the_time_of_a_text_have_no_verdict_and_say_so(toy_engine: HippoHover):
    text = " ".join(f"Lantern Hill is a film of {1900 + at}." for at in range(30))
    claims = Verifier(toy_engine, seconds=1e-9).verify(Draft(text)).answer.claims
    left = ["verify the rest by itself" in claim.rationale for claim in claims]
    assert (len(left), left[0], left[-1]) == (30, False, True)
    assert {claim.status for claim, is_left in zip(claims, left, strict=True) if is_left} == {
        "Low Confidence"
    }
    whole = Verifier(toy_engine).verify(Draft(text)).answer.claims
    assert not any("verify the rest" in claim.rationale for claim in whole)
