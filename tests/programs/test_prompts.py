"""What the programs ask, as snapshots: a change shows in review, and figures depend on it."""

import json
from pathlib import Path
from typing import Any

import pytest
from dspy.utils import DummyLM

from hippohover.language_model.client import LanguageModel
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.gap_analysis import DecompositionWithGapAnalysis
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.hop_program import HopProgram
from hippohover.programs.hypothesis import HypothesisDriven
from tests.programs.program_samples import ScriptedSearch

SNAPSHOTS = Path(__file__).parent / "prompts"
CLAIM = "The director of Lantern Hill was born in Vessby."
SCRIPT = {"Mira": ["Mira Oldane", "霧"], "": ["Lantern Hill", "Vessby"]}
QUERIES = [{"hypothesis": 1, "intent": "confirm", "query": "Mira Oldane"}]
ANSWER = {
    "hop_chain": '["who directed Lantern Hill", "where she was born"]',
    "concrete_entities": '["Lantern Hill"]',
    "is_complete": "False",
    "missing_hop": "where she was born",
    "query": "Mira Oldane",
    "sub_questions": '["Who directed Lantern Hill?"]',
    "missing_information": '["her birthplace"]',
    "entities": '["Mira Oldane"]',
    "relationships": '["Mira Oldane - directed - Lantern Hill"]',
    "bridging_entities": '["Mira Oldane"]',
    "scores": "[4, 3, 2, 1]",
    "reasoning": "So it is.",
}
ASKED: dict[str, tuple[type[HopProgram], dict[str, Any]]] = {
    "hop-chain": (HoverMultiHop, {"score_documents": True}),
    "gap-analysis": (DecompositionWithGapAnalysis, {"score_documents": True}),
    "hypothesis": (HypothesisDriven, {}),
    "hypothesis-gaps": (HypothesisDriven, {"coverage": 0.0}),
    "ppr+hops": (PROGRAMS["ppr+hops"], {}),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_prompts_are_the_snapshot(name: str):
    lists = {"hypotheses": '["Mira Oldane directed it"]', "queries": '["Mira Oldane"]'}
    answer = ANSWER | lists
    if name == "hypothesis":
        answer["queries"] = json.dumps(QUERIES)
    lm = DummyLM([answer] * 30)
    kind, options = ASKED[name]
    program: HopProgram = kind(
        ScriptedSearch(SCRIPT), LanguageModel(lm, name="dummy", n_retries=0), **options
    )
    run = program(claim=CLAIM).run
    assert run.fallbacks == 0
    assert run.n_answers == len(lm.history) >= 1
    prompts = [
        "\n\n".join(f"--- {one['role']}\n{one['content']}" for one in asked["messages"])
        for asked in lm.history
    ]
    text = "\n\n=====\n\n".join(prompts) + "\n"
    assert text == (SNAPSHOTS / f"{name}.txt").read_text(encoding="utf-8")


def test_choices_are_asked_for_as_in_the_snapshot():
    lm = DummyLM([{"hypotheses": '["a", "b"]'}, {"queries": json.dumps(QUERIES)}])
    program = HypothesisDriven(ScriptedSearch(SCRIPT), LanguageModel(lm, name="dummy", n_retries=0))
    program.answer_choices("Where was she born?", ["Vessby", "Isk"], [0.5, 0.5])
    asked: list[dict[str, str]] = lm.history[0]["messages"]
    text = "\n\n".join(f"--- {one['role']}\n{one['content']}" for one in asked) + "\n"
    assert text == (SNAPSHOTS / "choices.txt").read_text(encoding="utf-8")
