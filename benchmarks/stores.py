"""Which stores of texts, postings and vectors does an index want?

    python benchmarks/stores.py INDEX CLAIMS WORK --out benchmarks/results/stores.json

Makes each store from the passages of an index, and asks it with the claims: bytes on disk, seconds
to make it, milliseconds a claim (median of all, one thread), and whether the answer is the same.

- Texts, 21 fetches at random: each in a zstd frame with a learned dictionary (what an index has),
  an Arrow file, Parquet by groups of 1,000 rows, SQLite.
- BM25, the best 100: compiled sums of weighed postings (what an index has), bm25s with numba,
  tantivy. Overlap is the share of the 100 that is the same: each has a tokenizer of its own.
- Vectors, the nearest 50: all rows compared where they lie (what an index has), by FAISS in a copy
  as float32, in FAISS's lists with 8 bits a value, and with one bit (RaBitQ), the best 200 of each
  list compared again. Recall is of the exact 50.
"""

import argparse
import json
import platform
import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from measurement import at_least, check_out, run_script
from numpy.typing import NDArray
from pyarrow import parquet

from hippohover.evaluation.hover import load_claims
from hippohover.language.stemming import Stemmer
from hippohover.lexical import top_rows
from hippohover.names.normal_forms import tokens
from hippohover.processors import available_processors
from hippohover.retrieval.engine import HippoHover
from hippohover.vectors.nearest import top_k
from hippohover.vectors.unit_vectors import UnitVectors

N_FETCHED = 21
DEPTH = 100
N_NEAREST = 50
N_RESCORED = 200


def timed(ask: Callable[[Any], Any], questions: Sequence[Any]) -> tuple[float, list[Any]]:
    """Median milliseconds, and the answers; the first question is asked before."""
    ask(questions[0])
    milliseconds: list[float] = []
    answers: list[Any] = []
    for question in questions:
        start = time.perf_counter()
        answers.append(ask(question))
        milliseconds.append(1000 * (time.perf_counter() - start))
    return round(float(np.median(milliseconds)), 3), answers


def texts(engine: HippoHover, work: Path, n: int) -> dict[str, Any]:
    """Stores of texts."""
    tables = engine.tables
    every = list(tables.texts)
    rng = np.random.default_rng(0)
    fetches = [rng.choice(len(every), N_FETCHED, replace=False).tolist() for _ in range(n)]
    files = ("text_frames.npy", "text_indptr.npy", "text_dictionary.npy")
    found: dict[str, Any] = {}

    def note(name: str, n_bytes: int, fetch: Callable[[list[int]], list[str]]) -> None:
        ms, answers = timed(fetch, fetches)
        same = all(a == [every[r] for r in rows] for a, rows in zip(answers, fetches, strict=True))
        found[name] = {"bytes": n_bytes, "ms": ms, "same": same}

    sizes = engine.stored.sizes()
    store = tables.texts
    note("zstd frames", sum(sizes[name] for name in files), lambda rows: [store[r] for r in rows])
    table = pa.table({"text": pa.array(every, pa.large_string())})
    with (
        pa.OSFile(str(work / "texts.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table, max_chunksize=1 << 16)
    arrow = pa.ipc.open_file(pa.memory_map(str(work / "texts.arrow"))).read_all().column("text")
    size = (work / "texts.arrow").stat().st_size
    note("arrow", size, lambda rows: [arrow[r].as_py() for r in rows])
    path = work / "texts.parquet"
    parquet.write_table(table, path, compression="zstd", row_group_size=1000)
    file = parquet.ParquetFile(path)
    note("parquet", path.stat().st_size, lambda rows: [
        file.read_row_group(r // 1000).column("text")[r % 1000].as_py() for r in rows
    ])  # fmt: skip
    path = work / "texts.sqlite"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE texts (row INTEGER PRIMARY KEY, text TEXT)")
        connection.executemany("INSERT INTO texts VALUES (?, ?)", enumerate(every))
    asked = "SELECT text FROM texts WHERE row = ?"
    note("sqlite", path.stat().st_size, lambda rows: [
        connection.execute(asked, (r,)).fetchone()[0] for r in rows
    ])  # fmt: skip
    return found


def bm25(engine: HippoHover, work: Path, claims: Sequence[str]) -> dict[str, Any]:
    """Lexical stores."""
    import bm25s
    import tantivy

    lexical = engine.tables.arrays.lexical
    sizes = engine.stored.sizes()
    ours = [n for n in sizes if n.startswith(("posting_", "term_")) and n != "term_indptr.npy"]
    stemmer = Stemmer()

    def best(claim: str) -> list[int]:
        terms = lexical.query_terms(stemmer.terms(tokens(claim)[0]))
        return top_rows(lexical.scores(terms), DEPTH, lexical.keys).tolist()

    ms, expected = timed(best, claims)
    found = {"postings": {"bytes": sum(sizes[name] for name in ours), "ms": ms, "overlap": 1.0}}
    passages = list(engine.tables.passage_texts())

    def note(name: str, folder: Path, start: float, ask: Callable[[str], list[int]]) -> None:
        seconds = time.perf_counter() - start
        n_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        ms, answers = timed(ask, claims)
        found[name] = {
            "seconds": round(seconds, 1), "bytes": n_bytes, "ms": ms,
            "overlap": recall_of(answers, expected),
        }  # fmt: skip

    start = time.perf_counter()
    words = [stemmer.terms(tokens(text)[0]) for text in passages]
    index = bm25s.BM25(k1=0.9, b=0.4, backend="numba")
    index.index([[word for word in some if word] for some in words], show_progress=False)
    index.save(str(work / "bm25s"))
    index.activate_numba_scorer()

    def ask_bm25s(claim: str) -> list[int]:
        query = sorted({term for term in stemmer.terms(tokens(claim)[0]) if term})
        rows, _ = index.retrieve([query], k=DEPTH, show_progress=False, n_threads=1)
        return rows[0].tolist()

    note("bm25s", work / "bm25s", start, ask_bm25s)
    del words
    start = time.perf_counter()
    folder = work / "tantivy"
    shutil.rmtree(folder, ignore_errors=True)  # of another run: it would add to what is there
    folder.mkdir(parents=True)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="en_stem")
    builder.add_integer_field("row", stored=True, indexed=False, fast=True)
    other = tantivy.Index(builder.build(), path=str(folder))
    writer = other.writer(heap_size=512_000_000, num_threads=1)
    for row, text in enumerate(passages):
        writer.add_document(tantivy.Document(text=[text], row=row))
    writer.commit()
    writer.wait_merging_threads()
    other.reload()
    searcher = other.searcher()

    def ask_tantivy(claim: str) -> list[int]:
        query = other.parse_query(" ".join(tokens(claim)[0]), ["text"])
        hits = searcher.search(query, DEPTH).hits
        return [searcher.doc(address)["row"][0] for _, address in hits]

    note("tantivy", folder, start, ask_tantivy)
    return found


def nearest(
    index: Any,  # noqa: ANN401  (FAISS has no types)
    rows: UnitVectors,
    n_probed: int,
    query: NDArray[np.float32],
) -> list[int]:
    """The nearest rows, of those that a FAISS index names compared again."""
    faiss: Any = import_module("faiss")  # its stubs know no parameters
    options = faiss.SearchParametersIVF(nprobe=n_probed)
    _, near = index.search(query[None], N_RESCORED, params=options)
    found = near[0][near[0] >= 0]
    return found[np.argsort(-(rows[found] @ query), kind="stable")[:N_NEAREST]].tolist()


def recall_of(answers: Sequence[Sequence[int]], expected: Sequence[Sequence[int]]) -> float:
    """Mean share of the expected rows that an answer holds."""
    shares = [len(set(a) & set(b)) / len(b) for a, b in zip(answers, expected, strict=True)]
    return round(float(np.mean(shares)), 3)


def compared_by_faiss(rows: UnitVectors) -> Callable[[NDArray[np.float32]], list[int]]:
    """Search over a copy of all rows."""
    import faiss

    half = faiss.ScalarQuantizer.QT_fp16  # pyright: ignore[reportAttributeAccessIssue]
    flat: Any = faiss.IndexScalarQuantizer(rows.shape[1], half, faiss.METRIC_INNER_PRODUCT)
    flat.add(rows[:].astype(np.float32))

    def search(query: NDArray[np.float32]) -> list[int]:
        return flat.search(query[None], N_NEAREST)[1][0].tolist()

    return search


def vectors(engine: HippoHover, work: Path, claims: Sequence[str]) -> dict[str, Any]:
    """Stores of vectors."""
    import faiss

    rows = engine.tables.arrays.passage_vectors
    assert engine.encode is not None  # noqa: S101
    queries = engine.encode(claims)
    found: dict[str, Any] = {}

    faiss.omp_set_num_threads(1)  # pyright: ignore[reportAttributeAccessIssue]

    def exact(query: NDArray[np.float32]) -> list[int]:
        return top_k(rows, query, N_NEAREST)[1].tolist()

    ms, expected = timed(exact, list(queries))
    n_bytes = rows.codes.nbytes + rows.scales.nbytes
    found["all rows where they lie"] = {"bytes": n_bytes, "ms": ms, "recall": 1.0}
    ms, answers = timed(compared_by_faiss(rows), list(queries))
    found["all rows, FAISS's copy"] = {
        "bytes": 4 * rows.codes.size, "ms": ms, "recall": recall_of(answers, expected)
    }  # fmt: skip
    faiss.omp_set_num_threads(available_processors())  # pyright: ignore[reportAttributeAccessIssue]
    n_lists = round(2 * len(rows) ** 0.5)
    sample = np.sort(np.random.default_rng(0).permutation(len(rows))[: 40 * n_lists])
    made: dict[str, Callable[[Any], Any]] = {
        "lists, 8 bits": lambda coarse: faiss.IndexIVFScalarQuantizer(
            coarse, rows.shape[1], n_lists, faiss.ScalarQuantizer.QT_8bit,
            faiss.METRIC_INNER_PRODUCT),
        "lists, RaBitQ": lambda coarse: faiss.IndexIVFRaBitQ(
            coarse, rows.shape[1], n_lists, faiss.METRIC_INNER_PRODUCT),
    }  # fmt: skip
    for name, make in made.items():
        start = time.perf_counter()
        coarse = faiss.IndexFlatIP(rows.shape[1])
        index = make(coarse)
        index.cp.niter = 10
        index.train(rows[sample])
        for first in range(0, len(rows), 1 << 16):
            index.add(rows[first : first + (1 << 16)])
        seconds = time.perf_counter() - start
        path = work / f"{name.replace(', ', '-').replace(' ', '')}.faiss"
        faiss.write_index(index, str(path))
        for n_probed in (32, 128):
            faiss.omp_set_num_threads(1)  # pyright: ignore[reportAttributeAccessIssue]
            ms, answers = timed(partial(nearest, index, rows, n_probed), list(queries))
            faiss.omp_set_num_threads(available_processors())  # pyright: ignore[reportAttributeAccessIssue]
            found[f"{name}, {n_probed} looked into"] = {
                "seconds": round(seconds, 1), "bytes": path.stat().st_size, "ms": ms,
                "recall": recall_of(answers, expected),
            }  # fmt: skip
    return found


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--n", type=at_least(1), default=200, help="claims, drawn with a fixed seed (200)"
    )
    arguments = parser.parse_args()
    check_out(arguments.out)
    arguments.work.mkdir(parents=True, exist_ok=True)
    every = [claim.claim for claim in load_claims(arguments.claims)]
    drawn = np.random.default_rng(0).permutation(len(every))[: arguments.n]
    claims = [every[at] for at in drawn]
    engine = HippoHover.open(arguments.index)
    result = {
        "question": "Which stores of texts, postings and vectors does an index want?",
        "index": engine.manifest.recipe["name"],
        "n_passages": engine.n_passages,
        "n": len(claims),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "texts": texts(engine, arguments.work, len(claims)),
        "bm25": bm25(engine, arguments.work, claims),
        "vectors": vectors(engine, arguments.work, claims),
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
