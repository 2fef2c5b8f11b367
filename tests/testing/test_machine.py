import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

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
    def forgets(*_given: object, **_options: object) -> None:
        """What is to be deleted stays."""

    monkeypatch.setattr(machine, "delete", forgets)
    monkeypatch.setattr(machine, "alias", lambda *_given, **_options: None)  # pyright: ignore[reportUnknownLambdaType]
    few = settings(FEW, max_examples=8, phases=[Phase.generate], derandomize=True, database=None)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(IndexMachine, settings=few)
