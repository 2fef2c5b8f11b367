"""The rates that ``verify --explain-rates`` prints: from which counts, and whose."""

import json
from pathlib import Path

from hippohover.verification import rates

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "verdict_rates.json"
COUNTS = {
    "true": {"Supported": 6, "Low Confidence": 3, "Contradictory": 1},
    "false": {"Supported": 1, "Contradictory": 3},
    "open": {"Supported": 1, "Low Confidence": 4},
}


def test_shares_are_of_claims_of_one_truth_or_of_one_verdict():
    [line] = rates.lines([rates.SetRates("s", COUNTS)])
    assert line == ("s", "60% (6 of 10)", "25% (1 of 4)", "25% (2 of 8)", "25% (1 of 4)")
    [line] = rates.lines([rates.SetRates("s", {"true": {"Low Confidence": 1}})])
    assert line == ("s", "0% (0 of 1)", "-", "-", "-")


def test_what_ships_is_the_committed_result():
    shipped = json.loads(rates.FILE.read_text(encoding="utf-8"))
    assert shipped == json.loads(RESULT.read_text(encoding="utf-8"))["sets"]
    assert [one.name for one in rates.read()][-1] == rates.SHORT
