"""``benchmarks/against_peers.py`` and the samples of ``sparse_corpora.py``, on small corpora."""

import json
import sys
from pathlib import Path

import against_peers
import pytest
from sparse_corpora import aliased, sample

PROGRAM = """
import json, pathlib, sys
name, passages, claims, out, *options = sys.argv[1:]
assert options[::2] == ["--work", "--k", "--llm"], options
rows = [json.loads(line) for line in pathlib.Path(passages).read_text().splitlines()]
asked = [json.loads(line) for line in pathlib.Path(claims).read_text().splitlines()]
found = [row["pid"] for row in rows if row["text"].startswith("1921 Harbour Cup Final")]
lines = [{"peer": name, "version": "1.2", "seconds": 0.5}]
lines += [{"uid": one["uid"], "seconds": 0.25, "pids": found} for one in asked]
pathlib.Path(out).write_text("".join(json.dumps(line) + "\\n" for line in lines))
with open(sys.argv[0] + ".log", "a") as log:
    log.write(name)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    monkeypatch.setattr(against_peers, "PROGRAM", path)
    return path


def asked(monkeypatch: pytest.MonkeyPatch, index: Path, folder: Path, peer: str) -> Path:
    claims = folder / "claims.jsonl"
    rows = [
        {
            "uid": "a",
            "claim": "1921 Harbour Cup Final is old.",
            "supporting_facts": [["1921 Harbour Cup Final", 0]],
        },
        {"uid": "b", "claim": "Ada is at sea.", "supporting_facts": [["Never a title", 0]]},
    ]
    claims.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    out = folder / "result.json"
    words = ["against_peers.py", str(index), str(claims), "--peer", peer, "--llm", "some"]
    monkeypatch.setattr(sys, "argv", [*words, "--work", str(folder / "w"), "--out", str(out)])
    against_peers.main()
    return out


def test_a_program_is_asked_once_and_counted_as_ppr_is(
    toy_index: Path, tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
):
    peer = f"one={sys.executable}"
    asked(monkeypatch, toy_index, tmp_path, peer)
    again = asked(monkeypatch, toy_index, tmp_path, peer)  # answers are kept
    result = json.loads(again.read_text())
    assert Path(f"{program}.log").read_text() == "one"
    found = result["programs"]["one"]
    assert (found["version"], found["p50_ms"]) == ("1.2", 250.0)
    assert found["all_gold_found@21"]["value"] == found["recall@5"]["value"] == 0.5
    assert found["ppr minus it, all_gold_found@21"]["difference"] == 0.0
    assert result["programs"]["ppr"]["all_gold_found@21"]["value"] == 0.5


def test_a_program_that_fails_is_named_and_nothing_of_it_kept(
    toy_index: Path, tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
):
    program.write_text("raise SystemExit(3)")
    with pytest.raises(SystemExit, match="error: one ended with exit code 3"):
        asked(monkeypatch, toy_index, tmp_path, f"one={sys.executable}")
    assert not (tmp_path / "result.json").exists()
    assert not list((tmp_path / "w").glob("*answers*"))


def test_a_sample_holds_the_gold_of_its_claims():
    corpus = [{"title": f"T{at}", "text": "x"} for at in range(50)]
    claims = [{"claim": "c", "supporting_facts": [[f"t{at}", 0]]} for at in range(10)]
    passages, chosen = sample(corpus, claims, 20, 3, seed=1)
    titles = [passage["title"] for passage in passages]
    assert len(titles) == len(set(titles)) == 20
    assert [one for one in corpus if one in passages] == passages
    assert len(chosen) == 3
    assert {claim["supporting_facts"][0][0].upper() for claim in chosen} <= set(titles)
    assert sample(corpus, claims, 20, 3, seed=1) == (passages, chosen)
    everything, all_claims = sample(corpus, claims, 100, 30, seed=1)
    assert (everything, len(all_claims)) == (corpus, 10)


def test_an_alias_stands_where_the_longest_gold_title_stood():
    corpus = [{"title": title, "text": "x"} for title in ("Lantern", "Lantern Hill", "Vessby")]
    gold = [["Lantern", 0], ["Lantern Hill", 0]]
    claims = [
        {"claim": "Lantern Hill and Lanterns are near Lantern Hill.", "supporting_facts": gold},
        {"claim": "Lantern is old.", "supporting_facts": gold},
        {"claim": "It is on a hill.", "supporting_facts": gold},
    ]
    passages, asked = aliased(corpus, claims, seed=1)
    aliases = {one["title"]: one["aliases"][0] for one in passages if "aliases" in one}
    assert set(aliases) == {"Lantern", "Lantern Hill"}
    hill = aliases["Lantern Hill"]
    assert asked[0]["claim"] == f"{hill} and Lanterns are near {hill}."
    assert [one["claim"] for one in asked[1:]] == [f"{aliases['Lantern']} is old."]
