"""Work on threads: its limits, its progress, and how it is given up."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from hippohover.progress import GivenUpError, Progress
from hippohover.web.jobs import (
    BusyError,
    Jobs,
    StoppingError,
    TooLongError,
)
from hippohover.web.metrics import CLIENT_GONE

LINES = [(b"accept", b"application/x-ndjson")]


def request(
    headers: list[tuple[bytes, bytes]] | None = None, gone: asyncio.Event | None = None
) -> Request:
    async def receive() -> dict[str, Any]:
        await (gone or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "headers": headers or []}, receive)


def status_of(error: Exception) -> tuple[int, str]:
    return 418, type(error).__name__


async def lines_of(response: Response) -> list[dict[str, Any]]:
    assert isinstance(response, StreamingResponse)
    return [json.loads(str(line)) async for line in response.body_iterator]


@pytest.fixture
def jobs():
    made = Jobs(1, 0, 30.0).start()
    yield made
    made.close()


def waiting_for(event: threading.Event) -> Callable[[Progress], dict[str, Any]]:
    def work(_: Progress) -> dict[str, Any]:
        assert event.wait(60)
        return {"done": True}

    return work


def until_given_up() -> tuple[Callable[[Progress], dict[str, Any]], threading.Event]:
    """Work without end, and what says that it has ended all the same."""
    ended = threading.Event()

    def work(progress: Progress) -> dict[str, Any]:
        try:
            while True:
                progress("claims", 0, 0)
                threading.Event().wait(0.01)
        finally:
            ended.set()

    return work, ended


def test_an_answer_is_json(jobs: Jobs):
    response = asyncio.run(jobs.respond(request(), lambda _: {"a": 1}, status_of))
    assert response.body == b'{"a":1}'


def test_an_error_is_raised_as_it_is(jobs: Jobs):
    def work(_: Progress) -> dict[str, Any]:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        asyncio.run(jobs.respond(request(), work, status_of))


def test_lines_tell_progress_and_then_the_result(jobs: Jobs):
    told = threading.Event()
    go_on = threading.Event()

    def work(progress: Progress) -> dict[str, Any]:
        progress("claims", 3, 7)
        told.set()
        assert go_on.wait(60)
        return {"a": 1}

    async def read() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        response = await jobs.respond(request(LINES), work, status_of)
        assert isinstance(response, StreamingResponse)
        async for line in response.body_iterator:
            found.append(json.loads(str(line)))
            await asyncio.to_thread(told.wait, 30)
            if {"stage": "claims", "done": 3, "total": 7} in found:
                go_on.set()
        return found

    found = asyncio.run(read())
    assert {"stage": "claims", "done": 3, "total": 7} in found
    assert found[-1] == {"result": {"a": 1}}


def test_the_last_line_tells_an_error(jobs: Jobs):
    def work(_: Progress) -> dict[str, Any]:
        raise KeyError("x")

    async def read() -> list[dict[str, Any]]:
        return await lines_of(await jobs.respond(request(LINES), work, status_of))

    assert asyncio.run(read())[-1] == {"error": {"status": 418, "detail": "KeyError"}}


def test_one_more_than_may_wait_is_refused_and_later_there_is_room(jobs: Jobs):
    event = threading.Event()

    async def ask() -> None:
        first = asyncio.ensure_future(jobs.respond(request(), waiting_for(event), status_of))
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await jobs.respond(request(), waiting_for(event), status_of)
        event.set()
        assert (await first).body == b'{"done":true}'
        again = await jobs.respond(request(), lambda _: {}, status_of)
        assert again.body == b"{}"

    asyncio.run(ask())


@pytest.mark.parametrize("headers", [[], LINES])
def test_what_takes_too_long_is_given_up(headers: list[tuple[bytes, bytes]]):
    jobs = Jobs(1, 0, 0.2).start()
    ended = threading.Event()

    def work(progress: Progress) -> dict[str, Any]:
        try:
            for step in range(1000):
                progress("claims", step, 1000)
                threading.Event().wait(0.02)
        except GivenUpError:
            ended.set()
            raise
        return {}

    async def ask() -> object:
        response = await jobs.respond(request(headers), work, status_of)
        return (await lines_of(response))[-1]

    if headers:
        assert asyncio.run(ask()) == {"error": {"status": 418, "detail": "TooLongError"}}
    else:
        with pytest.raises(TooLongError):
            asyncio.run(ask())
    jobs.close()
    assert ended.wait(60)


def test_work_is_given_up_when_the_client_has_left(jobs: Jobs):
    work, ended = until_given_up()

    async def ask() -> Response:
        gone = asyncio.Event()
        asyncio.get_running_loop().call_later(0.1, gone.set)
        return await jobs.respond(request(gone=gone), work, status_of)

    assert asyncio.run(ask()).status_code == CLIENT_GONE
    assert ended.wait(60)


def test_lines_that_nobody_reads_give_their_work_up(jobs: Jobs):
    work, ended = until_given_up()

    async def read_one() -> None:
        response = await jobs.respond(request(LINES), work, status_of)
        assert isinstance(response, StreamingResponse)
        lines: Any = response.body_iterator
        assert "stage" in json.loads(await anext(lines))
        await lines.aclose()

    asyncio.run(read_one())
    assert ended.wait(60)


def test_work_that_has_not_begun_is_never_begun_when_it_is_given_up():
    jobs = Jobs(1, 5, 30.0).start()
    event = threading.Event()
    begun: list[str] = []

    def second(_: Progress) -> dict[str, Any]:
        begun.append("second")
        return {}

    async def ask() -> None:
        first = asyncio.ensure_future(jobs.respond(request(), waiting_for(event), status_of))
        gone = asyncio.Event()
        other = asyncio.ensure_future(jobs.respond(request(gone=gone), second, status_of))
        await asyncio.sleep(0.05)
        gone.set()
        assert (await other).status_code == CLIENT_GONE
        event.set()
        await first

    asyncio.run(ask())
    jobs.close()
    assert begun == []


@pytest.mark.parametrize("headers", [[], LINES])
def test_a_server_that_stops_says_so_to_who_waits(jobs: Jobs, headers: list[tuple[bytes, bytes]]):
    event = threading.Event()

    async def ask() -> object:
        asyncio.get_running_loop().call_later(0.1, jobs.stop)
        response = await jobs.respond(request(headers), waiting_for(event), status_of)
        return (await lines_of(response))[-1]

    if headers:
        assert asyncio.run(ask()) == {"error": {"status": 418, "detail": "StoppingError"}}
    else:
        with pytest.raises(StoppingError):
            asyncio.run(ask())
    event.set()
