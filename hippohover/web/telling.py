"""Whom the progress of an engine's own preparations is told to: the request that waits for them."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from hippohover.progress import Progress

_told: ContextVar[Progress | None] = ContextVar("_told", default=None)


def tell_request(stage: str, done: int, total: int, /) -> None:
    """Progress of what an engine prepares: told to who made it begin, if anybody listens."""
    progress = _told.get()
    if progress is not None:
        progress(stage, done, total)


@contextmanager
def listening(progress: Progress) -> Generator[None]:
    """While the block runs, this thread's preparations are told there."""
    token = _told.set(progress)
    try:
        yield
    finally:
        _told.reset(token)
