"""Optimising the fact filter by what the walk finds, and the file it is kept in."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM
from stub_server import Reply, StubServer, chat, serving

from hippohover.errors import UsageError
from hippohover.evaluation.hover import Claim, load_claims
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.opening import open_language_model
from hippohover.programs.optimize import (
    FilteredRetrieval,
    Optimised,
    Optimizer,
    found_all,
    load_filter,
    optimise_filter,
    save_filter,
    with_feedback,
)
from hippohover.recipe import LanguageModelSettings
from hippohover.records import Triple
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.fact_filter import FactFilter
from hippohover.toy import toy_claims_path

FACTS = [Triple("Lantern Hill", "was directed by", "Mira Oldane")]
ASK = """
import sys
from pathlib import Path
import dspy
from dspy.utils import DummyLM
from hippohover.programs.optimize import load_filter
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
def claims() -> list[Claim]:
    return load_claims(toy_claims_path())[:6]


def messages_of(fact_filter: FactFilter) -> bytes:
    lm = DummyLM([{"fact_after_filter": '{"fact": []}'}])
    with dspy.context(lm=lm):
        fact_filter(question="Who?", facts=FACTS)
    return repr(lm.history[-1]["messages"]).encode()


def test_the_program_answers_as_the_engine_with_its_filter(
    encoded_toy_index: Path, asked: tuple[StubServer, LanguageModel], claims: list[Claim]
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
    claims: list[Claim],
    tmp_path: Path,
):
    _, model = asked
    engine = HippoHover.open(encoded_toy_index)
    found = optimise_filter(engine, model, claims, "bootstrap")
    assert found.n == 6
    assert 0 < found.before <= 1
    demos = found.fact_filter.choose.demos
    assert 1 <= len(demos) <= 4
    assert {demo.question for demo in demos} <= {claim.claim for claim in claims}
    path = tmp_path / "filter.json"
    save_filter(path, found, made_with={"optimizer": "bootstrap", "language_model": model.name})
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["made_with"]["language_model"] == "openai/stub"
    assert content["made_with"]["dspy"]
    assert "127.0.0.1" not in path.read_text(encoding="utf-8")
    expected = messages_of(found.fact_filter)
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
    assert "Keep nothing." in str(messages_of(found.fact_filter))
    save_filter(tmp_path / "filter.json", found, made_with={"optimizer": optimizer})
    assert messages_of(load_filter(tmp_path / "filter.json")) == messages_of(found.fact_filter)


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


def test_what_cannot_be_optimised_is_refused(
    encoded_toy_index: Path, asked: tuple[StubServer, LanguageModel], claims: list[Claim]
):
    engine = HippoHover.open(encoded_toy_index)
    with pytest.raises(UsageError, match="claims are empty"):
        optimise_filter(engine, asked[1], [], "bootstrap")
    with pytest.raises(UsageError, match="'hope' is unknown"):
        optimise_filter(engine, asked[1], claims, "hope")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "is no filter of hippohover optimize-filter"),
        ('{"format": "other"}', "format 'other'"),
        ('{"format": "hippohover-filter-1"}', "KeyError"),
        ('{"format": "hippohover-filter-1", "program": {"choose": 3}}', "make it again"),
        ("[]", "make it again"),
    ],
)
def test_a_file_that_is_no_filter(tmp_path: Path, content: str | None, message: str):
    path = tmp_path / "filter.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_filter(path)


def test_a_file_cannot_bring_a_language_model_along(tmp_path: Path):
    path = tmp_path / "filter.json"
    save_filter(path, Optimised(FactFilter(), 0, 0, 1), made_with={})
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["program"]["choose"]["lm"] is None
    content["program"]["choose"]["lm"] = {"model": "openai/x", "api_base": "http://evil"}
    path.write_text(json.dumps(content), encoding="utf-8")
    assert load_filter(path).choose.lm is None


def test_a_filter_is_not_written_where_it_cannot_be(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written"):
        save_filter(tmp_path / "no" / "f.json", Optimised(FactFilter(), 0, 0, 1), made_with={})
