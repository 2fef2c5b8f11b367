"""Runs requests' work on threads: limited, cancelled when the client leaves."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from hippohover.progress import Progress, check_wanted, ended_when
from hippohover.web.metrics import CLIENT_GONE

LINES: Final = "application/x-ndjson"
_BEAT_SECONDS: Final = 1.0

Work = Callable[[Progress], dict[str, Any]]
"""Makes an answer, and tells how far it is: what that raises ends the work."""


class BusyError(Exception):
    """The queue is full."""


class TooLongError(Exception):
    """The work exceeded its time."""


class StoppingError(Exception):
    """The server stopped before the work ended."""


class Jobs:
    """Runs work on its own threads, from ``start`` to ``close``.

    Parameters
    ----------
    n_threads : int
        Works that run at a time.
    n_waiting : int
        Number of further works that may wait; one more is a ``BusyError``.
    seconds : float
        Time for one work, its waiting included.
    """

    def __init__(self, n_threads: int, n_waiting: int, seconds: float) -> None:
        self._n_threads = n_threads
        self._room = threading.Semaphore(n_threads + n_waiting)
        self._seconds = seconds
        self._stopping = asyncio.Event()

    def start(self) -> "Jobs":
        """Start the threads; also after ``close``."""
        self._stopping = asyncio.Event()
        self._pool = ThreadPoolExecutor(self._n_threads, thread_name_prefix="hippohover")
        return self

    async def respond(
        self, request: Request, work: Work, status_of: Callable[[Exception], tuple[int, str]]
    ) -> Response:
        """Respond with the work's answer: JSON, or lines of progress before it, if accepted.

        Raises
        ------
        BusyError, TooLongError, StoppingError
            See there.
        Exception
            What the work raised; of lines, the last one tells it, as ``status_of`` has it.
        """
        job = _Job(self._pool, self._room, work)
        if LINES in request.headers.get("accept", ""):
            return StreamingResponse(self._lines(job, status_of), media_type=LINES)
        answer = asyncio.wrap_future(job.future)
        gone = asyncio.ensure_future(_disconnect(request))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait(
                {answer, gone, stopping},
                timeout=self._seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if answer.done():
                return JSONResponse(answer.result())
            if gone.done():
                return Response(status_code=CLIENT_GONE)
            if stopping.done():
                raise StoppingError
            raise TooLongError
        finally:
            gone.cancel()
            stopping.cancel()
            job.give_up(answer)

    async def _lines(
        self, job: "_Job", status_of: Callable[[Exception], tuple[int, str]]
    ) -> AsyncGenerator[str]:
        answer = asyncio.wrap_future(job.future)
        end = asyncio.get_running_loop().time() + self._seconds
        try:
            while not answer.done():
                if self._stopping.is_set():
                    raise StoppingError
                if asyncio.get_running_loop().time() > end:
                    raise TooLongError
                stage, done, total = job.at
                yield _line({"stage": stage, "done": done, "total": total})
                await asyncio.wait({answer}, timeout=_BEAT_SECONDS)
            yield _line({"result": answer.result()})
        except Exception as error:  # told in the last line, for the status has been sent
            status, detail = status_of(error)
            yield _line({"error": {"status": status, "detail": detail}})
        finally:
            job.give_up(answer)

    def stop(self) -> None:
        """Stop waiting for running work; call it in the event loop that awaits the answers."""
        self._stopping.set()

    def close(self) -> None:
        """Begin no more work. Running work continues, but nobody waits for it."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Job:
    """One running work."""

    def __init__(self, pool: ThreadPoolExecutor, room: threading.Semaphore, work: Work) -> None:
        self.at = ("waiting", 0, 0)
        self._given_up = threading.Event()
        self._work = work
        if not room.acquire(blocking=False):
            raise BusyError
        try:
            self.future: Future[dict[str, Any]] = pool.submit(self._run)
        except BaseException:
            room.release()
            raise
        self.future.add_done_callback(lambda _: room.release())

    def give_up(self, answer: "asyncio.Future[dict[str, Any]]") -> None:
        """Cancel; running work ends where it next looks, and ``answer`` is read then."""
        self._given_up.set()
        self.future.cancel()
        if not answer.done():
            answer.add_done_callback(_look_at)

    def _run(self) -> dict[str, Any]:
        with ended_when(self._given_up.is_set):
            self._tell("working", 0, 0)
            return self._work(self._tell)

    def _tell(self, stage: str, done: int, total: int, /) -> None:
        check_wanted()
        self.at = (stage, done, total)


async def _disconnect(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _look_at(answer: "asyncio.Future[dict[str, Any]]") -> None:
    """Look at cancelled work's result, so that asyncio reports nothing unread."""
    if not answer.cancelled():
        answer.exception()


def _line(value: dict[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False, allow_nan=False)}\n"
