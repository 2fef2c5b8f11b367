"""What does an update cost that stands beside what was built, and does it answer as a build?

    python benchmarks/updates.py RECIPE CORPUS CLAIMS --out benchmarks/results/updates.json

An index of CORPUS, JSON lines, is built, and a copy of it changed by commands of their own: one
document comes, many go and come again. Processor time is the system's count. Of memory there are
two: what the process has of its own, looked at a hundred times a second, and the most that was
resident, pages of files with it, which the system can drop.
Then one process changes it again and again, beside a server that follows it. In the end all that
came has gone and all that went has come, so that the copy must answer as INDEX does: the same
passages, scores equal to 1e-6. Claims are asked of both in turn, by two engines.
"""

import argparse
import gzip
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
from domains import revision
from measurement import run_script

import hippohover
from hippohover.evaluation.hover import load_claims
from hippohover.store.reader import StoredIndex

Row = dict[str, Any]

WARM = 30
_LOOK_SECONDS = 0.01
_ASK_SECONDS = 0.05


def command(*words: str) -> Row:
    """Processor seconds, wall seconds and MiB of a command, and why it was a build if it was."""
    start, own = time.perf_counter(), 0
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "hippohover", *words, "--json"], stdout=subprocess.PIPE, text=True
    )
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        own = max(own, own_mib(process.pid))
        time.sleep(_LOOK_SECONDS)
    _, status, usage = ended
    process.returncode = status
    with process.stdout or nullcontext(StringIO("{}")) as output:
        said = output.read()
    if status:
        raise SystemExit(f"hippohover {' '.join(words)} failed")
    return {
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "seconds": round(time.perf_counter() - start, 2),
        "own_mib": own,
        "peak_mib": round(usage.ru_maxrss / 1024),
        "built": json.loads(said).get("built", ""),
    }


def own_mib(pid: int) -> int:
    """Memory of a process that is of no file, pages of private maps that it changed with it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("RssAnon")), 0)


def documents(corpus: Path, n: int) -> list[Row]:
    """Some documents, drawn with a fixed seed; the corpus is never in memory."""
    with lines_of(corpus) as lines:
        n_lines = sum(1 for _ in lines)
    chosen = random.Random(0).sample(range(n_lines), n)
    wanted = frozenset(chosen)
    with lines_of(corpus) as lines:
        found = {at: json.loads(line) for at, line in enumerate(lines) if at in wanted}
    return [found[at] for at in chosen]


@contextmanager
def lines_of(corpus: Path) -> Generator[Iterator[str]]:
    """Lines of a corpus that hold something."""
    opened = gzip.open if corpus.suffix == ".gz" else open
    with opened(corpus, "rt", encoding="utf-8") as lines:
        yield (line for line in lines if line.strip())


def made(number: int) -> Row:
    """A document that names others, and that nobody has."""
    text = (
        f"Quillfeather {number} is a short film of 19{number % 90 + 10}. It stars Ingrid Bergman, "
        f"was shot in the United States and shown beside Quillfeather {number - 1}."
    )
    return {"title": f"Quillfeather {number}", "text": text}


def written(folder: Path, rows: Sequence[Row]) -> str:
    path = folder / "new.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def commands(index: Path, folder: Path, some: list[Row]) -> dict[str, Row]:
    """Each kind of update from a process of its own."""
    titles = folder / "titles.txt"
    titles.write_text("".join(f"{row['title']}\n" for row in some), encoding="utf-8")
    command("inspect", str(index))  # so that the copy's files are summed before
    found: dict[str, Row] = {"add one": command("add", str(index), written(folder, [made(0)]))}
    found["add another"] = command("add", str(index), written(folder, [made(1)]))
    found[f"delete {len(some)}"] = command("delete", str(index), "--from", str(titles))
    found[f"add {len(some)}"] = command("add", str(index), written(folder, some))
    return found


def warm(index: Path, folder: Path) -> Row:
    """Updates of one process, one document each, and how soon a server that follows has them."""
    seconds: list[float] = []
    follow: list[float] = []
    with following(index) as address:
        for number in range(2, WARM):
            path = written(folder, [made(number)])
            start = time.process_time()
            hippohover.add(index, path)
            seconds.append(time.process_time() - start)
            follow.append(answered_in(address, f"Quillfeather {number}"))
    hippohover.delete(index, [made(number)["title"] for number in range(WARM)])
    return {
        "n": len(seconds),
        "first_cpu_seconds": round(seconds[0], 2),
        "p50_cpu_seconds": round(statistics.median(seconds[1:]), 3),
        "most_cpu_seconds": round(max(seconds[1:]), 3),
        "follow_p50_seconds": round(statistics.median(follow), 2),
        "follow_most_seconds": round(max(follow), 2),
    }


@contextmanager
def following(index: Path) -> Generator[str]:
    """Address of a server of an index, started as users start it, that takes up each version."""
    command = [sys.executable, "-m", "hippohover", "serve", str(index), "--port", "0", "--follow"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stderr is not None  # noqa: S101
        try:
            line = server.stderr.readline()
            address = re.search(r"http://[^/]+", line)
            if address is None:
                raise SystemExit(f"error: the server did not start: {line}{server.stderr.read()}")
            yield address[0]
            server.terminate()
        except BaseException:
            server.kill()
            raise


def answered_in(address: str, title: str) -> float:
    """Seconds until a server finds a document by its title."""
    start = time.perf_counter()
    while True:
        answer = httpx.post(f"{address}/v1/retrieve", json={"claim": title, "k": 5}, timeout=60)
        if title in [passage["title"] for passage in answer.json()["passages"]]:
            return time.perf_counter() - start
        time.sleep(_ASK_SECONDS)


def compared(fresh: Path, changed: Path, claims: Sequence[str]) -> Row:
    """Answers of both, claim by claim in turn."""
    engines = [hippohover.HippoHover.open(path) for path in (fresh, changed)]
    for engine in engines:
        engine.warm_up()
    n_other, most = 0, 0.0
    seconds: tuple[list[float], list[float]] = ([], [])
    for claim in claims:
        answers: list[list[tuple[str, float]]] = []
        for engine, taken in zip(engines, seconds, strict=True):
            start = time.process_time()
            answer = engine.search(claim, 100)
            taken.append(time.process_time() - start)
            answers.append([(p.pid, p.score) for p in answer.passages])
        one, other = (dict(answer) for answer in answers)
        is_same = list(one) == list(other)
        n_other += not is_same
        if is_same:
            most = max([most, *(abs(one[pid] - other[pid]) for pid in one)])
    p50 = [1000 * statistics.median(taken) for taken in seconds]
    return {
        "n_claims": len(claims),
        "n_other_passages": n_other,
        "largest_difference_of_scores": most,
        "p50_ms_fresh": round(p50[0], 2),
        "p50_ms_changed": round(p50[1], 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure updates.")
    parser.add_argument("recipe", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--many", type=int, default=100)
    parser.add_argument("--n-claims", type=int, default=300)
    parser.add_argument("--work", type=Path, help="Folder for the indexes; the system's.")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.work) as name:
        folder = Path(name)
        index, corpus = folder / "fresh", str(asked.corpus)
        build = command("build", str(asked.recipe), "--corpus", corpus, "--out", str(index))
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        result: Row = {"revision": revision(), "machine": machine, "build": build}
        copy = shutil.copytree(index, folder / "index")
        result["commands"] = commands(copy, folder, documents(asked.corpus, asked.many))
        result["one process"] = warm(copy, folder)
        claims = [claim.claim for claim in load_claims(asked.claims)[: asked.n_claims]]
        result["against a build"] = compared(index, copy, claims)
        with StoredIndex.open(copy) as stored:
            base = stored.manifest.base
            result["n_segments"] = base.n_segments if base else 0
            result["n_passages"] = stored.manifest.counts["n_passages"]
    asked.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    run_script(main)
