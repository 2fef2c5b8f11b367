"""Services that embed: what is sent, what it costs, what is refused."""

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hippohover.errors import BudgetError, ModelError, UsageError
from hippohover.language_model.embedding_endpoint import (
    EmbeddingEndpoint,
    EmbeddingSettings,
)
from hippohover.language_model.ledger import Budget, Ledger
from hippohover.recipe_files import read_settings
from tests.stub_server import send, serving

SETTINGS = EmbeddingSettings(name="stub", usd_per_million_tokens=0.02)


def reply(*vectors: list[float], n_tokens: int = 1000) -> dict[str, Any]:
    """A reply as OpenAI's embeddings have it, out of order."""
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
    return {"object": "list", "data": data[::-1], "model": "stub", "usage": usage}


def test_texts_become_unit_rows_in_their_order():
    sent: list[dict[str, Any]] = []

    def post(**request: Any) -> dict[str, Any]:  # noqa: ANN401
        sent.append(request)
        return reply([3.0, 4.0], [0.0, 2.0])

    endpoint = EmbeddingEndpoint(SETTINGS, post=post)
    rows, usage = endpoint.embed(["a", "b"])
    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))
    assert sent == [{"model": "stub", "input": ["a", "b"], "timeout": 3.0}]
    assert (usage.n_calls, usage.input_tokens) == (1, 1000)
    assert usage.known_cost_usd == pytest.approx(1000 * 0.02 / 1e6)
    assert endpoint.ledger.by_stage()["embeddings"] == usage


def test_a_server_of_ones_own_is_asked_in_openais_form(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OWN_KEY", "k-123456")

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, json.dumps(reply([1.0, 0.0])).encode())

    with serving([answer]) as stub:
        settings = EmbeddingSettings(
            name="mine",
            api_base=stub.api_base,
            api_key_variable="OWN_KEY",
            usd_per_million_tokens=1.0,
            timeout_seconds=30.0,
        )
        rows, usage = EmbeddingEndpoint(settings).embed(["a"])
    assert rows.tolist() == [[1.0, 0.0]]
    assert usage.cost_usd == pytest.approx(0.001)
    assert (stub.requests[0]["model"], stub.requests[0]["input"]) == ("mine", ["a"])
    assert stub.keys == ["Bearer k-123456"]


@pytest.mark.parametrize(
    "answer",
    [
        reply([1.0]),
        {"data": []},
        {},
        {"data": [{"index": 0}, {"index": 1}]},
        reply([1.0], [1.0, 2.0]),
        reply([float("nan")], [1.0]),
        reply([0.0, 0.0], [0.0, 0.0]),
        reply([0.0, 0.0], [1.0, 0.0]),
        reply([], []),
        {"data": [{"index": 0, "embedding": "x"}, {"index": 1, "embedding": "y"}]},
    ],
)
def test_what_is_no_vector_a_text_is_refused(answer: dict[str, Any]):
    endpoint = EmbeddingEndpoint(SETTINGS, post=lambda **_: answer)  # pyright: ignore[reportUnknownLambdaType]
    with pytest.raises(ModelError, match=r"^stub did not return a vector for each text \("):
        endpoint.embed(["a", "b"])


@pytest.mark.parametrize("usage", [None, [], "9", {"prompt_tokens": "x"}, {"total_tokens": -5}])
def test_a_usage_that_is_no_count_is_none(usage: object):
    answer = {**reply([1.0]), "usage": usage}
    endpoint = EmbeddingEndpoint(SETTINGS, post=lambda **_: answer)  # pyright: ignore[reportUnknownLambdaType]
    assert endpoint.embed(["a"])[1].input_tokens == 0


def asked_of(body: bytes) -> ModelError:
    """Ask a server that answers with these bytes; return the error."""
    with serving([lambda handler: send(handler, body)]) as stub:
        settings = EmbeddingSettings(name="x", api_base=stub.api_base, timeout_seconds=30.0)
        with pytest.raises(ModelError) as caught:
            EmbeddingEndpoint(settings).embed(["a"])
    return caught.value


def test_a_reply_that_is_longer_than_vectors_are_is_not_read_to_its_end():
    long = json.dumps(reply([0.5] * 200_000)).encode()
    assert "its reply has more than 200,000 bytes" in str(asked_of(long))
    with serving([lambda handler: send(handler, json.dumps(reply([0.1234567] * 8192)).encode())]
    ) as stub:  # fmt: skip
        settings = EmbeddingSettings(name="x", api_base=stub.api_base, timeout_seconds=30.0)
        assert EmbeddingEndpoint(settings).embed(["a"])[0].shape == (1, 8192)


@pytest.mark.parametrize("body", [b"<html>", b"[1, 2]", b"", b"\xff"])
def test_a_reply_that_is_no_object_is_a_failure(body: bytes):
    assert str(asked_of(body)).startswith("x embedded nothing (")


def test_a_failure_is_counted_and_tells_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OWN_KEY", "k-123456")

    def post(**_: Any) -> dict[str, Any]:  # noqa: ANN401
        raise TimeoutError("no answer for\nk-123456")

    settings = SETTINGS.model_copy(update={"api_key_variable": "OWN_KEY"})
    endpoint = EmbeddingEndpoint(settings, post=post)
    with pytest.raises(ModelError) as caught:
        endpoint.embed(["a"])
    assert str(caught.value) == "stub embedded nothing (TimeoutError: no answer for ***)"
    assert endpoint.ledger.total().n_failed == 1


def test_a_cap_holds_for_it():
    endpoint = EmbeddingEndpoint(
        SETTINGS,
        ledger=Ledger(Budget(max_calls=1)),
        post=lambda **_: reply([1.0]),  # pyright: ignore[reportUnknownLambdaType]
    )
    endpoint.embed(["a"])
    with pytest.raises(BudgetError, match="max_calls = 1 is reached"):
        endpoint.embed(["b"])


def test_a_price_that_nobody_knows_is_told():
    endpoint = EmbeddingEndpoint(EmbeddingSettings(name="x"), post=lambda **_: reply([1.0]))  # pyright: ignore[reportUnknownLambdaType]
    assert endpoint.embed(["a"])[1].known_cost_usd is None
    assert SETTINGS.price() == 0.02
    known = EmbeddingSettings(name="text-embedding-3-small").price()
    assert known == pytest.approx(0.02)  # by LiteLLM's table


def test_a_key_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OWN_KEY", raising=False)
    with pytest.raises(ModelError, match="environment variable OWN_KEY is not set"):
        EmbeddingEndpoint(EmbeddingSettings(name="x", api_key_variable="OWN_KEY"))


def test_openais_own_key_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="environment variable OPENAI_API_KEY is not set"):
        EmbeddingEndpoint(EmbeddingSettings(name="text-embedding-3-small"))


def test_a_server_that_is_down_is_a_failure_at_once():
    settings = EmbeddingSettings(name="x", api_base="http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match=r"^x embedded nothing \(APIConnectionError"):
        EmbeddingEndpoint(settings).embed(["a"])


def test_settings_are_read_from_a_file(tmp_path: Path):
    path = tmp_path / "own.toml"
    path.write_text('name = "x"\napi_base = "http://127.0.0.1:9/v1"\n', encoding="utf-8")
    settings = read_settings(path, EmbeddingSettings)
    assert (settings.timeout_seconds, settings.usd_per_million_tokens) == (3.0, None)
    for address in ("http://u:p@x/v1", "http://embed.example/v1", "http://127.0.0.1.example/v1"):
        path.write_text(f'name = "x"\napi_base = "{address}"\n', encoding="utf-8")
        with pytest.raises(UsageError, match=r"own.toml: api_base is refused"):
            read_settings(path, EmbeddingSettings)


@pytest.mark.parametrize(
    "address", ["https://embed.example/v1", "http://localhost:8/v1", "http://[::1]:8/v1"]
)
def test_texts_are_sent_encrypted_or_stay_on_this_machine(address: str):
    assert EmbeddingSettings(name="x", api_base=address).api_base == address
    if address.startswith("https"):
        with pytest.raises(ValueError, match="or http:// on this machine"):
            EmbeddingSettings(name="x", api_base=address.replace("https", "http"))
