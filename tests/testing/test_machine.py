from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from hippohover.indexing.updates import next_version
from hippohover.indexing.updates.changes import Update
from hippohover.store import tables
from hippohover.testing import machine
from hippohover.testing.machine import IndexMachine

FEW = settings(
    max_examples=min(8, settings().max_examples),
    stateful_step_count=4,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.slow
def test_an_index_is_what_a_build_makes_whatever_is_done_to_it():
    run_state_machine_as_test(IndexMachine, settings=FEW)


@pytest.mark.slow
def test_an_update_that_forgets_is_caught(monkeypatch: pytest.MonkeyPatch):
    def forgets(*_given: object, **_options: object) -> Update:
        """What is to be deleted stays."""
        return Update(n_added=0, n_removed=0, n_known=0, n_passages=0)

    monkeypatch.setattr(machine, "delete", forgets)
    monkeypatch.setattr(machine, "alias", forgets)
    few = settings(FEW, max_examples=8, phases=[Phase.generate], derandomize=True, database=None)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(IndexMachine, settings=few)


@pytest.mark.slow
def test_a_segment_that_forgets_is_caught(monkeypatch: pytest.MonkeyPatch):
    publish = next_version.publish_segment

    def forgets(*given: Any, gone: object, **options: Any) -> None:  # noqa: ANN401
        """What is to go stays in the segment."""
        publish(*given, gone=(), **options)

    monkeypatch.setattr(next_version, "publish_segment", forgets)
    few = settings(FEW, max_examples=8, phases=[Phase.generate], derandomize=True, database=None)
    with pytest.raises(AssertionError, match=r"answers .*, and a build with"):
        run_state_machine_as_test(IndexMachine, settings=few)


def test_the_thresholds_are_as_they_were_after_a_run():
    before = tables.LEAST_WITH_SPARE, tables.SPARE_SHARE
    one = IndexMachine()
    assert tables.LEAST_WITH_SPARE == 0
    one.teardown()
    assert before == (tables.LEAST_WITH_SPARE, tables.SPARE_SHARE)
