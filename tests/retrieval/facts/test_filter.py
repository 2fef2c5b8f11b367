"""The fact filter: its prompt, as a snapshot, and what it makes of an answer."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.records import Triple
from hippohover.retrieval.facts.filter import (
    EXAMPLES,
    Fact,
    FactFilter,
    FilterPrompt,
    facts_in_json,
)

FACTS = [Triple("Lantern Hill", "was directed by", "Mira Oldane"), Triple("霧", "is", "fog")]
SNAPSHOTS: dict[FilterPrompt, str] = {
    "own": "fact_filter_prompt.txt",
    "hipporag2": "hipporag2_prompt.txt",
}


def answer_with(facts: Sequence[Sequence[str]]) -> dict[str, Any]:
    return {"fact_after_filter": json.dumps({"fact": facts})}


def prompt_of(lm: DummyLM) -> str:
    messages: list[dict[str, str]] = lm.history[-1]["messages"]
    return "\n\n".join(f"--- {one['role']}\n{one['content']}" for one in messages) + "\n"


def test_the_answer_is_given_as_the_model_wrote_it():
    lm = DummyLM([answer_with([["Lantern Hill", "was directed by", "Mira Oldane"], ["x", "y"]])])
    with dspy.context(lm=lm):
        found = FactFilter()(question="Who directed it?", facts=FACTS)
    assert found.facts == [["Lantern Hill", "was directed by", "Mira Oldane"], ["x", "y"]]
    assert lm.history[-1]["kwargs"]["max_tokens"] == 512


@pytest.mark.parametrize("prompt", SNAPSHOTS)
def test_the_prompt_is_the_snapshot(prompt: FilterPrompt):
    """A change of the prompt shows in review; every figure of the filter depends on it."""
    lm = DummyLM([answer_with([])])
    with dspy.context(lm=lm):
        FactFilter(prompt)(question="Who directed Lantern Hill?", facts=FACTS)
    snapshot = Path(__file__).parent / SNAPSHOTS[prompt]
    assert prompt_of(lm) == snapshot.read_text(encoding="utf-8")


def test_examples_are_of_five_facts_of_which_some_stay():
    for question, facts, kept in EXAMPLES:
        assert question.endswith("?")
        assert len(facts) == 5
        assert 1 <= len(kept) <= 4


def test_candidates_are_written_as_they_are():
    text = facts_in_json([("霧", 'said "no"', "x\ny")])
    assert json.loads(text) == {"fact": [["霧", 'said "no"', "x\ny"]]}
    assert "霧" in text


def test_a_saved_filter_asks_the_same(tmp_path: Path):
    one = FactFilter()
    one.save(tmp_path / "filter.json")
    other = FactFilter()
    other.choose.demos = []
    other.load(tmp_path / "filter.json")
    prompts: list[str] = []
    for program in (one, other):
        lm = DummyLM([answer_with([])])
        with dspy.context(lm=lm):
            program(question="Who?", facts=FACTS)
        prompts.append(prompt_of(lm))
    assert prompts[0] == prompts[1]


@pytest.mark.parametrize("value", [{"fact": [["a", "b", "c"]]}, {"fact": []}])
def test_facts_are_lists_of_texts(value: dict[str, list[list[str]]]):
    assert Fact.model_validate(value).model_dump() == value
