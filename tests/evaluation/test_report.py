"""Means, comparisons and the table made of per-claim rows."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from hippohover.evaluation.hover import MissingGold
from hippohover.evaluation.intervals import Estimate, mean, paired_difference, share
from hippohover.evaluation.report import (
    MAIN_METRIC,
    ClaimRow,
    Measurement,
    Report,
    render_table,
    summarise,
)
from hippohover.records import SPENT


def measurement(found: float, *, recall: float = 0.5, ms: float = 1.0, calls: int = 0):
    values = {MAIN_METRIC: found, "recall@21": recall}
    cost = None if calls > 1 else 0.5 * calls
    spent: dict[str, float | None] = dict(
        zip(SPENT, (1, calls, 2 * calls, 30 * calls, 4 * calls, cost), strict=True)
    )
    return Measurement(values, {"Bell": 3, "Skell": None}, ms, spent, n_passages=21)


def rows() -> list[ClaimRow]:
    """Ten claims: six with two gold titles, four with three."""
    return [
        ClaimRow(
            f"c-{i}",
            2 if i < 6 else 3,
            {
                "bm25": measurement(float(i < 4), recall=i / 10, ms=float(i)),
                "ppr": measurement(float(i < 8), recall=1.0, ms=10.0 + i, calls=1),
            },
        )
        for i in range(10)
    ]


def test_the_main_metric_is_the_benchmarks():
    assert MAIN_METRIC == "all_gold_found@21"


def test_means_are_over_all_claims_and_by_number_of_gold_titles():
    bm25 = summarise(rows()).retrievers["bm25"].metrics
    assert list(bm25) == [MAIN_METRIC, "recall@21"]
    assert list(bm25[MAIN_METRIC]) == ["all", "2", "3"]
    assert bm25[MAIN_METRIC]["all"] == share([1] * 4 + [0] * 6)
    assert bm25[MAIN_METRIC]["2"] == share([1] * 4 + [0] * 2)
    assert bm25[MAIN_METRIC]["3"] == share([0] * 4)
    assert bm25["recall@21"]["all"] == mean([i / 10 for i in range(10)])
    assert bm25["recall@21"]["3"] == mean([0.6, 0.7, 0.8, 0.9])


def test_latency_percentiles_and_counts():
    report = summarise(rows())
    bm25, ppr = report.retrievers["bm25"], report.retrievers["ppr"]
    assert (bm25.latency_p50_ms, bm25.latency_p95_ms) == (4.5, pytest.approx(8.55))
    assert ppr.latency_p50_ms == 14.5
    assert ppr.spent == dict(zip(SPENT, (10, 10, 20, 300, 40, 5.0), strict=True))
    assert bm25.spent == dict(zip(SPENT, (10, 0, 0, 0, 0, 0.0), strict=True))


def test_a_price_that_is_not_known_once_is_not_known_in_all():
    some = [ClaimRow("c", 2, {"ppr": measurement(1, calls=calls)}) for calls in (1, 2)]
    report = summarise(some)
    assert report.retrievers["ppr"].spent["cost_usd"] is None
    assert "price not known" in render(report)


def test_claims_that_found_nothing_are_counted_beside_those_without_any_gold():
    found = measurement(1.0)
    no_gold = replace(found, ranks={"Bell": None, "Skell": None})
    nothing = replace(no_gold, n_passages=0)
    some = [ClaimRow("c", 2, {"ppr": one}) for one in (found, no_gold, nothing)]
    report = summarise(some)
    ppr = report.retrievers["ppr"]
    assert (ppr.n_found_nothing, ppr.n_without_gold) == (1, 2)
    assert cells(render(report), "found nothing / no gold")[0] == "1 / 2"


def test_claims_ranked_for_want_of_names_are_counted_and_shown_where_there_are_any():
    by_weights = replace(measurement(1.0), ranked_by="weights")
    fused = replace(by_weights, ranked_by="fusion")
    some = [ClaimRow("c", 2, {"ppr": one}) for one in (by_weights, fused, fused)]
    report = summarise(some)
    assert report.retrievers["ppr"].n_by_fusion == 2
    assert cells(render(report), "ranked by fusion")[0] == "2"
    assert "ranked by fusion" not in render(summarise(some[:1]))


def test_what_is_not_known_of_one_claim_is_not_counted():
    earlier = ClaimRow("c", 2, {"ppr": replace(measurement(1.0), n_passages=None)})
    report = summarise([ClaimRow("d", 2, {"ppr": measurement(1.0)}), earlier])
    assert report.retrievers["ppr"].n_found_nothing is None
    assert cells(render(report), "found nothing / no gold")[0] == "- / 0"


def test_the_others_are_compared_with_the_first():
    paired = summarise(rows()).paired
    assert list(paired) == ["ppr"]
    first, second = [i < 4 for i in range(10)], [i < 8 for i in range(10)]
    assert paired["ppr"]["all"] == paired_difference(first, second)
    assert paired["ppr"]["all"].difference == pytest.approx(0.4)
    assert paired["ppr"]["3"].n_gained == 2


def test_one_retriever_is_compared_with_nothing():
    alone = [ClaimRow("c", 2, {"ppr": measurement(1)})]
    assert summarise(alone).paired == {}


def test_the_report_is_json_of_the_promised_shape():
    missing = [MissingGold("Bell", ("c-1", "c-2")), MissingGold("Skell", ("c-2",))]
    report = json.loads(json.dumps(summarise(rows(), missing).as_dict()))
    assert set(report) == {"n", "retrievers", "paired", "missing_gold"}
    assert report["n"] == 10
    assert report["missing_gold"] == {"n_titles": 2, "n_claims": 2}
    bm25 = report["retrievers"]["bm25"]
    counts = ("n_found_nothing", "n_without_gold", "n_by_fusion", "n_by_fallback")
    assert set(bm25) == {MAIN_METRIC, "recall@21", "latency_ms", *SPENT, *counts}
    assert set(bm25[MAIN_METRIC]) == {"all", "2", "3"}
    assert set(bm25[MAIN_METRIC]["all"]) == {"value", "low", "high", "n"}
    assert bm25[MAIN_METRIC]["2"]["n"] == 6
    assert bm25["latency_ms"] == {"p50": 4.5, "p95": pytest.approx(8.55)}
    paired = report["paired"]["ppr"]
    assert paired["versus"] == "bm25"
    assert paired["metric"] == MAIN_METRIC
    assert paired["difference"] == pytest.approx(0.4)
    assert paired["low"] < 0.4 < paired["high"]
    assert paired["p"] == pytest.approx(0.125)
    assert set(paired["by_gold_titles"]) == {"2", "3"}


def test_fallbacks_are_counted_by_reason():
    reasons = {0: "no answer", 3: "not asked", 5: "no answer"}
    fallen = [
        replace(
            row,
            measurements={
                **row.measurements,
                "ppr": replace(row.measurements["ppr"], fallback=reasons.get(at, "")),
            },
        )
        for at, row in enumerate(rows())
    ]
    report = summarise(fallen)
    assert report.retrievers["ppr"].n_by_fallback == {"no answer": 2, "not asked": 1}
    assert report.retrievers["bm25"].n_by_fallback == {}
    printed = io.StringIO()
    Console(file=printed, width=120).print(render_table(report))
    assert "no answer 2, not asked 1" in printed.getvalue()
    assert printed.getvalue().count("claims that fell back, by reason") == 1


def test_a_row_is_json_with_ranks():
    row = json.loads(json.dumps(rows()[4].as_dict()))
    assert (row["uid"], row["n_gold"]) == ("c-4", 2)
    assert row["retrievers"]["bm25"] == {
        MAIN_METRIC: 0.0,
        "recall@21": 0.4,
        "ranks": {"Bell": 3, "Skell": None},
        "latency_ms": 4.0,
        **dict(zip(SPENT, (1, 0, 0, 0, 0, 0.0), strict=True)),
        "n_passages": 21,
        "ranked_by": "",
        "fallback": "",
    }


def render(report: Report, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(render_table(report, width))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def cells(shown: str, row: str) -> list[str]:
    """Of the first row of a table that begins so."""
    line = next(line for line in shown.splitlines() if row in line)
    return [cell.strip() for cell in line.strip("│").split("│")][1:]


def test_the_table_shows_percentages_intervals_and_the_gain():
    text = render(summarise(rows()))
    lines = text.splitlines()
    assert "10 claims" in lines[0]
    (header,) = [line for line in lines if "all" in line and "┃" in line]
    assert [cell.strip() for cell in header.strip("┃").split("┃")] == ["", "all", "2", "3"]
    found = [line for line in lines if MAIN_METRIC in line]
    estimate: Estimate = share([1] * 4 + [0] * 6)
    assert f"40.0 ({100 * estimate.low:.0f}-{100 * estimate.high:.0f})" in found[0]
    assert "80.0" in found[1]
    (gain,) = [line for line in lines if "gain on bm25" in line]
    assert "+40.0 p=0.125" in gain
    assert "14.5 / 18.5" in text
    assert "10 / 20" in text
    assert "not in the index" not in text


def test_a_strong_gain_has_a_bounded_p():
    many = [ClaimRow(f"c{i}", 2, {"a": measurement(0), "b": measurement(1)}) for i in range(40)]
    assert "+100.0 p<.001" in render(summarise(many))


def test_the_table_says_what_the_index_lacks():
    text = render(summarise(rows(), [MissingGold("Bell", ("c-1", "c-2"))]))
    assert "gold titles that are not in the index: 1, claims that ask for them: 2" in text


def test_a_retriever_named_in_brackets_is_shown_as_it_is():
    odd = [ClaimRow("c", 2, {"[red]x": measurement(1), "[/b]y": measurement(0)})]
    text = render(summarise(odd))
    assert "[red]x" in text
    assert "[/b]y" in text
    assert "gain on [red]x" in text


@pytest.mark.parametrize("width", [60, 80, 100, 260])
def test_each_number_is_readable_however_many_columns_there_are(width: int):
    many = [replace(row, n_gold=1 + at % 8) for at, row in enumerate(rows())]
    report = summarise(many)
    shown = render(report, width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    for part in report.retrievers.values():
        for by_group in part.metrics.values():
            for group, estimate in by_group.items():
                value = f"{100 * estimate.value:.1f} ({100 * estimate.low:.0f}-"
                assert value in shown, (group, value)
    in_one_table = " ".join(shown.replace("│", " ").replace("┃", " ").split())
    assert all(f" {n} " in in_one_table for n in range(1, 9))
