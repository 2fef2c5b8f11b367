"""What does the published method cost and find beside ``ppr`` as the corpus grows?

    python benchmarks/against_hipporag2.py sample CORPUS CLAIMS --passages 10000 --out small.jsonl
    hippohover build hover-core --corpus small.jsonl --out index/ten-thousand
    python benchmarks/against_hipporag2.py run CLAIMS --index index/ten-thousand \\
        --index index/hover-core --index index/hover-wide --out against_hipporag2.json

``hipporag2`` solves the walk on the whole graph by igraph's PRPACK, from dense seeds on every
passage, as published (the encoder is the index's, no language model filters); ``ppr`` pushes from
sparse seeds. Both answer the same claims on the same indexes, one after the other, so that what
else the machine does weighs on both alike. ``sample`` draws these claims with a fixed seed and
writes the documents of their gold titles with as many others, drawn too, as make a corpus of that
size. Rows are kept in a file of lines beside ``--out``; stopped, a run goes on from there.
Intervals are 95 %.
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
from hippohover.evaluation.intervals import paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.indexing.corpus.stream import read_corpus
from hippohover.names.normal_forms import normal_title
from hippohover.retrieval.engine import HippoHover

SEED = 20_261_122
RETRIEVERS = ("ppr", "hipporag2")


def drawn(claims: Sequence[GoldClaim], n: int) -> list[GoldClaim]:
    """``n`` claims, drawn once for every size."""
    places = np.random.default_rng(SEED).permutation(len(claims))[:n]
    return [claims[place] for place in sorted(places.tolist())]


def sample(corpus: Path, claims: Sequence[GoldClaim], n_passages: int, out: Path) -> None:
    """Write a corpus of ``n_passages`` documents that holds every gold title of the claims."""
    gold = {normal_title(title) for claim in claims for title in claim.gold_titles}
    documents = list(read_corpus(corpus))
    is_gold = np.array([normal_title(one.title) in gold for one in documents])
    others = np.random.default_rng(SEED).permutation(np.flatnonzero(~is_gold))
    n_others = n_passages - int(is_gold.sum())
    if not 0 <= n_others <= len(others):
        raise SystemExit(f"{n_passages} passages: {int(is_gold.sum())} to {len(documents)} go here")
    kept = np.sort(np.concatenate([np.flatnonzero(is_gold), others[:n_others]]))
    with out.open("w", encoding="utf-8") as file:
        for place in kept.tolist():
            one = documents[place]
            file.write(json.dumps({"title": one.title, "text": one.text}) + "\n")
    print(f"{len(kept):,} documents in {out}, {int(is_gold.sum())} of them gold")


def row_of(engine: HippoHover, claim: GoldClaim) -> Row:
    """What both methods find, and their seconds."""
    answers: dict[str, Any] = {}
    for retriever in RETRIEVERS:
        start = time.perf_counter()
        passages = engine.retrieve(claim.claim, retriever=retriever).passages
        answers[retriever] = {
            "seconds": time.perf_counter() - start,
            "found": all_gold_found([one.title for one in passages], claim.gold_titles, 21),
        }
    return {"uid": claim.uid, "n_gold": len(claim.gold_titles), "answers": answers}


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Quality and time of both methods on one index."""
    found = {name: [row["answers"][name]["found"] for row in rows] for name in RETRIEVERS}
    seconds = {
        name: np.array([row["answers"][name]["seconds"] for row in rows]) for name in RETRIEVERS
    }
    sizes = sorted({row["n_gold"] for row in rows})
    return {
        "n": len(rows),
        "all_gold_found@21": {
            name: {
                "all": share(values).as_dict(),
                **{
                    str(size): share(
                        [v for v, row in zip(values, rows, strict=True) if row["n_gold"] == size]
                    ).as_dict()
                    for size in sizes
                },
            }
            for name, values in found.items()
        },
        "difference": paired_difference(found["hipporag2"], found["ppr"]).as_dict(),
        "ms": {
            name: dict(zip(("p50", "p95"), np.percentile(1000 * s, (50, 95)).tolist(), strict=True))
            for name, s in seconds.items()
        },
        "times_faster": float(np.median(seconds["hipporag2"] / seconds["ppr"])),
    }


def run(indexes: Sequence[Path], claims: Sequence[GoldClaim], name: str, out: Path) -> None:
    """Answer what is not answered yet, and summarise."""
    file = out.with_suffix(".jsonl")
    rows = read_rows(file, {"claims": name, "n": len(claims)})
    done = {(row["index"], row["uid"]): row for row in rows}
    result: dict[str, Any] = {}
    with file.open("a", encoding="utf-8") as lines:
        for path in indexes:
            engine = HippoHover.open(path)
            key = f"{engine.manifest.recipe['name']}, {engine.n_passages:,} passages"
            todo = [claim for claim in claims if (key, claim.uid) not in done]
            for retriever in RETRIEVERS if todo else ():  # what a first call prepares for long
                engine.retrieve(todo[0].claim, retriever=retriever)
            for number, claim in enumerate(todo, start=1):
                row = {"index": key, **row_of(engine, claim)}
                done[key, claim.uid] = row
                lines.write(json.dumps(row) + "\n")
                lines.flush()
                if number % 20 == 0:
                    print(f"{key}: {number} of {len(todo)}", flush=True)
            counts = engine.manifest.counts
            result[key] = {
                "n_passages": engine.n_passages,
                "n_edges": counts["n_edges"],
                **summary([done[key, claim.uid] for claim in claims]),
            }
    about = {
        "question": "What does the published method cost and find beside ppr as it grows?",
        "claims": name,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "indexes": result,
    }
    out.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


def main() -> None:
    """One of the two commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    sampling, running = commands.add_parser("sample"), commands.add_parser("run")
    sampling.add_argument("corpus", type=Path)
    sampling.add_argument("--passages", type=int, default=10_000)
    running.add_argument("--index", type=Path, action="append", required=True)
    for command in (sampling, running):
        command.add_argument("claims", type=Path)
        command.add_argument("--n", type=int, default=100, help="claims (100)")
        command.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    claims = drawn(load_claims(arguments.claims), arguments.n)
    if arguments.command == "sample":
        sample(arguments.corpus, claims, arguments.passages, arguments.out)
    else:
        run(arguments.index, claims, arguments.claims.stem, arguments.out)


if __name__ == "__main__":
    run_script(main)
