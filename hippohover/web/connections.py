"""Connections to the server: how many a client may hold, and how long it may keep one waiting."""

import asyncio
import re
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
    header_bytes : int
        Of all headers of a request, or of the trailers of its body.
    waiting : int
        Requests of a connection that came before the one before them was answered.
    new_seconds : float
        Time for which others make room before a connection that has sent no request yet.
    """

    most: int = 800
    of_a_client: int = 400
    header_seconds: float = 10.0
    header_bytes: int = 2**16
    waiting: int = 16
    new_seconds: float = 2.0


DEFAULTS: Final = ConnectionLimits()

_PART_BYTES: Final = 4096  # parsed at a time: a limit is exceeded by no more requests than fit in

_END_OF_HEADERS: Final = re.compile(rb"\n\r?\n")

_TOO_LONG: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
)


class GuardedProtocol(_Protocol):
    """A connection that is closed where it waits for too long, or in the way of others.

    It waits for the rest of a request, or for its client to read; and one whose requests wait for
    each other is in the way too. Where a client holds as many connections as it may, that of them
    which has waited longest makes room for a new one, so that who sends half a header keeps nobody
    out. Only if none waits is the new one answered with 503.
    """

    def __init__(self, *given: Any, limits: ConnectionLimits = DEFAULTS, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **named)
        self._limits = limits
        self._since = self.loop.time()
        self._made = self._since
        self._ended = False
        self._n_unused = 0
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
                min(waiting, key=lambda one: (one._is_new, one._since))._end()
            else:
                self.limit_concurrency = 0  # the server's own way to answer 503
        self._look()

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _PART_BYTES):
            if self.transport.is_closing():
                return
            part = data[start : start + _PART_BYTES]
            self._n_unused += len(part)
            if self._n_held(len(part)) > self._limits.header_bytes:
                self._refuse()
                return
            super().data_received(part)
            if self._n_queued > self._limits.waiting:
                self._end()
                return
        self._look()

    def on_headers_complete(self) -> None:
        """Count from here; called by httptools alone."""
        self._n_unused = 0
        super().on_headers_complete()  # pyright: ignore

    def on_body(self, body: bytes) -> None:
        """Count from here, because trailers come behind; called by httptools alone."""
        self._n_unused = 0
        super().on_body(body)  # pyright: ignore

    def pause_writing(self) -> None:
        self._since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._since = self.loop.time()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    @property
    def _has_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

    @property
    def _waits(self) -> bool:
        if self._ended:
            return False
        if self.transport.is_closing():  # it stays until its client has read the answer
            return self.transport.get_write_buffer_size() > 0
        amid = self._has_request and not self.cycle.more_body and not self.flow.write_paused
        return not amid or self._n_queued > 0

    @property
    def _is_new(self) -> bool:
        young = self.loop.time() - self._made < self._limits.new_seconds
        return young and self.cycle is None  # pyright: ignore[reportUnnecessaryComparison]

    @property
    def _n_queued(self) -> int:
        """Requests that wait for an answer before: in a queue, or unread in h11's buffer."""
        if hasattr(self, "pipeline"):
            return len(self.pipeline)  # pyright: ignore
        return len(_END_OF_HEADERS.findall(self._unread)) if self._has_request else 0

    @property
    def _unread(self) -> bytes:
        return self.conn.trailing_data[0]

    def _n_held(self, n_more: int) -> int:
        """Count the bytes of headers and trailers that are not complete, with those that came."""
        return self._n_unused if hasattr(self, "pipeline") else len(self._unread) + n_more

    def _refuse(self) -> None:
        """Answer that headers are too long, unless another answer is in the way."""
        if self._has_request or self.transport.get_write_buffer_size():
            self._end()
            return
        detail = f"the headers have more than {self._limits.header_bytes:,} bytes: send fewer"
        body = b'{"detail":"%s"}' % detail.encode()
        self.transport.write(_TOO_LONG % (len(body), body))
        self.transport.close()

    def _end(self) -> None:
        self._ended = True
        self.transport.abort()

    def _look(self) -> None:
        """Begin to wait for headers, or to answer."""
        if self._has_request:
            if not self.flow.write_paused:  # else who never reads would only have to send
                self._since = self.loop.time()
            self._forget_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._limits.header_seconds, self._end)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
