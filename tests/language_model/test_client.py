"""Asking a language model over a real socket: counted, capped, cached, retried, named."""

import copy
import json
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import dspy
import pytest
from dspy.utils import DummyLM

from hippohover.errors import BudgetError, LanguageModelError, ModelError, UsageError
from hippohover.language_model.client import LONGEST_WAIT, LanguageModel, price_of
from hippohover.language_model.ledger import Budget
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import LanguageModelSettings
from tests.stub_server import Reply, StubServer, chat, cut_off, no_json, send, serving, sleepy

ANSWER = chat("", answer="yes")


def opened(
    stub: StubServer,
    *,
    cache: Path | None = None,
    budget: Budget | None = None,
    timeout_seconds: float = 20.0,
    n_retries: int = 2,
) -> LanguageModel:
    settings = LanguageModelSettings(
        name="openai/stub",
        api_base=stub.api_base,
        timeout_seconds=timeout_seconds,
        n_retries=n_retries,
    )
    return open_language_model(settings, cache=cache, budget=budget)


def ask(model: LanguageModel, question: str = "q?", *, keep: bool = True) -> str:
    with model.asking("test") as asking:
        answer = dspy.Predict("question -> answer", max_tokens=50)(question=question).answer
        if keep:
            asking.keep()
    return answer


def test_a_call_is_counted_with_its_tokens():
    with serving([ANSWER]) as stub, opened(stub) as model:
        assert ask(model) == "yes"
        usage = model.ledger.by_stage()["test"]
    assert (usage.n_calls, usage.n_cached, usage.n_failed) == (1, 0, 0)
    assert (usage.input_tokens, usage.output_tokens, usage.cached_input_tokens) == (70, 30, 40)
    assert usage.seconds > 0
    assert usage.n_unpriced == 1


def test_a_server_of_ones_own_is_told_the_longest_reply_by_its_old_name():
    with serving([ANSWER]) as stub, opened(stub) as model:
        ask(model)
    assert stub.requests[0]["max_tokens"] == 50
    assert "max_completion_tokens" not in stub.requests[0]
    assert stub.requests[0]["temperature"] == 0.0


def test_kept_replies_are_never_paid_for_twice(tmp_path: Path):
    with serving([ANSWER]) as stub:
        with opened(stub, cache=tmp_path) as model:
            assert [ask(model), ask(model), ask(model, "another?")] == ["yes"] * 3
            assert model.ledger.total().n_cached == 1
        with opened(stub, cache=tmp_path) as model:
            assert ask(model) == "yes"
            total = model.ledger.total()
    assert (total.n_calls, total.n_cached, total.n_tokens) == (0, 1, 0)
    assert len(stub.requests) == 2


def test_a_reply_that_was_of_no_use_is_asked_for_again(tmp_path: Path):
    with serving(["rambling", "rambling", ANSWER]) as stub, opened(stub, cache=tmp_path) as model:
        with pytest.raises(LanguageModelError, match="in another form than asked for"):
            ask(model)
        assert model.ledger.total().n_calls == 2  # DSPy asks once more, in another form
        assert ask(model, keep=False) == "yes"
        assert ask(model) == "yes"
    assert len(stub.requests) == 4


def test_the_key_is_sent_and_written_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUB_KEY", "sk-secret-1234")
    with serving([401, ANSWER]) as stub:
        settings = LanguageModelSettings(
            name="openai/stub", api_base=stub.api_base, api_key_variable="STUB_KEY", n_retries=0
        )
        with open_language_model(settings, cache=tmp_path) as model:
            with pytest.raises(LanguageModelError) as caught:
                ask(model)
            assert ask(model) == "yes"
    assert stub.keys == ["Bearer sk-secret-1234"] * 2
    assert "secret" not in str(caught.value)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"secret" not in written
    assert b"secret" not in settings.model_dump_json().encode()


@pytest.mark.parametrize(
    ("replies", "n_failed"),
    [([429, ANSWER], 1), ([500, 503, ANSWER], 2), ([cut_off, ANSWER], 1)],
)
def test_passing_failures_are_tried_again(replies: Sequence[Reply], n_failed: int):
    with serving(replies) as stub, opened(stub) as model:
        assert ask(model) == "yes"
        total = model.ledger.total()
    assert (total.n_calls, total.n_failed) == (1, n_failed)


@pytest.mark.parametrize(
    ("replies", "n_requests"),
    [([500], 3), ([429], 3), ([400], 1), ([401], 1), ([no_json], None)],
)
def test_lasting_failures_are_named(replies: Sequence[Reply], n_requests: int | None):
    with serving(replies) as stub, opened(stub) as model:
        with pytest.raises(
            LanguageModelError, match=r"openai/stub (did not answer|refused (a request|the key))"
        ):
            ask(model)
        assert model.ledger.total().n_failed == len(stub.requests)
    assert n_requests in (None, len(stub.requests))


def test_a_reply_of_a_megabyte_is_not_read():
    with serving(["la " * 350_000]) as stub, opened(stub) as model:
        with pytest.raises(LanguageModelError, match=r"1,050,000 characters, more than the 50,000"):
            ask(model)
        assert model.ledger.total().n_calls == len(stub.requests) == 1


def test_a_server_that_takes_too_long():
    with (
        serving([sleepy]) as stub,
        opened(stub, timeout_seconds=0.3, n_retries=0) as model,
        pytest.raises(LanguageModelError, match="did not answer"),
    ):
        ask(model)


def test_a_key_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said = "^openai/any has no key: set OPENAI_API_KEY, or name another variable"
    with (
        open_language_model(LanguageModelSettings(name="openai/any")) as model,
        pytest.raises(LanguageModelError, match=said),
    ):
        ask(model)
    assert model.last_failure.startswith("openai/any has no key")


def test_a_server_that_is_not_there():
    with serving([ANSWER]) as stub:
        pass
    with (
        opened(stub, n_retries=0) as model,
        pytest.raises(LanguageModelError, match="openai/stub did not answer"),
    ):
        ask(model)


def test_a_cap_stops_before_the_call_that_would_exceed_it(tmp_path: Path):
    budget = Budget(max_calls=1)
    with serving([ANSWER]) as stub, opened(stub, cache=tmp_path, budget=budget) as model:
        ask(model)
        with pytest.raises(BudgetError, match="max_calls = 1 is reached"):
            ask(model, "another?")
        assert ask(model) == "yes"  # what was paid for is still there
    assert len(stub.requests) == 1


def test_errors_of_the_package_pass_as_they_are():
    with (
        serving([ANSWER]) as stub,
        opened(stub) as model,
        pytest.raises(UsageError, match="mine"),
        model.asking("test"),
    ):
        raise UsageError("mine")


def test_many_threads_ask_at_once(tmp_path: Path):
    with serving([ANSWER]) as stub, opened(stub, cache=tmp_path) as model:
        questions = [f"q{i}?" for i in range(24)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(partial(ask, model), questions))
        assert model.ledger.total().n_calls == 24
    assert answers == ["yes"] * 24


def test_any_client_of_dspy_can_be_counted():
    model = LanguageModel(DummyLM([{"answer": "a"}, {"answer": "b"}]), name="dummy")
    assert [ask(model, "1"), ask(model, "2")] == ["a", "b"]
    assert model.ledger.by_stage()["test"].n_calls == 2


def test_prices_that_dspy_does_not_know_may_be_given():
    with serving([ANSWER]) as stub:
        settings = LanguageModelSettings(
            name="openai/stub",
            api_base=stub.api_base,
            usd_per_million_input=2.0,
            usd_per_million_output=8.0,
        )
        with open_language_model(settings) as model:
            ask(model)
            usage = model.ledger.total()
    assert usage.cost_usd == pytest.approx(70 * 2e-6 + 30 * 8e-6)
    assert usage.n_unpriced == 0


@pytest.mark.slow
def test_prices_of_known_models():
    price = price_of("openai/gpt-4.1-mini", 1_000_000, 1_000_000)
    assert price is not None
    assert 0.1 < price < 100
    assert price_of("openai/no-such-model", 10, 10) is None


def quoting(handler: BaseHTTPRequestHandler) -> None:
    """Refuse, and say with which key."""
    key = handler.headers["Authorization"]
    told = f"no such key: {key}; also sk-proj-abcdefgh12345, of-the-provider"
    send(handler, json.dumps({"error": {"message": told}}).encode(), 401)


def test_a_key_that_the_server_quotes_is_in_no_message(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STUB_KEY", "opaque/key+42")
    monkeypatch.setenv("STUB_API_KEY", "of-the-provider")
    with serving([quoting]) as stub:
        settings = LanguageModelSettings(
            name="openai/stub", api_base=stub.api_base, api_key_variable="STUB_KEY"
        )
        with (
            open_language_model(settings) as model,
            pytest.raises(LanguageModelError) as raised,
        ):
            ask(model)
    assert stub.keys[0] == "Bearer opaque/key+42"
    assert "no such key" in str(raised.value)
    assert "opaque" not in str(raised.value)
    assert "sk-proj" not in str(raised.value)
    assert "of-the-provider" not in str(raised.value)
    assert "***" in str(raised.value)


@pytest.mark.parametrize("wanted", ["99999999", "Wed, 01 Jan 2999 00:00:00 GMT"])
def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch, wanted: str):
    def later(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(429)
        handler.send_header("Retry-After", wanted)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with serving([later, ANSWER]) as stub, opened(stub) as model:
        assert ask(model) == "yes"
    assert LONGEST_WAIT in slept
    assert max(slept) == LONGEST_WAIT


def test_money_is_capped_before_the_first_call_or_not_at_all():
    with serving([ANSWER]) as stub:
        with pytest.raises(ModelError, match="the price of language model 'openai/st"):
            opened(stub, budget=Budget(max_cost_usd=5.0))
        settings = LanguageModelSettings(
            name="openai/stub", api_base=stub.api_base, usd_per_million_input=1.0,
            usd_per_million_output=2.0,
        )  # fmt: skip
        with open_language_model(settings, budget=Budget(max_cost_usd=5.0)) as model:
            assert ask(model) == "yes"
            assert model.ledger.total().cost_usd == pytest.approx(130e-6)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("end", [" [[ ## completed ## ]]", "[[ ## completed ## ]]\n \n"])
def test_an_end_marker_behind_the_last_field_costs_no_second_call(tmp_path: Path, end: str):
    reply = f'[[ ## answer ## ]]\n["yes", "[[ ## completed ## ]] is no end"]{end}'
    with serving([reply]) as stub, opened(stub, cache=tmp_path) as model:
        for _ in range(2):  # from the server, then from the cache
            with model.asking("test") as asking:
                predict = dspy.Predict("question -> answer: list[str]")
                assert predict(question="q?").answer == ["yes", "[[ ## completed ## ]] is no end"]
                asking.keep()
    assert len(stub.requests) == 1


def test_it_is_not_pickled_for_its_key_would_be():
    model = LanguageModel(dspy.LM("openai/any", api_key="sk-secret"), name="any")
    with pytest.raises(UsageError, match="any cannot be pickled, because it holds a key") as raised:
        pickle.dumps(model)
    assert "sk-secret" not in str(raised.value)
    assert copy.deepcopy(model) is model


def test_a_model_reads_nothing_that_nobody_sees():
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    with serving([ANSWER]) as stub, opened(stub) as model:
        ask(model, f"Who\u202e keeps{tags} the é token?")
        [asked] = stub.requests
    assert "Who keeps the é token?" in json.dumps(asked, ensure_ascii=False)
