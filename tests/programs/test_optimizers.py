"""Each program with each of DSPy's optimizers: optimised, saved, loaded and evaluated."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import dspy
import pytest

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.opening import open_language_model
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.hop_program import HopProgram
from hippohover.programs.module import FORMER, SCORER
from hippohover.programs.optimize import (
    OPTIMIZERS,
    Optimised,
    Optimizer,
    found_all,
    n_requests,
    optimise_program,
    with_feedback,
)
from hippohover.programs.pipeline import ProgramPipeline
from hippohover.programs.saved import load_program, save_program
from hippohover.programs.scoring_program import ScoringProgram
from hippohover.recipe import LanguageModelSettings
from hippohover.toy import toy_claims_path
from tests.programs.program_samples import ScriptedSearch
from tests.stub_server import Reply, chat, serving

CLAIMS: Final[list[GoldClaim]] = load_claims(toy_claims_path())[:3]
ENGINE: Final = ScriptedSearch({"": [title for claim in CLAIMS for title in claim.gold_titles]})
ASKING: Final = {name: made for name, made in PROGRAMS.items() if made.declared.calls}
CASES: Final = [
    *((name, {}) for name in ASKING),
    *((name, {"score_documents": True}) for name in ("hop-chain", "gap-analysis")),
]
pytestmark = pytest.mark.filterwarnings("ignore")  # of the optimizers' own libraries


def answers_every_field(body: dict[str, Any]) -> Reply:
    """What is asked for, whatever program asks."""
    system: str = body["messages"][0]["content"]
    wanted = system.partition("Your output fields are:")[2].partition("All interactions")[0]
    told = {
        "is_complete": "True",
        "hypotheses": json.dumps(["Orm Lindqvist", "Isk"]),
        "queries": json.dumps(["Mira Oldane"]),
    }
    if "HypothesisQuery" in system:
        told["queries"] = json.dumps([{"hypothesis": 1, "intent": "confirm", "query": "Isk"}])
    names = re.findall(r"`(\w+)` \((.*?)\):", wanted)
    blank = {name: "[]" if kind.startswith("list") else "Isk" for name, kind in names}
    fields = {name: told.get(name, value) for name, value in blank.items()}
    if "JSON object" in body["messages"][-1]["content"]:
        return json.dumps(fields)
    return chat("", **fields)


@pytest.fixture(scope="module")
def model() -> Iterator[LanguageModel]:
    with serving(answer=answers_every_field) as stub:
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        with open_language_model(settings) as model:
            yield model


@pytest.fixture
def _few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """GEPA evaluates 1,500 times or more by default, even for three claims."""

    def budget(*_: object, **__: object) -> int:
        return 20

    monkeypatch.setattr(dspy.GEPA, "auto_budget", budget)


def program_of(name: str, model: LanguageModel, options: dict[str, Any]) -> HopProgram:
    more: dict[str, Any] = {"certain_score": 1e9} if name == "ppr+hops" else {}  # always asks
    return ASKING[name](ENGINE, model, **options, **more)


def compiled(program: dspy.Module, optimizer: Optimizer, model: LanguageModel) -> Any:  # noqa: ANN401
    """What DSPy makes of a program by itself."""
    examples = [
        dspy.Example(claim=one.claim, gold=list(one.gold_titles)).with_inputs("claim")
        for one in CLAIMS
    ]
    with dspy.context(lm=model.lm):
        made: dict[Optimizer, Any] = {
            "bootstrap": lambda: dspy.BootstrapFewShot(metric=found_all),
            "mipro": lambda: dspy.MIPROv2(metric=found_all, num_threads=1),
            "gepa": lambda: dspy.GEPA(
                metric=with_feedback, auto="light", reflection_lm=model.lm, num_threads=1
            ),
        }
        return made[optimizer]().compile(program, trainset=examples)


def evaluated(program: dspy.Module, model: LanguageModel) -> tuple[float, int]:
    """The share of claims that DSPy's evaluation finds answered, and requests that were paid."""
    before = model.ledger.total().n_calls
    examples = [dspy.Example(claim=one.claim, gold=one.gold_titles) for one in CLAIMS]
    examples = [one.with_inputs("claim") for one in examples]
    evaluate = dspy.Evaluate(devset=examples, metric=found_all, num_threads=1)
    with dspy.context(lm=model.lm):
        return evaluate(program).score, model.ledger.total().n_calls - before


@pytest.mark.slow
@pytest.mark.usefixtures("_few_trials")
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(("name", "options"), CASES)
def test_what_our_command_optimises_is_saved_loaded_and_evaluated(
    model: LanguageModel, tmp_path: Path, name: str, options: dict[str, Any], optimizer: Optimizer
):
    found = optimise_program(program_of(name, model, options), CLAIMS, optimizer)
    save_program(tmp_path / "p.json", found, made_with={"optimizer": optimizer})
    again = load_program(tmp_path / "p.json", ENGINE, model)
    first, _ = evaluated(found.program, model)
    # The same requests, byte for byte: every one is answered from the cache.
    assert evaluated(again, model) == (first, 0)
    assert first > 0
    assert getattr(again, "score_documents", False) is ("score_documents" in options)


@pytest.mark.slow
@pytest.mark.usefixtures("_few_trials")
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(("name", "options"), CASES)
def test_what_dspy_optimises_is_saved_loaded_and_evaluated(
    model: LanguageModel, tmp_path: Path, name: str, options: dict[str, Any], optimizer: Optimizer
):
    better = compiled(program_of(name, model, options), optimizer, model)
    better.save(tmp_path / "p.json")
    again = program_of(name, model, options)
    again.load(tmp_path / "p.json")
    first, _ = evaluated(better, model)
    assert evaluated(again, model) == (first, 0)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(("name", "options"), [("ppr+hops", {}), CASES[-2]])
def test_no_more_is_asked_than_was_said(
    model: LanguageModel, name: str, options: dict[str, Any], optimizer: Optimizer
):
    program = program_of(name, model, options)
    before = model.ledger.total()
    optimise_program(program, CLAIMS, optimizer)
    asked = model.ledger.total().n_calls + model.ledger.total().n_cached
    asked -= before.n_calls + before.n_cached
    said = n_requests(program, len(CLAIMS), optimizer)
    assert said / 3 < asked <= said


def test_requests_grow_with_claims_and_prompts():
    hops, gaps = (ASKING[name](ENGINE) for name in ("hop-chain", "gap-analysis"))
    for optimizer in OPTIMIZERS:
        few, many = (n_requests(hops, n, optimizer) for n in (3, 30))
        assert few < many
        assert few < n_requests(gaps, 3, optimizer)
    assert n_requests(hops, 3, "bootstrap") == 9 * sum(hops.asks().values())


def as_before(state: dict[str, Any], *, lost: bool) -> dict[str, Any]:
    """The state as an earlier version wrote it; without the scorer, after MIPROv2."""
    kept = {name: part for name, part in state.items() if not (lost and SCORER in name)}
    return {name.replace(SCORER, FORMER): part for name, part in kept.items()}


@pytest.mark.parametrize("name", ["hop-chain", "gap-analysis"])
@pytest.mark.parametrize("lost", [False, True])
def test_files_of_earlier_versions_are_loaded(tmp_path: Path, name: str, lost: bool):
    kind = ASKING[name]
    program, other = kind(ENGINE), kind(ENGINE)
    for predictor in program.predictors():
        predictor.demos = [{"claim": "c"}]
    path = tmp_path / "program.json"
    save_program(path, Optimised(program, 0, 0, 1), made_with={})
    content = json.loads(path.read_text(encoding="utf-8"))
    content["program"] = as_before(content["program"], lost=lost)
    path.write_text(json.dumps(content), encoding="utf-8")
    lm = dspy.LM("openai/none")
    n_demos = [len(one.demos) for one in load_program(path, ENGINE, lm).predictors()]
    other.load_state(as_before(program.dump_state(), lost=lost))
    assert n_demos == [len(one.demos) for one in other.predictors()]
    assert sorted(n_demos) == [int(not lost), *[1] * (len(n_demos) - 1)]

    class Pipeline(ProgramPipeline):
        program_type = kind

    pipeline = Pipeline(ENGINE)
    pipeline.load_state(as_before(Pipeline(ENGINE).dump_state(), lost=lost))


@pytest.mark.parametrize("former", [dspy.Predict("documents -> scores"), 33.3])
def test_whole_programs_of_earlier_versions_are_loaded(former: object):
    kind = ASKING["hop-chain"]
    state = kind(ENGINE).__getstate__()
    del state[SCORER]
    program = kind.__new__(kind)
    program.__setstate__({**state, FORMER: former})
    assert isinstance(program, ScoringProgram)
    own = program.score_relevance
    assert own is former if isinstance(former, dspy.Predict) else isinstance(own, dspy.Predict)
