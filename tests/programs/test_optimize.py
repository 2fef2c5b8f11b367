"""Optimising the fact filter by what the walk finds, and the file it is kept in."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.errors import LanguageModelError, ModelError, UsageError
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.opening import open_language_model
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.optimize import (
    FilteredRetrieval,
    Optimizer,
    found_all,
    hypothesis_coverage,
    optimise_filter,
    optimise_program,
    with_feedback,
)
from hippohover.programs.saved import load_filter, save_filter
from hippohover.recipe import LanguageModelSettings
from hippohover.records import Triple
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.facts.filter import FactFilter
from hippohover.toy import toy_claims_path
from tests.programs.program_samples import ScriptedSearch, model_of
from tests.stub_server import Reply, StubServer, chat, serving

FACTS = [Triple("Lantern Hill", "was directed by", "Mira Oldane")]
ASK = """
import sys
from pathlib import Path
import dspy
from dspy.utils import DummyLM
from hippohover.programs.saved import load_filter
from hippohover.records import Triple
lm = DummyLM([{"fact_after_filter": '{"fact": []}'}])
with dspy.context(lm=lm):
    load_filter(Path(sys.argv[1]))(
        question="Who?", facts=[Triple("Lantern Hill", "was directed by", "Mira Oldane")]
    )
sys.stdout.buffer.write(repr(lm.history[-1]["messages"]).encode())
"""


def keeps_two(body: dict[str, Any]) -> Reply:
    """The first two candidates of a request."""
    content: str = body["messages"][-1]["content"]
    listed = content.split("[[ ## fact_before_filter ## ]]\n")[1].split("\n", maxsplit=1)[0]
    return chat("", fact_after_filter=json.dumps({"fact": json.loads(listed)["fact"][:2]}))


@pytest.fixture
def asked() -> Iterator[tuple[StubServer, LanguageModel]]:
    with serving(answer=keeps_two) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with open_language_model(settings) as model:
            yield stub, model


@pytest.fixture(scope="module")
def claims() -> list[GoldClaim]:
    return load_claims(toy_claims_path())[:6]


def messages_of(fact_filter: FactFilter) -> bytes:
    lm = DummyLM([{"fact_after_filter": '{"fact": []}'}])
    with dspy.context(lm=lm):
        fact_filter(question="Who?", facts=FACTS)
    return repr(lm.history[-1]["messages"]).encode()


def test_the_program_answers_as_the_engine_with_its_filter(
    encoded_toy_index: Path, asked: tuple[StubServer, LanguageModel], claims: list[GoldClaim]
):
    _, model = asked
    program = FilteredRetrieval(HippoHover.open(encoded_toy_index), model)
    engine = HippoHover.open(encoded_toy_index, language_model=model)
    for claim in claims:
        answer = engine.retrieve(claim.claim)
        prediction = program(claim=claim.claim)
        assert prediction.titles == [passage.title for passage in answer.passages]
        assert prediction.route == answer.trace.route == "filtered"


@pytest.mark.slow
def test_bootstrap_keeps_what_led_to_all_gold_titles(
    encoded_toy_index: Path,
    asked: tuple[StubServer, LanguageModel],
    claims: list[GoldClaim],
    tmp_path: Path,
):
    _, model = asked
    engine = HippoHover.open(encoded_toy_index)
    found = optimise_filter(engine, model, claims, "bootstrap")
    assert found.n == 6
    assert 0 < found.before <= 1
    demos = found.program.choose.demos
    assert 1 <= len(demos) <= 4
    assert {demo.question for demo in demos} <= {claim.claim for claim in claims}
    path = tmp_path / "filter.json"
    save_filter(path, found, made_with={"optimizer": "bootstrap", "language_model": model.name})
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["made_with"]["language_model"] == "openai/stub"
    assert content["made_with"]["dspy"]
    assert "127.0.0.1" not in path.read_text(encoding="utf-8")
    expected = messages_of(found.program)
    assert messages_of(load_filter(path)) == expected
    fresh = subprocess.run(  # noqa: S603
        [sys.executable, "-c", ASK, path], capture_output=True, check=True
    )
    assert fresh.stdout == expected


def proposes_to_keep_nothing(body: dict[str, Any]) -> Reply:
    """Four candidates by the built-in instruction, none by the one that it proposes itself."""
    system, question = (body["messages"][at]["content"] for at in (0, -1))
    if "fact_after_filter" in system.partition("Your output fields are:")[2][:60]:
        listed = question.split("[[ ## fact_before_filter ## ]]\n")[1].split("\n", maxsplit=1)[0]
        kept = [] if "Keep nothing." in system else json.loads(listed)["fact"][:4]
        return chat("", fact_after_filter=json.dumps({"fact": kept}))
    wanted = system.partition("Your output fields are:")[2].partition("All interactions")[0]
    proposed = dict.fromkeys(re.findall(r"`(\w+)`", wanted), "Keep nothing.")
    asks_json = "JSON object" in question
    return json.dumps(proposed) if asks_json else chat("", **proposed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the optimisers' own libraries
@pytest.mark.parametrize("optimizer", ["mipro", "gepa"])
def test_a_better_instruction_is_found_and_kept(
    encoded_toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, optimizer: Optimizer
):
    """Claims whose first seven passages lack a gold title because of the facts that are kept."""
    monkeypatch.setattr("hippohover.programs.optimize.MAX_RETRIEVED_DOCS", 7)
    every = load_claims(toy_claims_path())
    with serving(answer=proposes_to_keep_nothing) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with open_language_model(settings) as model:
            engine = HippoHover.open(encoded_toy_index)
            hard = [every[at] for at in (7, 20, 22, 23, 32, 34)]
            found = optimise_filter(engine, model, hard, optimizer)
    assert found.before < found.after
    assert "Keep nothing." in str(messages_of(found.program))
    save_filter(tmp_path / "filter.json", found, made_with={"optimizer": optimizer})
    assert messages_of(load_filter(tmp_path / "filter.json")) == messages_of(found.program)


def test_feedback_names_each_gold_title():
    example = dspy.Example(claim="c", gold=["Isk", "Salt Road"])
    half = with_feedback(example, dspy.Prediction(titles=["Salt Road"], route="filter-empty"))
    assert half.score == 0.0
    assert "'Isk' was not found; 'Salt Road' was found at rank 1" in half.feedback
    assert "No fact was kept (filter-empty)" in half.feedback
    whole = dspy.Prediction(titles=["x", "Isk", "Salt Road"], route="filtered")
    assert with_feedback(example, whole).score == 1.0
    assert found_all(example, whole)
    assert "No fact" not in with_feedback(example, whole).feedback


def test_feedback_names_what_a_program_searched_for():
    program = PROGRAMS["iterative-bm25"](ScriptedSearch({"": ["Isk"]}))
    told = with_feedback(dspy.Example(gold=["Isk"]), program(claim="a claim")).feedback
    assert told.endswith("Searched for: a claim.")


def test_a_program_that_asks_nothing_has_nothing_to_optimise(claims: list[GoldClaim]):
    program = PROGRAMS["iterative-bm25"](ScriptedSearch({"": ["Isk"]}))
    with pytest.raises(UsageError, match="iterative-bm25 asks no language model"):
        optimise_program(program, claims, "bootstrap")


def test_coverage_is_measured_on_hypotheses_even_when_gaps_are_filled(claims: list[GoldClaim]):
    one = claims[0]
    guesses = [{"hypotheses": json.dumps([f"It is {one.gold_titles[-1]}"])}, {"queries": "[]"}]
    program = HypothesisDriven(ScriptedSearch({"": ["Isk"]}), model_of(*guesses), coverage=0.1)
    assert hypothesis_coverage(program, [replace(one, claim="Nobody.")]) == 1.0
    other = HypothesisDriven(ScriptedSearch({"": ["Isk"]}), model_of({"prose": "well"}))
    assert hypothesis_coverage(other, [replace(one, claim="Nobody.")]) == 0.0


def test_coverage_of_more_claims_than_are_watched_is_that_of_hypotheses(claims: list[GoldClaim]):
    one, n = claims[0], 24
    guesses = json.dumps([f"It is {one.gold_titles[-1]}", "It is a door", "It is a boat"])
    replies = [{"hypotheses": guesses}, {"queries": "[]"}] * n
    program = HypothesisDriven(ScriptedSearch({"": ["Isk"]}), model_of(*replies))
    known = [replace(one, claim=f"Nobody {number}.") for number in range(n)]
    assert hypothesis_coverage(program, known) == 1.0
    assert not any(program.covered)  # no guess names what was found, so 20 runs would switch


def test_what_cannot_be_optimised_is_refused(
    encoded_toy_index: Path,
    asked: tuple[StubServer, LanguageModel],
    claims: list[GoldClaim],
    monkeypatch: pytest.MonkeyPatch,
):
    engine = HippoHover.open(encoded_toy_index)
    with pytest.raises(UsageError, match="claims are empty"):
        optimise_filter(engine, asked[1], [], "bootstrap")
    with pytest.raises(UsageError, match="'hope' is unknown"):
        optimise_filter(engine, asked[1], claims, "hope")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="'mipro' needs 2 claims or more"):
        optimise_filter(engine, asked[1], claims[:1], "mipro")
    monkeypatch.setattr("hippohover.programs.optimize.find_spec", {}.get)
    with pytest.raises(ModelError, match=r"needs optuna: pip install '\S*\[optimize\]'"):
        optimise_filter(engine, asked[1], claims, "mipro")
    assert not asked[0].requests


def test_a_model_that_answers_nothing_optimises_nothing(
    encoded_toy_index: Path, claims: list[GoldClaim]
):
    with serving([500]) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base, n_retries=0)
        with (
            open_language_model(settings) as model,
            pytest.raises(
                LanguageModelError,
                match=r"^no request of \d was answered: .*openai/stub did not answer",
            ),
        ):
            optimise_filter(HippoHover.open(encoded_toy_index), model, claims[:3], "bootstrap")
