"""Counts of requests: by route and status, whatever becomes of them."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from hippohover.web.metrics import CLIENT_GONE, Measured, Metrics


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
