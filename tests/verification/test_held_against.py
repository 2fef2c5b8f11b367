"""Whole verdicts on claims of an invented world, each held against given passages."""

import pytest

from hippohover.errors import IndexDamagedError
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.aggregator import RuleAggregator
from hippohover.verification.verifier import Draft, Verifier

WORLD = {
    "Ostrel": "Ostrel is a country in the west. Its capital is Varn. It has 12 million "
    "inhabitants. It joined the League on 4 May 1962.",
    "Varn": "Varn is the capital of Ostrel. Its mayor has been Lea Brond since 2011.",
    "Lea Brond": "Lea Brond is a politician, born on 2 March 1955 in Telk. She is not a member of "
    "the Green Party. She never married.",
    "Kell Tower": "Kell Tower is 1.2 km high. It opened in the winter of 1921. It was never closed "
    "in the strike.",
    "Ivo Tann": "Ivo Tann won the Lark Medal in 2003, two years after Una Rask. He beat Per Holm.",
}
MORE = {
    "Never Look Down": "Never Look Down is a 1962 crime film directed by Dag Ruud.",
    "Old Mill": "Old Mill is a 1970 film directed by Eva Moll.",
    "Rolf Tveit": "Rolf Tveit (3 May 1881 – 9 June 1950) was a painter. His sister Gro Tveit was "
    "born in Vik. Tveit taught Dag Ruud. He is younger than the sculptor Odd Nesse.",
    "Fjordland": "Fjordland's capital is Vik. Its largest town is Nes.",
    "Vik": "Vik is the capital of Fjordland. In 2001 Vik had sales of €30 million.",
}


@pytest.fixture
def more() -> tuple[RankedPassage, ...]:
    return tuple(
        RankedPassage(rank, PassageId(f"m{rank}"), title, text, 1.0 / rank)
        for rank, (title, text) in enumerate(MORE.items(), start=1)
    )


@pytest.fixture
def passages() -> tuple[RankedPassage, ...]:
    return tuple(
        RankedPassage(rank, PassageId(f"p{rank}"), title, text, 1.0 / rank)
        for rank, (title, text) in enumerate(WORLD.items(), start=1)
    )


FALSE = [
    "Lea Brond is a member of the Green Party.",
    "Lea Brond married.",
    "Ostrel has 12 billion inhabitants.",
    "Ostrel has fourteen million inhabitants.",
    "Lea Brond was born in April 1955.",
    "Lea Brond was born on 2 March 1965.",
    "Lea Brond was born in Varn.",
    "Kell Tower is 12 km high.",
    "Kell Tower was closed in the strike.",
    "Kell Tower opened in the summer of 1921.",
    "Ostrel left the League on 4 May 1962.",
    "Per Holm beat Ivo Tann.",
    "Ivo Tann won the Lark Medal before Una Rask.",
    "Una Rask won the Lark Medal in 2003.",
    "No one called Ivo Tann won the Lark Medal.",
    "The mayor of the capital of Ostrel was born in Varn.",
    "The capital of Ostrel is Varn, and it has 99 million inhabitants.",
]
TRUE = [
    "The capital of Ostrel is Varn.",
    "Lea Brond is not a member of the Green Party.",
    "Lea Brond was born in March 1955.",
    "Lea Brond was born on March 2, 1955.",
    "Ostrel has 12,000,000 inhabitants.",
    "Ivo Tann beat Per Holm.",
    "Ivo Tann won the Lark Medal after Una Rask.",
]


@pytest.mark.parametrize("claim", FALSE)
@pytest.mark.parametrize("by", ["rules", "learned"])
def test_no_false_claim_is_called_supported(
    toy_engine: HippoHover, passages: tuple[RankedPassage, ...], claim: str, by: str
):
    aggregator = RuleAggregator() if by == "rules" else None
    verifier = Verifier(toy_engine, aggregator=aggregator)
    [decision] = verifier.verify(Draft(claim, passages=passages)).answer.claims
    assert decision.status != "Supported", decision.rationale


@pytest.mark.parametrize("claim", TRUE)
def test_true_claims_are_supported_by_the_rules(
    toy_engine: HippoHover, passages: tuple[RankedPassage, ...], claim: str
):
    verifier = Verifier(toy_engine, aggregator=RuleAggregator())
    [decision] = verifier.verify(Draft(claim, passages=passages)).answer.claims
    assert decision.status == "Supported", decision.rationale


@pytest.mark.parametrize(
    "claim",
    [
        "Never Look Down was directed by Eva Moll.",
        "Eva Moll directed Never Look Down.",
        "Dag Ruud was directed by Never Look Down.",
        "Old Mill was directed by Dag Ruud.",
        "Rolf Tveit was born on 3 June 1881.",
        "Rolf Tveit was born in 1950.",
        "Rolf Tveit died in 1881.",
        "Rolf Tveit was taught by Dag Ruud.",
        "Odd Nesse is younger than Rolf Tveit.",
        "Nes is the capital of Fjordland.",
        "Fjordland's capital is Nes.",
    ],
)
def test_another_value_date_or_order_contradicts(
    toy_engine: HippoHover, more: tuple[RankedPassage, ...], claim: str
):
    [decision] = Verifier(toy_engine).verify(Draft(claim, passages=more)).answer.claims
    assert decision.status == "Contradictory", decision.rationale


@pytest.mark.parametrize(
    "claim",
    ["Rolf Tveit was born in Vik.", "In 2001 Vik had sales of $30 million."],
)
def test_what_is_said_of_another_or_in_another_unit_is_not_supported(
    toy_engine: HippoHover, more: tuple[RankedPassage, ...], claim: str
):
    [decision] = Verifier(toy_engine).verify(Draft(claim, passages=more)).answer.claims
    assert decision.status != "Supported", decision.rationale


@pytest.mark.parametrize(
    "claim",
    [
        "Never Look Down was directed by Dag Ruud.",
        "Dag Ruud directed Never Look Down.",
        "Rolf Tveit was born on May 3, 1881.",
        "Rolf Tveit died in June 1950.",
        "Dag Ruud was taught by Rolf Tveit.",
        "Rolf Tveit is younger than Odd Nesse.",
        "The capital of Fjordland is Vik.",
        "Vik is Fjordland's capital.",
    ],
)
def test_the_same_said_truly_is_not_contradicted(
    toy_engine: HippoHover, more: tuple[RankedPassage, ...], claim: str
):
    [decision] = Verifier(toy_engine).verify(Draft(claim, passages=more)).answer.claims
    assert decision.status == "Supported", decision.rationale


def test_a_contradiction_names_its_cue_and_cites_its_sentence(
    toy_engine: HippoHover, passages: tuple[RankedPassage, ...]
):
    found = Verifier(toy_engine).verify(Draft(FALSE[0], passages=passages))
    [decision] = found.answer.claims
    assert decision.status == "Contradictory"
    assert "the evidence denies “member” (“not”)" in decision.rationale
    assert decision.primary_evidence is not None
    assert "not a member" in found.evidence[decision.primary_evidence].text
    assert found.final_response == ""


@pytest.mark.parametrize("text", ["Is Varn the capital of Ostrel?", "the capital of Ostrel"])
def test_what_claims_nothing_gets_no_verdict(
    toy_engine: HippoHover, passages: tuple[RankedPassage, ...], text: str
):
    found = Verifier(toy_engine).verify(Draft(text, passages=passages))
    [decision] = found.answer.claims
    assert (decision.status, decision.confidence.support_prob) == ("No Claim", 0.0)
    assert found.final_response == text
    stats = found.answer.summary_stats
    assert stats.mean_overall_confidence is None
    assert (stats.claims_total, stats.insufficient, stats.no_claim) == (1, 0, 1)


def test_each_part_has_its_evidence_and_the_failing_one_is_shown(
    toy_engine: HippoHover, passages: tuple[RankedPassage, ...]
):
    found = Verifier(toy_engine).verify(Draft(FALSE[-1], passages=passages))
    first, second = found.parts["c_0001"]
    assert (first.text, first.against) == ("The capital of Ostrel is Varn", "")
    assert second.contradicts
    assert "“12 million”, not “99 million”" in second.against
    assert second.evidence in found.evidence
    assert found.as_dict()["parts"]["c_0001"][1]["text"] == second.text


def test_evidence_has_scores_of_every_retriever_where_they_are_asked_for(toy_engine: HippoHover):
    claim = "Mira Oldane appeared in Lantern Hill."
    few = Verifier(toy_engine).verify(Draft(claim))
    every = Verifier(toy_engine, all_scores=True).verify(Draft(claim))
    key = every.pairs[0].top_evidence
    assert key is not None
    assert few.evidence[key].score_bm25 is None
    assert every.evidence[key].score_bm25 is not None
    assert every.evidence[key].score_ppr == few.evidence[key].score_ppr


def test_a_score_that_cannot_be_read_is_an_error_and_not_left_out(
    toy_engine: HippoHover, monkeypatch: pytest.MonkeyPatch
):
    def damaged(*_: object) -> None:
        raise IndexDamagedError("posting_weights.npy is damaged: build the index again")

    claim = "Mira Oldane appeared in Lantern Hill."
    draft = Draft(claim, passages=toy_engine.retrieve(claim).passages)
    monkeypatch.setattr(HippoHover, "retrieve", damaged)
    assert Verifier(toy_engine).verify(draft).pairs
    with pytest.raises(IndexDamagedError, match="posting_weights"):
        Verifier(toy_engine, all_scores=True).verify(draft)
