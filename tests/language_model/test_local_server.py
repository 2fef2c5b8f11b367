"""The llama.cpp server: what is refused before it starts; the real one under the marker llm."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import dspy
import pytest

from hippohover.errors import ModelError
from hippohover.language_model import local_server
from hippohover.language_model.local_server import LlamaServer
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import LanguageModelSettings

GGUF = os.environ.get("HIPPOHOVER_TEST_GGUF", "")
"""The model that tests marked llm use."""


def installed(name: str) -> object:
    return name


def absent(name: str) -> None:
    return None


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_server, "find_spec", absent)
    with pytest.raises(ModelError, match=r"pip install 'hippohover\[local-llm\]'"):
        LlamaServer(tmp_path / "m.gguf").__enter__()


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), (b"PK\3\4", "is no GGUF model")]
)
def test_a_file_that_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, message: str
):
    monkeypatch.setattr(local_server, "find_spec", installed)
    if content is not None:
        (tmp_path / "m.gguf").write_bytes(content)
    settings = LanguageModelSettings(name=f"gguf:{tmp_path / 'm.gguf'}")
    with pytest.raises(ModelError, match=message):
        open_language_model(settings)


@pytest.mark.skipif(find_spec("llama_cpp") is not None, reason="llama-cpp-python is installed")
def test_a_server_that_ends_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_server, "find_spec", installed)
    (tmp_path / "m.gguf").write_bytes(b"GGUF and no more")
    with pytest.raises(ModelError, match=r"the llama\.cpp server ended: .*llama_cpp"):
        LlamaServer(tmp_path / "m.gguf").__enter__()


def test_a_server_ends_with_its_parent(tmp_path: Path):
    """The parent's end of its stdin closes, whatever ended the parent."""
    (tmp_path / "llama_cpp").mkdir()
    (tmp_path / "llama_cpp" / "__init__.py").touch()
    (tmp_path / "llama_cpp" / "server.py").write_text(
        "import time\nprint('up', flush=True)\ntime.sleep(60)\n", encoding="utf-8"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "hippohover.language_model.local_server"]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        assert server.stdout.readline() == b"up\n"
        assert server.poll() is None
        server.stdin.close()
        assert server.wait(30) == 0


@pytest.mark.llm
def test_a_real_model_answers(tmp_path: Path):
    settings = LanguageModelSettings(name=f"gguf:{GGUF}")
    with open_language_model(settings, cache=tmp_path) as model:
        with model.asking("test") as asking:
            answer = dspy.Predict("question -> answer", max_tokens=40)(
                question="What is the capital of France? One word."
            ).answer
            asking.keep()
        usage = model.ledger.total()
    assert "Paris" in answer
    assert usage.n_calls >= 1
    assert (usage.cost_usd, usage.n_unpriced) == (0.0, 0)
