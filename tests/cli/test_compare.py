"""``compare``, as it is typed.

The evaluation has a test file of this name too: both stand in folders, which pytest tells apart.
"""

import csv
import json
from pathlib import Path

from hippohover.cli.compare import parsed_cutoffs, without_cutoffs
from hippohover.errors import UsageError
from hippohover.toy import toy_claims_path
from tests.cli.command_samples import Command, assert_error
from tests.index_samples import refused

CLAIMS = toy_claims_path()


def test_retrievers_are_compared_in_a_table(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover(
        "compare", toy_index, "--claims", CLAIMS, "--limit", 12,
        "--retriever", "ppr", "--retriever", "bm25", "--at", "5,21",
    )  # fmt: skip
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "claims, n = 12"
    assert lines[1].split() == ["ppr", "bm25"]
    assert [line.split()[0] for line in lines[2:4]] == ["nDCG@5", "nDCG@21"]


def test_indexes_and_sets_are_compared_and_written(
    hippohover: Command, toy_index: Path, encoded_toy_index: Path, tmp_path: Path
) -> None:
    lines = CLAIMS.read_text(encoding="utf-8").splitlines()
    for name, part in (("dev", lines[:6]), ("test", lines[6:10])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join([*part, ""]), encoding="utf-8")
    outcome = hippohover(
        "compare", toy_index, encoded_toy_index, "--claims", "dev.jsonl", "--claims", "test.jsonl",
        "--at", "5", "--out", "t.csv", "--out", "t.md", "--out", "t.tex", "--out", "t.txt",
        "--runs", "runs", "--plot", "p.png", "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert outcome.json["arms"] == ["between", "encoded"]
    assert list(outcome.json["sets"]) == ["dev", "test"]
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        assert {row["claims"] for row in csv.DictReader(file)} == {"dev", "test"}
    assert (tmp_path / "t.md").read_text(encoding="utf-8").startswith("| claims | arm |")
    assert r"\begin{tabular}" in (tmp_path / "t.tex").read_text(encoding="utf-8")
    assert (tmp_path / "t.txt").read_text(encoding="utf-8").startswith("claims")
    assert (tmp_path / "p.png").stat().st_size > 1000
    runs = [path.name for path in (tmp_path / "runs").iterdir()]
    assert sorted(name for name in runs if not name.endswith(".chains.jsonl")) == [
        "dev.between.run", "dev.encoded.run", "dev.qrels",
        "test.between.run", "test.encoded.run", "test.qrels",
    ]  # fmt: skip


def test_settings_are_arms(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover(
        "compare", toy_index, "--claims", CLAIMS, "--limit", 5, "--at", "5",
        "--variant", "", "--variant", "query.damping=0.5", "--json",
    )  # fmt: skip
    assert outcome.json["arms"] == ["as-built", "damping=0.5"]


def test_cutoffs_may_be_words_of_their_own(hippohover: Command, toy_index: Path) -> None:
    command = ("compare", toy_index, "--claims", CLAIMS, "--limit", 3)
    apart = hippohover(*command, "--at", 5, 21)
    assert apart.code == 0
    assert apart.out == hippohover(*command, "--at", "5,21").out
    assert without_cutoffs([Path("21"), Path("100")], ["5"]) == ([Path("21"), Path("100")], ["5"])


def test_a_table_in_another_form(hippohover: Command, toy_index: Path) -> None:
    outcome = hippohover("compare", toy_index, "--claims", CLAIMS, "--limit", 3, "--form", "latex")
    assert r"\toprule" in outcome.out


def test_gold_that_an_index_lacks_is_said(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    one = {"uid": "1", "claim": "Mira Oldane", "supporting_facts": [["Nowhere Man", 0]]}
    (tmp_path / "c.jsonl").write_text(json.dumps(one), encoding="utf-8")
    several = ("--variant", "", "--variant", "query.damping=0.7")
    outcome = hippohover("compare", toy_index, "--claims", "c.jsonl", "--at", "5", *several)
    assert outcome.code == 0
    said = f"c, {toy_index}: 1 gold title not in the index, counted as not found: 'Nowhere Man'"
    assert outcome.err.count(said) == 1


def test_cutoffs_that_change_nothing_are_no_tests_of_their_own(
    hippohover: Command, toy_index: Path
) -> None:
    asked = ("compare", toy_index, "--claims", CLAIMS, "--limit", 20, "--json", "--retriever")
    arms = ("ppr", "--retriever", "bm25", "--at")
    n_tests = [hippohover(*asked, *arms, at).json["n_tests"] for at in ("999", "999,1000")]
    assert n_tests[0] == n_tests[1] > 0
    alike = ("ppr", "--at", "5", "--variant", "", "--variant", "query.damping=0.5", "--variant")
    one = hippohover(*asked, *alike, "query.damping=0.50")
    assert one.json["arms"][1:] == ["damping=0.5", "damping=0.50"]
    told = one.json["sets"]["claims"]
    assert told["damping=0.5"] == told["damping=0.50"]
    assert one.json["n_tests"] <= 4


def test_gold_ids_that_an_index_lacks_are_said(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "q.txt").write_text("toy-001 0 Nowhere 1\n", encoding="utf-8")
    asked = ("compare", toy_index, "--claims", CLAIMS, "--qrels", "q.txt", "--at", "5")
    assert "1 gold id not in the index, counted as not found: 'Nowhere'" in hippohover(*asked).err


def test_files_of_one_name_are_told_apart_by_their_folders(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    line = CLAIMS.read_text(encoding="utf-8").splitlines()[0]
    for folder in ("a", "b", "c/b"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "dev.jsonl").write_text(line, encoding="utf-8")
    two = ["--claims", "a/dev.jsonl", "--claims", "b/dev.jsonl"]
    outcome = hippohover("compare", toy_index, *two, "--at", "5", "--json")
    assert list(outcome.json["sets"]) == ["dev", "b-dev"]
    assert_error(hippohover("compare", toy_index, *two, "--claims", "c/b/dev.jsonl"), "rename")


def test_a_claim_that_cannot_be_asked_is_named(
    hippohover: Command, toy_index: Path, tmp_path: Path
) -> None:
    one = {"uid": "long", "claim": "word " * 3000, "supporting_facts": [["A", 0]]}
    (tmp_path / "c.jsonl").write_text(json.dumps(one), encoding="utf-8")
    assert_error(hippohover("compare", toy_index, "--claims", "c.jsonl"), "'long'")


def test_cutoffs_are_read_with_commas_and_blanks() -> None:
    assert parsed_cutoffs(["5,21", "100"]) == parsed_cutoffs(["5 21, 100"]) == [5, 21, 100]
    with refused(UsageError, "--at -1: is not a cut-off"):
        parsed_cutoffs(["-1"])
