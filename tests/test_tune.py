"""``benchmarks/tune.py``, run on the notes: what one half teaches finds the gold of the other."""

import json
import sys
from pathlib import Path

import pytest
import tune
from retrieval_tables import tuning_table

from tests.tuning.tuning_samples import note_claims, topics, write_claims, write_notes

RECIPE = 'name = "notes"\nextractor = "between"\nencoder = "none"\n'
N = 25  # halves of 12 and 13: which tuned and which was asked is seen by their sizes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with its claims, and what the script said of them."""
    folder = tmp_path_factory.mktemp("tune")
    write_notes(folder / "notes-corpus.jsonl", N)
    write_claims(folder / "notes-claims.jsonl", note_claims(n_topics=N))
    (folder / "notes.toml").write_text(RECIPE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hippohover.tuning.tune.LEAST_CLAIMS", 12)
        paths = (folder / "notes-corpus.jsonl", folder / "notes-claims.jsonl")
        asked = (*paths, "--work", folder / "work", "--out", folder / "tune.json", "--splits", 1)
        patch.setattr(
            sys, "argv", ["tune.py", *map(str, asked), "--recipe", str(folder / "notes.toml")]
        )
        tune.main()
    return folder


@pytest.mark.slow
def test_each_half_gains_by_what_the_other_taught(folder: Path):
    result = json.loads((folder / "tune.json").read_text(encoding="utf-8"))
    assert result["n"] == N
    assert result["as_written"]["found_by_shipped"] == "0" * N
    (split,) = result["as_written"]["splits"]
    assert split["found"] == "1" * N
    sizes = [split["half_of"].count(half) for half in "01"]
    assert sorted(sizes) == [12, 13]
    told = [(half["tuning"]["gain"]["n"], half["other"]["gain"]["n"]) for half in split["halves"]]
    assert told == [tuple(sizes), tuple(sizes[::-1])]
    for cell in (split["both"], *(half["other"] for half in split["halves"])):
        assert (cell["before"]["value"], cell["after"]["value"]) == (0.0, 1.0)
        assert cell["gain"]["n"] == cell["n_groups"] == cell["before"]["n"]
    assert all(half["tuning"]["helps"] for half in split["halves"])
    table = tuning_table(result)
    assert "| as written, split 0 | 12: +100.0 (+100.0 to +100.0) | 13 | 0.0 (" in table
    assert "| as written, split 0 | both halves | 25 | 0.0 (" in table


@pytest.mark.slow
def test_the_result_holds_no_text(folder: Path):
    text = (folder / "tune.json").read_text(encoding="utf-8")
    assert [topic for topic in topics(N) if topic in text] == []


def test_gold_is_shuffled_whole():
    claims = note_claims()
    changed = tune.shuffled(claims)
    assert [c.claim for c in changed] == [c.claim for c in claims]
    assert sorted(c.gold_titles for c in changed) == sorted(c.gold_titles for c in claims)
    kept = [c for c, before in zip(changed, claims, strict=True) if c == before]
    assert len(kept) < 5
    assert all(c.gold_titles == (c.supporting_facts[0][0],) for c in changed)


@pytest.mark.slow
def test_a_half_that_gains_nothing_is_said_to(folder: Path):
    result = json.loads((folder / "tune.json").read_text(encoding="utf-8"))
    for half in result["shuffled"]["splits"][0]["halves"]:
        gain = half["tuning"]["gain"]
        assert half["tuning"]["helps"] == (gain["low"] > 0)
        half["tuning"] |= {"helps": False}
    assert tuning_table(result).count(", no gain |") == 2
