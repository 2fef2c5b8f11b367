"""Parts of the demo; the whole of it, from a cold start, is in test_main."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from hippohover.cli.demo import CLAIMS_SHOWN, run_demo, toy_recipe_path
from hippohover.cli.output import evaluation_table
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.metrics import all_gold_found
from hippohover.recipe_files import load_recipe
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path


@pytest.fixture(scope="module")
def claims() -> list[GoldClaim]:
    return load_claims(toy_claims_path())


def test_the_recipe_ships_and_names_the_toy() -> None:
    assert load_recipe(toy_recipe_path()).name == "toy"


def test_claims_shown_have_two_three_and_four_gold_titles(claims: list[GoldClaim]) -> None:
    by_uid = {claim.uid: claim for claim in claims}
    assert [len(by_uid[uid].gold_titles) for uid in CLAIMS_SHOWN] == [2, 3, 4]


def test_table_counts_what_the_metric_counts(
    toy_engine: HippoHover, claims: list[GoldClaim]
) -> None:
    some = claims[:9]
    report = evaluate(toy_engine, some, EvaluationSettings(("ppr", "bm25"), n_warmups=0))
    screen = Console(file=io.StringIO(), width=100)
    table = evaluation_table(report)
    screen.print(table)
    cells = [list(column.cells) for column in table.columns]
    assert cells[0] == ["ppr", "", "bm25", ""]
    assert cells[1] == ["5", "21", "5", "21"]
    row = 0
    for name in ("ppr", "bm25"):
        for k in (5, 21):
            found = [
                all_gold_found([p.title for p in toy_engine.retrieve(c.claim, 21, name).passages],
                               c.gold_titles, k)
                for c in some
            ]  # fmt: skip
            share = 100 * sum(found) / len(found)
            assert str(cells[2][row]).startswith(f"{share:.0f} % (")
            row += 1


@pytest.mark.slow
def test_demo_keeps_its_index_where_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    run_demo(tmp_path / "kept")
    shown = capsys.readouterr().out
    assert HippoHover.open(tmp_path / "kept").manifest.counts["n_passages"] >= 200
    assert shown.count("the path that brought it there") == 3
    assert shown.count("●") >= 6
    for words in ("bm25", "all gold titles found", "4 titles"):
        assert words in shown
    assert max(map(len, shown.splitlines())) <= 100
