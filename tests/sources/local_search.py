"""A search of this machine over a real socket, and the settings by which a command asks it."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOUND = {
    "title": "Tides of the Orle Estuary",
    "text": "Mira Oldane measured the tides of the Orle.",
    "url": "https://notes.example/orle",
}


@contextmanager
def local_search(folder: Path, *, status: int = 200) -> Generator[tuple[Path, list[str]]]:
    """A TOML file of a search that finds one page, and the paths that are asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = json.dumps({"hits": [FOUND]}).encode()
            self.send_response(status)
            self.send_header("Retry-After", "3600")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        path = folder / "notes.toml"
        path.write_text(
            'name = "notes"\nresults = "hits"\ninterval_seconds = 0.0\n'
            f'address = "http://127.0.0.1:{server.server_port}/?q={{query}}"\n',
            encoding="utf-8",
        )
        try:
            yield path, asked
        finally:
            server.shutdown()
            thread.join()
