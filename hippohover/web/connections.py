"""Connections to the server: how many a client may hold, and how long it may keep one waiting."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from hippohover.metadata import is_loopback

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol
else:
    _Protocol = AutoHTTPProtocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits of a server's connections.

    Attributes
    ----------
    most : int
        Of all clients; and of this machine, because a proxy's connections all come from there.
    of_a_client : int
        Of another address.
    header_seconds : float
        Time for all headers of a request to come.
    """

    most: int = 800
    of_a_client: int = 400
    header_seconds: float = 10.0


DEFAULTS: Final = ConnectionLimits()


class GuardedProtocol(_Protocol):
    """A connection that is closed where it waits for too long, or in the way of others.

    It waits for the rest of a request, or for its client to read. Where a client holds as many
    connections as it may, that of them which has waited longest makes room for a new one, so that
    who sends half a header keeps nobody out. Only if none waits is the new one answered with 503.
    """

    def __init__(self, *given: Any, limits: ConnectionLimits = DEFAULTS, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **named)
        self._limits = limits
        self._since = self.loop.time()
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        every = [one for one in self.connections if isinstance(one, GuardedProtocol)]
        own = [one for one in every if (one.client[0] if one.client else "") == host]
        most = self._limits.most if not host or is_loopback(host) else self._limits.of_a_client
        if len(own) > most or len(every) > self._limits.most:
            some = own if len(own) > most else every
            waiting = [one for one in some if one is not self and one._waits]
            if waiting:
                min(waiting, key=lambda one: one._since).transport.abort()
            else:
                self.limit_concurrency = 0  # the server's own way to answer 503
        self._look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    @property
    def _has_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

    @property
    def _waits(self) -> bool:
        amid = self._has_request and not self.cycle.more_body and not self.flow.write_paused
        return not amid and not self.transport.is_closing()

    def _look(self) -> None:
        """Begin to wait for headers, or to answer."""
        if self._has_request:
            self._since = self.loop.time()
            self._forget_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._limits.header_seconds, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
