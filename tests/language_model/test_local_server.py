"""The llama.cpp server: what is refused before it starts; the real one under the marker llm."""

import os
import subprocess
import sys
import urllib.request
from hashlib import sha256
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
    with pytest.raises(ModelError, match=r"pip install '\S*\[local-llm\]'"):
        LlamaServer(tmp_path / "m.gguf").__enter__()


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), (b"PK\3\4", "is not a GGUF model")]
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


FAKE_SERVER = """
import os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
import llama_cpp

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if llama_cpp.llama_model_default_params().use_extra_bufts and FAULTY:
            os.kill(os.getpid(), signal.SIGSEGV)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_): ...

port = int(sys.argv[sys.argv.index("--port") + 1])
print("up", flush=True)
HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
FAKE_PACKAGE = """
from types import SimpleNamespace
llama_cpp = SimpleNamespace()
def llama_model_default_params():
    return SimpleNamespace(use_extra_bufts=True)
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model, and a package that serves it; where FAULTY, as on a processor without AMX."""
    (tmp_path / "llama_cpp").mkdir()
    (tmp_path / "llama_cpp" / "__init__.py").write_text(FAKE_PACKAGE, encoding="utf-8")
    (tmp_path / "m.gguf").write_bytes(b"GGUF and more")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    monkeypatch.setattr(local_server, "find_spec", installed)
    return tmp_path


def write_server(folder: Path, *, faulty: bool) -> None:
    text = FAKE_SERVER.replace("FAULTY", str(faulty))
    (folder / "llama_cpp" / "server.py").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("faulty", [False, True])
def test_a_server_answers_before_it_is_used_and_is_stopped(fake: Path, faulty: bool):
    write_server(fake, faulty=faulty)
    with LlamaServer(fake / "m.gguf") as server:
        address = server.api_base
        assert address.startswith("http://127.0.0.1:")
        assert server.sha256 == sha256(b"GGUF and more").hexdigest()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{address}/models", timeout=5)  # noqa: S310


def test_a_server_that_ends_says_why(fake: Path):
    text = "raise SystemExit('no room for the model')"
    (fake / "llama_cpp" / "server.py").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"the llama\.cpp server ended: no room for the model"):
        LlamaServer(fake / "m.gguf").__enter__()


def test_a_server_ends_with_its_parent(fake: Path):
    """The parent's end of its stdin closes, whatever ended the parent."""
    write_server(fake, faulty=False)
    port = str(local_server._free_port())  # pyright: ignore[reportPrivateUsage]
    command = [sys.executable, "-m", "hippohover.language_model.local_server", "--port", port]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        assert server.stdout.readline() == b"up\n"
        assert server.poll() is None
        server.stdin.close()
        assert server.wait(60) == 0


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
