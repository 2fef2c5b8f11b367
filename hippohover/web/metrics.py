"""Metrics of the server for Prometheus."""

import time
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Summary,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

if TYPE_CHECKING:
    from hippohover.programs.hop_program import Run

CLIENT_GONE = 499
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class Metrics:
    """Counts of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "hippohover_requests",
            "Requests answered.",
            ["path", "status"],
            registry=self._registry,
        )
        self.seconds = Histogram(
            "hippohover_request_seconds",
            "Time to the end of the answer.",
            ["path"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.under_way = Gauge(
            "hippohover_requests_under_way",
            "Requests that wait for their answer.",
            registry=self._registry,
        )
        self.reloads = Counter(
            "hippohover_reloads",
            "Times that the server switched to another version of the index.",
            registry=self._registry,
        )
        self.program_runs = Counter(
            "hippohover_program_runs",
            "Answers of programs.",
            ["program"],
            registry=self._registry,
        )
        self.covered = Counter(
            "hippohover_hypotheses",
            "Runs whose hypotheses named (or not) what the answer rests on.",
            ["program", "covered"],
            registry=self._registry,
        )
        self.filled_gaps = Counter(
            "hippohover_filled_gaps",
            "Runs that filled gaps instead of testing hypotheses.",
            ["program"],
            registry=self._registry,
        )
        self.traversal = Summary(
            "hippohover_traversal_share",
            "What following links gave: shares unique, selected and used, from 0 to 1.",
            ["program", "share"],
            registry=self._registry,
        )
        self.source_failures = Counter(
            "hippohover_source_failures",
            "Runs of programs in which a source beyond the index failed.",
            ["program"],
            registry=self._registry,
        )

        self.encoding_failures = Counter(
            "hippohover_encoding_failures",
            "Runs of programs that compared words because vectors failed or came late.",
            ["program"],
            registry=self._registry,
        )
        self.fallbacks = Counter(
            "hippohover_fallbacks",
            "Replies of models and vectors that programs had to do without.",
            ["program"],
            registry=self._registry,
        )

    def note_run(self, name: str, _claim: str, run: "Run") -> None:
        """Count what a program's run told."""
        told = run.as_dict()
        self.program_runs.labels(name).inc()
        if (covered := told.get("is_covered")) is not None:
            self.covered.labels(name, "yes" if covered else "no").inc()
        self.filled_gaps.labels(name).inc(bool(told.get("filled_gaps")))
        for share, value in (told.get("traversal") or {}).items():
            self.traversal.labels(name, share).observe(value)
        self.encoding_failures.labels(name).inc(bool(run.encoding_failure))
        self.fallbacks.labels(name).inc(run.fallbacks)
        self.source_failures.labels(name).inc(len((told["sources"] or {}).get("failures", ())) > 0)

    def text(self) -> bytes:
        """Render all counts in Prometheus' text format."""
        return generate_latest(self._registry)


class Measured:
    """Counts every request by its route."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = CLIENT_GONE  # unless an answer begins
        start = time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._metrics.under_way.track_inprogress():
            try:
                await self._app(scope, receive, noted)
            except Exception:
                status = 500
                raise
            finally:
                # The route's own path: one that nobody knows would be a new time series each.
                path = getattr(scope.get("route"), "path", "other")
                self._metrics.requests.labels(path, str(status)).inc()
                self._metrics.seconds.labels(path).observe(time.perf_counter() - start)
