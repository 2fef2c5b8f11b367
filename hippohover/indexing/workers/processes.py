"""A map in one process or several: results in order, bounded memory."""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from hippohover.errors import BuildError

Item = TypeVar("Item")
Result = TypeVar("Result")


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int
) -> Generator[Result]:
    """Yield ``map(function, items)`` over ``workers`` processes, in order.

    With one worker, or one item, everything runs here. Workers are forked, so they share what
    this process has loaded; where forking is not to be had (macOS, Windows), or this process is
    connected to Ray, whose threads do not survive it, one process does all the work. No more than
    three items a worker are under way at once. What ``function`` raises, this raises. A worker
    that is killed raises ``BuildError``. Workers are killed, whatever they are at, when this is
    interrupted or closed, and end with this process, whatever ends it.
    """
    source = iter(items)
    first = list(islice(source, max(workers, 1)))
    workers = min(workers, len(first))
    every = chain(first, source)
    if workers <= 1 or not _may_fork():
        yield from map(function, every)
        return
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_install, initargs=(function,)
    )
    started: list[BaseProcess] = []
    try:
        waiting: deque[Future[Result]] = deque()
        for item in islice(every, 3 * workers):
            with _interrupt_after():
                waiting.append(pool.submit(_call, item))
        started = _workers_of(pool)
        while waiting:
            result = waiting.popleft().result()
            for item in islice(every, 1):
                waiting.append(pool.submit(_call, item))
            yield result
    except BrokenProcessPool as error:
        started = started or _workers_of(pool)
        pool.shutdown(wait=True)  # how each ended is known then
        raise BuildError(_how_ended([worker.exitcode for worker in started])) from error
    except Exception:
        raise  # the other workers end what they are at, which is kept
    except BaseException:  # stopped, or nobody wants more
        _kill_workers(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _may_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods() and connected_ray() is None


def connected_ray() -> Any:  # noqa: ANN401
    """Return the module of Ray if this process is connected to one, else None."""
    ray: Any = sys.modules.get("ray")
    is_initialized = getattr(ray, "is_initialized", None)  # a module of that name need not be Ray
    return ray if is_initialized is not None and is_initialized() else None


def _kill_workers(pool: ProcessPoolExecutor) -> None:
    """End the workers now: their work may take long, and may survive a signal."""
    # Python has a method for this from 3.14 on.
    for worker in _workers_of(pool):
        worker.kill()


def _workers_of(pool: ProcessPoolExecutor) -> list[BaseProcess]:
    return list((pool._processes or {}).values())  # pyright: ignore[reportPrivateUsage]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # those of real time have none but the first and the last
        return f"signal {number}"


def _how_ended(codes: Sequence[int | None]) -> str:
    """Say why workers ended, by their exit codes: the pool ends the others by SIGTERM."""
    if -signal.SIGKILL in codes:
        return (
            "a worker process was killed, most likely because the machine is out of memory: "
            "build again with --workers 1; finished work is kept"
        )
    signals = sorted({-code for code in codes if code is not None and code < 0})
    others = [number for number in signals if number != signal.SIGTERM] or signals
    by = f" by {_signal_name(others[0])}" if others else ""
    return f"a worker process was ended{by}: build again; finished work is kept"


@contextmanager
def _interrupt_after() -> Generator[None]:
    """Delay Ctrl-C and SIGTERM while workers may be forked.

    Python drops an exception that is raised in a callback of ``os.fork``, of which ``logging`` has
    one: the build would run on.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    if threading.current_thread() is not threading.main_thread() or None in before.values():
        yield  # only the main thread is interrupted, and by handlers of Python's own
        return
    came: list[int] = []
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


_installed: Callable[[Any], Any] | None = None


def _install(function: Callable[[Any], Any]) -> None:
    """Keep the function in a new worker: it came with the fork, never serialised."""
    global _installed  # noqa: PLW0603
    _installed = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the pool
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)  # the parent's: it would take our signals for its own
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End a worker when its parent was killed: it would wait for an item for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(item: Any) -> Any:  # noqa: ANN401
    if _installed is None:
        raise BuildError("a worker has no function to call; start it by ordered_map")
    return _installed(item)
