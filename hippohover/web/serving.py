"""Runs the server: binds first, reloads on SIGHUP, stops gracefully."""

import asyncio
import logging
import resource
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Final, cast

import uvicorn
from fastapi import FastAPI

from hippohover.errors import HippoHoverError, UsageError
from hippohover.web.connections import DEFAULTS, ConnectionLimits, GuardedProtocol

_BACKLOG: Final = 1024
STOP_SECONDS: Final = 30
"""Grace period for running requests after a stop signal."""

_LOOK_SECONDS: Final = 0.2

_ACCEPTS: Final = 64

_log = logging.getLogger("hippohover.web")


def bound_socket(host: str, port: int) -> socket.socket:
    """Bind a socket; it refuses connections until ``run``. Port 0 is any free one.

    Raises
    ------
    UsageError
        The address is not one of this machine, or the port is taken or forbidden.
    """
    bound: socket.socket | None = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((host, port))
    except (OSError, UnicodeError, OverflowError) as error:
        if bound is not None:
            bound.close()
        raise _no_place(host, port, error) from error
    return bound


def _no_place(host: str, port: int, error: Exception) -> UsageError:
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(
        f"{host}, port {port}: cannot listen there ({reason}): name another --host or --port; "
        "--port 0 takes a free one"
    )


def run(
    app: FastAPI,
    listening: socket.socket,
    ready: Callable[[], None],
    *,
    look: Callable[[], None] | None = None,
    limits: ConnectionLimits = DEFAULTS,
) -> None:
    """Serve until SIGTERM or Ctrl-C; running requests are answered first.

    Parameters
    ----------
    app : FastAPI
        From ``server.make_app``.
    listening : socket
        From ``bound_socket``.
    ready : callable
        Called once requests are answered.
    look : callable, optional
        Where given, each version of the index is taken up soon after it is published, as on
        SIGHUP, and this is called every now and then.
    limits : ConnectionLimits

    Raises
    ------
    UsageError
        Another process listens there since the socket was bound.
    """
    try:
        listening.listen(_BACKLOG)
    except OSError as error:
        host, port = listening.getsockname()[:2]
        raise _no_place(host, port, error) from error
    # By force: the server of MCP has set up a handler of its own by now, for warnings alone.
    logging.basicConfig(
        stream=sys.stderr, format="%(name)s: %(message)s", level=logging.INFO, force=True
    )
    for chatty in ("uvicorn", "mcp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    _allow_files()
    config = config_of(app, limits)
    asyncio.run(_Server(config, app, ready, look).serve(sockets=[listening]))


def config_of(app: FastAPI, limits: ConnectionLimits) -> uvicorn.Config:
    """Configure the HTTP server."""
    return uvicorn.Config(
        app,
        http=cast("Any", partial(GuardedProtocol, limits=limits)),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who asks is who connects: a header could say anything
        ws="none",
        backlog=_ACCEPTS,
        h11_max_incomplete_event_size=limits.header_bytes,
        timeout_graceful_shutdown=STOP_SECONDS + 5,
        limit_concurrency=limits.most + 2 * _ACCEPTS,  # connections that end count as well
    )


def _allow_files() -> None:
    """Raise the limit of open files: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Server(uvicorn.Server):
    """A server that says when it is ready, and reloads on SIGHUP."""

    def __init__(
        self,
        config: uvicorn.Config,
        app: FastAPI,
        ready: Callable[[], None],
        look: Callable[[], None] | None,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._ready = ready
        self._look = look
        self._following: asyncio.Task[None] | None = None
        self._reloading: asyncio.Task[None] | None = None
        self._failure = ""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(loop.call_later, STOP_SECONDS, self._app.state.stop)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._reload_soon)
        if self._look is not None:
            self._following = asyncio.ensure_future(self._look_again_and_again(self._look))
        self._ready()

    async def _look_again_and_again(self, look: Callable[[], None]) -> None:
        """Switch to each published version; report an error once, and retry."""
        while not self.should_exit:
            await asyncio.sleep(_LOOK_SECONDS)
            self._reloading = asyncio.ensure_future(self._reload(self._reloading, asked=False))
            await self._reloading
            await asyncio.to_thread(look)

    def _reload_soon(self) -> None:
        before = self._reloading
        self._reloading = asyncio.ensure_future(self._reload(before))

    async def _reload(self, before: "asyncio.Task[None] | None", *, asked: bool = True) -> None:
        if before is not None:
            await before
        try:
            changed = await self._app.state.reload()
        except HippoHoverError as error:
            if asked or str(error) != self._failure:
                _log.error("the server keeps the old version: %s", error)
            self._failure = str(error)
        else:
            self._failure = ""
            if asked or changed:
                _log.info("the new version is served" if changed else "the index is the same")
