"""Any model of DSPy as one that is counted: its settings go along, its connection does not."""

from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.errors import LanguageModelError, UsageError
from hippohover.language_model.any_model import configured, counted
from hippohover.testing.language_model import fake_language_model
from tests.stub_server import serving


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
