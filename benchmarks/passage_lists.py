"""What do inverted lists of vectors find and take, beside comparing all of them?

    python benchmarks/passage_lists.py CLAIMS --index INDEX --index LARGER \\
        --out benchmarks/results/passage_lists.json
    python benchmarks/passage_lists.py CLAIMS --index INDEX --grow 2000000 --grow 5240000 \\
        --corpus CORPUS --work DIR --out benchmarks/results/passage_lists-grown.json

``dense`` answers every claim by ``query.vectors = "exact"`` and by ``"faiss"``, in turn. The search
alone is timed on one vector, the answer from claim to passages; times are of the machine as it was
and compare within a row. The lists of an index are made again, in its cache. Shares of the same
passages are means over claims; ``all_gold_found@21`` has 95 % intervals. Of an index that stores
vectors of its facts, the ``FACTS`` closest to a claim are asked for in the same way.

``--grow`` measures the search alone among so many vectors of passages, and among as many of facts:
those of INDEX, and of its copies under other names (``renamed_corpus``, with the names of CORPUS,
which INDEX was built from). They are encoded once, into files of DIR.
"""

import argparse
import json
import platform
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from domains import revision
from measurement import at_least, check_out, run_script
from numpy.typing import NDArray
from renamed_corpus import name_words, read_documents, renaming

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.index_vectors import IndexVectors
from hippohover.retrieval.vector_lists import PassageLists, VectorLists
from hippohover.store.layout import CACHE, LISTS
from hippohover.store.reader import StoredIndex
from hippohover.vectors.nearest import Vectors, top_k
from hippohover.vectors.unit_vectors import UnitVectors

KINDS = ("exact", "faiss")
DEPTH = 21
FACTS = 10
AT_ONCE = 1 << 14
"""Texts that are encoded in one go."""


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
    nearest: Callable[[IndexVectors, NDArray[np.float32]], NDArray[np.int64]],
    took: Mapping[str, list[float]],
) -> dict[str, NDArray[np.int64]]:
    """Rows that are nearest to a claim by each kind; adds the seconds of the search alone."""
    rows: dict[str, NDArray[np.int64]] = {}
    for kind, engine in engines.items():
        vectors = engine.retrievers.vectors
        vector = vectors.of_text(claim)
        start = time.perf_counter()
        rows[kind] = nearest(vectors, vector)
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
        rows = rows_by_kind(
            engines, claim.claim, lambda v, one: v.nearest_facts(one, FACTS)[1], took
        )
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
            engines, claim.claim, lambda v, one: v.nearest_passages(one, DEPTH)[0], alone
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


def grown(engine: HippoHover, words: dict[str, int], of: str, n: int, work: Path) -> Vectors:
    """Vectors of ``n`` passages or facts, as an index stores them; encoded if DIR lacks them."""
    file, scales_file = (work / f"{name}-{n}.npy" for name in (of, f"{of}-scales"))
    dtype = np.int8 if of == "passages" else np.float16
    if not file.exists():
        assert engine.encode is not None  # noqa: S101
        tables = engine.tables
        renamed = (
            new_name(text)
            for new_name in (renaming(words, copy) for copy in count())
            for text in (tables.passage_texts() if of == "passages" else tables.fact_texts())
        )
        part = file.with_suffix(".part")
        shape = n, tables.arrays.passage_vectors.shape[1]
        rows = np.lib.format.open_memmap(part, "w+", dtype, shape)
        scales = np.zeros(n, np.float32)
        for start in range(0, n, AT_ONCE):
            encoded = engine.encode(list(islice(renamed, min(AT_ONCE, n - start))))
            if of == "passages":
                coded = UnitVectors.of(encoded)
                scales[start : start + len(coded)] = coded.scales
                encoded = coded.codes
            rows[start : start + len(encoded)] = encoded
        rows.flush()
        np.save(scales_file, scales)
        part.rename(file)
    rows = np.load(file, mmap_mode="r")
    return UnitVectors(rows, np.load(scales_file)) if of == "passages" else rows


def first(vectors: Vectors, n: int) -> Vectors:
    """The first ``n`` of some vectors."""
    if isinstance(vectors, UnitVectors):
        return UnitVectors(vectors.codes[:n], vectors.scales[:n])
    return vectors[:n]


def search_alone(
    vectors: Vectors, queries: NDArray[np.float32], k: int, work: Path
) -> dict[str, Any]:
    """What lists of some vectors find of the ``k`` nearest, and the times of both searches."""
    file = work / "lists.faiss"
    file.unlink(missing_ok=True)
    lists = VectorLists(vectors, file)
    start = time.perf_counter()
    lists.prepare()
    made = time.perf_counter() - start
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    same: list[float] = []
    for query in queries:
        rows: dict[str, NDArray[np.int64]] = {}
        for kind in KINDS:
            start = time.perf_counter()
            found = top_k(vectors, query, k) if kind == "exact" else lists.nearest(query, k)
            took[kind].append(time.perf_counter() - start)
            rows[kind] = found[1]
        same.append(float(np.isin(rows["exact"], rows["faiss"]).mean()))
    return {
        "n": len(vectors),
        "seconds_to_make": round(made, 1),
        "bytes": file.stat().st_size,
        "k": k,
        "same": float(np.mean(same)),
        **{f"{kind}_p50_ms": round(1000 * float(np.median(took[kind])), 2) for kind in KINDS},
        **{
            f"{kind}_p95_ms": round(1000 * float(np.quantile(took[kind], 0.95)), 2)
            for kind in KINDS
        },
    }


def measured_grown(
    index: Path, claims: Sequence[GoldClaim], sizes: Sequence[int], corpus: Path, work: Path
) -> dict[str, Any]:
    """The search alone at each size, among passages and among facts."""
    work.mkdir(parents=True, exist_ok=True)
    words = name_words(read_documents(corpus))
    result: dict[str, Any] = {}
    with opened(index, "exact") as engine:
        queries = engine.retrievers.vectors.of_texts([claim.claim for claim in claims])
        for of, k in (("passages", DEPTH), ("facts", FACTS)):
            vectors = grown(engine, words, of, max(sizes), work)
            result[of] = [
                search_alone(first(vectors, size), queries, k, work) for size in sorted(sizes)
            ]
    return result


def main() -> None:
    """Measure every index, and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("claims", type=Path)
    parser.add_argument("--index", type=Path, action="append", required=True)
    parser.add_argument("--n", type=at_least(1), default=300, help="the first claims (300)")
    parser.add_argument("--grow", type=at_least(1), action="append", help="vectors to search among")
    parser.add_argument("--corpus", type=Path, help="what the index of --grow was built from")
    parser.add_argument("--work", type=Path, help="folder for the vectors of --grow")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    check_out(asked.out)
    if asked.grow and (len(asked.index) != 1 or not asked.corpus or not asked.work):
        parser.error("--grow needs one --index, its --corpus, and --work")
    claims = load_claims(asked.claims)[: asked.n]
    result: dict[str, Any] = {
        "question": "What do inverted lists of vectors find and take?",
        "claims": asked.claims.name,
        "n": len(claims),
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }
    if asked.grow:
        result |= measured_grown(asked.index[0], claims, asked.grow, asked.corpus, asked.work)
    else:
        result["indexes"] = [measured(index, claims) for index in asked.index]
    asked.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
