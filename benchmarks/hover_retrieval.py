"""Which retriever finds all gold titles among 21 passages?

    python benchmarks/hover_retrieval.py INDEX CLAIMS --out benchmarks/results/hover-core-dev.json

One call measures every retriever on one index and one file of claims and writes one JSON file:
means by number of gold titles with 95 % intervals, paired differences to ``ppr``, latency, and a
row a claim. The retrievers named with ``--sampled`` (hipporag2 when none is: its walk costs what
the corpus weighs) are measured, beside ``ppr``, on ``--sample N`` claims drawn with a fixed seed.
``--gold-from INDEX`` judges an index whose titles are hidden by passage id; that other index, of
the same corpus with its titles, says which ids bear which title.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import Claim, load_claims
from hippohover.evaluation.report import Report
from hippohover.names import normal_title
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.rerank import was_learned_from

N_CANDIDATES = 300


def measure(
    engine: HippoHover,
    claims: Sequence[Claim],
    retrievers: Sequence[str],
    gold_pids: dict[str, list[str]] | None,
) -> Report:
    """Evaluate with candidate recall at 100 and 300 beside the answer, progress on stderr."""
    settings = EvaluationSettings(
        retrievers=tuple(retrievers), n_candidates=N_CANDIDATES, gold_pids=gold_pids
    )

    def progress(done: int, total: int) -> None:
        if done % 100 == 0:
            print(f"{done} of {total}", file=sys.stderr, flush=True)

    return evaluate(engine, claims, settings, progress=progress)


def sample(claims: Sequence[Claim], n: int) -> list[Claim]:
    """``n`` claims drawn with a fixed seed, in their order."""
    if n >= len(claims):
        return list(claims)
    chosen = np.random.default_rng(0).choice(len(claims), n, replace=False)
    return [claims[at] for at in sorted(chosen.tolist())]


def pids_of_titles(index: Path) -> dict[str, list[str]]:
    """Normal title -> ids of its passages."""
    engine = HippoHover.open(index)
    pids: dict[str, list[str]] = {}
    for title, pid in zip(engine.titles(), engine.pids(), strict=True):
        pids.setdefault(normal_title(title), []).append(pid)
    engine.close()
    return pids


def revision() -> str:
    """The git revision that was measured, "unknown" outside a clone."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607
        capture_output=True, text=True, check=False, cwd=Path(__file__).parent,
    )  # fmt: skip
    return done.stdout.strip() or "unknown"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--retriever", action="append", dest="retrievers")
    parser.add_argument("--sampled", action="append", help="measured on the sample alone")
    parser.add_argument("--sample", type=int, default=200, help="claims of the sample (200)")
    parser.add_argument("--limit", type=int, help="claims for every retriever, drawn alike")
    parser.add_argument("--gold-from", type=Path)
    arguments = parser.parse_args()
    names: list[str] = arguments.retrievers or ["ppr", "bm25", "dense", "hybrid", "hipporag2"]
    claims = load_claims(arguments.claims)
    claims = sample(claims, arguments.limit) if arguments.limit else claims
    opened = time.perf_counter()
    engine = HippoHover.open(arguments.index)
    open_seconds = time.perf_counter() - opened
    gold_pids = pids_of_titles(arguments.gold_from) if arguments.gold_from else None
    if gold_pids is not None:
        wanted = {normal_title(title) for claim in claims for title in claim.gold_titles}
        gold_pids = {title: pids for title, pids in gold_pids.items() if title in wanted}
    result: dict[str, Any] = {
        "question": "Which retriever finds all gold titles among 21 passages?",
        "index": engine.manifest.recipe["name"],
        "claims": arguments.claims.stem,
        "revision": revision(),
        "recipe_sha256": engine.manifest.recipe_sha256,
        "recipe": engine.manifest.recipe,
        "models": engine.manifest.models,
        "counts": engine.manifest.counts,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "open_seconds": round(open_seconds, 3),
        "n_claims_scored_by_unseen_trees": sum(was_learned_from(c.claim) for c in claims),
    }
    sampled: list[str] = arguments.sampled or ["hipporag2"]
    report = measure(engine, claims, [n for n in names if n not in sampled], gold_pids)
    result |= report.as_dict()
    result["rows"] = [row.as_dict() for row in report.rows]
    if slow := [name for name in names if name in sampled]:
        drawn = sample(claims, arguments.sample)
        result["sample"] = measure(engine, drawn, ["ppr", *slow], gold_pids).as_dict()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({k: v for k, v in result.items() if k != "rows"}, indent=1))


if __name__ == "__main__":
    main()
