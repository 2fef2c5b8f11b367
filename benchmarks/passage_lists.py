"""What do inverted lists of vectors find and take, beside comparing all of them?

    python benchmarks/passage_lists.py CLAIMS --index INDEX --index LARGER \\
        --out benchmarks/results/passage_lists.json

``dense`` answers every claim by ``query.vectors = "exact"`` and by ``"faiss"``, in turn. The search
alone is timed on one vector, the answer from claim to passages; times are of the machine as it was
and compare within a row. The lists of an index are made anew, in its cache. Shares of the same
passages are means over claims; ``all_gold_found@21`` has 95 % intervals. Of an index that stores
vectors of its facts, the ``FACTS`` closest to a claim are asked for in the same way.
"""

import argparse
import json
import platform
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from domains import revision
from measurement import at_least, check_out, run_script
from numpy.typing import NDArray

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.vector_lists import PassageLists, VectorLists
from hippohover.store.layout import CACHE, LISTS
from hippohover.store.reader import StoredIndex
from hippohover.vectors.nearest import TopK

KINDS = ("exact", "faiss")
DEPTH = 21
FACTS = 10


def opened(index: Path, kind: str) -> HippoHover:
    """An engine that compares all vectors, or asks lists."""
    with StoredIndex.open(index) as stored:
        settings = stored.recipe().query.model_copy(update={"vectors": kind})
    return HippoHover.open(index, settings=settings)


def seconds_to_make(index: Path, of: str) -> tuple[float, int]:
    """Seconds that lists of passages or facts take to make, and the bytes of their file."""
    folder = index / CACHE / LISTS
    shutil.rmtree(folder, ignore_errors=True)
    with opened(index, "faiss") as engine:
        lists: PassageLists | VectorLists | None = getattr(engine.retrievers.vectors.lists, of)
        assert lists is not None  # noqa: S101
        start = time.perf_counter()
        lists.prepare()
        seconds = time.perf_counter() - start
    return seconds, sum(file.stat().st_size for file in folder.glob("*.faiss"))


def rows_by_kind(
    engines: Mapping[str, HippoHover],
    claim: str,
    nearest: Callable[[IndexVectors, NDArray[np.float32]], TopK],
    took: Mapping[str, list[float]],
) -> dict[str, NDArray[np.int64]]:
    """Rows that are nearest to a claim by each kind; adds the seconds of the search alone."""
    rows: dict[str, NDArray[np.int64]] = {}
    for kind, engine in engines.items():
        vectors = engine.retrievers.vectors
        vector = vectors.of_text(claim)
        start = time.perf_counter()
        rows[kind] = nearest(vectors, vector)[1][0]
        took[kind].append(time.perf_counter() - start)
    return rows


def facts_of(index: Path, claims: Sequence[GoldClaim]) -> dict[str, Any]:
    """The same of the closest facts of one index, if it stores their vectors."""
    with opened(index, "exact") as engine:
        n = len(engine.tables.arrays.fact_vectors)
    if not n:
        return {}
    made, n_bytes = seconds_to_make(index, "facts")
    engines = {kind: opened(index, kind) for kind in KINDS}
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    same: list[float] = []
    for claim in claims:
        rows = rows_by_kind(engines, claim.claim, lambda v, one: v.nearest_facts(one, FACTS), took)
        same.append(float(np.isin(rows["exact"], rows["faiss"]).mean()))
    for engine in engines.values():
        engine.close()
    times = {f"{kind}_p50_ms": round(1000 * float(np.median(took[kind])), 2) for kind in KINDS}
    return {
        "n_facts": n,
        "seconds_to_make": round(made, 1),
        "bytes": n_bytes,
        f"same_of_{FACTS}": float(np.mean(same)),
        **times,
    }


def measured(index: Path, claims: Sequence[GoldClaim]) -> dict[str, Any]:
    """What both kinds find in one index, and their times."""
    made, n_bytes = seconds_to_make(index, "passages")
    engines = {kind: opened(index, kind) for kind in KINDS}
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    alone: dict[str, list[float]] = {kind: [] for kind in KINDS}
    whole: dict[str, list[float]] = {kind: [] for kind in KINDS}
    same: list[float] = []
    first_same: list[bool] = []
    for engine in engines.values():
        engine.search(claims[0].claim, DEPTH, retriever="dense")
    for claim in claims:
        rows = rows_by_kind(
            engines, claim.claim, lambda v, one: v.nearest_passages(one, DEPTH), alone
        )
        for kind, engine in engines.items():
            start = time.perf_counter()
            answer = engine.search(claim.claim, DEPTH, retriever="dense")
            whole[kind].append(time.perf_counter() - start)
            titles = [one.title for one in answer.passages]
            found[kind].append(all_gold_found(titles, claim.gold_titles, DEPTH))
        same.append(float(np.isin(rows["exact"], rows["faiss"]).mean()))
        first_same.append(bool(rows["exact"][0] == rows["faiss"][0]))
    result: dict[str, Any] = {
        "n_passages": engines["exact"].n_passages,
        "seconds_to_make": round(made, 1),
        "bytes": n_bytes,
        "same_of_21": float(np.mean(same)),
        "same_first": float(np.mean(first_same)),
        "difference": paired_difference(found["exact"], found["faiss"]).as_dict(),
    }
    for kind, engine in engines.items():
        result[kind] = {
            "all_gold_found@21": share(found[kind]).as_dict(),
            "search_p50_ms": round(1000 * float(np.median(alone[kind])), 2),
            "answer_p50_ms": round(1000 * float(np.median(whole[kind])), 2),
        }
        engine.close()
    result["facts"] = facts_of(index, claims)
    return result


def main() -> None:
    """Measure every index, and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("claims", type=Path)
    parser.add_argument("--index", type=Path, action="append", required=True)
    parser.add_argument("--n", type=at_least(1), default=300, help="the first claims (300)")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    check_out(asked.out)
    claims = load_claims(asked.claims)[: asked.n]
    result: dict[str, Any] = {
        "question": "What do inverted lists of vectors find and take?",
        "claims": asked.claims.name,
        "n": len(claims),
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "indexes": [measured(index, claims) for index in asked.index],
    }
    asked.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
