"""Runs of programs: kept by claim, summed up, told in words."""

import json

import pytest

from hippohover.programs.hop_program import Limits
from hippohover.programs.hypothesis_run import HypothesisRun, TraversalYield
from hippohover.programs.run_log import RunLog, health_in_words
from tests.programs.program_samples import ScriptedSearch


def run_with(covered: bool | None, traversal: TraversalYield | None) -> HypothesisRun:
    run = HypothesisRun(ScriptedSearch({}), "bm25", Limits(1))
    run.is_covered, run.traversal = covered, traversal
    return run


def test_coverage_and_yields_are_those_of_all_runs():
    log = RunLog()
    log.note("hypothesis", "a", run_with(True, TraversalYield(1.0, 0.5, 0.0)))
    log.note("hypothesis", "b", run_with(False, TraversalYield(0.5, 0.5, 1.0)))
    log.note("hypothesis", "c", run_with(None, None))
    log.note("hypothesis", "b", run_with(False, TraversalYield(0.0, 0.5, 1.0)))  # asked again
    told = json.loads(json.dumps(log.as_dict()))["hypothesis"]
    assert told["health"] == {
        "n_runs": 3,
        "n_filled_gaps": 0,
        "n_measured": 2,
        "coverage": 0.5,
        "n_encoding_failures": 0,
        "encoding_failure": None,
        "n_traversed": 2,
        "traversal": {"unique": 0.5, "selected": 0.5, "used": 0.5},
    }
    assert told["runs"]["a"]["is_covered"] is True
    assert told["runs"]["b"]["traversal"]["unique"] == 0.0
    assert health_in_words(told["health"]) == (
        "hypotheses name a document that the answer rests on in 50% of 2 runs; "
        "of linked documents 50% were new, "
        "50% of these were weighed, 50% of those were in the answer"
    )


def test_runs_that_filled_gaps_are_told_beside_those_that_were_measured():
    log = RunLog()
    for n in range(4):
        run = run_with(None if n else False, None)
        run.kinds = ["claim"] if n else ["guess", "grounded"]
        run.hypotheses = [""] * len(run.kinds)
        log.note("hypothesis", f"claim {n}", run)
    told = log.as_dict()["hypothesis"]
    assert [run["filled_gaps"] for run in told["runs"].values()] == [False, True, True, True]
    assert health_in_words(told["health"]) == (
        "hypotheses name a document that the answer rests on in 0% of 1 runs; "
        "3 of 4 runs filled gaps instead of testing hypotheses"
    )


def test_an_encoder_that_failed_is_told_with_its_reason():
    log = RunLog()
    for claim, reason in (("a", ""), ("b", "encoding 9 texts failed (status 500)"), ("c", "x")):
        run = run_with(None, None)
        run.encoding_failure = reason
        log.note("hypothesis", claim, run)
    health = log.as_dict()["hypothesis"]["health"]
    assert health["n_encoding_failures"] == 2
    assert health_in_words(health) == (
        "words were compared instead of vectors in 2 of 3 runs "
        "(encoding 9 texts failed (status 500))"
    )


@pytest.mark.parametrize("n", [0, 1])
def test_what_no_run_tells_is_none(n: int):
    log = RunLog()
    for _ in range(n):
        log.note("hop-chain", "a", run_with(None, None))
    for told in log.as_dict().values():
        assert (told["health"]["coverage"], told["health"]["traversal"]) == (None, None)
        assert health_in_words(told["health"]) == ""
    assert len(log.as_dict()) == n
