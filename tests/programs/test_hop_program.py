"""A run of a program: its searches within the budget, replies that cannot be used."""

import asyncio
import json
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import BudgetError, UsageError
from hippohover.evaluation.hover import discrete_retrieval_eval
from hippohover.language_model.opening import open_language_model
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.hop_program import (
    HopProgram,
    Limits,
    Run,
    clean,
    distinct,
    told,
)
from hippohover.programs.pipeline import ProgramPipeline
from hippohover.recipe import LanguageModelSettings
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.walk.claim import MAX_CLAIM_CHARS
from tests.programs.program_samples import ScriptedSearch, model_of, passages_of
from tests.stub_server import serving

ENGINE = {"": [f"T{i}" for i in range(40)]}


class Greedy(HopProgram):
    """Searches as often as it is told."""

    name = "greedy"
    declared = Limits(searches=2)
    n_searches = 2

    def gather(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        for number in range(self.n_searches):
            run.search(f"{claim} {number}", 40)
        return distinct([passage for found in run.found for passage in found])


class Asking(HopProgram):
    name = "asking"
    declared = Limits(searches=1, calls=3)

    def gather(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        answer = self.ask(run, dspy.Predict("claim -> words: list[str]"), claim=claim)
        return run.search(" ".join(clean(getattr(answer, "words", None), 3)) or claim, 5)


def test_how_much_a_model_is_shown_is_a_setting():
    program = Greedy(ScriptedSearch(ENGINE), n_shown=2, n_words=3)
    assert program.shown(passages_of("A", "B", "C")) == "[1] A | A is a\n[2] B | B is a"
    assert program.shown(()) == ""
    wrong: list[dict[str, Any]] = [{"n_shown": 0}, {"n_words": 1001}]
    for options in wrong:
        with pytest.raises(UsageError, match=rf"{next(iter(options))} is .*: give 1 to 10"):
            Greedy(ScriptedSearch(ENGINE), **options)


def test_an_answer_has_21_passages_in_the_form_of_hovers_metric():
    engine = ScriptedSearch(ENGINE)
    prediction = Greedy(engine)(claim="c")
    assert prediction.retrieved_docs[0] == "T0 | T0 is a thing."
    assert len(prediction.retrieved_docs) == len(prediction.passages) == 21
    assert prediction.run.queries == ["c 0", "c 1"]
    gold = dspy.Example(supporting_facts=[["T0", 0], ["T20", 0]])
    assert discrete_retrieval_eval(gold, prediction)
    assert not discrete_retrieval_eval(dspy.Example(supporting_facts=[["T21", 0]]), prediction)


def test_a_search_more_than_declared_is_an_error():
    program = Greedy(ScriptedSearch(ENGINE))
    program.n_searches = 3
    with pytest.raises(BudgetError, match="starts search 3, but declared only 2"):
        program(claim="c")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(1, calls=1), "used 2 calls for a claim, but declared only 1"),
        (Limits(1, calls=2, tokens=199), "used 200 tokens for a claim, but declared only 199"),
    ],
)
def test_a_call_or_a_token_more_than_declared_is_an_error(limits: Limits, message: str):
    with (
        serving(["nothing of use"]) as stub,
        open_language_model(
            LanguageModelSettings(name="openai/any", api_base=stub.api_base)
        ) as model,
    ):
        program = Asking(ScriptedSearch(ENGINE), model)
        program.limits = limits
        with pytest.raises(BudgetError, match=message):
            program(claim="c")
        program.limits = Limits(1, calls=2, tokens=200)
        assert program(claim="c").run.as_dict() == {
            "queries": ["c"], "n_searches": 1, "calls": 2, "input_tokens": 140,
            "output_tokens": 60, "cost_usd": None, "fallbacks": 1, "sources": None,
        }  # fmt: skip


def test_settings_out_of_their_range_are_refused():
    for k in (0, 22):
        with pytest.raises(UsageError, match=f"k is {k}: give 1 to 21"):
            Greedy(ScriptedSearch(ENGINE), k=k)
    text: Any = "3"
    with pytest.raises(UsageError, match="k is '3', of type str: give an int, 1 to 21"):
        Greedy(ScriptedSearch(ENGINE), k=text)
    assert len(Greedy(ScriptedSearch(ENGINE), k=5)(claim="c").passages) == 5


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_no_claim_is_refused_before_anything_is_asked(name: str):
    model = model_of()
    engine = ScriptedSearch({"": ["A"]})
    program = PROGRAMS[name](engine, model)
    refused = [(None, "NoneType: give a str"), (5, "int: give a str"), (" ", "the claim is empty")]
    for claim, said in refused:
        with pytest.raises(UsageError, match=said):
            program(claim=claim)
    assert (engine.calls, model.ledger.total().n_requests) == ([], 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_option_that_a_program_does_not_have_is_named_with_those_it_has(name: str):
    with pytest.raises(UsageError, match=rf"{re.escape(name)} has no option 'search_with': give"):
        PROGRAMS[name](ScriptedSearch({}), search_with="bm25")
    with pytest.raises(UsageError, match=r"give .*k, .*retriever"):
        PROGRAMS[name](ScriptedSearch({}), depth=3)


def test_a_reply_that_cannot_be_used_is_a_fallback_and_is_counted():
    engine = ScriptedSearch(ENGINE)
    model = model_of({"words": '["Isk", "Salt Road"]'})
    good = Asking(engine, model)(claim="c")
    assert good.run.queries == ["Isk Salt Road"]
    assert (good.run.fallbacks, good.run.usage.n_calls) == (0, 1)
    bad = Asking(engine, model_of({"nothing": "of use"}))(claim="c")
    assert bad.run.queries == ["c"]
    assert bad.run.fallbacks == 1
    assert bad.run.usage.n_calls == 2  # DSPy asks once more, for JSON
    assert model.ledger.by_stage()["asking"].n_calls == 1


def test_a_claim_is_searched_whole_and_cleaned_and_nothing_is_found_for_none():
    engine = ScriptedSearch(ENGINE)
    run = Run(engine, "bm25", Limits(3))
    assert run.search(" \ud800 ", 5) == ()
    run.search("a" * 5000 + "\ud800", 5)
    run.search("b" * MAX_CLAIM_CHARS + " more", 5)  # such as a name before the longest claim
    assert [len(query) for query in run.queries] == [0, 5000, MAX_CLAIM_CHARS]
    assert engine.calls[0] == ("a" * 5000, 5, "bm25")
    assert run.n_left == 0


def test_a_query_that_is_repeated_takes_no_search():
    engine = ScriptedSearch(ENGINE)
    run = Run(engine, "bm25", Limits(2))
    first = run.search("a  query", 5)
    assert run.search(" a query ", 5) is first
    assert len(run.search("a query", 7)) == 7  # deeper is another search
    assert (run.queries, run.n_left) == (["a query"] * 2, 0)
    assert run.search("a query", 5) is first


def test_what_a_reply_tells_is_one_line_of_a_thousand_characters():
    assert told("two\n lines \ud800") == "two lines"
    assert told("a" * 5000) == "a" * 1000
    assert clean(["a" * 5000], 1) == ["a" * 1000]
    assert told(None) == told(["a"]) == ""


def test_passages_are_shown_short():
    shown = Greedy(ScriptedSearch(ENGINE)).shown
    lines = shown(passages_of(*(f"T{i}" for i in range(20)))).splitlines()
    assert len(lines) == 12
    assert lines[0] == "[1] T0 | T0 is a thing."
    long = RankedPassage(1, passages_of("A")[0].pid, "A", "word " * 100, 1.0)
    assert shown([long]).count("word") == 30
    under = RankedPassage(1, long.pid, "A", "It is.", 1.0, "Keys > Old")
    assert shown([under]) == "[1] A | Keys > Old: It is."


@given(st.lists(st.sampled_from("abcde"), max_size=12))
def test_distinct_keeps_the_first_of_each(titles: list[str]):
    found = distinct(passages_of(*titles))
    assert [passage.title for passage in found] == list(dict.fromkeys(titles))
    assert [passage.rank for passage in found] == [titles.index(p.title) + 1 for p in found]


@given(st.none() | st.lists(st.none() | st.integers() | st.text(max_size=5)), st.integers(0, 5))
def test_clean_makes_of_any_reply_a_few_texts(reply: object, most: int):
    found = clean(reply, most)
    assert len(found) <= most
    assert len(set(found)) == len(found)
    assert all(text.strip() == text and text for text in found)


def test_the_engine_knows_the_names_of_passages(toy_engine: HippoHover):
    found = toy_engine.names_in("Mira Oldane never saw Vessby, or Qqqqq.")
    assert found
    assert all(n >= 1 for n in found.values())
    assert toy_engine.n_passages == len(toy_engine.titles())


# --- whom a program asks ---------------------------------------------------------------------


def words(*titles: str) -> dict[str, str]:
    return {"words": json.dumps(titles)}


def queries_of(program: HopProgram) -> list[str]:
    return program(claim="c").run.queries


def test_any_model_of_dspy_is_asked_and_counted():
    program = Asking(ScriptedSearch(ENGINE), DummyLM([words("T1")]))
    assert program.model is not None
    run = program(claim="c").run
    assert (run.queries, run.usage.n_calls) == (["T1"], 1)
    assert program.model.ledger.by_stage()["asking"].n_calls == 1


def test_without_one_the_model_that_dspy_has_is_asked():
    program = Asking(ScriptedSearch(ENGINE))
    with dspy.context(lm=DummyLM([words("T2")])):
        run = program(claim="c").run
    assert (run.queries, run.usage.n_calls) == (["T2"], 1)
    with dspy.context(lm=model_of(words("T4")).lm):  # of ours: it is counted once
        assert program(claim="c").run.usage.n_calls == 1
    with pytest.raises(UsageError, match=r"asking asks a language model: name one with --lm"):
        program(claim="c")


class Remembering(Asking):
    """As ``Asking``, with a predictor that ``set_lm`` reaches."""

    def __init__(self, *given: Any) -> None:  # noqa: ANN401
        super().__init__(*given)
        self.predict = dspy.ChainOfThought("claim -> words: list[str]")

    def gather(self, claim: str, run: Run) -> Sequence[RankedPassage]:
        answer = self.ask(run, self.predict, claim=claim)
        return run.search(" ".join(clean(getattr(answer, "words", None), 3)) or claim, 5)


def test_a_predictors_own_model_goes_first_then_the_programs_then_dspys():
    own, given, configured = (DummyLM([{"reasoning": "", **words(t)}]) for t in ("T1", "T2", "T3"))
    with dspy.context(lm=configured):
        program = Remembering(ScriptedSearch(ENGINE), given)
        assert queries_of(program) == ["T2"]
        program.set_lm(own)
        assert queries_of(program) == ["T1"]
        assert queries_of(Remembering(ScriptedSearch(ENGINE))) == ["T3"]


def test_what_is_no_model_is_refused():
    name: Any = "openai/gpt-4.1-mini"
    with pytest.raises(UsageError, match=r"model 'openai/gpt-4\.1-mini': give a dspy\.LM"):
        Asking(ScriptedSearch(ENGINE), name)


# --- awaited, and in other processes ---------------------------------------------------------


class Pipeline(ProgramPipeline):
    program_type = Asking


def test_programs_can_be_awaited(caplog: pytest.LogCaptureFixture):
    model = model_of({"words": '["T3"]'}, {"words": '["T3"]'})
    engine = ScriptedSearch(ENGINE)
    for program in (Asking(engine, model), Pipeline(engine, model)):
        prediction = asyncio.run(program.acall(claim="c"))
        assert prediction.run.queries == ["T3"]
        assert prediction.run.usage.n_calls == 1
    assert caplog.messages == []  # DSPy warns of a forward that is called directly


def test_a_program_without_a_model_is_pickled_with_its_engine(toy_engine: HippoHover):
    program = Greedy(toy_engine, retriever="ppr", k=4)
    program.n_searches = 1
    there: Greedy = pickle.loads(pickle.dumps(program))  # noqa: S301 - what a pool does
    claim = "The director of Lantern Hill was born in Vellmouth."
    assert there(claim=claim).retrieved_docs == program(claim=claim).retrieved_docs
    assert len(there(claim=claim).passages) == 4


def test_a_program_with_a_model_says_why_it_is_not_pickled(tmp_path: Path):
    program = Asking(ScriptedSearch(ENGINE), model_of())
    with pytest.raises(UsageError, match="language model fake cannot be pickled"):
        pickle.dumps(program)
    with pytest.raises(RuntimeError, match="language model fake cannot be pickled"):
        program.save(str(tmp_path / "whole"), save_program=True)
