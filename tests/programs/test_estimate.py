"""Forecasts: calls, tokens and money of programs, with what is embedded."""

import json
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.estimate import Forecast, forecast, in_words
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.hop_program import REQUESTS_A_REPLY, HopProgram, Limits
from hippohover.programs.optimize import Optimised
from hippohover.programs.saved import save_program, unbound_program
from tests.programs.program_samples import ScriptedSearch, model_of


def price(tokens_in: int, tokens_out: int) -> float:
    return (tokens_in + 4 * tokens_out) / 1e6


def embedded(tokens: int) -> float:
    return 0.02 * tokens / 1e6


def nobody_knows(*_tokens: int) -> None:
    return None


def test_hypotheses_cost_two_calls_and_the_vectors_of_thirty_passages():
    told = forecast(unbound_program("hypothesis"), price, embedded)
    assert (told.calls, told.input_tokens, told.output_tokens) == (2, 1640, 550)
    assert told.embedded_tokens == 30 * 512 + 4 * 50
    assert told.usd == pytest.approx(price(1640, 550))
    assert told.usd_embedded == pytest.approx(0.0003, abs=0.00002)  # as its source has it
    assert told.usd_total == pytest.approx(price(1640, 550) + embedded(15_560))
    assert forecast(unbound_program("hypothesis"), price).embedded_tokens == 0


def test_a_program_without_calls_is_free():
    told = forecast(unbound_program("iterative-bm25"), nobody_knows, embedded)
    assert told == Forecast(calls=0, input_tokens=0, output_tokens=0, usd=0.0)
    assert told.usd_total == 0


@pytest.mark.parametrize("name", ["hop-chain", "gap-analysis", "ppr+hops", "hypothesis"])
def test_the_others_cost_no_more_calls_than_they_declare(name: str):
    told = forecast(unbound_program(name), price)
    assert 0 < told.calls <= PROGRAMS[name].declared.calls
    assert told.input_tokens > 400 * told.calls
    assert told.usd == pytest.approx(price(told.input_tokens, told.output_tokens))


def test_claims_multiply_and_unknown_prices_stay_unknown():
    told = Forecast(
        calls=2, input_tokens=1000, output_tokens=100, usd=None, embedded_tokens=5000,
        usd_embedded=0.0001,
    )  # fmt: skip
    assert told.usd_total is None
    assert told.times(3).input_tokens == 3000
    assert told.as_dict()["usd_total"] is None
    assert in_words("hypothesis", told, 300, "voyage/voyage-3-lite") == [
        "hypothesis: about 600 calls, 300,000 tokens in and 30,000 out: at an unknown price",
        "hypothesis: about 1,500,000 tokens embedded by voyage/voyage-3-lite: $0.0300",
    ]
    assert len(in_words("x", forecast(unbound_program("hop-chain"), price), 1)) == 1


ASKING = ["hop-chain", "gap-analysis", "ppr+hops", "hypothesis"]


def in_file(path: Path, name: str, **settings: object) -> HopProgram:
    """The program in a file that one with these settings was saved to."""
    anything: Any = settings
    program = PROGRAMS[name](ScriptedSearch({"": ["Isk"]}), model_of(), **anything)
    save_program(path, Optimised(program, 0, 1, 3), made_with={})
    return unbound_program(str(path))


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_file_of_a_program_as_it_is_costs_the_same(tmp_path: Path, name: str):
    kept = in_file(tmp_path / "p.json", name)
    assert forecast(kept, price, embedded) == forecast(unbound_program(name), price, embedded)


@pytest.mark.parametrize("name", ASKING)
def test_passages_that_a_file_shows_cost(tmp_path: Path, name: str):
    plain, path = forecast(unbound_program(name), price), tmp_path / "p.json"
    most = forecast(in_file(path, name, n_shown=24, n_words=60), price)
    least = forecast(in_file(path, name, n_shown=1, n_words=1), price)
    assert least.input_tokens < plain.input_tokens < most.input_tokens
    assert least.calls == plain.calls == most.calls


@pytest.mark.parametrize("name", ASKING)
def test_prompts_of_a_file_cost(tmp_path: Path, name: str):
    plain, path = forecast(unbound_program(name), price), tmp_path / "p.json"
    in_file(path, name)
    content = json.loads(path.read_text(encoding="utf-8"))
    for part in content["program"].values():
        part["signature"]["instructions"] += "Read on. " * 400
        part["demos"] = [{"claim": "long " * 800, "question": ""}]
    path.write_text(json.dumps(content), encoding="utf-8")
    told = forecast(unbound_program(str(path)), price)
    more = plain.calls * (400 * 9 + 800 * 5) / 4
    assert told.input_tokens - plain.input_tokens == pytest.approx(more, rel=0.05)


@pytest.mark.parametrize("name", ["hop-chain", "gap-analysis"])
def test_scores_of_documents_cost_a_call(tmp_path: Path, name: str):
    plain = forecast(unbound_program(name), price)
    scoring = forecast(in_file(tmp_path / "p.json", name, score_documents=True), price)
    assert scoring.calls == plain.calls + 1 == PROGRAMS[name].declared.calls // REQUESTS_A_REPLY


def test_hops_of_a_file_cost(tmp_path: Path):
    path = tmp_path / "p.json"
    program = HoverMultiHop(ScriptedSearch({"": ["Isk"]}), model_of())
    program.limits = Limits(searches=5, calls=99)
    save_program(path, Optimised(program, 0, 1, 3), made_with={})
    assert forecast(unbound_program(str(path)), price).calls == 1 + 4 * 2


@pytest.mark.parametrize(("coverage", "asks"), [(0.5, "find_missing"), (0.9, "generate")])
def test_the_coverage_of_a_file_says_what_is_asked(tmp_path: Path, coverage: float, asks: str):
    program = in_file(tmp_path / "p.json", "hypothesis", coverage=coverage)
    assert asks in program.asks()
    assert forecast(program, price).calls == 2


REPLIES: dict[str, Any] = {
    "hop_chain": '["a", "b"]', "concrete_entities": '["Isk"]', "is_complete": "False",
    "missing_hop": "b", "sub_questions": '["q"]', "missing_information": '["m"]',
    "entities": '["Isk"]', "relationships": '["r"]', "bridging_entities": '["Isk"]',
    "scores": "[1]", "reasoning": "r", "hypotheses": '["g1", "g2", "g3"]',
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, {}) for name in ASKING),
        ("hop-chain", {"score_documents": True}),
        ("gap-analysis", {"score_documents": True}),
        ("hypothesis", {"coverage": 0.5}),
    ],
)
def test_a_program_asks_as_often_as_it_says(name: str, settings: dict[str, Any]):
    program = PROGRAMS[name](ScriptedSearch({"": ["Isk"]}), **settings)
    lists = {"gap-analysis", "ppr+hops", "hypothesis"}
    queries = "[]" if name in lists else ""
    replies = [{**REPLIES, "query": f"Isk {n}", "queries": queries} for n in range(20)]
    with dspy.context(lm=DummyLM(replies)):
        run = program(claim="Isk is a town.").run
    assert run.fallbacks == 0
    assert run.n_answers == sum(program.asks().values())
