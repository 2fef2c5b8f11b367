"""Means and differences of what ``domains.py`` has measured, on made-up ranks."""

from typing import Any

import pytest
from domain_summary import summary
from retrieval_tables import domain_details, domains_table

from hippohover.evaluation.intervals import paired_difference

N = 20
ABOVE, BELOW, NONE = [1, 5], [1, 50], [1, None]
Line = dict[str, Any]


def a_set(corpus: str, claims: str = "dev", *, variant: str = "", own: bool = True) -> Line:
    """A set of ``N`` claims, of which each two are a group."""
    return {
        "key": f"{corpus}: {claims}{variant and f', {variant}'}",
        "corpus": corpus,
        "claims": claims,
        "variant": variant or "as written",
        "is_own": own,
        "claims_sha256": "c0",
        "uids": [f"{claims}-{n}" for n in range(N)],
        "groups": [n // 2 for n in range(N)],
        "n_gold": [2] * (N - 4) + [5, 6, 7, 2],
        "heading_places": [0, 1],
        "n_scored_by_unseen_trees": 0,
    }


def a_cell(of: Line, retriever: str, n_above: int, n_below: int = 0, **changes: Any) -> Line:  # noqa: ANN401
    """A retriever that finds all gold of so many claims within 21, and of more within 100."""
    ranks = [ABOVE] * n_above + [BELOW] * n_below + [NONE] * (N - n_above - n_below)
    return {
        "key": f"{of['key']} | {retriever} | {changes}",
        "set": of["key"],
        "recipe": "default-fast",
        "retriever": retriever,
        "one_per_document": True,
        "places": None,
        "ranks": ranks,
        "headings_found": [1, 0],
        "n_found_nothing": 0,
        "ms": {"p50": 12.0, "p95": 31.0},
        "counts": {"n_passages": 7},
        "recipe_sha256": "r0",
        "revision": "abc1234",
        "machine": "x86_64, Python 3.11",
    } | changes


def of_fast(*lines: Line) -> Line:
    return summary(lines)["recipes"]["default-fast"]


def test_each_baseline_counts_by_its_better_setting_and_the_best_is_held_against_ppr():
    dev = a_set("a")
    found = of_fast(
        dev,
        a_cell(dev, "ppr", 12, 2),
        a_cell(dev, "bm25", 8),
        a_cell(dev, "bm25", 10, one_per_document=False),
        a_cell(dev, "dense", 4, 12),
        a_cell(dev, "dense", 3, 17, one_per_document=False),
    )["sets"]["a: dev"]
    arms = found["retrievers"]
    settings = {name: arm["one_per_document"] for name, arm in arms.items()}
    assert settings == {"ppr": True, "bm25": False, "dense": True}
    assert arms["bm25"]["all_gold_found@21"]["value"] == 0.5
    assert found["difference@21"]["against"] == "bm25"
    assert found["difference@21"]["difference"] == pytest.approx(0.1)
    assert found["difference@100"]["against"] == "dense"  # 16 of 20 by the setting that counts
    assert found["difference@100"]["difference"] == pytest.approx(-0.1)


def test_the_interval_draws_groups():
    dev = a_set("a")
    found = of_fast(dev, a_cell(dev, "ppr", 12), a_cell(dev, "bm25", 6))
    outcomes = [[1.0] * n + [0.0] * (N - n) for n in (6, 12)]
    expected = paired_difference(*outcomes, groups=[f"a {n // 2}" for n in range(N)])
    assert found["sets"]["a: dev"]["difference@21"] == {"against": "bm25"} | expected.as_dict()
    for name in ("pooled@21", "mean@21"):
        assert (found[name]["low"], found[name]["high"]) == (expected.low, expected.high)


def test_of_two_settings_that_find_as_many_the_default_counts():
    dev = a_set("a")
    cells = [a_cell(dev, "bm25", 8, one_per_document=setting) for setting in (False, True)]
    arm = of_fast(dev, *cells)["sets"]["a: dev"]["retrievers"]["bm25"]
    assert arm["one_per_document"] is True


def test_the_pool_counts_claims_and_the_mean_domains():
    lines = [a_set("a"), a_set("b"), a_set("b", "multi")]
    lines += [a_set("b", variant="lower"), a_set("b-vault", own=False)]
    gains = [4, 2, -6, -20, 20]
    cells = [
        cell
        for line, gain in zip(lines, gains, strict=True)
        for cell in (a_cell(line, "ppr", max(gain, 0)), a_cell(line, "bm25", max(-gain, 0)))
    ]
    found = of_fast(*lines, *cells)
    assert set(found["sets"]) == {line["key"] for line in lines}
    assert set(found["domains"]) == {"a", "b"}  # not of a variant, nor of what is lent
    assert found["domains"]["b"]["difference@21"]["difference"] == pytest.approx((2 - 6) / (2 * N))
    assert found["domains"]["b"]["n"] == 2 * N
    pooled, mean = found["pooled@21"], found["mean@21"]
    assert (pooled["n"], mean["n_domains"]) == (3 * N, 2)
    assert pooled["difference"] == pytest.approx((4 + 2 - 6) / (3 * N))
    assert mean["difference"] == pytest.approx((4 / N - 4 / (2 * N)) / 2)
    assert pooled["low"] < pooled["difference"] < pooled["high"]
    assert mean["low"] < mean["difference"] < mean["high"]


def test_metrics_by_depth_and_number_of_gold_titles():
    dev = a_set("a")
    arm = of_fast(dev, a_cell(dev, "ppr", 17, 2))["sets"]["a: dev"]["retrievers"]["ppr"]
    metrics = ("all_gold_found@5", "all_gold_found@21", "all_gold_found@100", "recall@21")
    assert [arm[metric]["value"] for metric in metrics] == [0.85, 0.85, 0.95, pytest.approx(0.925)]
    sizes = {size: (cell["n"], cell["value"]) for size, cell in arm["by_gold_titles"].items()}
    assert sizes == {"2": (17, pytest.approx(16 / 17)), "5 or more": (3, pytest.approx(1 / 3))}
    assert (arm["headings"]["value"], arm["headings"]["n"]) == (0.5, 2)


def test_claims_written_otherwise_are_held_against_those_as_written():
    dev, lower = a_set("a"), a_set("a", variant="lower")
    found = of_fast(dev, lower, a_cell(dev, "ppr", 12), a_cell(lower, "ppr", 9))
    arms = [found["sets"][line["key"]]["retrievers"]["ppr"] for line in (dev, lower)]
    assert "against as written" not in arms[0]
    assert arms[1]["against as written"]["difference"] == pytest.approx(-3 / N)
    assert arms[1]["against as written"]["n_lost"] == 3


def test_a_sample_stands_beside_ppr_on_the_same_claims():
    dev = a_set("a")
    sampled = a_cell(dev, "hipporag2", 1, ranks=[ABOVE, NONE], places=[1, 19], headings_found=[0])
    arms = of_fast(dev, a_cell(dev, "ppr", 12), sampled)["sets"]["a: dev"]["retrievers"]
    assert (arms["hipporag2"]["n"], arms["hipporag2"]["all_gold_found@21"]["value"]) == (2, 0.5)
    assert arms["hipporag2"]["ppr_on_the_same"]["value"] == 0.5
    assert arms["hipporag2"]["by_gold_titles"] == {"2": arms["hipporag2"]["all_gold_found@21"]}


def test_what_is_measured_by_one_recipe_alone_is_in_its_table_alone():
    a, b = a_set("a"), a_set("b")
    other = a_cell(a, "ppr", 3, recipe="default")
    result = summary([a, b, a_cell(a, "ppr", 2), a_cell(b, "ppr", 2), other])
    assert list(result["recipes"]["default"]["sets"]) == ["a: dev"]
    assert len(result["recipes"]["default-fast"]["sets"]) == 2
    assert result["recipes"]["default"]["pooled@21"] is None
    assert result["revisions"] == ["abc1234"]


def test_the_table_of_sets():
    dev, lower = a_set("a"), a_set("a", variant="lower")
    result = summary(
        [
            dev,
            lower,
            a_cell(dev, "ppr", 12, 2),
            a_cell(dev, "bm25", 10, one_per_document=False),
            a_cell(lower, "ppr", 9),
        ]
    )
    header, _, row, pooled, mean = domains_table(result).splitlines()
    assert header == (
        "| `default-fast`: set (n) | ppr | bm25 | dense | hybrid | ppr minus best baseline, @21 "
        "| ppr minus best baseline, @100 |"
    )
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:5] == ["a: dev (20)", "60.0 / 80.0 / 70.0", "50.0 / 75.0 / 50.0 \\*", "-", "-"]
    assert [cell.split()[0] for cell in cells[5:]] == ["+10.0", "+20.0"]
    assert cells[5].endswith("), bm25")
    assert pooled.startswith("| **all domains' own claims, pooled** |")
    assert "| +10.0 (" in mean
    details = domain_details(result).splitlines()
    assert len(details) == 2 + 3
    assert "| a: dev, lower | ppr | 20 | yes | 45.0 (" in details[-1]
    assert "| 12 / 31 | -15.0 (" in details[-1]
    assert details[3].endswith("| 12 / 31 | - |")


def test_what_is_found_of_passages_is_told_where_gold_names_some():
    dev = a_set("a")
    parts = [[1, 3]] * 5 + [[1, None]] * 15
    result = summary([dev, a_cell(dev, "ppr", 12, part_ranks=parts), a_cell(dev, "bm25", 10)])
    arms = result["recipes"]["default-fast"]["sets"]["a: dev"]["retrievers"]
    assert arms["ppr"]["all_passages_found@21"]["value"] == 0.25
    assert arms["ppr"]["passage_recall@21"]["value"] == 0.625
    header, _, ppr, bm25 = domain_details(result).splitlines()
    assert header.endswith("| all_passages_found@21 | passage_recall@21 |")
    assert "| 25.0 (" in ppr
    assert bm25.endswith("| - | - |")
