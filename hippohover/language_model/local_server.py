"""A llama.cpp server for one GGUF file: started on 127.0.0.1, waited for, stopped."""

import os
import runpy
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from hippohover.errors import ModelError

_MAGIC: Final = b"GGUF"
_START_SECONDS: Final = 300.0
_STOP_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.2


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
        port = _free_port()
        self._log = tempfile.TemporaryFile()
        command = [
            sys.executable, "-m", __name__,
            "--model", str(self.path), "--host", "127.0.0.1", "--port", str(port),
            "--n_ctx", str(self.n_context), "--n_threads", str(os.cpu_count() or 1),
        ]  # fmt: skip
        self._process = subprocess.Popen(  # noqa: S603  (a list, no shell)
            command, stdin=subprocess.PIPE, stdout=self._log, stderr=subprocess.STDOUT
        )
        try:
            self._wait(f"http://127.0.0.1:{port}/v1/models")
        except BaseException:
            self._stop()
            raise
        self.api_base = f"http://127.0.0.1:{port}/v1"
        return self

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
                found = file.read(len(_MAGIC))
        except OSError as error:
            raise ModelError(
                f"{self.path}: cannot be read ({error.strerror}): name a .gguf file"
            ) from error
        if found != _MAGIC:
            raise ModelError(f"{self.path}: is no GGUF model: name a .gguf file")

    def _wait(self, url: str) -> None:
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if self._process is None or self._process.poll() is not None:
                raise ModelError(f"{self.path}: the llama.cpp server ended: {self._last_words()}")
            try:
                with urllib.request.urlopen(url, timeout=5):  # noqa: S310  (http, 127.0.0.1)
                    return
            except OSError:
                time.sleep(_POLL_SECONDS)
        raise ModelError(
            f"{self.path}: the llama.cpp server did not answer in {_START_SECONDS:.0f} s: "
            f"{self._last_words()}"
        )

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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _end_with_parent() -> None:
    """The parent holds the other end of stdin, and writes nothing: it is at its end when it is."""
    while os.read(0, 4096):  # sys.stdin would hold a lock that Python wants when it ends
        pass
    os._exit(0)


def _serve() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.argv[0] = "llama_cpp.server"
    runpy.run_module("llama_cpp.server", run_name="__main__")


if __name__ == "__main__":
    _serve()
