"""The tools of an index over HTTP, beside the server's own API: MCP's "streamable HTTP"."""

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from hippohover.web.mcp import tools_of
from hippohover.web.service import Service


class ToolsOverHttp:
    """Answers each request by itself, without a session, as JSON.

    Parameters
    ----------
    service : Service
    token : str or None
        Bearer token that each request must bring.
    n_threads : int
        Calls that work at a time.
    """

    def __init__(self, service: Service, token: str | None, n_threads: int) -> None:
        self._tools = tools_of(service, n_threads=n_threads)
        self._token = token
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answer requests as long as this lasts."""
        low = self._tools._lowlevel_server  # pyright: ignore[reportPrivateUsage]  # as its own app
        self._manager = StreamableHTTPSessionManager(low, json_response=True, stateless=True)
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refusal = _refusal(headers, self._token)
        if scope["method"] != "POST":  # there is no stream to listen to, and no session to end
            refusal = JSONResponse({"detail": "send a POST"}, 405, {"Allow": "POST"})
        if refusal is not None or self._manager is None:
            await (refusal or JSONResponse({"detail": "the server stops"}, 503))(
                scope, receive, send
            )
            return
        await self._manager.handle_request(scope, receive, send)


def _refusal(headers: Headers, token: str | None) -> JSONResponse | None:
    """Refuse who lacks the token, and pages of other sites, which a browser names as origin."""
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    if token is not None and not secrets.compare_digest(bearer.encode(), token.encode()):
        detail = "send the server's token: Authorization: Bearer TOKEN"
        return JSONResponse({"detail": detail}, 401, {"WWW-Authenticate": "Bearer"})
    origin = headers.get("origin")
    if origin and urlsplit(origin).netloc != headers.get("host"):
        return JSONResponse({"detail": f"a page of {origin[:200]} may not ask this server"}, 403)
    return None
