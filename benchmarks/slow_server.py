"""A server of one file on this machine, slow enough that a download can be stopped, with ranges."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from measurement import Row

_PIECES_A_SECOND: Final = 20


class SlowServer(ThreadingHTTPServer):
    """Serves one file, or what follows a byte of it, at so many bytes a second."""

    def __init__(self, file: Path, bytes_a_second: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.file = file
        self.bytes_a_second = bytes_a_second
        self.requests: list[Row] = []
        """Range, status and bytes sent of each request since the list was last cleared."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{self.file.name}"

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """A client that was killed has left."""


class _Handler(BaseHTTPRequestHandler):
    server: SlowServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        size = self.server.file.stat().st_size
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        seen: Row = {"range": asked, "status": 206 if asked else 200, "n_bytes_sent": 0}
        self.server.requests.append(seen)
        self.send_response(seen["status"])
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - start))
        self.end_headers()
        piece = max(1, self.server.bytes_a_second // _PIECES_A_SECOND)
        with self.server.file.open("rb") as file:
            file.seek(start)
            while content := file.read(piece):
                self.wfile.write(content)
                seen["n_bytes_sent"] += len(content)
                time.sleep(1 / _PIECES_A_SECOND)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are kept."""


@contextmanager
def serving(file: Path, bytes_a_second: int) -> Generator[SlowServer]:
    """A server in a thread of this process."""
    with SlowServer(file, bytes_a_second) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
