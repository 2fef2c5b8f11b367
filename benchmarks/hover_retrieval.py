"""Which retriever finds all gold titles among 21 passages?

    python benchmarks/hover_retrieval.py INDEX CLAIMS --out benchmarks/results/hover-core-dev.json

One call measures every retriever on one index and one file of claims and writes one JSON file:
means by number of gold titles with 95 % intervals, paired differences to ``ppr``, latency, and a
row a claim. The retrievers named with ``--sampled`` (none, when none is) are measured on
``--sample N`` claims drawn with a fixed seed, and compared with ``ppr`` on these.
``--gold-from INDEX`` judges an index whose titles are hidden by passage id; that other index, of
the same corpus with its titles, says which ids bear which title.

A long run may be done in parts: what the file of ``--out`` holds of the same index, claims,
weights and sample is kept, and only the retrievers that it lacks are measured. Name one with
``--again`` to have it measured again.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import run_script

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate, gold_pids
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.report import ClaimRow, Measurement, summarise
from hippohover.records import SPENT
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS
from hippohover.retrieval.reranking.rerank import was_learned_from, weights_sha256
from hippohover.retrieval.reranking.tuned import SHIPPED

N_CANDIDATES = 300


Measured = dict[str, dict[int, Measurement]]
"""Retriever -> place of a claim in its file (a uid may stand there twice) -> what was measured."""


def measure(
    engine: HippoHover,
    claims: Sequence[GoldClaim],
    places: Sequence[int],
    retriever: str,
    gold_pids: dict[str, list[str]] | None,
) -> dict[int, Measurement]:
    """Evaluate with candidate recall at 100 and 300 beside the answer, progress on stderr."""
    settings = EvaluationSettings(
        retrievers=(retriever,), n_candidates=N_CANDIDATES, gold_pids=gold_pids
    )

    def progress(done: int, total: int) -> None:
        if done % 100 == 0:
            print(f"{retriever}: {done} of {total}", file=sys.stderr, flush=True)

    report = evaluate(engine, [claims[at] for at in places], settings, progress=progress)
    return {at: row.measurements[retriever] for at, row in zip(places, report.rows, strict=True)}


def earlier(path: Path, expected: dict[str, Any]) -> Measured:
    """What a file of results holds, if it is of the same index, claims, weights and sample."""
    if not path.exists():
        return {}
    result = json.loads(path.read_text(encoding="utf-8"))
    if {key: result.get(key) for key in expected} != expected:
        raise SystemExit(f"{path} is of another index, claims, weights or sample: name another")
    found: Measured = {}
    for at, row in enumerate(result["rows"]):
        for name, cell in row["retrievers"].items():
            values = {key: value for key, value in cell.items() if "@" in key}
            found.setdefault(name, {})[at] = Measurement(
                values,
                cell["ranks"],
                cell["latency_ms"],
                {name: cell.get(name, int(name == "searches")) for name in SPENT},
                cell.get("n_passages"),
                cell.get("ranked_by", ""),
            )
    return found


def earlier_revisions(path: Path, measured: Measured) -> dict[str, str]:
    """The revision that each retriever was measured at, as a file of results says."""
    if not measured:
        return {}
    result = json.loads(path.read_text(encoding="utf-8"))
    known: dict[str, str] = result.get("revisions", {})
    of_all: str = result.get("revision", "unknown")
    return {name: known.get(name, of_all) for name in measured}


def rows_of(
    claims: Sequence[GoldClaim], places: Iterable[int], measured: Measured, names: Sequence[str]
) -> list[ClaimRow]:
    """One row a claim, with the measurements of it that there are."""
    return [
        ClaimRow(
            claims[at].uid,
            len(claims[at].gold_titles),
            {name: measured[name][at] for name in names if at in measured[name]},
        )
        for at in places
    ]


def sample(n_claims: int, n: int) -> list[int]:
    """Places of ``n`` claims drawn with a fixed seed, in their order."""
    if n >= n_claims:
        return list(range(n_claims))
    return sorted(np.random.default_rng(0).choice(n_claims, n, replace=False).tolist())


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
    parser.add_argument("--again", action="append", default=[], help="measure this one again")
    parser.add_argument("--gold-from", type=Path)
    arguments = parser.parse_args()
    names: list[str] = arguments.retrievers or list(RETRIEVERS)
    sampled: list[str] = arguments.sampled or []
    claims = load_claims(arguments.claims)
    drawn = sample(len(claims), arguments.sample)
    opened = time.perf_counter()
    engine = HippoHover.open(arguments.index, ranking=SHIPPED)
    open_seconds = time.perf_counter() - opened
    pids = None
    if arguments.gold_from:
        shown = HippoHover.open(arguments.gold_from)
        pids = gold_pids(shown.titles(), shown.pids(), claims)
        shown.close()
    identity: dict[str, Any] = {
        "question": "Which retriever finds all gold titles among 21 passages?",
        "index": engine.manifest.recipe["name"],
        "claims": arguments.claims.stem,
        "n_sample": len(drawn),
        "recipe_sha256": engine.manifest.recipe_sha256,
        "counts": engine.manifest.counts,
        "rerank_weights_sha256": weights_sha256(),
    }
    measured = earlier(arguments.out, identity)
    revisions = earlier_revisions(arguments.out, measured)
    for name in names:
        if name not in measured or name in arguments.again:
            places = drawn if name in sampled else range(len(claims))
            measured[name] = measure(engine, claims, places, name, pids)
            revisions[name] = revision()
        kept = [one for one in RETRIEVERS if one in measured]
        write(arguments.out, identity | about(engine, claims, open_seconds, revisions),
              claims, drawn, {one: measured[one] for one in kept})  # fmt: skip


def about(
    engine: HippoHover,
    claims: Sequence[GoldClaim],
    open_seconds: float,
    revisions: dict[str, str],
) -> dict[str, Any]:
    """What else a reader of the result needs to know."""
    return {
        "revisions": revisions,
        "recipe": engine.manifest.recipe,
        "models": engine.manifest.models,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "open_seconds": round(open_seconds, 3),
        "n_claims_scored_by_unseen_trees": sum(was_learned_from(c.claim) for c in claims),
    }


def write(
    path: Path,
    result: dict[str, Any],
    claims: Sequence[GoldClaim],
    drawn: Sequence[int],
    measured: Measured,
) -> None:
    """Write what was measured on all claims, on the sample, and on each claim."""
    whole = [name for name, found in measured.items() if len(found) == len(claims)]
    slow = [name for name in measured if name not in whole]
    every = range(len(claims))
    result["n"] = len(claims)
    if whole:
        result |= summarise(rows_of(claims, every, measured, whole)).as_dict()
    if slow and whole:
        result["sample"] = summarise(rows_of(claims, drawn, measured, [whole[0], *slow])).as_dict()
    result["rows"] = [row.as_dict() for row in rows_of(claims, every, measured, list(measured))]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({k: v for k, v in result.items() if k in ("retrievers", "sample")}, indent=1))


if __name__ == "__main__":
    run_script(main)
