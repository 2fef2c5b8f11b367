"""A language model opened from its settings: who is asked, with which key, for how long."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from hippohover.errors import ModelError
from hippohover.language_model import opening
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import LanguageModelSettings


class FakeServer:
    """Stands for the llama.cpp server, which tests of ``local_server`` start."""

    api_base = "http://127.0.0.1:9/v1"
    sha256 = "ab" * 32
    n_open = 0

    def __init__(self, path: Path, *, n_context: int) -> None:
        self.path, self.n_context = path, n_context

    def __enter__(self) -> "FakeServer":
        FakeServer.n_open += 1
        return self

    def __exit__(self, *_: object) -> None:
        FakeServer.n_open -= 1


@pytest.fixture
def client_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """What DSPy's client is made with, for some settings."""
    seen: list[dict[str, Any]] = []

    class Recorded(dspy.LM):
        def __init__(self, *model: Any, **options: Any) -> None:  # noqa: ANN401
            seen.append(options)
            super().__init__(*model, **options)

    monkeypatch.setattr(dspy, "LM", Recorded)

    def open_with(**settings: Any) -> dict[str, Any]:  # noqa: ANN401
        seen.clear()
        open_language_model(LanguageModelSettings.model_validate(settings)).close()
        return seen[0]

    return open_with


def test_a_server_of_ones_own_needs_no_key(client_of: Callable[..., dict[str, Any]]):
    found = client_of(name="openai/x", api_base="http://127.0.0.1:9/v1")
    assert (found["model"], found["api_base"]) == ("openai/x", "http://127.0.0.1:9/v1")
    assert found["api_key"] == "none"


def test_a_key_comes_from_the_variable_that_is_named(
    client_of: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MY_KEY", "secret")
    assert client_of(name="openai/x", api_key_variable="MY_KEY")["api_key"] == "secret"
    monkeypatch.setenv("MY_KEY", "")
    with pytest.raises(ModelError, match="MY_KEY is not set") as caught:
        client_of(name="openai/x", api_key_variable="MY_KEY")
    assert "secret" not in str(caught.value)


def test_an_attempt_may_take_two_minutes_and_a_local_one_half_an_hour(
    client_of: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(opening, "LlamaServer", FakeServer)
    assert client_of(name="openai/x")["timeout"] == 120
    assert client_of(name="gguf:~/m.gguf")["timeout"] == 1800
    for name in ("openai/x", "gguf:m.gguf"):
        assert client_of(name=name, timeout_seconds=7)["timeout"] == 7


def test_a_local_model_is_free_and_its_server_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opening, "LlamaServer", FakeServer)
    with open_language_model(LanguageModelSettings(name="gguf:some/m.gguf")) as model:
        assert FakeServer.n_open == 1
        assert model.name == f"gguf:m.gguf-{'ab' * 8}"
    assert FakeServer.n_open == 0


def test_a_local_server_is_stopped_when_what_follows_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(opening, "LlamaServer", FakeServer)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ModelError):
        open_language_model(LanguageModelSettings(name="gguf:m.gguf"), cache=tmp_path / "file")
    assert FakeServer.n_open == 0


@pytest.mark.parametrize("name", ["nosuch", "nosuch/x"])
def test_a_name_of_no_provider_is_told_before_the_first_answer(
    name: str, capfd: pytest.CaptureFixture[str]
):
    settings = LanguageModelSettings.model_validate({"name": name})
    with pytest.raises(ModelError, match=f"'{name}' has no provider .* write PROVIDER/NAME"):
        open_language_model(settings)
    assert capfd.readouterr() == ("", "")
