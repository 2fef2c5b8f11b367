"""The commands with a real local model: ``HIPPOHOVER_TEST_GGUF=MODEL.gguf pytest -m llm -s``.

What a model of a billion parameters answers is not asserted, but that it is asked as it should be,
understood, accounted for, and that nothing it says breaks a command.
"""

import json
import os
from pathlib import Path

import pytest

from hippohover.toy import toy_claims_path, toy_corpus_path
from tests.cli.command_samples import CLAIM, Command

pytestmark = pytest.mark.llm

MODEL = f"gguf:{os.environ.get('HIPPOHOVER_TEST_GGUF', '')}"
EXTRACTION = (
    'name = "asked"\nextractor = "llm"\nencoder = "none"\nmax_failure_share = 0.25\n'
    f'[language_model]\nname = "{MODEL}"\nparallel = 1\n[query]\nrerank = false\n'
)


def test_the_filter_chooses_among_the_facts_of_a_claim(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    asked = ("query", encoded_toy_index, CLAIM, "--lm", MODEL, "--lm-cache", tmp_path / "kept")
    outcome = hippohover(*asked, "--trace", "--json", "--on-filter-failure", "fail")
    assert outcome.code == 0, outcome.err
    found = outcome.json
    print(json.dumps(found["trace"], indent=1), outcome.err)
    assert found["route"] in ("filtered", "filter-empty")
    assert len(found["trace"]["candidate_facts"]) == 20
    assert found["trace"]["lm_calls"] >= 1
    assert sum(one["kept"] for one in found["trace"]["candidate_facts"]) <= 4
    assert len(found["passages"]) == 21
    again = hippohover(*asked, "--json")
    assert again.json["passages"] == found["passages"]
    assert "1 from the cache" in again.err


def test_triples_of_twenty_passages(hippohover: Command, tmp_path: Path) -> None:
    (tmp_path / "asked.toml").write_text(EXTRACTION, encoding="utf-8")
    outcome = hippohover("build", "asked.toml", "--corpus", toy_corpus_path(), "--limit", 20,
                         "--out", "asked", "--json")  # fmt: skip
    assert outcome.code == 0, outcome.err
    built = outcome.json
    print({key: built[key] for key in ("n_passages", "n_facts", "n_failures", "failures")})
    assert built["n_passages"] == 20
    assert built["n_failures"] <= 5
    assert built["n_facts"] >= 20
    again = hippohover("build", "asked.toml", "--corpus", toy_corpus_path(), "--limit", 20,
                       "--out", "asked", "--max-calls", 2 * built["n_failures"] * 2)  # fmt: skip
    assert again.code == 0, again.err


def test_a_filter_is_optimised_by_bootstrap(
    hippohover: Command, encoded_toy_index: Path, tmp_path: Path
) -> None:
    cache = ("--lm", MODEL, "--lm-cache", tmp_path / "kept")
    outcome = hippohover("optimize-filter", encoded_toy_index, toy_claims_path(), "--out", "f.json",
                         "--limit", 4, *cache)  # fmt: skip
    assert outcome.code == 0, outcome.err
    print(outcome.out, outcome.err)
    assert "before" in outcome.out
    assert "after" in outcome.out
    kept = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    print(json.dumps(kept["made_with"]))
    assert kept["made_with"]["optimizer"] == "bootstrap"
    asked = hippohover("query", encoded_toy_index, CLAIM, *cache, "--filter", "f.json", "--json")
    assert asked.code == 0, asked.err
    assert asked.json["route"] in ("filtered", "filter-empty")
