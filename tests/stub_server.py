"""An OpenAI-compatible server over a real socket that answers as it is told."""

import json
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = str | int | Callable[[BaseHTTPRequestHandler], None]
"""A reply's text, an HTTP status, or what is done with the connection."""


@dataclass
class StubServer:
    """What was asked, and what is answered; the last reply is given for ever.

    With ``answer``, a reply is what that makes of the body of a request.
    """

    api_base: str
    replies: list[Reply]
    answer: Callable[[dict[str, Any]], Reply] | None = None
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])

    def next(self, body: dict[str, Any]) -> Reply:
        if self.answer is not None:
            return self.answer(body)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def chat(text: str, **fields: str) -> str:
    """A reply in ChatAdapter's form: one field, or more."""
    parts = [f"[[ ## {name} ## ]]\n{value}" for name, value in fields.items()]
    return "\n\n".join([*([text] if text else []), *parts, "[[ ## completed ## ]]"])


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    """Promise more than is sent, then close."""
    handler.send_response(200)
    handler.send_header("Content-Length", "500")
    handler.end_headers()
    handler.wfile.write(b'{"id": "x", "choi')
    handler.close_connection = True


def no_json(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b"<html>bad gateway</html>")


def sleepy(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(1.5)
    send(handler, completion("late"))


def completion(text: str) -> bytes:
    usage = {
        "prompt_tokens": 70,
        "completion_tokens": 30,
        "total_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 40},
    }
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "stub"}
    return json.dumps({**body, "choices": [choice], "usage": usage}).encode()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    if status != 200:
        handler.send_header("Retry-After", "0")
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serving(
    replies: Sequence[Reply] = (), *, answer: Callable[[dict[str, Any]], Reply] | None = None
) -> Generator[StubServer]:
    """A server on 127.0.0.1 for as long as the block runs."""
    stub = StubServer("", list(replies), answer)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                stub.requests.append(body)
                stub.keys.append(self.headers.get("Authorization", ""))
                reply = stub.next(body)
            if isinstance(reply, int):
                send(self, b'{"error": {"message": "refused"}}', reply)
            elif isinstance(reply, str):
                send(self, completion(reply))
            else:
                reply(self)

        def log_message(self, format: str, *args: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
            """A client may give up waiting."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    stub.api_base = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
