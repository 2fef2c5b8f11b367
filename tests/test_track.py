"""The row of numbers a revision has, and what the gate holds it to."""

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import track

from hippohover.retrieval.engine import HippoHover
from hippohover.testing.indexes import built

BEFORE: dict[str, Any] = {
    "revision": "abc",
    "worlds": {
        "toy": {
            "quality": {"ppr recall@5": 0.9},
            "work": {"n_edges": 1000, "calls_a_claim": 100},
            "times": {"p50_ms": 1.0},
        }
    },
}


def now(**changes: float) -> dict[str, Any]:
    """The same row with some values changed; ``recall`` is the quality."""
    toy = copy.deepcopy(BEFORE["worlds"]["toy"])
    for name, value in changes.items():
        kind = "quality" if name == "recall" else "times" if name == "p50_ms" else "work"
        toy[kind]["ppr recall@5" if name == "recall" else name] = value
    return {**BEFORE, "worlds": {"toy": toy}}


def test_the_same_row_has_not_fallen_behind():
    assert track.fallen(BEFORE, now()) == []


def test_less_that_is_found_is_a_fall():
    assert track.fallen(BEFORE, now(recall=0.89)) == ["toy: ppr recall@5 is 0.8900, was 0.9000"]
    assert track.fallen(BEFORE, now(recall=0.95)) == []


def test_more_work_than_a_little_is_a_fall():
    assert track.fallen(BEFORE, now(n_edges=1020, calls_a_claim=125)) == []
    assert track.fallen(BEFORE, now(n_edges=1021)) == [
        "toy: n_edges is 1,021, was 1,000 (at most 1,020)"
    ]
    assert track.fallen(BEFORE, now(calls_a_claim=126)) != []


def test_times_are_no_fall():
    assert track.fallen(BEFORE, now(p50_ms=1000.0)) == []


def test_a_world_or_a_measure_that_is_gone_is_a_fall():
    gone = {**BEFORE, "worlds": {}}
    assert len(track.fallen(BEFORE, gone)) == 3
    row = now()
    del row["worlds"]["toy"]["quality"]["ppr recall@5"]
    assert len(track.fallen(BEFORE, row)) == 1


def test_the_generated_world_is_always_the_same_and_needs_bridges(tmp_path: Path):
    path, claims = track.generated_world(tmp_path, 10)
    text = path.read_text(encoding="utf-8")
    assert track.generated_world(tmp_path, 10)[0].read_text(encoding="utf-8") == text
    titles = {json.loads(line)["title"] for line in text.splitlines()}
    assert len(claims) == 10
    for claim in claims:
        first, *bridges = claim.gold_titles
        assert first in claim.claim
        assert {first, *bridges} <= titles
        assert not any(bridge in claim.claim for bridge in bridges)


def test_calls_are_counted_and_the_profiler_is_taken_off(tmp_path: Path):
    path, claims = track.generated_world(tmp_path, 6)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    engine = HippoHover.open(built(rows, tmp_path / "i"))
    n = track._calls(engine, claims)  # pyright: ignore[reportPrivateUsage]
    assert n > 100
    assert sys.getprofile() is None
    assert abs(track._calls(engine, claims) - n) <= n // 10  # pyright: ignore[reportPrivateUsage]


def test_rows_are_appended_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    rows = [BEFORE, now(n_edges=2000), now()]
    monkeypatch.setattr(track, "row", lambda: rows.pop(0))
    file = tmp_path / "results" / "track.jsonl"
    monkeypatch.setattr(sys, "argv", ["track.py", "--rows", str(file)])
    track.main()
    assert track.read_rows(file) == [BEFORE]
    monkeypatch.setattr(sys, "argv", ["track.py", "--check", "--rows", str(file)])
    with pytest.raises(SystemExit, match=r"worse than at abc:\ntoy: n_edges is 2,000"):
        track.main()
    track.main()
    assert "nothing fell behind abc" in capsys.readouterr().out
    assert track.read_rows(file) == [BEFORE]


def test_without_a_row_there_is_nothing_to_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["track.py", "--check", "--rows", str(tmp_path / "none")])
    with pytest.raises(SystemExit, match="holds no row to check against"):
        track.main()


def test_the_kept_rows_hold_what_is_checked():
    last = track.read_rows(track.ROWS)[-1]
    assert set(last["worlds"]) == {"toy", "generated", "package"}
    names = {name for world in last["worlds"].values() for name in world["work"]}
    assert names == set(track.WORK)
    assert last["worlds"]["toy"]["quality"]["ppr all_gold_found@21"] > 0.9
