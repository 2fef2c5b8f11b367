"""Stops a command on Ctrl-C or SIGTERM: it cleans up, or ends if that takes long.

The handler raises an exception, and the command cleans up on the way out. Python raises it only
between two of its own steps, and cleaning up may have to wait for a library, a request or a thread.
So a thread gets the signal too, and ends the process after a grace period.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

from hippohover.cli.output import error_line

GRACE_SECONDS: Final = 1.5
"""How long a stopped command may clean up."""


class Terminated(BaseException):
    """SIGTERM: ends a command like Ctrl-C, with cleanup."""


_told = threading.Event()


def _terminate(_number: int, _frame: object) -> None:
    _told.set()
    raise Terminated


_HANDLERS: Final = {
    int(signal.SIGINT): signal.default_int_handler,
    int(signal.SIGTERM): _terminate,
}
WORDS: Final = {130: "interrupted", 143: "terminated"}
"""What is said of a stopped command, by its exit code."""

_said = threading.Event()


def listen() -> None:
    """Have Ctrl-C and SIGTERM stop this process, within ``GRACE_SECONDS``.

    A command that sets a handler of its own, as a server does, takes care of itself.
    """
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    threading.Thread(target=_end_in_time, args=(reads,), daemon=True).start()
    signal.signal(signal.SIGTERM, _terminate)  # last: nobody catches what it raises in here


def stop_listening() -> None:
    """Restore the default handling of both signals: nobody would catch an error here."""
    for number, handler in _HANDLERS.items():
        if signal.getsignal(number) is handler:
            signal.signal(number, signal.SIG_DFL)


def code_behind(error: BaseException | None) -> int:
    """Return the exit code of the signal that caused an error; 0 if none did.

    A library that is stopped while it loads may make another error of what the handler raised, or
    lose it and fail later.
    """
    for cause in causes(error):
        if isinstance(cause, Terminated):
            return 143
        if isinstance(cause, KeyboardInterrupt):
            return 130
    return 143 if _told.is_set() else 0


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what is behind it; an error that is raised again may be its own cause."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def say_stopped(code: int) -> None:
    """Print that a command was stopped and has cleaned up; silences later remarks."""
    _said.set()
    error_line(f"{WORDS[code]}; nothing is left half-written")


def _end_in_time(reads: int) -> None:
    """Wait for a signal to act on; then end the process if it still runs."""
    while not (numbers := [number for number in os.read(reads, 64) if _is_ours(number)]):
        pass
    time.sleep(GRACE_SECONDS)
    _end_at_once(128 + numbers[0])


def _is_ours(number: int) -> bool:
    return number in _HANDLERS and signal.getsignal(number) is _HANDLERS[number]


def _end_at_once(code: int) -> None:
    """End the process and its workers; never wait for the thread that hangs."""
    if (processes := sys.modules.get("multiprocessing")) is not None:
        for worker in processes.active_children():
            worker.kill()
    if not _said.is_set():
        shown = "\x1b[?25h\n" if os.isatty(2) else ""  # progress bars hide the cursor
        line = f"error: {WORDS[code]} without cleaning up; no index is damaged\n"
        os.write(2, f"{shown}{line}".encode())
    os._exit(code)
