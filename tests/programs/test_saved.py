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


def saved(folder: Path, made: HopProgram | FactFilter, **made_with: str) -> Path:
    """The file of a program or a filter."""
    path = folder / "saved.json"
    if isinstance(made, FactFilter):
        save_filter(path, Optimised(made, 0, 0, 1), made_with=made_with)
    else:
        save_program(path, Optimised(made, 0, 1, 3), made_with=made_with)
    return path


def content_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def rewritten(path: Path, **changes: object) -> Path:
    """The file with other values under some of its keys."""
    path.write_text(json.dumps(content_of(path) | changes), encoding="utf-8")
    return path


def loaded(path: Path) -> FactFilter | HopProgram:
    is_filter = content_of(path)["format"] == "hippohover-filter-1"
    return load_filter(path) if is_filter else load_program(path, ENGINE, model_of())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not a file of hippohover optimize-KIND"),
        ('{"format": "other"}', "format 'other', not 'hippohover-KIND-1'"),
        ("[]", "make it again"),
        ('{"format": "hippohover-filter-1"}', "KeyError|format 'hippohover-filter-1', not"),
        ('{"format": "hippohover-filter-1", "program": {"choose": 3}}', "make it again"),
        (
            '{"format": "hippohover-program-1", "name": "hope"}',
            "KeyError: 'hope'|not 'hippohover",
        ),
        ('{"format": "hippohover-program-1", "name": "hop-chain", "program": 3}', "make it again"),
        ('{"format": "hippohover-program-1", "name": "hop-chain", "program": {}}', "make it again"),
    ],
)
@pytest.mark.parametrize("kind", ["filter", "program"])
def test_a_file_that_is_none(tmp_path: Path, kind: str, content: str | None, message: str):
    path = tmp_path / "saved.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message.replace("KIND", kind)):
        load_filter(path) if kind == "filter" else load_program(path, ENGINE)


@pytest.mark.parametrize("name", ["filter", "ppr+hops"])
def test_a_file_cannot_bring_a_language_model_along(tmp_path: Path, name: str):
    made = FactFilter() if name == "filter" else PROGRAMS[name](ENGINE, model_of())
    path = saved(tmp_path, made)
    program = content_of(path)["program"]
    for part in program.values():
        assert part["lm"] is None
        part["lm"] = {"model": "openai/x", "api_base": "http://evil"}
    assert [one.lm for one in loaded(rewritten(path, program=program)).predictors()] == [None]


def test_a_filter_is_not_written_where_it_cannot_be(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written"):
        save_filter(tmp_path / "no" / "f.json", Optimised(FactFilter(), 0, 0, 1), made_with={})


@pytest.mark.parametrize("coverage", [None, 0.5])
def test_a_program_comes_back_with_its_coverage(tmp_path: Path, coverage: float | None):
    program = HypothesisDriven(ENGINE, model_of(), coverage=coverage, n_shown=5, n_words=80)
    path = saved(tmp_path, program, optimizer="bootstrap")
    again = named_program(str(path), ENGINE, model_of(), retriever="dense")
    assert isinstance(again, HypothesisDriven)
    assert (again.coverage, again.retriever) == (coverage, "dense")
    assert (again.n_shown, again.n_words) == (5, 80)
    program.retriever = "hybrid"
    path = saved(tmp_path, program, optimizer="bootstrap")
    assert named_program(str(path), ENGINE, model_of()).retriever == "hybrid"
    made_with = content_of(path)["made_with"]
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
    kind = PROGRAMS[name]
    defaults = arguments(kind)
    settings = {one: OTHERS[one] for one in defaults if one not in GIVEN}
    assert not [one for one, value in settings.items() if value == defaults[one]]
    for given in (settings, {}):
        again = loaded(saved(tmp_path, made(kind, **given)))
        assert {one: getattr(again, one) for one in settings} == {
            one: given.get(one, defaults[one]) for one in settings
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
        saved(tmp_path, Own(ENGINE))


@pytest.mark.parametrize("limits", [Limits(9, 99, 999), HoverMultiHop.declared])
def test_a_program_comes_back_with_its_limits(tmp_path: Path, limits: Limits):
    program = HoverMultiHop(ENGINE, model_of())
    program.limits = limits
    again = loaded(saved(tmp_path, program))
    assert isinstance(again, HopProgram)
    assert again.limits == limits


def ones(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.ones((len(texts), 2), np.float32)


class Encoding(ScriptedSearch):
    encode: Any = staticmethod(ones)


@pytest.mark.parametrize("by_words", [True, False])
def test_a_program_comes_back_with_how_it_scores(tmp_path: Path, by_words: bool):
    engine = Encoding({"": ["Isk"]})
    scorer = EvidenceScorer(
        None if by_words else engine.encode, timeout_seconds=9.5, on_timeout="fail"
    )
    program = HypothesisDriven(engine, model_of(), scorer=scorer)
    again = load_program(saved(tmp_path, program), engine, model_of())
    assert isinstance(again, HypothesisDriven)
    assert again.scorer.encodes is not by_words
    assert (again.scorer.timeout_seconds, again.scorer.on_timeout) == (9.5, "fail")


def test_an_index_without_an_encoder_leaves_no_mark_on_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with_encoder = Encoding({"": ["Isk"]})
    for engine, value in ((ENGINE, "1"), (with_encoder, "0")):
        monkeypatch.setenv("HIPPOHOVER_SEMANTIC_SCORING", value)
        path = saved(tmp_path, HypothesisDriven(engine, model_of()))
        monkeypatch.delenv("HIPPOHOVER_SEMANTIC_SCORING")
        again = load_program(path, with_encoder, model_of())
        assert isinstance(again, HypothesisDriven)
        assert again.scorer.encodes


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
    path = saved(tmp_path, HypothesisDriven(ENGINE, model_of(), k=3))
    content = content_of(path)
    del content["settings"], content["scoring"]
    path.write_text(json.dumps(content | kept), encoding="utf-8")
    again = loaded(path)
    assert isinstance(again, HypothesisDriven)
    assert (again.retriever, again.n_shown, again.n_words, again.coverage) == expected


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
    path = saved(tmp_path, PROGRAMS["gap-analysis"](ENGINE, model_of()))
    with pytest.raises(UsageError, match=message):
        loaded(rewritten(path, settings=settings))


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_filter_comes_back_with_its_prompt(tmp_path: Path, prompt: FilterPrompt):
    made = FactFilter(prompt)
    path = saved(tmp_path, made)
    again = load_filter(path)
    assert again.prompt == prompt
    before, after = (cast("Any", one.choose.signature) for one in (made, again))
    assert after.instructions == before.instructions
    assert [field.annotation for field in after.fields.values()] == [
        field.annotation for field in before.fields.values()
    ]
    with pytest.raises(UsageError, match="make it again"):
        load_filter(rewritten(path, prompt="his"))


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
    path = saved(tmp_path, FactFilter())
    assert other_versions(path) == ""
    choose = content_of(path)["program"]["choose"] | change
    with pytest.raises(UsageError, match=re.escape(message)):
        load_filter(rewritten(path, program={"choose": choose}))


def test_other_versions_are_told(tmp_path: Path):
    path = saved(tmp_path, FactFilter())
    made_with = content_of(path)["made_with"]
    assert other_versions(rewritten(path, made_with={**made_with, "dspy": "1.0"})) == "dspy 1.0"
    assert other_versions(rewritten(path, made_with=None)) == "unknown versions"
