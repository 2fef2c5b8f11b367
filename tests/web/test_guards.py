"""What stands before every request, each guard by itself before the plainest of apps."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from limits import parse
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hippohover.web.guards import BodyLimit, RateLimit, SafeHeaders


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the body that it gets, in a frame that it allows."""
    body = (await receive()).get("body", b"")
    headers = {"Content-Security-Policy": "frame-ancestors 'self'"} if body == b"frame" else {}
    await PlainTextResponse(body, headers=headers)(scope, receive, send)


def answered(app: ASGIApp, messages: Sequence[Message], **scope: object) -> list[dict[str, Any]]:
    """What is sent to a client who sends these messages, the last one again and again."""
    sent: list[dict[str, Any]] = []
    left = list(messages)

    async def receive() -> Message:
        await asyncio.sleep(0.01)
        return left.pop(0) if len(left) > 1 else left[0]

    async def send(message: Message) -> None:
        sent.append(dict(message))

    asked = {"type": "http", "method": "POST", "path": "/v1/x", "headers": [], **scope}

    async def ask() -> None:
        await app(asked, receive, send)

    asyncio.run(ask())
    return sent


PART: Message = {"type": "http.request", "body": b"ab", "more_body": True}
LAST: Message = {"type": "http.request", "body": b"c"}
GONE: Message = {"type": "http.disconnect"}


def test_a_body_that_comes_in_parts_is_whole_for_the_app():
    sent = answered(BodyLimit(echo, 5, 60), [PART, PART, LAST, GONE])
    assert (sent[0]["status"], sent[1]["body"]) == (200, b"ababc")


@pytest.mark.parametrize("said", [b"6", b"9" * 5000])
def test_a_body_that_is_said_to_be_too_large_is_not_read(said: bytes):
    sent = answered(BodyLimit(echo, 5, 60), [GONE], headers=[(b"content-length", said)])
    assert sent[0]["status"] == 413
    assert b"larger than 5 bytes" in sent[1]["body"]


def test_a_body_without_end_is_refused_as_soon_as_it_is_too_large():
    sent = answered(BodyLimit(echo, 5, 60), [PART])
    assert sent[0]["status"] == 413


def test_a_body_that_does_not_come_is_not_waited_for():
    sent = answered(BodyLimit(echo, 10**9, 0.2), [PART])
    assert sent[0]["status"] == 408
    assert b"within 0.2 seconds" in sent[1]["body"]


def test_who_leaves_in_the_middle_is_answered_nothing():
    assert answered(BodyLimit(echo, 5, 60), [PART, GONE]) == []


def test_each_client_has_its_own_rate():
    app = RateLimit(echo, parse("1/hour"))
    status = [
        answered(app, [LAST], client=(client, 1))[0]["status"] for client in ("a", "a", "b", "b")
    ]
    assert status == [200, 429, 200, 429]
    assert answered(app, [LAST], client=("a", 1), path="/healthz")[0]["status"] == 200
    assert [answered(app, [LAST])[0]["status"] for _ in range(2)] == [200, 429]  # of no address


def test_headers_are_those_of_the_app_where_it_says_so():
    client = TestClient(SafeHeaders(echo))
    plain, framed = (client.post("/", content=body).headers for body in (b"", b"frame"))
    assert plain["content-security-policy"].startswith("default-src 'none'")
    assert framed["content-security-policy"] == "frame-ancestors 'self'"
    assert framed["x-content-type-options"] == "nosniff"


def test_what_is_no_request_passes():
    seen: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope["type"])

    for guard in (SafeHeaders(app), BodyLimit(app, 1, 1), RateLimit(app, parse("1/hour"))):
        answered(guard, [GONE], type="lifespan")
    assert seen == ["lifespan"] * 3
