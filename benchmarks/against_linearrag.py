"""How do the published methods that walk compare, by the encoder that stands behind them?

    python benchmarks/against_linearrag.py --index INDEX CLAIMS --index INDEX CLAIMS ... \\
        --n 300 --out against_linearrag.json

``linearrag`` and ``hipporag2`` are written here after their papers, and no language model filters;
both lean on the encoder of the index, which the table names. ``ppr`` is beside them with its
learned weights and as the walk alone. Each index has claims of its own, of which ``--n`` are drawn
as ``against_hipporag2.py`` draws them, so that its samples of a corpus hold their gold. Gold among
random passages is an easy corpus for whoever follows names: compare columns, not rows. An index
that is in ``--out`` already is not asked again. Intervals are 95 %.
"""

import argparse
import json
import platform
from contextlib import closing
from pathlib import Path
from typing import Any

from against_hipporag2 import drawn
from measurement import at_least, check_out, run_script

from hippohover.evaluation.documents import IndexDocuments
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.intervals import paired_difference
from hippohover.evaluation.report import Report
from hippohover.retrieval.engine import HippoHover

RETRIEVERS = ("hipporag2", "linearrag", "ppr")
WALK = "ppr, the walk alone"
METRICS = ("recall@5", "all_gold_found@21")


def measured(index: Path, claims_file: Path, n: int) -> dict[str, Any]:
    """What each method finds on one index, and how the two published ones differ."""
    with closing(HippoHover.open(index)) as engine:
        claims = drawn(load_claims(claims_file), n)
        documents = IndexDocuments.of(engine.tables.living)
        by_id = any(claim.gold_ids for claim in claims)
        gold = documents.gold_pids(claims) if by_id else None
        settings = EvaluationSettings(retrievers=RETRIEVERS, depth=None, gold_pids=gold)
        report = evaluate(engine, claims, settings)
        walk_alone = engine.retrievers.settings.model_copy(update={"rerank": False})
        about = {
            "recipe": engine.manifest.recipe["name"],
            "encoder": engine.manifest.recipe["encoder"],
            "n_passages": engine.n_passages,
            "claims": claims_file.stem,
        }
    with closing(HippoHover.open(index, settings=walk_alone)) as engine:
        alone = EvaluationSettings(retrievers=("ppr",), depth=None, gold_pids=gold)
        walked = evaluate(engine, claims, alone)
    found = {name: cells(report, name) for name in RETRIEVERS}
    outcomes = {
        name: [row.measurements[name].values["all_gold_found@21"] for row in report.rows]
        for name in RETRIEVERS
    }
    difference = paired_difference(outcomes["hipporag2"], outcomes["linearrag"])
    return {
        **about,
        "n": len(claims),
        "retrievers": {**found, WALK: cells(walked, "ppr")},
        "linearrag_less_hipporag2": difference.as_dict(),
    }


def cells(report: Report, name: str) -> dict[str, Any]:
    """The two measures of a method, with their intervals."""
    metrics = report.retrievers[name].metrics
    return {metric: metrics[metric]["all"].as_dict() for metric in METRICS}


def main() -> None:
    """Measure the indexes that are not measured yet; write after each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--index", nargs=2, type=Path, action="append", required=True, metavar=("INDEX", "CLAIMS")
    )
    parser.add_argument("--n", type=at_least(1), default=300, help="claims of each (300)")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    check_out(arguments.out)
    out: Path = arguments.out
    known = json.loads(out.read_text(encoding="utf-8"))["indexes"] if out.exists() else {}
    for index, claims in arguments.index:
        if index.name not in known:
            known[index.name] = measured(index, claims, arguments.n)
        about = {
            "question": "How do the published methods that walk compare, by their encoder?",
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "indexes": known,
        }
        out.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
