"""Do updates and queries cost the same after ten thousand updates as after one?

    python benchmarks/updates_in_a_row.py RECIPE CORPUS CLAIMS --work DIR --out OUT

One process changes an index of CORPUS, JSON lines, again and again, a document at a time: every
other update adds one that nobody has; of the others, one deletes a document of CORPUS and the next
adds it again. Beside it, as beside ``sync --watch``, a process of its own merges what stands beside
the index. Some of the updates are made by a command of its own instead, which has to open the index
first, and after these all claims are asked, in a process of its own. What was done is in DIR: a run
that was stopped goes on.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

from domains import revision
from measurement import run_script
from updates import Row, command, documents, made, own_mib, written

import hippohover
from hippohover.evaluation.hover import load_claims
from hippohover.indexing.updates.compactor import Compactor
from hippohover.store.reader import StoredIndex

INDEX, LOG = "index", "updates.jsonl"
LOOKED_AT = (1, 500, 1000, 2000, 3000, 5000, 10_000)
_AROUND = 50  # updates before and after that a figure is of


def update(index: Path, folder: Path, number: int, some: Sequence[Row]) -> Row:
    """Make an update by its number; what it took, and why the index was built, if it was."""
    document = made(number) if number % 2 == 0 else some[number // 4 % len(some)]
    path = written(folder, [document])
    if number + 1 in LOOKED_AT:
        return {**command("add", str(index), path), "by": "command"}
    start = time.process_time()
    if number % 4 == 1:
        built = hippohover.delete(index, [document["title"]]).built
    else:
        built = hippohover.add(index, path).built
    seconds = time.process_time() - start
    return {"cpu_seconds": round(seconds, 3), "own_mib": own_mib(os.getpid()), "built": built}


def base_of(index: Path) -> tuple[str, int]:
    """Version that a build or a compaction made, and how many segments stand beside it."""
    with StoredIndex.open(index, check=False) as stored:
        base = stored.manifest.base
        return (base.version, base.n_segments) if base else (stored.version, 0)


def p50_ms(index: Path, claims: Sequence[str]) -> float:
    """Processor time of a query, in the middle."""
    with closing(hippohover.HippoHover.open(index)) as engine:
        engine.warm_up()
        taken: list[float] = []
        for claim in claims:
            start = time.process_time()
            engine.search(claim, 21)
            taken.append(time.process_time() - start)
    return round(1000 * statistics.median(taken), 2)


def go_on(work: Path, n: int, some: Sequence[Row], claims: Sequence[str]) -> None:
    """Make the updates that were not made yet; a line of the log is one."""
    index, log = work / INDEX, work / LOG
    done = len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0
    with log.open("a", encoding="utf-8") as lines, closing(Compactor(index, print)) as compactor:
        for number in range(done, n):
            row = update(index, work, number, some)
            row["base"], row["n_segments"] = base_of(index)
            if number + 1 in LOOKED_AT:
                with ProcessPoolExecutor(1, get_context("spawn")) as another:
                    row["p50_ms"] = another.submit(p50_ms, index, claims).result()
            lines.write(f"{json.dumps(row)}\n")
            lines.flush()
            compactor.look()


def summary(rows: Sequence[Row]) -> Row:
    """What the log says at some updates, and of all."""
    found: list[Row] = []
    for number in LOOKED_AT:
        if number <= len(rows):
            at = rows[number - 1]
            near = rows[max(number - _AROUND, 0) : number + _AROUND]
            seconds = [row["cpu_seconds"] for row in near if "by" not in row]
            found.append(
                {
                    "n_updates": number,
                    "cpu_seconds_p50": round(statistics.median(seconds), 3),
                    "command_cpu_seconds": at["cpu_seconds"],
                    "command_own_mib": at["own_mib"],
                    "query_p50_ms": at["p50_ms"],
                    "n_segments": at["n_segments"],
                }
            )
    inside = [row for row in rows if "by" not in row]
    every = sorted(row["cpu_seconds"] for row in inside)
    return {
        "n_updates": len(rows),
        "n_built": sum(bool(row["built"]) for row in rows),
        "n_compactions": len({row["base"] for row in rows}) - 1,
        "cpu_seconds_p50": every[len(every) // 2],
        "cpu_seconds_p99": every[len(every) * 99 // 100],
        "cpu_seconds_most": every[-1],
        "own_mib_most": max(row["own_mib"] for row in inside),
        "at": found,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure many updates in a row.")
    parser.add_argument("recipe", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--n-claims", type=int, default=100)
    parser.add_argument("--index", type=Path, help="Copy it, and build none.")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    index, log = asked.work / INDEX, asked.work / LOG
    if not log.exists():
        shutil.rmtree(index, ignore_errors=True)
        if asked.index is None:
            hippohover.build(asked.recipe, corpus=asked.corpus, out=index)
        else:
            shutil.copytree(asked.index, index, ignore=shutil.ignore_patterns(".lock"))
    some = documents(asked.corpus, asked.n // 4 + 1)
    claims = [claim.claim for claim in load_claims(asked.claims)[: asked.n_claims]]
    go_on(asked.work, asked.n, some, claims)
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    beside = resource.getrusage(resource.RUSAGE_CHILDREN)
    result: Row = {
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "corpus": asked.corpus.name,
        **summary(rows),
        "compactor_cpu_seconds_of_this_run": round(beside.ru_utime + beside.ru_stime, 1),
    }
    asked.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    run_script(main)
