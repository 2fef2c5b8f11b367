"""The ordered map: the same answers from one process and from several, and no process left."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.disk.columns import chunks
from hippohover.errors import BuildError, ModelError
from hippohover.indexing.workers.processes import ordered_map

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []


def counted(n_items: int, taken: list[int]) -> Iterator[int]:
    """0, 1, ...; ``taken`` keeps those that were asked for."""
    for item in range(n_items):
        taken.append(item)
        yield item


# --- answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 1, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("n_items", [0, 1, 40])
def test_results_come_in_the_order_of_the_items(workers: int, n_items: int):
    def slow_first(item: int) -> tuple[int, str]:
        time.sleep(0.02 if item % 5 == 0 else 0)
        return item, "x" * item

    results = ordered_map(slow_first, range(n_items), workers=workers)
    assert list(results) == [(item, "x" * item) for item in range(n_items)]


def test_one_worker_is_this_process_and_two_are_others():
    def where(_: int) -> int:
        time.sleep(0.01)
        return os.getpid()

    assert set(ordered_map(where, range(5), workers=1)) == {os.getpid()}
    assert set(ordered_map(where, range(1), workers=2)) == {os.getpid()}
    elsewhere = set(ordered_map(where, range(20), workers=2))
    assert os.getpid() not in elsewhere
    assert 1 <= len(elsewhere) <= 2


def test_without_fork_this_process_does_all_the_work(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    results = ordered_map(lambda item: (item, os.getpid()), range(3), workers=4)
    assert list(results) == [(item, os.getpid()) for item in range(3)]


def test_workers_share_what_was_loaded_before():
    table = {item: item**2 for item in range(100)}
    assert list(ordered_map(table.__getitem__, range(100), workers=2)) == list(table.values())


# --- laziness --------------------------------------------------------------------------------


@pytest.mark.parametrize(("workers", "ahead"), [(1, 1), (2, 7), (3, 10)])
def test_items_are_taken_as_results_are(workers: int, ahead: int):
    taken: list[int] = []
    results = ordered_map(lambda item: item, counted(1_000, taken), workers=workers)
    assert taken == []
    for n_results in range(4):
        assert next(results) == n_results
        assert len(taken) <= ahead + n_results
    results.close()  # pyright: ignore[reportAttributeAccessIssue] - it is a generator
    assert len(taken) <= ahead + 3


def test_results_that_nobody_wants_end_the_workers():
    results = ordered_map(lambda item: item, range(100), workers=2)
    next(results)
    assert len(multiprocessing.active_children()) == 2
    del results  # the fixture looks for processes that are left


# --- failures --------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_what_the_function_raises_arrives_after_the_results_before_it(workers: int):
    def fail_at_five(item: int) -> int:
        if item == 5:
            raise ModelError(f"passage {item}: too long; split it")
        return item

    results = ordered_map(fail_at_five, range(100), workers=workers)
    assert [next(results) for _ in range(5)] == list(range(5))
    with pytest.raises(ModelError, match="passage 5: too long; split it"):
        next(results)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_the_items_raise_arrives_as_it_is(workers: int):
    def items() -> Iterator[int]:
        yield from range(3)
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(ordered_map(lambda item: item, items(), workers=workers))


def test_want_of_memory_in_a_worker_arrives_as_it_is():
    def want(item: int) -> int:
        raise MemoryError(f"Unable to allocate {item} GiB")

    with pytest.raises(MemoryError, match="Unable to allocate 0 GiB"):
        list(ordered_map(want, range(5), workers=2))


def test_a_killed_worker_is_a_build_error():
    def kill_at_three(item: int) -> int:
        if item == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with pytest.raises(BuildError, match=r"killed.*out of memory.*--workers 1") as raised:
        list(ordered_map(kill_at_three, range(50), workers=2))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("number", "name"),
    [(signal.SIGTERM, "SIGTERM"), (signal.SIGUSR1, "SIGUSR1"), (signal.SIGRTMIN + 3, "signal 37")],
)
def test_a_worker_that_another_signal_ended_is_not_said_to_want_memory(number: int, name: str):
    def end(item: int) -> int:
        if item == 1:
            os.kill(os.getpid(), number)
        return item

    with pytest.raises(BuildError, match=rf"ended by {name}: build again") as raised:
        list(ordered_map(end, range(4), workers=2))
    assert "memory" not in str(raised.value)


# --- ends ------------------------------------------------------------------------------------

WAITING_MAP = """
import os, sys, time
from hippohover.indexing.workers.processes import ordered_map

def tell(item):
    os.write(1, b"%d\\n" % os.getpid())  # one write: two workers share the pipe
    time.sleep(0.05)

def items():
    yield from range(20)
    time.sleep(600)

try:
    for _ in ordered_map(tell, items(), workers=2):
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""
"""Two workers that soon wait for their next item, as in a build whose corpus is slow to read."""


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie that waits for its parent's parent."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


@contextmanager
def waiting_map() -> Generator[tuple["subprocess.Popen[str]", list[int]], None, None]:
    """A process in a group of its own, and the pids of its two workers."""
    with subprocess.Popen(  # noqa: S603 - our own text
        [sys.executable, "-c", WAITING_MAP],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            workers = {int(process.stdout.readline()) for _ in range(20)}
            assert len(workers) == 2
            time.sleep(0.2)  # the last items are under way
            yield process, sorted(workers)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_until_gone(pids: list[int], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while any(map(is_running, pids)):
        assert time.monotonic() < end, f"still running: {pids}"
        time.sleep(0.02)


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@needs_proc
def test_ctrl_c_ends_the_workers_without_a_word_from_them():
    with waiting_map() as (process, workers):
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole group
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 7
        assert output.endswith("interrupted\n")
        assert errors == ""
        wait_until_gone(workers)


BUSY_MAP = """
import os, signal, sys, time
from hippohover.indexing.workers.processes import ordered_map

def work(item):
    if item >= 2:
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(3600)
    return item

class Stopped(BaseException):
    pass

def stop(number, frame):
    raise Stopped

signal.signal(signal.SIGTERM, stop)
try:
    for item in ordered_map(work, range(20), workers=2):
        os.write(1, b"done %d\\n" % item)
except (KeyboardInterrupt, Stopped):
    os.write(1, b"stopped\\n")
    sys.exit(7)
"""
"""Two workers, each at something that takes an hour."""


@needs_proc
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_what_workers_are_at_is_not_waited_for(sent: int):
    with subprocess.Popen(  # noqa: S603 - our own text
        [sys.executable, "-c", BUSY_MAP],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = [process.stdout.readline().strip() for _ in range(4)]
            process.send_signal(sent)
            output, errors = process.communicate(timeout=120)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, errors, output) == (7, "", "stopped\n")
    assert {"done 0", "done 1"} < set(said)  # what was done before came to whoever keeps it
    wait_until_gone([int(line) for line in said if line.isdecimal()])


def test_what_nobody_wants_is_not_waited_for(tmp_path: Path):
    def work(item: int) -> int:
        if item:
            time.sleep(60)
            (tmp_path / "ended").touch()
        return item

    results = ordered_map(work, range(3), workers=2)
    assert next(results) == 0
    results.close()
    assert not (tmp_path / "ended").exists()


def test_ctrl_c_in_mid_fork_is_not_lost():
    """Python drops what is raised in a callback of ``fork``."""
    to_send: list[int] = [signal.SIGINT]
    os.register_at_fork(after_in_parent=lambda: [signal.raise_signal(to_send.pop())
                                                 for _ in to_send[:1]])  # fmt: skip
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        list(ordered_map(lambda item: item, range(10), workers=2))
    assert to_send == []
    assert signal.getsignal(signal.SIGINT) is before


def test_a_map_in_another_thread_leaves_signals_alone():
    with ThreadPoolExecutor(1) as threads:
        results = threads.submit(lambda: list(ordered_map(abs, range(10), workers=2)))
        assert results.result() == list(range(10))


@needs_proc
def test_workers_do_not_outlive_a_killed_parent():
    with waiting_map() as (process, workers):
        process.kill()
        process.communicate(timeout=60)
        wait_until_gone(workers)


# --- small parts -----------------------------------------------------------------------------


@given(st.lists(st.integers(), max_size=40), st.integers(1, 12))
def test_chunks_hold_every_item_once_and_in_order(items: list[int], size: int):
    lists = list(chunks(iter(items), size))
    assert [item for chunk in lists for item in chunk] == items
    assert all(len(chunk) == size for chunk in lists[:-1])
    assert all(1 <= len(chunk) <= size for chunk in lists[-1:])


def test_chunks_are_taken_one_at_a_time():
    taken: list[int] = []
    assert next(chunks(counted(100, taken), 8)) == list(range(8))
    assert taken == list(range(8))
