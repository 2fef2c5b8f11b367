"""The number of processors that this process may use, and work on several threads."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


def available_processors() -> int:
    """Return how many processors this process may use; all where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    function: Callable[[ItemT], ResultT], items: Iterable[ItemT], n_threads: int
) -> Iterator[ResultT]:
    """Yield a function's results for items, in order, computing ``n_threads`` at a time.

    Its errors are raised in the order of the items, and then no further item is begun. With one
    thread, no thread is started.
    """
    if n_threads <= 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield from pool.map(function, items)
    except Exception:
        pool.shutdown(cancel_futures=True)  # what is under way is paid for, and kept
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # who stops waits for none
