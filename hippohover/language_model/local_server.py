"""A llama.cpp server for one GGUF file on 127.0.0.1: starts, waits for it, stops it."""

import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from hashlib import file_digest
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from hippohover.errors import ModelError
from hippohover.processors import available_processors

_MAGIC: Final = b"GGUF"
_START_SECONDS: Final = 300.0
_STOP_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.2
_PLAIN: Final = "--plain-buffers"
_FAULTS: Final = (signal.SIGSEGV, signal.SIGILL, signal.SIGBUS)


class LlamaServer:
    """llama-cpp-python's OpenAI-compatible server: ``with LlamaServer(path) as server``.

    It ends with this process, whatever ends it.

    Parameters
    ----------
    path : Path
        A model in GGUF form.
    n_context : int
        Longest prompt and reply together, in tokens.

    Attributes
    ----------
    api_base : str
        Its address while it runs.
    sha256 : str
        Of the file, in hexadecimal digits.

    Raises
    ------
    ModelError
        On entry: llama-cpp-python is not installed, the file is missing or no GGUF, or the
        server does not answer.
    """

    def __init__(self, path: Path, *, n_context: int = 4096) -> None:
        self.path = path
        self.n_context = n_context
        self.api_base = ""
        self.sha256 = ""
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._check()
        with self.path.open("rb") as file:
            self.sha256 = file_digest(file, "sha256").hexdigest()
        try:
            self.api_base = self._started() or self._started(_PLAIN)
        except BaseException:
            self._stop()
            raise
        return self

    def _started(self, *options: str) -> str:
        """Return a working server's address; "" if it crashed on this processor.

        Some virtual machines announce matrix instructions (AMX) that they do not have, and
        llama.cpp believes them: such a server dies at its first answer.
        """
        port = _free_port()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (closed by _stop)
        command = [
            sys.executable,
            "-P",  # no code of the folder it is in
            "-m",
            __name__,
            *options,
            "--model",
            str(self.path),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--n_ctx",
            str(self.n_context),
            "--n_threads",
            str(available_processors()),
        ]
        self._process = subprocess.Popen(  # noqa: S603  (a list, no shell)
            command, stdin=subprocess.PIPE, stdout=self._log, stderr=subprocess.STDOUT
        )
        base = f"http://127.0.0.1:{port}/v1"
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if (code := self._process.poll()) is not None:
                if -code in _FAULTS and not options:
                    self._stop()
                    return ""
                raise ModelError(f"{self.path}: the llama.cpp server ended: {self._last_words()}")
            if _answers(base):
                return base
            time.sleep(_POLL_SECONDS)
        raise ModelError(
            f"{self.path}: the llama.cpp server did not answer in {_START_SECONDS:.0f} s: "
            f"{self._last_words()}"
        )

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _check(self) -> None:
        if find_spec("llama_cpp") is None or find_spec("uvicorn") is None:
            raise ModelError(
                "llama-cpp-python[server] is not installed, and gguf: needs it: "
                "pip install 'hippohover[local-llm]'"
            )
        try:
            with self.path.open("rb") as file:
                magic = file.read(len(_MAGIC))
        except OSError as error:
            raise ModelError(
                f"{self.path}: cannot be read ({error.strerror}): name a .gguf file"
            ) from error
        if magic != _MAGIC:
            raise ModelError(f"{self.path}: is not a GGUF model: name a .gguf file")

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read()[-4000:].decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def _stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process = None
        self._log.close()


def _answers(base: str) -> bool:
    """Return whether a server completes one token; False while it does not listen."""
    request = urllib.request.Request(  # noqa: S310  (http, 127.0.0.1)
        f"{base}/completions",
        data=json.dumps({"prompt": "one two three " * 32, "max_tokens": 1}).encode(),  # a batch
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_START_SECONDS):  # noqa: S310
            return True
    except (OSError, HTTPException):
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _end_with_parent() -> None:
    """End when the parent does: it holds the other end of stdin, which then closes."""
    while os.read(0, 4096):  # sys.stdin would hold a lock that Python wants when it ends
        pass
    os._exit(0)


def _serve() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if sys.argv[1:2] == [_PLAIN]:
        del sys.argv[1]
        _use_plain_buffers()
    sys.argv[0] = "llama_cpp.server"
    runpy.run_module("llama_cpp.server", run_name="__main__")


def _use_plain_buffers() -> None:
    """Have llama.cpp leave weights in their format; the server has no option for it."""
    llama_cpp: Any = importlib.import_module("llama_cpp")
    defaults = llama_cpp.llama_model_default_params

    def plain() -> Any:  # noqa: ANN401  (a ctypes structure)
        parameters = defaults()
        parameters.use_extra_bufts = False
        return parameters

    llama_cpp.llama_cpp.llama_model_default_params = plain
    llama_cpp.llama_model_default_params = plain


if __name__ == "__main__":
    _serve()
