"""Programs by their names, beside the retrievers of an engine; what every program must do."""

import json
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim
from hippohover.language_model.client import LanguageModel
from hippohover.programs import gap_analysis, hop_chain, hypothesis
from hippohover.programs.by_name import PROGRAMS, WithPrograms
from hippohover.programs.pipeline import ProgramPipeline
from hippohover.programs.saved import named_program
from tests.programs.program_samples import ScriptedSearch, model_of

SCRIPT = {"": ["A", "B", "C"]}
CLAIMS = [
    GoldClaim(
        uid="u", claim="a claim of A", gold_titles=("A", "B"), supporting_facts=(("A", 0), ("B", 0))
    )
]


def with_program(
    engine: ScriptedSearch,
    name: str,
    model: LanguageModel | None = None,
    retriever: str | None = None,
) -> WithPrograms:
    return WithPrograms(engine, {name: named_program(name, engine, model, retriever=retriever)})


def test_programs_go_by_their_own_names():
    assert list(PROGRAMS) == [program.name for program in PROGRAMS.values()]
    assert all(program.declared.searches >= 1 for program in PROGRAMS.values())


def test_a_retriever_and_a_program_answer_side_by_side():
    engine = with_program(ScriptedSearch(SCRIPT, {"B": 2}), "iterative-bm25")
    plain, hops = (engine.retrieve("a claim", 2, name) for name in ("bm25", "iterative-bm25"))
    assert [p.title for p in plain.passages] == [p.title for p in hops.passages] == ["A", "B"]
    assert hops.retriever == "iterative-bm25"
    assert (hops.trace.n_candidates, hops.trace.lm_calls, hops.trace.fallbacks) == (3, 0, 0)
    assert hops.trace.seconds > 0
    assert engine.search("a claim", 50, "iterative-bm25").passages == hops.passages + tuple(
        engine.retrieve("a claim", 21, "iterative-bm25").passages[2:]
    )
    assert engine.titles() == ["A", "B", "C"]


def test_what_a_program_asks_and_does_without_is_in_the_trace():
    answers = {"hop_chain": '["a"]', "concrete_entities": "prose"}
    engine = with_program(ScriptedSearch(SCRIPT), "hop-chain", model=model_of(answers))
    trace = engine.retrieve("a claim", 21, "hop-chain").trace
    assert trace.lm_calls >= 3
    assert trace.fallbacks == 3


def test_an_evaluation_takes_programs_for_retrievers():
    engine = with_program(ScriptedSearch(SCRIPT), "iterative-bm25", retriever="ppr")
    settings = EvaluationSettings(("bm25", "iterative-bm25"), depth=None, n_warmups=0)
    report = evaluate(engine, CLAIMS, settings)
    assert list(report.retrievers) == ["bm25", "iterative-bm25"]
    found = report.retrievers["iterative-bm25"].metrics["all_gold_found@21"]
    assert found["all"].value == 1.0


LISTS: Final = st.sampled_from(
    [
        "[]",
        "prose",
        '["x"]',
        '["a", 3]',
        '["\\ud800"]',
        "[" * 50,
        str(["e"] * 99),
        str(list("abcd")),
    ]
)
TEXTS: Final = st.text(max_size=20) | st.just("q" * 20_000)
HYPOTHESIS_QUERIES: Final = st.sampled_from([
    "[]", "prose",
    json.dumps([{"hypothesis": 99, "intent": "confirm", "query": "x"}]),
    json.dumps([{"hypothesis": 1, "intent": "hope", "query": "x"}]),
    json.dumps([{"hypothesis": 1, "intent": "falsify", "query": f"q{i}"} for i in range(40)]),
])  # fmt: skip
FIELDS: Final = {
    **dict.fromkeys(("hop_chain", "concrete_entities", "sub_questions", "hypotheses"), LISTS),
    **dict.fromkeys(("missing_information", "entities", "relationships"), LISTS),
    **dict.fromkeys(("bridging_entities", "queries"), LISTS),
    **dict.fromkeys(("missing_hop", "query"), TEXTS),
    "is_complete": st.sampled_from(["True", "False", "maybe"]),
    "scores": st.sampled_from(["[]", "[1]", str([5] * 40), "prose"]),
}
BUDGETS: Final[dict[str, tuple[int, int, int, dict[str, Any]]]] = {
    "iterative-bm25": (3, 0, 21, {}),
    "hop-chain": (3, 2 * 7, 21, {"score_documents": st.booleans()}),
    "gap-analysis": (13, 2 * 7, 18, {}),
    "hypothesis": (11, 2 * 3, 21, {}),
    "ppr+hops": (3, 2, 21, {"certain_score": st.floats(-3, 3)}),
}
"""The most searches and calls, the fewest passages of a large index, and settings to draw."""


@pytest.mark.parametrize("name", PROGRAMS)
@settings(deadline=None, max_examples=min(25, settings().max_examples))
@given(data=st.data())
def test_whatever_a_model_says_the_budget_holds(name: str, data: st.DataObject):
    n_searches, n_calls, n_passages, options = BUDGETS[name]
    more = {"queries": HYPOTHESIS_QUERIES} if name == "hypothesis" else {}
    reply = st.fixed_dictionaries({}, optional=FIELDS | more)
    model = model_of(*data.draw(st.lists(reply, min_size=1, max_size=9)))
    engine = ScriptedSearch({"": [f"T{i}" for i in range(40)]})
    drawn = {option: data.draw(values) for option, values in options.items()}
    prediction = PROGRAMS[name](engine, model, **drawn)(claim="A claim of Vessby.")
    assert PROGRAMS[name].declared.searches == n_searches
    assert 1 <= len(engine.calls) <= len(prediction.run.queries) <= n_searches
    assert len({passage.pid for passage in prediction.passages}) == len(prediction.passages)
    assert n_passages <= len(prediction.passages) <= 21
    assert model.ledger.total().n_calls <= n_calls


@pytest.mark.parametrize("kind", [hop_chain, gap_analysis, hypothesis])
@pytest.mark.parametrize(("encode", "retriever"), [(True, "hybrid"), (False, "bm25")])
def test_a_pipeline_sets_the_retriever(
    monkeypatch: pytest.MonkeyPatch,
    kind: Any,  # noqa: ANN401
    encode: bool,
    retriever: str,
):
    def ones(texts: list[str]) -> Any:  # noqa: ANN401
        return np.ones((len(texts), 2), np.float32)

    monkeypatch.setattr(ScriptedSearch, "encode", staticmethod(ones) if encode else None)
    engine = ScriptedSearch(SCRIPT)
    pipeline: ProgramPipeline = kind.HoverMultiHopPipeline(engine, model_of({"prose": "well"}))
    found = pipeline(claim="a claim")
    assert found.retrieved_docs[0] == "A | A is a thing."
    assert {call[2] for call in engine.calls} == {retriever}
    numbers = range(1, len(found.passages) + 1)
    assert [(one.rank, one.score) for one in found.passages] == [(n, 1 / n) for n in numbers]


@pytest.mark.parametrize("name", ["hop-chain", "gap-analysis"])
@pytest.mark.parametrize("scores", ["[1]", "[1, 2, 3, 4]", "none"])
def test_scores_that_do_not_fit_are_a_fallback(name: str, scores: str):
    reply = {"is_complete": "True", "query": "", "missing_hop": "", "reasoning": "So."}
    reply |= dict.fromkeys(FIELDS, "[]") | reply | {"scores": scores}
    runs = [
        PROGRAMS[name](ScriptedSearch(SCRIPT), model_of(*[reply] * 12), score_documents=scored)(
            claim="a claim"
        )
        for scored in (False, True)
    ]
    assert [found.run.fallbacks for found in runs] == [0, 1]
    assert runs[0].retrieved_docs == runs[1].retrieved_docs
