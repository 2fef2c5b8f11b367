"""Any model of DSPy as one that is counted: its settings go along, its connection does not."""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from uuid import uuid4

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.errors import LanguageModelError, UsageError
from hippohover.language_model.any_model import configured, counted
from hippohover.language_model.client import Asking, LanguageModel
from hippohover.language_model.ledger import Budget, Ledger, Usage
from hippohover.testing.language_model import fake_language_model
from tests.stub_server import StubServer, chat, completion, send, serving


def test_ours_and_what_we_gave_to_dspy_are_themselves():
    model = fake_language_model()
    assert counted(model) is model
    assert counted(model.lm) is model


def test_settings_of_a_model_go_along_and_its_connection_does_not():
    model = dspy.LM("openai/any", max_tokens=77, temperature=0.25, api_key="sk-secret-of-ours")
    asked = counted(model).lm
    assert (asked.kwargs["max_tokens"], asked.kwargs["temperature"]) == (77, 0.25)
    assert "api_key" not in asked.kwargs
    assert counted(model).name == "openai/any"


def test_a_model_is_asked_as_it_was_configured():
    with serving(["[[ ## word ## ]]\nharbour\n\n[[ ## completed ## ]]"]) as stub:
        model = dspy.LM(
            "openai/any", api_base=stub.api_base, api_key="k", max_tokens=77, cache=False
        )
        asked = counted(model)
        with asked.asking("stage") as asking:
            assert dspy.Predict("claim -> word")(claim="c").word == "harbour"
    assert asking.usage.n_calls == 1
    assert asked.ledger.by_stage()["stage"].input_tokens > 0
    [request] = stub.requests
    assert 77 in (request.get("max_tokens"), request.get("max_completion_tokens"))


def test_what_a_model_raises_is_named():
    with serving([500]) as stub:
        model = dspy.LM("openai/any", api_base=stub.api_base, api_key="k", num_retries=0)
        with (
            pytest.raises(LanguageModelError, match="openai/any did not answer"),
            counted(model).asking("stage"),
        ):
            dspy.Predict("claim -> word")(claim="c")


def test_the_configured_model_is_found_or_none_is():
    assert configured() is None
    with dspy.context(lm=DummyLM([])):
        assert configured() is not None


def test_what_is_no_model_is_refused():
    nothing: Any = 3
    with pytest.raises(UsageError, match=r"language model 3: give a dspy\.LM, or what open_lang"):
        counted(nothing)


def configured_at(stub: StubServer, *, cache: bool) -> dspy.LM:
    return dspy.LM("openai/any", api_base=stub.api_base, api_key="k", num_retries=0, cache=cache)


def ask(model: dspy.LM, claim: str = "c") -> Asking:
    with counted(model).asking("stage") as asking:
        dspy.Predict("claim -> word")(claim=claim)
    return asking


def test_dspy_tracks_the_usage_of_each_call_once_as_without_us():
    with serving([chat("", word="harbour")]) as stub:
        model = configured_at(stub, cache=False)
        with dspy.track_usage() as ours:
            ask(model)
            ask(model)
        with dspy.track_usage() as plain, dspy.context(lm=model):
            dspy.Predict("claim -> word")(claim="c")
            dspy.Predict("claim -> word")(claim="c")
    assert ours.get_total_tokens() == plain.get_total_tokens()
    assert ours.get_total_tokens()["openai/any"]["prompt_tokens"] == 140
    assert len(ours.usage_data["openai/any"]) == len(stub.requests) / 2 == 2


def test_usage_of_a_module_is_that_of_what_it_asked():
    class Module(dspy.Module):
        def forward(self) -> dspy.Prediction:
            ask(model)
            return dspy.Prediction(word="harbour")

    with serving([chat("", word="harbour")]) as stub:
        model = configured_at(stub, cache=False)
        with dspy.context(track_usage=True):
            used: Any = Module()().get_lm_usage()
    assert used["openai/any"]["total_tokens"] == 100


@pytest.mark.parametrize("disable_history", [False, True])
def test_a_reply_from_a_models_own_cache_counts_as_cached_and_costs_nothing(disable_history: bool):
    with serving([chat("", word="harbour")]) as stub, dspy.context(disable_history=disable_history):
        model = configured_at(stub, cache=True)
        claim = f"asked for the first time: {uuid4()}"  # DSPy's cache is on the disk
        first = ask(model, claim).usage
        with dspy.track_usage() as tracker:
            again = ask(model, claim).usage
    assert (first.n_calls, first.n_cached, first.n_tokens) == (1, 0, 100)
    assert again == Usage(n_cached=1)
    assert not tracker.get_total_tokens()
    assert len(stub.requests) == 1


def test_a_reply_of_a_server_that_counts_no_tokens_is_a_call():
    def plain(handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(completion(chat("", word="harbour")))
        del body["usage"]
        send(handler, json.dumps(body).encode())

    with serving([plain]) as stub:
        usage = ask(configured_at(stub, cache=False)).usage
    assert (usage.n_calls, usage.n_cached, usage.n_tokens) == (1, 0, 0)


def test_a_reply_from_a_models_own_cache_leaves_room_in_the_budget():
    first_time = uuid4()
    with serving([chat("", word="harbour")]) as stub:
        client = configured_at(stub, cache=True)
        model = LanguageModel(client, n_retries=0, ledger=Ledger(Budget(max_calls=2)))
        with dspy.context(lm=model.lm):
            for claim in ("one", "one", "one", "two"):
                dspy.Predict("claim -> word")(claim=f"{claim} {first_time}")
    assert (model.ledger.total().n_calls, model.ledger.total().n_cached) == (2, 2)
