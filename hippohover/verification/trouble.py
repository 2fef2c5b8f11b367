"""What goes wrong while one text is verified, and the time that it takes."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite

from hippohover.verification.signals import ClaimContext, Reading, Signal


@dataclass
class Trouble:
    """Failures of models so far, why the judge is not asked any more, and time that was taken."""

    failures: list[str] = field(default_factory=list[str])
    judge_gone: str = ""
    seconds: list[float] = field(default_factory=list[float])

    @contextmanager
    def timed(self, about: float = 0.0) -> Generator[None]:
        """Add the processor time that this thread takes, and until it is known, about as much."""
        start = time.thread_time()
        self.seconds.append(about)
        try:
            yield
        finally:
            self.seconds.append(time.thread_time() - start - about)


def read_safely(name: str, signal: Signal, context: ClaimContext, trouble: Trouble) -> Reading:
    """Return a signal's value; one that fails, or gives no number, is unavailable and says why."""
    try:
        with trouble.timed():
            reading = signal(context)
    except Exception as error:  # a signal may be anybody's
        reason = f"the signal failed ({type(error).__name__}: {error})"
    else:
        if reading.value is None or isfinite(reading.value):
            return reading
        reason = f"the signal gave {reading.value}"
    trouble.failures.append(f"{name}: {reason}")
    return Reading(None, reason)
