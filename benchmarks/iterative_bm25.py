"""What are the settings of the hops by BM25 worth?

    python benchmarks/iterative_bm25.py INDEX CLAIMS --out benchmarks/results/iterative_bm25.json

Arms change how many passages of a search are read for names, and how many of the 21 each further
search gives. They were chosen on claims of HoVer's train, so that the program is as strong as it
can be where it is compared with the walk, on claims of dev.
"""

import argparse
import json
import platform
from pathlib import Path
from typing import Any

from measurement import run_script

from hippohover.evaluation.hover import load_claims
from hippohover.evaluation.intervals import share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.programs.iterative_bm25 import IterativeBm25
from hippohover.retrieval.engine import HippoHover

K = 21
ARMS = [(3, 6), (1, 6), (2, 6), (5, 6), (10, 6), (20, 6), (3, 4), (3, 5), (3, 7), (3, 8)]
"""(passages read, passages of a further search); the first is the default."""


def main() -> None:
    """Measure every arm and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    engine = HippoHover.open(arguments.index)
    claims = load_claims(arguments.claims)
    sizes = sorted({len(claim.gold_titles) for claim in claims})
    arms: dict[str, Any] = {}
    for n_read, n_later in ARMS:
        program = IterativeBm25(engine, n_read=n_read, n_later=n_later)
        found = [
            all_gold_found(
                [passage.title for passage in program(claim=claim.claim).passages],
                claim.gold_titles,
                K,
            )
            for claim in claims
        ]
        groups = {"all": found} | {
            str(n): [f for f, c in zip(found, claims, strict=True) if len(c.gold_titles) == n]
            for n in sizes
        }
        name = f"{n_read} read, {n_later} of each further search"
        arms[name] = {group: share(some).as_dict() for group, some in groups.items()}
        print(name, {group: round(cell["value"], 3) for group, cell in arms[name].items()})
    result = {
        "question": "What are the settings of the hops by BM25 worth?",
        "index": engine.manifest.recipe["name"],
        "claims": arguments.claims.stem,
        "n": len(claims),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "all_gold_found@21": arms,
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
