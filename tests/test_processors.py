"""How many processors a process may use, and work on several threads, in order."""

import os
import threading

import pytest

from hippohover.processors import available_processors, in_order


def test_they_are_those_that_may_be_used():
    assert 1 <= available_processors() <= (os.cpu_count() or 1)


def test_a_system_without_affinity_tells_all_of_them_or_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert available_processors() == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_processors() == 1


@pytest.mark.parametrize("n_threads", [0, 1, 3])
def test_results_come_in_the_order_of_the_items(n_threads: int):
    assert list(in_order(lambda n: n * n, range(50), n_threads)) == [n * n for n in range(50)]


def test_so_many_are_under_way_at_once():
    together = threading.Barrier(3, timeout=60)
    assert list(in_order(lambda _: together.wait() >= 0, range(6), 3)) == [True] * 6


def test_with_one_thread_none_is_started():
    [name] = set(in_order(lambda _: threading.current_thread().name, range(3), 1))
    assert name == threading.current_thread().name


def test_after_an_error_nothing_more_is_begun():
    begun: list[int] = []

    def fails_at_three(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise ZeroDivisionError("three")
        return number

    done: list[int] = []
    with pytest.raises(ZeroDivisionError, match="three"):
        for result in in_order(fails_at_three, range(10_000), 2):
            done.append(result)
    assert done == [0, 1, 2]
    assert len(begun) < 10_000
