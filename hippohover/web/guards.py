"""ASGI middleware: size of the body, rate limit, security headers."""

import asyncio
import math
import time
from typing import Final

from limits import RateLimitItem
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SafeHeaders:
    """Forbids browsers to run and fetch anything that the server does not serve itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


class BodyLimit:
    """Refuses bodies of more than ``n_bytes``, whatever headers say, slow and unclear ones."""

    def __init__(self, app: ASGIApp, n_bytes: int, seconds: float) -> None:
        self._app = app
        self._n_bytes = n_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        if unclear := _unclear(headers):  # a proxy between may read it in the other way
            refusal = _refusal(400, unclear)
            refusal.headers["Connection"] = "close"
            await refusal(scope, receive, send)
            return
        if length.isdecimal() and int(length[:20]) > self._n_bytes:
            await self._too_large(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive)
        except TimeoutError:
            refused = f"the body did not arrive within {self._seconds:g} seconds: send it again"
            await _refusal(408, refused)(scope, receive, send)
            return
        if body is None:
            return  # the client has left in the middle
        if len(body) > self._n_bytes:
            await self._too_large(scope, receive, send)
            return
        given = False

        async def whole() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, whole, send)

    async def _too_large(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = f"the body is larger than {self._n_bytes:,} bytes: send less at a time"
        await _refusal(413, refused)(scope, receive, send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Read the body, or its beginning if it is too large; None when it never ends."""
        body = bytearray()
        more = True
        while more and len(body) <= self._n_bytes:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
        return bytes(body)


class RateLimit:
    """Refuses API requests beyond a client's rate; clients are told apart by address."""

    def __init__(self, app: ASGIApp, rate: RateLimitItem) -> None:
        self._app = app
        self._rate = rate
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(("/v1/", "/mcp")):
            await self._app(scope, receive, send)
            return
        client = (scope.get("client") or ("unknown", 0))[0]
        if self._limiter.hit(self._rate, client):
            await self._app(scope, receive, send)
            return
        free = self._limiter.get_window_stats(self._rate, client).reset_time
        wait = str(max(1, math.ceil(free - time.time())))
        refusal = _refusal(429, f"more than {self._rate}: try again in {wait} s")
        refusal.headers["Retry-After"] = wait
        await refusal(scope, receive, send)


def _unclear(headers: Headers) -> str:
    """Tell what could be read in two ways; "" for nothing."""
    if len(headers.getlist("host")) > 1:
        return "two Host headers: send one"
    if headers.get("content-length") and "transfer-encoding" in headers:
        return "two lengths of one body: send no Content-Length with chunks"
    return ""


def _refusal(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status_code=status)
