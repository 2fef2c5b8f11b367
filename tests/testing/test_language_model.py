import dspy

from hippohover.programs.saved import named_program
from hippohover.testing.language_model import fake_language_model
from tests.programs.program_samples import ScriptedSearch


def asked(*answers: dict[str, object], n: int = 1) -> list[str]:
    model = fake_language_model(*answers)
    predict = dspy.Predict("question -> answer")
    with model.asking("test"), dspy.context(lm=model.lm):
        return [predict(question=f"{number}?").answer for number in range(n)]


def test_answers_come_in_turn():
    assert asked({"answer": "one"}, {"answer": "two"}, n=2) == ["one", "two"]


def test_past_its_answers_it_says_that_there_are_no_more():
    first, second = asked({"answer": "one"}, n=2)
    assert first == "one"
    assert second == "No more responses"


def test_it_costs_nothing_and_counts_its_calls():
    model = fake_language_model({"answer": "one"})
    with model.asking("test"), dspy.context(lm=model.lm):
        dspy.Predict("question -> answer")(question="?")
    assert model.ledger.total().n_calls == 1


def test_a_program_takes_it():
    named_program("hop-chain", ScriptedSearch({}), fake_language_model(), retriever=None)
