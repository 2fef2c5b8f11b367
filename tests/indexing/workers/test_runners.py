"""Where stages run: on this machine, in the order of the chunks, with what is open here."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from hippohover.errors import ModelError
from hippohover.indexing.workers.runners import LocalRunner, Runner, Stage
from hippohover.records import ExtractionFailure, PassageId


def failing_at(number: int) -> list[ExtractionFailure]:
    """A stage that fails at a passage of every odd chunk, and says in which process."""
    return [ExtractionFailure(PassageId(str(number)), str(os.getpid()))] * (number % 2)


@pytest.mark.parametrize("workers", [1, 2])
def test_failures_come_in_the_order_of_the_chunks(tmp_path: Path, workers: int):
    runner: Runner = LocalRunner(workers)
    told = list(runner(lambda: failing_at, tmp_path, [3, 0, 1, 2]))
    assert [[failure.pid for failure in some] for some in told] == [["3"], [], ["1"], []]
    pids = {int(failure.reason) for some in told for failure in some}
    assert (os.getpid() in pids) == (workers == 1)


def test_a_stage_is_made_once_here_and_shares_what_is_open(tmp_path: Path):
    opened: list[str] = []
    runner = LocalRunner(2)

    def make() -> Stage:
        opened.append("cache")
        return lambda number: [ExtractionFailure(PassageId(str(number)), opened[0])]

    told = list(runner(make, tmp_path, [0, 1]))
    assert runner.shares_memory
    assert opened == ["cache"]
    assert [some[0].reason for some in told] == ["cache", "cache"]


def test_an_error_of_a_stage_ends_the_work(tmp_path: Path):
    def broken(number: int) -> Sequence[ExtractionFailure]:
        raise ModelError(f"no model for chunk {number}")

    with pytest.raises(ModelError, match="no model for chunk 0"):
        list(LocalRunner(2)(lambda: broken, tmp_path, [0, 1]))
