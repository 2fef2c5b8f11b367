"""One deadline for a whole request, from looking up its host to the last byte of the reply."""

import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Thread
from typing import Any, Final, TypeAlias, TypeVar

ResultT = TypeVar("ResultT")

Trace: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""An event of a connection, and what is told of it: httpx's extension ``trace``."""
_CONNECTED: Final = (".connect_tcp.complete", ".start_tls.complete")


class LateError(Exception):
    """A request took longer than it may."""


class Deadline:
    """Makes requests, one at a time, on threads that are not waited for after the deadline.

    httpx limits each wait for bytes: a server that sends one now and then is read for ever.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    def keep(self, seconds: float, request: Callable[[Trace], ResultT]) -> ResultT:
        """Return what a request does, or raise what it raises; its connection tells ``Trace``.

        Raises
        ------
        LateError
            It takes longer than this many seconds. Its connection is cut.
        """
        late = Event()
        outcome: Future[ResultT] = Future()

        def trace(event: str, told: Mapping[str, Any]) -> None:
            if event.endswith(_CONNECTED):
                self._socket = told["return_value"].get_extra_info("socket")
                if late.is_set():
                    raise LateError

        def run() -> None:
            try:
                outcome.set_result(request(trace))
            except BaseException as error:  # is raised where it is waited for
                outcome.set_exception(error)

        Thread(target=run, daemon=True).start()
        try:
            return outcome.result(seconds)
        except TimeoutError:
            if outcome.done():
                return outcome.result()
            late.set()
            self._cut()
            raise LateError from None

    def _cut(self) -> None:
        """End the connection, and with it the wait of the thread that reads from it."""
        if self._socket is not None:
            with suppress(OSError, ValueError):
                self._socket.shutdown(socket.SHUT_RDWR)
