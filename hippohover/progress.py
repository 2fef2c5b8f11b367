"""The progress of long-running work, and its end where nobody waits for it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol

_GIVEN_UP: Final = ContextVar[Callable[[], bool]]("given_up", default=lambda: False)


class Progress(Protocol):
    """Takes how far a stage has come; ``total`` is 0 while it is not known."""

    def __call__(self, stage: str, done: int, total: int, /) -> None: ...


def silent(stage: str, done: int, total: int, /) -> None:
    """Ignore progress."""


class GivenUpError(BaseException):
    """Nobody waits for the work any more; no error of it, which ``except Exception`` may hide."""


@contextmanager
def ended_when(given_up: Callable[[], bool]) -> Generator[None]:
    """Let ``check_wanted`` end the work inside, once ``given_up`` says so.

    Threads that the work starts look there too, if they run in a copy of its context.
    """
    token = _GIVEN_UP.set(given_up)
    try:
        yield
    finally:
        _GIVEN_UP.reset(token)


def check_wanted() -> None:
    """Raise ``GivenUpError`` if nobody waits for the work that runs here."""
    if _GIVEN_UP.get()():
        raise GivenUpError
