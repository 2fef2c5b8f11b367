"""The progress callback of long-running work."""

from typing import Protocol


class Progress(Protocol):
    """Takes how far a stage has come; ``total`` is 0 while it is not known."""

    def __call__(self, stage: str, done: int, total: int, /) -> None: ...


def silent(stage: str, done: int, total: int, /) -> None:
    """Ignore progress."""
