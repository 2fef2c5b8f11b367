"""What stands before every request: its size, its rate, its host, and headers of the answer."""

import math
import time
from typing import Final

from limits import RateLimitItem
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import MutableHeaders
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
    """Tells browsers to run and fetch nothing but what the server itself serves."""

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
    """Refuses bodies of more than ``n_bytes``, whatever their headers say."""

    def __init__(self, app: ASGIApp, n_bytes: int) -> None:
        self._app = app
        self._n_bytes = n_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has left in the middle
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._n_bytes:
                refused = f"the body is larger than {self._n_bytes:,} bytes: send less at a time"
                await _refusal(413, refused)(scope, receive, send)
                return
        given = False

        async def whole() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, whole, send)


class RateLimit:
    """Refuses what a client sends to the API beyond its rate; clients are told by address."""

    def __init__(self, app: ASGIApp, rate: RateLimitItem) -> None:
        self._app = app
        self._rate = rate
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
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


def _refusal(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status_code=status)
