"""``benchmarks/short_claims.py``: verdicts on pairs of short claims, and on what claims nothing."""

import json
import sys
from pathlib import Path

import pytest
import short_claims


def test_verdicts_are_counted_by_truth_and_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    texts = {
        "passages": [
            {
                "title": "Orm Mill",
                "text": "Orm Mill was built in 1890 by Ida Teal. It is not open.",
            },
            {"title": "Ida Teal", "text": "Ida Teal was a miller."},
        ],
        "pairs": [
            {"kind": "polarity", "true": "Orm Mill is not open.", "false": "Orm Mill is open."},
            {"kind": "one value", "true": "Ida Teal built Orm Mill.", "false": "It is a boat."},
        ],
        "no_claim": ["Who built Orm Mill?"],
    }
    claims, out = tmp_path / "claims.json", tmp_path / "result.json"
    claims.write_text(json.dumps(texts), "utf-8")
    monkeypatch.setattr(sys, "argv", ["x", "--claims", str(claims), "--out", str(out)])
    short_claims.main()
    result = json.loads(out.read_text("utf-8"))
    assert result["n_pairs"] == 2
    for arm, _, _ in short_claims.ARMS:
        told = result[arm]
        assert told["verdicts"]["no claim"] == {"No Claim": 1}
        assert told["verdicts"]["false"]["Contradictory"] == 1
        assert told["supported"]["true"]["value"] == told["verdicts"]["true"]["Supported"] / 2
        assert told["false_supported_by_kind"] == {}


def test_every_pair_that_ships_differs_and_its_texts_are_whole():
    texts = json.loads(short_claims.CLAIMS.read_text("utf-8"))
    assert len(texts["pairs"]) > 40
    assert all(pair["true"] != pair["false"] and pair["kind"] for pair in texts["pairs"])
    assert len({row["title"] for row in texts["passages"]}) == len(texts["passages"])
