"""Filters and programs in files: what is refused, what a file cannot bring along."""

import inspect
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.hop_program import HopProgram, Limits
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.optimize import Optimised
from hippohover.programs.saved import (
    load_filter,
    load_program,
    named_program,
    other_versions,
    save_filter,
    save_program,
)
from hippohover.programs.settings import GIVEN
from hippohover.retrieval.facts.filter import PROMPTS, FactFilter, FilterPrompt
from tests.programs.program_samples import ScriptedSearch, model_of

ENGINE = ScriptedSearch({"": ["Isk"]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not a file of hippohover optimize-filter"),
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


@pytest.mark.parametrize("coverage", [None, 0.5])
def test_a_program_comes_back_with_its_coverage(tmp_path: Path, coverage: float | None):
    path = tmp_path / "p.json"
    program = HypothesisDriven(ENGINE, model_of(), coverage=coverage, n_shown=5, n_words=80)
    save_program(path, Optimised(program, 0, 1, 3), made_with={"optimizer": "bootstrap"})
    loaded = named_program(str(path), ENGINE, model_of(), retriever="dense")
    assert isinstance(loaded, HypothesisDriven)
    assert (loaded.coverage, loaded.retriever) == (coverage, "dense")
    assert (loaded.n_shown, loaded.n_words) == (5, 80)
    program.retriever = "hybrid"
    save_program(path, Optimised(program, 0, 1, 3), made_with={"optimizer": "bootstrap"})
    assert named_program(str(path), ENGINE, model_of()).retriever == "hybrid"
    made_with = json.loads(path.read_text(encoding="utf-8"))["made_with"]
    assert made_with["all_gold_found@21"] == {"before": 0, "after": 1}
    with pytest.raises(UsageError, match="hypothesis asks a language model: name one"):
        load_program(path, ENGINE)


OTHERS: Final[dict[str, object]] = {
    "retriever": "dense",
    "k": 7,
    "n_shown": 3,
    "n_words": 9,
    "score_documents": True,
    "keep_bridges": False,
    "n_read": 2,
    "n_later": 4,
    "certain_score": 0.25,
    "traverse": "never",
    "coverage": 0.5,
}
"""A value for each setting of each program, none of them the default."""


def arguments(kind: type[HopProgram]) -> dict[str, object]:
    """Every argument of the constructors with its default, read without what saving uses."""
    told = [
        parameter
        for one in reversed(kind.__mro__)
        if issubclass(one, HopProgram)
        for parameter in inspect.signature(one.__init__).parameters.values()
        if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    ]
    return {parameter.name: parameter.default for parameter in told}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_comes_back_with_every_argument_of_its_constructors(tmp_path: Path, name: str):
    kind, path = PROGRAMS[name], tmp_path / "p.json"
    defaults = arguments(kind)
    settings = {one: OTHERS[one] for one in defaults if one not in GIVEN}
    assert not [one for one, value in settings.items() if value == defaults[one]]
    save_program(path, Optimised(made(kind, **settings), 0, 1, 3), made_with={})
    loaded = load_program(path, ENGINE, model_of())
    assert {one: getattr(loaded, one) for one in settings} == settings
    save_program(path, Optimised(made(kind), 0, 1, 3), made_with={})
    loaded = load_program(path, ENGINE, model_of())
    assert {one: getattr(loaded, one) for one in settings} == {
        one: defaults[one] for one in settings
    }


def made(kind: type[HopProgram], **settings: object) -> HopProgram:
    anything: Any = settings
    return kind(ENGINE, model_of(), **anything)


def test_only_what_is_no_setting_is_given_again():
    assert {"engine", "model", "sources", "scorer"} == GIVEN
    assert set(arguments(HypothesisDriven)) >= GIVEN


def test_a_program_of_ones_own_that_forgets_an_argument_is_told(tmp_path: Path):
    class Own(HoverMultiHop):
        def __init__(self, engine: ScriptedSearch, *, depth: int = 3) -> None:
            super().__init__(engine)

    with pytest.raises(UsageError, match=r"no attribute 'depth', by which .*: set self\.depth$"):
        save_program(tmp_path / "p.json", Optimised(Own(ENGINE), 0, 1, 3), made_with={})


@pytest.mark.parametrize("limits", [Limits(9, 99, 999), HoverMultiHop.declared])
def test_a_program_comes_back_with_its_limits(tmp_path: Path, limits: Limits):
    path, program = tmp_path / "p.json", HoverMultiHop(ENGINE, model_of())
    program.limits = limits
    save_program(path, Optimised(program, 0, 1, 3), made_with={})
    assert load_program(path, ENGINE, model_of()).limits == limits


def ones(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.ones((len(texts), 2), np.float32)


class Encoding(ScriptedSearch):
    encode: Any = staticmethod(ones)


@pytest.mark.parametrize("by_words", [True, False])
def test_a_program_comes_back_with_how_it_scores(tmp_path: Path, by_words: bool):
    path, engine = tmp_path / "p.json", Encoding({"": ["Isk"]})
    scorer = EvidenceScorer(
        None if by_words else engine.encode, timeout_seconds=9.5, on_timeout="fail"
    )
    program = HypothesisDriven(engine, model_of(), scorer=scorer)
    save_program(path, Optimised(program, 0, 1, 3), made_with={})
    loaded = load_program(path, engine, model_of())
    assert isinstance(loaded, HypothesisDriven)
    assert loaded.scorer.encodes is not by_words
    assert (loaded.scorer.timeout_seconds, loaded.scorer.on_timeout) == (9.5, "fail")


def test_an_index_without_an_encoder_leaves_no_mark_on_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, with_encoder = tmp_path / "p.json", Encoding({"": ["Isk"]})
    for engine, value in ((ENGINE, "1"), (with_encoder, "0")):
        monkeypatch.setenv("HIPPOHOVER_SEMANTIC_SCORING", value)
        program = HypothesisDriven(engine, model_of())
        save_program(path, Optimised(program, 0, 1, 3), made_with={})
        monkeypatch.delenv("HIPPOHOVER_SEMANTIC_SCORING")
        loaded = load_program(path, with_encoder, model_of())
        assert isinstance(loaded, HypothesisDriven)
        assert loaded.scorer.encodes


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ({}, ("bm25", 12, 30, None)),
        ({"retriever": "dense", "coverage": 1}, ("dense", 12, 30, 1)),
        (
            {"retriever": "dense", "shown": {"passages": 4, "words": 8}, "coverage": None},
            ("dense", 4, 8, None),
        ),
    ],
)
def test_a_file_of_an_earlier_version_is_loaded(
    tmp_path: Path, kept: dict[str, object], expected: tuple[object, ...]
):
    path = tmp_path / "p.json"
    program = HypothesisDriven(ENGINE, model_of(), k=3)
    save_program(path, Optimised(program, 0, 1, 3), made_with={})
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["settings"], content["scoring"]
    path.write_text(json.dumps(content | kept), encoding="utf-8")
    loaded = load_program(path, ENGINE, model_of())
    assert isinstance(loaded, HypothesisDriven)
    assert (loaded.retriever, loaded.n_shown, loaded.n_words, loaded.coverage) == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hops": 3}, "ValueError: hops is no setting of gap-analysis"),
        ({"score_documents": "no"}, "score_documents: Input should be a valid boolean"),
        ({"n_shown": "3"}, "n_shown: Input should be a valid integer"),
        ({"k": 22}, "k is 22: give 1 to 21"),
        ([], "make it again"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, settings: object, message: str):
    path = tmp_path / "p.json"
    program = PROGRAMS["gap-analysis"](ENGINE, model_of())
    save_program(path, Optimised(program, 0, 1, 3), made_with={})
    content = json.loads(path.read_text(encoding="utf-8")) | {"settings": settings}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_program(path, ENGINE, model_of())


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_filter_comes_back_with_its_prompt(tmp_path: Path, prompt: FilterPrompt):
    path = tmp_path / "filter.json"
    saved = FactFilter(prompt)
    save_filter(path, Optimised(saved, 0, 0, 1), made_with={})
    loaded = load_filter(path)
    assert loaded.prompt == prompt
    before, after = (cast("Any", one.choose.signature) for one in (saved, loaded))
    assert after.instructions == before.instructions
    assert [field.annotation for field in after.fields.values()] == [
        field.annotation for field in before.fields.values()
    ]
    content = json.loads(path.read_text(encoding="utf-8")) | {"prompt": "his"}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UsageError, match="make it again"):
        load_filter(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not a file of hippohover optimize-program"),
        ('{"format": "hippohover-filter-1"}', "format 'hippohover-filter-1', not 'hippohover-pro"),
        ('{"format": "hippohover-program-1", "name": "hope"}', "KeyError: 'hope'"),
        ('{"format": "hippohover-program-1", "name": "hop-chain", "program": 3}', "make it again"),
        ('{"format": "hippohover-program-1", "name": "hop-chain", "program": {}}', "make it again"),
    ],
)
def test_a_file_that_is_no_program(tmp_path: Path, content: str | None, message: str):
    path = tmp_path / "p.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_program(path, ENGINE, model_of())


def test_a_program_cannot_bring_a_language_model_along(tmp_path: Path):
    path = tmp_path / "p.json"
    program = PROGRAMS["ppr+hops"](ENGINE, model_of())
    save_program(path, Optimised(program, 0, 0, 1), made_with={})
    content = json.loads(path.read_text(encoding="utf-8"))
    content["program"]["find_missing"]["lm"] = {"model": "openai/x", "api_base": "http://evil"}
    path.write_text(json.dumps(content), encoding="utf-8")
    loaded = load_program(path, ENGINE, model_of())
    assert [predictor.lm for predictor in loaded.predictors()] == [None]


def test_what_cannot_be_is_named():
    with pytest.raises(UsageError, match="'hope' is unknown: name one of iterative-bm25, hop-ch"):
        named_program("hope", ENGINE)
    with pytest.raises(UsageError, match="hop-chain asks a language model: name one"):
        named_program("hop-chain", ENGINE)
    assert named_program("iterative-bm25", ENGINE).retriever == "bm25"
    assert named_program("iterative-bm25", ENGINE, retriever="ppr").retriever == "ppr"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"demos": [{"foo": 1}, None, 3]}, "choose.demos is not a list of examples of question"),
        ({"demos": "abc"}, "choose.demos is not a list"),
        ({"demos": [{"foo": 1}]}, "choose.demos is not a list"),
        ({"signature": {"instructions": 5, "fields": []}}, "instructions is not a text"),
        ({"signature": {"instructions": "x", "fields": []}}, "fields are not 3"),
        ({"signature": {"instructions": "x", "fields": [{}, {}, {}]}}, "KeyError: 'prefix'"),
        ({"signature": None}, "TypeError"),
    ],
)
def test_a_state_that_would_break_when_it_asks_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
):
    path = tmp_path / "filter.json"
    save_filter(path, Optimised(FactFilter(), 0, 0, 1), made_with={})
    assert other_versions(path) == ""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["program"]["choose"] |= change
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(message)):
        load_filter(path)


def test_other_versions_are_told(tmp_path: Path):
    path = tmp_path / "filter.json"
    save_filter(path, Optimised(FactFilter(), 0, 0, 1), made_with={})
    content = json.loads(path.read_text(encoding="utf-8"))
    content["made_with"]["dspy"] = "1.0"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert other_versions(path) == "dspy 1.0"
    del content["made_with"]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert other_versions(path) == "unknown versions"
