"""Filters and programs in files: what is refused, what a file cannot bring along."""

import json
import re
from pathlib import Path

import pytest

from hippohover.errors import UsageError
from hippohover.programs.by_name import PROGRAMS
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
from hippohover.retrieval.facts.filter import FactFilter
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
