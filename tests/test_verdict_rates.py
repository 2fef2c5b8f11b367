"""``benchmarks/verdict_rates.py``: verdicts counted by label, and what was verified kept."""

import gzip
import json
import sys
from pathlib import Path

import pytest
import verdict_rates

from hippohover.verification import rates

ROWS = [
    {"claim": "Ida Fenn was born in Telk.", "evidence": "Ida Fenn was born in Telk.",
     "label": "SUPPORTED"},
    {"claim": "Ida Fenn was born in 1951.", "evidence": "Ida Fenn was born in 1903.",
     "label": "REFUTED"},
    {"claim": "Ida Fenn sings.", "evidence": "Ida Fenn was born in Telk.",
     "label": "NOT_ENOUGH_INFO"},
]  # fmt: skip


def test_verdicts_are_counted_by_label_and_kept(
    toy_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with gzip.open(tmp_path / "set.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in ROWS)
    texts = json.loads(verdict_rates.CLAIMS.read_text("utf-8"))
    few = tmp_path / "short.json"
    few.write_text(json.dumps({**texts, "pairs": texts["pairs"][:1]}), "utf-8")
    monkeypatch.setattr(verdict_rates, "CLAIMS", few)
    monkeypatch.setattr(rates, "FILE", tmp_path / "rates.json")
    out = tmp_path / "out.json"
    options = [str(toy_index), "--set", f"own={tmp_path / 'set.jsonl.gz'}", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["verdict_rates.py", *options])
    verdict_rates.main()
    first = json.loads(out.read_text("utf-8"))["sets"]
    assert first[0] == {
        "name": "own",
        "verdicts": {
            "true": {"Supported": 1}, "false": {"Contradictory": 1}, "open": {"Low Confidence": 1},
        },
    }  # fmt: skip
    assert [one.name for one in rates.read()] == ["own", rates.SHORT]
    rows = out.with_suffix(".rows.jsonl").read_text("utf-8")
    verdict_rates.main()
    assert out.with_suffix(".rows.jsonl").read_text("utf-8") == rows
