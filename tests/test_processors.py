"""How many processors a process may use."""

import os

import pytest

from hippohover.processors import available_processors


def test_they_are_those_that_may_be_used():
    assert 1 <= available_processors() <= (os.cpu_count() or 1)


def test_a_system_without_affinity_tells_all_of_them_or_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert available_processors() == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_processors() == 1
