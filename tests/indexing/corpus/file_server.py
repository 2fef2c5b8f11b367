"""A server of one file on this machine, with the faults that a test asks for."""

import os
import socket
import struct
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer(ThreadingHTTPServer):
    """Serves ``content`` at every path, with the faults that a test asks for."""

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = content
        self.knows_ranges = True
        self.cuts: list[int] = []
        """For each of the first requests: how many bytes come before the connection breaks."""
        self.resets = False
        """Whether a connection that is cut is reset, as by a router, and not closed."""
        self.statuses: list[int] = []
        """For each of the first requests: an error status to answer with."""
        self.headers_sent: dict[str, str] = {}
        """Headers sent in place of the right ones."""
        self.location = ""
        self.requests: list[str] = []
        """The Range header of every request, "" where there was none."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/corpus.bin"


class Handler(BaseHTTPRequestHandler):
    server: FileServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        self.server.requests.append(asked)
        if self.server.location:
            self.send_response(302)
            self.send_header("Location", self.server.location)
            self.end_headers()
        elif self.server.statuses:
            self.send_error(self.server.statuses.pop(0), "a reason")
        else:
            self.send_content(asked)

    def send_content(self, asked: str) -> None:
        size = len(self.server.content)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if asked and self.server.knows_ranges:
            if start >= size:
                self.send_error(416)
                return
            self.send_response(206)
            headers = {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
        else:
            start, headers = 0, {}
            self.send_response(200)
        headers["Content-Length"] = str(size - start)
        for name, value in {**headers, **self.server.headers_sent}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        is_cut = bool(self.server.cuts)
        n_sent = self.server.cuts.pop(0) if is_cut else size
        self.wfile.write(self.server.content[start : start + n_sent])
        if is_cut and self.server.resets:
            time.sleep(0.05)  # what was sent arrives first
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(content: bytes) -> Generator[FileServer]:
    with FileServer(content) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
