"""One reply of a service: retried, and limited in rate, size, time and host."""

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from hippohover.errors import SourceError, UsageError
from hippohover.secret_keys import holds_a_key
from hippohover.sources.deadline import Deadline, LateError, Trace
from hippohover.version import __version__

if TYPE_CHECKING:
    import httpx
    from httpx import BaseTransport as Transport

MOST_BYTES: Final = 4 * 2**20
"""Largest reply that is read, unpacked."""
TIMEOUT_SECONDS: Final = 10.0
"""Longest wait for a connection, and for each part of a reply."""
LONGEST_SECONDS: Final = 30.0
"""Longest time for one request, with its redirects: a server may send a byte now and then."""
LONGEST_WAIT: Final = 10.0
"""Longest ``Retry-After`` that is waited for; a service that wants more is down for this run."""
_MOST_REDIRECTS: Final = 3
_N_RETRIES: Final = 2
"""After 429, 5xx or a cut connection: 1 and 2 seconds apart, or as ``Retry-After`` says."""
_TRY_AGAIN: Final = frozenset([429, 500, 502, 503, 504])
_REFUSED_KEY: Final = frozenset([401, 403])


@dataclass(frozen=True, slots=True)
class _Again:
    """Why to retry a request, and the seconds that the service asks to wait."""

    reason: str
    wait: float | None


class Fetcher:
    """Asks one service; safe from several threads, which take turns.

    Parameters
    ----------
    name : str
        Of the source, for messages.
    headers : mapping of str to str, optional
        Sent with each request.
    interval_seconds : float
        Least time between two requests, as the service asks for.
    key_variable : str
        Environment variable of its key, for messages; "" where it takes none.
    transport : httpx.BaseTransport, optional
        Answers instead of the network: ``httpx.MockTransport`` in tests.
    sleep, clock : callable
        Wait for seconds; seconds so far.

    Raises
    ------
    UsageError
        httpx is not installed.
    """

    def __init__(
        self,
        name: str,
        *,
        headers: Mapping[str, str] | None = None,
        interval_seconds: float = 0.0,
        key_variable: str = "",
        transport: "Transport | None" = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            import httpx
        except ImportError as error:
            raise UsageError(
                f"source {name} needs httpx: pip install 'hippohover[sources]'"
            ) from error
        self.name = name
        self._interval = interval_seconds
        self._key_variable = key_variable
        self._sleep = sleep
        self._clock = clock
        self._next = 0.0
        self._deadline = Deadline()
        self._lock = threading.Lock()
        # Not packed: a packed reply of some kilobytes may be one of gigabytes.
        own = {"User-Agent": f"hippohover/{__version__}", "Accept-Encoding": "identity"}
        self._errors = (httpx.HTTPError, httpx.InvalidURL)
        self._client = httpx.Client(
            headers={**own, **(headers or {})},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
            follow_redirects=False,
        )

    def get_json(self, address: str) -> Any:  # noqa: ANN401
        """Return a reply as ``get`` does, read as JSON."""
        body = self.get(address)
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{self.name} did not answer in JSON: try later") from error

    def get(self, address: str) -> bytes:
        """Return the body of the reply.

        Raises
        ------
        SourceError
            There is none in 30 seconds, it is longer than 4 MiB, or it leads to another host.
        """
        attempt = 0
        with self._lock:
            while isinstance(outcome := self._tried(address), _Again):
                wait = 2.0**attempt if outcome.wait is None else outcome.wait
                if attempt == _N_RETRIES or wait > LONGEST_WAIT:
                    raise SourceError(outcome.reason)
                self._sleep(wait)
                attempt += 1
        return outcome

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _pace(self) -> None:
        wait = self._next - self._clock()
        if wait > 0:
            self._sleep(wait)
        self._next = self._clock() + self._interval

    def _tried(self, address: str) -> "bytes | _Again":
        self._pace()
        try:
            status, wait, body = self._deadline.keep(
                LONGEST_SECONDS, lambda trace: self._reply(address, trace)
            )
        except LateError as error:
            raise SourceError(self._late()) from error
        except self._errors as error:
            return _Again(f"{self.name} did not answer ({type(error).__name__}): try later", None)
        if status == 200:
            return body
        if status not in _TRY_AGAIN:
            raise SourceError(self._refusal(status))
        return _Again(self._refusal(status), wait)

    def _reply(self, address: str, trace: Trace) -> tuple[int, float | None, bytes]:
        """Return status, requested wait in seconds, and body, after redirects within the host."""
        start = self._clock()
        told = {"trace": trace}
        for _ in range(_MOST_REDIRECTS + 1):
            with self._client.stream("GET", address, extensions=told) as reply:
                if not reply.has_redirect_location:
                    body = self._body(reply, start) if reply.status_code == 200 else b""
                    return reply.status_code, _seconds(reply.headers.get("Retry-After")), body
                target = urljoin(str(reply.url), reply.headers["Location"])
            if urlsplit(target)[:2] != urlsplit(address)[:2]:
                raise SourceError(
                    f"{self.name} leads to another host, {urlsplit(target).hostname}, which is "
                    "not followed: use that one, if you trust it"
                )
            address = target
            self._check_time(start)
        raise SourceError(f"{self.name} redirects more than {_MOST_REDIRECTS} times: try later")

    def _body(self, reply: "httpx.Response", start: float) -> bytes:
        parts: list[bytes] = []
        n_bytes = 0
        for part in reply.iter_bytes():
            parts.append(part)
            n_bytes += len(part)
            if n_bytes > MOST_BYTES:
                raise SourceError(
                    f"{self.name} answered with more than {MOST_BYTES:,} bytes: ask for fewer"
                )
            self._check_time(start)
        return b"".join(parts)

    def _check_time(self, start: float) -> None:
        """Stop a request that is late, on the thread that nobody waits for any more."""
        if self._clock() - start > LONGEST_SECONDS:
            raise SourceError(self._late())

    def _late(self) -> str:
        return f"{self.name} took more than {LONGEST_SECONDS:g} s for a reply: try later"

    def _refusal(self, status: int) -> str:
        key = f"the key in {self._key_variable}" if self._key_variable else ""
        if status in _REFUSED_KEY and key:
            return f"{self.name} refused the request (HTTP {status}): check {key}"
        if status == 401:
            return f"{self.name} refused the request (HTTP 401): it needs a key of yours"
        if status == 429:
            more = f", or set {key}" if key else ""
            return f"{self.name} is asked too often (HTTP 429): wait{more}"
        if status in _TRY_AGAIN:
            return f"{self.name} answered with HTTP {status}: try later"
        return f"{self.name} refused the request (HTTP {status}): try another query"


def key_in(variable: str, *, needed_by: str = "") -> str:
    """Read a key from an environment variable, or ""; ``UsageError`` if it is required."""
    holds_a_key(variable)
    key = os.environ.get(variable, "").strip()
    if needed_by and not key:
        raise UsageError(f"source {needed_by} needs a key: put it into {variable}")
    if not (key.isascii() and key.isprintable()):
        raise UsageError(
            f"the key in {variable} has characters that an HTTP header cannot carry: copy it again"
        )
    return key


def _seconds(told: str | None) -> float | None:
    """Return the seconds in ``Retry-After``; a date is not read."""
    return float(told) if told is not None and told.isascii() and told.isdigit() else None
