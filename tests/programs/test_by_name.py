"""Programs by their names, beside the retrievers of an engine."""

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim
from hippohover.language_model.client import LanguageModel
from hippohover.programs.by_name import PROGRAMS, WithPrograms
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
