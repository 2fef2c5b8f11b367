"""``optimize-filter`` and ``optimize-program``, which ask a language model over a real socket."""

import json
from pathlib import Path

import pytest

from hippohover.toy import toy_claims_path
from tests.cli.command_samples import CLAIM, FILTERED, MISSING, Command, asking
from tests.stub_server import serving


def test_a_filter_is_optimised_and_used(hippohover: Command, encoded_toy_index: Path) -> None:
    with serving([FILTERED]) as stub:
        options = asking(stub.api_base)
        made = hippohover(
            "optimize-filter", encoded_toy_index, toy_claims_path(), "--limit", "2", "--out",
            "f.json", *options,
        )  # fmt: skip
        n = len(stub.requests)
        used = hippohover(
            "query", encoded_toy_index, CLAIM, "--json", "--filter", "f.json", *options
        )
        assert len(stub.requests) == n + 1
    assert made.code == 0
    assert "f.json: all gold titles found for" in made.out
    assert used.json["route"] == "filter-empty"
    wrong = hippohover("query", encoded_toy_index, CLAIM, "--filter", "none.json", *options)
    assert wrong.code == 1
    assert wrong.err.startswith("error: none.json: cannot be read")
    unknown = hippohover(
        "optimize-filter", encoded_toy_index, toy_claims_path(), "--out", "g.json",
        "--optimizer", "hope", *options,
    )  # fmt: skip
    assert unknown.code == 2


@pytest.mark.slow
def test_a_program_is_optimised_and_measured(hippohover: Command, encoded_toy_index: Path) -> None:
    with serving([MISSING]) as stub:
        options = asking(stub.api_base)
        made = hippohover(
            "optimize-program", encoded_toy_index, toy_claims_path(), "--program", "ppr+hops",
            "--limit", "2", "--out", "p.json", *options,
        )  # fmt: skip
        used = hippohover(
            "evaluate", encoded_toy_index, toy_claims_path(), "--limit", "2", "--program",
            "p.json", "--json", *options,
        )  # fmt: skip
        file = json.loads(Path("p.json").read_text(encoding="utf-8"))
        file["made_with"]["dspy"] = "1.0"
        Path("old.json").write_text(json.dumps(file), encoding="utf-8")
        older = hippohover(
            "evaluate", encoded_toy_index, toy_claims_path(), "--limit", "2", "--program",
            "old.json", *options,
        )  # fmt: skip
        nothing = hippohover(
            "optimize-program", encoded_toy_index, toy_claims_path(), "--program",
            "iterative-bm25", "--out", "q.json", *options,
        )  # fmt: skip
    assert made.code == 0
    assert made.out.startswith("p.json: all gold titles found for")
    assert "bootstrap on 2 claims: up to 6 requests, if every reply can be read (--max" in made.err
    assert nothing.err.count("up to") == 0
    assert "was made with" not in used.err
    assert "old.json: was saved with dspy 1.0: its prompts may differ" in older.err
    assert list(used.json["retrievers"]) == ["ppr", "p.json"]
    assert nothing.code == 1
    assert nothing.err.startswith("error: iterative-bm25 asks no language model")
    wrong = hippohover(
        "evaluate", encoded_toy_index, toy_claims_path(), "--program", "none.json", *options
    )
    assert wrong.err.startswith("error: none.json: cannot be read")
