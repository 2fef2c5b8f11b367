"""Does the local walk answer as the exact one, and how much faster?

    python benchmarks/local_walk.py INDEX CLAIMS --out benchmarks/results/local_walk-core.json

Every claim is answered with forward push at several ``eps``, of which the smallest, 1e-7, is the
reference for all claims: its scores are within ``damping eps degree`` of the exact ones. It is done
with re-ranking, as by default, and with the walk alone ("bare"). On ``--prpack N`` claims, drawn
with a fixed seed, igraph's PRPACK answers too, which solves the whole graph: it shows that the
reference is exact, and what a solver without locality costs. All answers to a claim are timed one
after the other, so that what else the machine does weighs on all of them alike. "Same" compares the
21 passages as sets, "in order" as lists. Rows are kept in a file of lines beside ``--out``;
stopped, a run goes on from there. Intervals are 95 %.

Behind the rows stand the claims a second that a batch of 200 takes with one worker and with two,
three times each by turns; the best of each counts.
"""

import argparse
import json
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import Row, read_rows, run_script

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import mean, paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.recipe import QuerySettings
from hippohover.retrieval.engine import HippoHover

SEED = 20_261_122
EPS = (3e-5, 1e-6, 1e-7)
KINDS = ("", "bare ")
BATCH = 200


def arms(base: QuerySettings) -> dict[str, QuerySettings]:
    """Settings of every arm, by name."""
    found: dict[str, QuerySettings] = {}
    for kind in KINDS:
        walked = base.model_copy(update={"rerank": base.rerank and not kind})
        for eps in EPS:
            found[f"{kind}{eps:g}"] = walked.model_copy(update={"solver": "push", "eps": eps})
        found[f"{kind}prpack"] = walked.model_copy(update={"solver": "prpack"})
    return found


def row_of(engines: dict[str, HippoHover], claim: GoldClaim, *, with_prpack: bool) -> Row:
    """The passages and seconds of every arm that answers this claim."""
    answers: dict[str, Any] = {}
    for name, engine in engines.items():
        if name.endswith("prpack") and not with_prpack:
            continue
        start = time.perf_counter()
        passages = engine.retrieve(claim.claim).passages
        answers[name] = {
            "seconds": time.perf_counter() - start,
            "pids": [one.pid for one in passages],
            "found": all_gold_found([one.title for one in passages], claim.gold_titles, 21),
        }
    return {"uid": claim.uid, "answers": answers}


def compared(rows: Sequence[Row], arm: str, reference: str) -> dict[str, Any]:
    """How an arm's answers differ from the reference's, on the claims that both answered."""
    pairs = [
        (row["answers"][arm], row["answers"][reference])
        for row in rows
        if arm in row["answers"] and reference in row["answers"]
    ]
    ratios = np.array([theirs["seconds"] / own["seconds"] for own, theirs in pairs])
    return {
        "same": share([float(set(a["pids"]) == set(b["pids"])) for a, b in pairs]).as_dict(),
        "in_order": share([float(a["pids"] == b["pids"]) for a, b in pairs]).as_dict(),
        "shared": mean(
            [len(set(a["pids"]) & set(b["pids"])) / max(len(b["pids"]), 1) for a, b in pairs]
        ).as_dict(),
        "difference": paired_difference(
            [b["found"] for _, b in pairs], [a["found"] for a, _ in pairs]
        ).as_dict(),
        "p50_ms": 1000 * float(np.median([own["seconds"] for own, _ in pairs])),
        "times_faster": float(np.median(ratios)),
        "n": len(pairs),
    }


def main() -> None:
    """Answer what is not answered yet, and summarise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument(
        "--prpack", type=int, default=40, help="claims that PRPACK answers too (40)"
    )
    parser.add_argument("--limit", type=int, help="the first claims alone")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    base = HippoHover.open(arguments.index)
    settings = arms(base.retrievers.settings)
    engines = {
        name: HippoHover.open(arguments.index, settings=one) for name, one in settings.items()
    }
    claims = load_claims(arguments.claims)
    drawn = np.random.default_rng(SEED).permutation(len(claims))[: arguments.prpack]
    claims = claims[: arguments.limit]
    identity: Row = {
        "index": base.manifest.recipe["name"],
        "recipe_sha256": base.manifest.recipe_sha256,
        "claims": arguments.claims.stem,
        "n_prpack": arguments.prpack,
    }
    file = arguments.out.with_suffix(".jsonl")
    done = {row["uid"]: row for row in read_rows(file, identity)}
    for engine in engines.values():  # compiles, and makes what a first call makes
        engine.retrieve(claims[0].claim)
    with file.open("a", encoding="utf-8") as lines:
        for at, claim in enumerate(claims):
            if claim.uid not in done:
                done[claim.uid] = row_of(engines, claim, with_prpack=at in drawn)
                lines.write(json.dumps(done[claim.uid]) + "\n")
                lines.flush()
            if at % 100 == 0:
                print(f"{at} of {len(claims)}", flush=True)
    result = summary([done[claim.uid] for claim in claims])
    about = {
        "question": "Does the local walk answer as the exact one, and how much faster?",
        **identity,
        "n_nodes": base.tables.arrays.graph.n_nodes,
        "claims_a_second": throughput(base, claims),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }
    arguments.out.write_text(json.dumps({**about, **result}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Every arm beside its reference, and beside PRPACK on fewer claims."""
    found: dict[str, Any] = {}
    for against in (f"{EPS[-1]:g}", "prpack"):
        found[f"against_{against}"] = {
            f"{kind}{eps:g}": compared(rows, f"{kind}{eps:g}", kind + against)
            for kind in KINDS
            for eps in EPS
        }
    return found


def throughput(engine: HippoHover, claims: Sequence[GoldClaim]) -> dict[str, float]:
    """Claims a second with one worker and with two."""
    texts = [claim.claim for claim in claims[:BATCH]]
    best = {"1_worker": 0.0, "2_workers": 0.0}
    for _ in range(3):
        for workers, (name, rate) in enumerate(best.items(), start=1):
            start = time.perf_counter()
            engine.retrieve_batch(texts, workers=workers)
            best[name] = max(rate, len(texts) / (time.perf_counter() - start))
    return best


if __name__ == "__main__":
    run_script(main)
