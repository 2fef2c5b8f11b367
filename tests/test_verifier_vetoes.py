"""``benchmarks/verifier_vetoes.py``: verdicts with and without each veto, on a small index."""

import sys
from pathlib import Path
from typing import Any

import pytest
import verifier_vetoes
from verifier_vetoes import BY_SIGNAL, counts, verdict

from hippohover.verification.against.checks import CHECKS


def row(*, supported: bool, denial: float = 0.0, numbers: float | None = None) -> dict[str, Any]:
    """A claim of which the judge is sure, and against which one check may have found something."""
    readings = {
        "judged_support": 0.8, "coverage_tokens": 1.0, "denial": denial, "numeric_check": numbers,
    }  # fmt: skip
    without = {"denials": {"denial": 0.0, "judged_support": 0.9}} if denial else {}
    return {
        "uid": "1", "supported": supported, "readings": readings, "without": without,
        "status": "Low Confidence",
    }  # fmt: skip


def test_a_veto_that_is_off_forbids_nothing():
    denied = row(supported=False, denial=0.5)
    assert verdict(denied) == "Low Confidence"
    assert verdict(denied, "denials") == "Supported"
    assert verdict(denied, "hedges") == "Low Confidence"
    counted = row(supported=True, numbers=0.0)
    assert verdict(counted) == "Low Confidence"
    assert verdict(counted, "numeric_check") == "Supported"
    assert verdict(row(supported=True) | {"status": "No Claim"}) == "No Claim"


def test_verdicts_are_counted_by_truth_with_their_paired_difference():
    rows = [row(supported=True), row(supported=False, denial=0.5), row(supported=False)]
    told = counts(rows, "denials")
    assert told["true Supported"] == {"with": 1, "without": 1, "n": 1}
    assert (told["false Supported"]["with"], told["false Supported"]["without"]) == (1, 2)
    assert told["false Supported"]["moved"]["value"] == 0.5
    assert "moved" not in told["false Contradictory"]


def test_a_run_goes_on_and_says_of_every_veto_what_it_does(
    encoded_toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    claims = tmp_path / "toy-claims.jsonl"
    claims.write_text(
        '{"uid": "a", "claim": "Lantern Hill is a film.", "label": "SUPPORTED", '
        '"supporting_facts": [["Lantern Hill", 0]], "num_hops": 2}\n'
        '{"uid": "b", "claim": "Lantern Hill is not a film.", "label": "NOT_SUPPORTED", '
        '"supporting_facts": [["Lantern Hill", 0]], "num_hops": 2}\n',
        "utf-8",
    )
    out = tmp_path / "vetoes.json"
    asked = ["x", str(encoded_toy_index), str(claims), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", asked)
    verifier_vetoes.main()
    first = out.read_bytes()
    kept = tmp_path / "vetoes.toy-claims.jsonl"
    assert "Lantern" not in kept.read_text("utf-8")
    kept.write_text("".join(kept.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8")
    verifier_vetoes.main()
    assert out.read_bytes() == first
    for check in (*(one.__name__ for one in CHECKS), *BY_SIGNAL):
        assert f'"{check}"'.encode() in first
