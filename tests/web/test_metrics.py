"""Counts of requests: by route and status, whatever becomes of them."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from hippohover.errors import SourceError
from hippohover.programs.hop_program import Limits, Run
from hippohover.programs.hypothesis_run import HypothesisRun, TraversalYield
from hippohover.sources.beside import BesideSources
from hippohover.sources.router import SourceRouter
from hippohover.web.metrics import CLIENT_GONE, Measured, Metrics
from tests.programs.program_samples import ScriptedSearch
from tests.sources.reply_samples import Shelf


def text_of(metrics: Metrics) -> str:
    return metrics.text().decode()


def counted(metrics: Metrics) -> dict[tuple[str, str], float]:
    """Requests by path and status."""
    (family,) = metrics.requests.collect()
    return {
        (one.labels["path"], one.labels["status"]): one.value
        for one in family.samples
        if one.name.endswith("_total")
    }


def test_a_request_is_counted_by_its_route_while_it_is_under_way_and_after():
    metrics = Metrics()

    def passage(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(metrics.text())

    app = Measured(Starlette(routes=[Route("/passages/{pid}", passage)]), metrics)
    client = TestClient(app)
    for pid in ("a", "b"):
        assert "hippohover_requests_under_way 1.0" in client.get(f"/passages/{pid}").text
    client.get("/a/path/that/nobody/knows")
    client.post("/passages/a")
    told = text_of(metrics)
    assert "hippohover_requests_under_way 0.0" in told
    assert "nobody" not in told
    assert sum(counted(metrics).values()) == 4
    assert counted(metrics)[("other", "404")] == 1


def test_an_error_of_the_app_is_counted_and_goes_on():
    metrics = Metrics()

    async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        TestClient(Measured(broken, metrics)).get("/")
    assert counted(metrics) == {("other", "500"): 1}
    assert 'hippohover_request_seconds_count{path="other"} 1.0' in text_of(metrics)


def test_an_answer_that_never_began_is_that_of_a_client_who_left():
    metrics = Metrics()

    async def silent(_scope: Scope, _receive: Receive, _send: Send) -> None:
        return

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(_message: Message) -> None:
        return

    asyncio.run(Measured(silent, metrics)({"type": "http"}, receive, send))
    assert counted(metrics) == {("other", str(CLIENT_GONE)): 1}


def test_each_server_counts_by_itself():
    first, second = Metrics(), Metrics()
    first.reloads.inc()
    assert "hippohover_reloads_total 1.0" in text_of(first)
    assert "hippohover_reloads_total 0.0" in text_of(second)


def test_runs_of_programs_are_counted_with_coverage_and_yield():
    metrics = Metrics()
    run = HypothesisRun(ScriptedSearch({}), "bm25", Limits(1))
    metrics.note_run("hypothesis", "a", run)  # it tells nothing
    run.is_covered, run.traversal = True, TraversalYield(0.5, 0.25, 1.0)
    metrics.note_run("hypothesis", "b", run)
    run.is_covered, run.kinds, run.hypotheses = False, ["claim"], ["c"]
    metrics.note_run("hypothesis", "c", run)
    told = text_of(metrics).splitlines()
    of_program = 'program="hypothesis"'
    assert f"hippohover_program_runs_total{{{of_program}}} 3.0" in told
    assert f'hippohover_hypotheses_total{{covered="yes",{of_program}}} 1.0' in told
    assert f'hippohover_hypotheses_total{{covered="no",{of_program}}} 1.0' in told
    assert f"hippohover_filled_gaps_total{{{of_program}}} 1.0" in told
    assert f'hippohover_traversal_share_sum{{{of_program},share="selected"}} 0.5' in told
    assert f'hippohover_traversal_share_count{{{of_program},share="selected"}} 2.0' in told
    assert f"hippohover_source_failures_total{{{of_program}}} 0.0" in told


def test_a_run_without_its_vectors_is_counted():
    metrics = Metrics()
    run = HypothesisRun(ScriptedSearch({}), "bm25", Limits(1))
    metrics.note_run("hypothesis", "a", run)
    run.encoding_failure, run.fallbacks = "encoding 9 texts took more than 3 s", 2
    metrics.note_run("hypothesis", "b", run)
    told = text_of(metrics)
    assert 'hippohover_encoding_failures_total{program="hypothesis"} 1.0' in told
    assert 'hippohover_fallbacks_total{program="hypothesis"} 2.0' in told


def test_a_run_whose_source_failed_is_counted():
    metrics = Metrics()
    sources = SourceRouter([Shelf(fails=lambda: SourceError("down"))]).run()
    run = Run(BesideSources(ScriptedSearch({}), sources), "bm25", Limits(1))
    run.search("orle", 5)
    metrics.note_run("iterative-bm25", "a", run)
    assert 'hippohover_source_failures_total{program="iterative-bm25"} 1.0' in text_of(metrics)
