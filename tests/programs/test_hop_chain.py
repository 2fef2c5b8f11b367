"""The hop chain: searches made, prompts sent, replies that go wrong, the ranking by position."""

from typing import Any

from hippohover.language_model.client import LanguageModel
from hippohover.programs.hop_chain import HoverMultiHop, by_position
from hippohover.records import RankedPassage
from tests.programs.program_samples import ScriptedSearch, model_of, passages_of

CLAIM = "The director of Lantern Hill was born in Vessby."
CHAIN = {
    "hop_chain": '["director of Lantern Hill", "where the director was born"]',
    "concrete_entities": '["Lantern Hill", "Vessby"]',
}
COMPLETE = {"is_complete": "True", "missing_hop": ""}
MISSING = {"is_complete": "False", "missing_hop": "birth of Mira Oldane"}
SCRIPT = {
    "Mira Oldane": ["Mira Oldane", "Vessby"],
    "second": ["Second", "Mira Oldane"],
    "Lantern Hill": ["Lantern Hill", "Vessby", "Other"],
}


def program_of(
    *answers: dict[str, Any],
    script: dict[str, list[str]] | None = None,
    **options: Any,  # noqa: ANN401
) -> tuple[HoverMultiHop, ScriptedSearch, LanguageModel]:
    engine, model = ScriptedSearch(script or SCRIPT), model_of(*answers)
    return HoverMultiHop(engine, model, **options), engine, model


def titles_of(passages: tuple[RankedPassage, ...]) -> list[str]:
    return [passage.title for passage in passages]


def test_hops_follow_the_chain_until_it_is_complete():
    program, engine, model = program_of(CHAIN, MISSING, {"query": "Mira Oldane born"}, COMPLETE)
    prediction = program(claim=CLAIM)
    assert engine.calls == [("Lantern Hill Vessby", 25, "bm25"), ("Mira Oldane born", 20, "bm25")]
    # Vessby: first hop at 1 and second at 1; Lantern Hill: first hop at 0; Mira Oldane: second.
    assert titles_of(prediction.passages) == ["Vessby", "Lantern Hill", "Other", "Mira Oldane"]
    assert prediction.run.usage.n_calls == model.ledger.by_stage()["hop-chain"].n_calls == 4
    assert prediction.run.fallbacks == 0


def test_a_chain_that_is_complete_at_once_is_one_search():
    program, engine, _ = program_of(CHAIN, COMPLETE)
    program(claim=CLAIM)
    assert len(engine.calls) == 1


def test_there_are_three_searches_at_most():
    program, engine, _ = program_of(
        CHAIN, MISSING, {"query": "Mira Oldane"}, MISSING, {"query": "second"}, MISSING,
        {"query": "a fourth"},
    )  # fmt: skip
    program(claim=CLAIM)
    assert [call[0] for call in engine.calls] == ["Lantern Hill Vessby", "Mira Oldane", "second"]


def test_a_query_that_was_made_before_ends_the_hops():
    program, engine, _ = program_of(CHAIN, MISSING, {"query": " Lantern  Hill Vessby"})
    program(claim=CLAIM)
    assert len(engine.calls) == 1


def test_without_a_chain_the_claim_itself_is_searched():
    program, engine, _ = program_of({"prose": "I think that"})
    prediction = program(claim=CLAIM)
    assert engine.calls == [(CLAIM, 25, "bm25")]
    assert prediction.run.fallbacks == 3  # chain, completeness, query
    assert titles_of(prediction.passages) == ["Lantern Hill", "Vessby", "Other"]


def test_scores_of_documents_are_asked_in_one_call_and_added():
    answers = (CHAIN, COMPLETE, {"scores": "[0, 999, 40]"})
    program, _, model = program_of(*answers, score_documents=True)
    prediction = program(claim=CLAIM)
    assert model.ledger.total().n_calls == 3
    # 75 + 0, 74 + 100 (cut to 100), 73 + 40
    assert titles_of(prediction.passages) == ["Vessby", "Other", "Lantern Hill"]


def test_the_ranking_by_hand():
    """25 - position, +50 for hop 1, +100 for each further hop that found it."""
    found = [passages_of("a", "b"), passages_of("c", "b"), passages_of("c", "d")]
    # a 25+50, b 24+50+100, c 25+100, d 24
    assert titles_of(tuple(by_position(found))) == ["b", "c", "a", "d"]
    relevance = {"d": 60.0, "a": 40.0}  # a 115, d 84
    assert titles_of(tuple(by_position(found, relevance))) == ["b", "c", "a", "d"]
    assert titles_of(tuple(by_position(found, {"d": 151.0}))) == ["d", "b", "c", "a"]
    assert by_position([]) == []


def test_of_equal_scores_the_first_found_comes_first():
    assert titles_of(tuple(by_position([(), passages_of("x"), passages_of("y")]))) == ["x", "y"]
