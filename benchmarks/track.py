"""Do quality and work stay what they were? A small fixed set, a row a revision.

    python benchmarks/track.py            # measure, and append to benchmarks/results/track.jsonl
    python benchmarks/track.py --check    # measure, and fail where the last row was better

Measured are the toy world and a generated one, of chains of two and three documents that name each
other. What is counted does not depend on the machine: what was found, what an index holds and
weighs, modules that ``import hippohover`` brings, calls of Python functions a claim. The check
holds quality to the last row, and counts to a little above it. Times are reported, never checked.
"""

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from domains import revision
from measurement import run_script

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.toy import toy_claims_path, toy_corpus_path

ROWS: Final = Path(__file__).parent / "results" / "track.jsonl"
QUALITY: Final = 1e-9
"""So much less may be found: nothing, but for the last digit of a mean."""
WORK: Final[Mapping[str, float]] = {
    "index_bytes": 1.02,
    "n_edges": 1.02,
    "n_facts": 1.02,
    "calls_a_claim": 1.25,  # differs between versions of Python and of libraries
    "modules_at_import": 1.25,
}
"""Count -> how many times the last row's it may be."""

_SYLLABLES: Final = ("bra", "vel", "mou", "tir", "sok", "len", "dra", "ush", "orm", "quin")
_N_CHAINS, _N_CALLED = 150, 20


def generated_world(folder: Path, n_chains: int = _N_CHAINS) -> tuple[Path, list[GoldClaim]]:
    """Write a corpus of films, people and towns; its path, and claims whose middle is not named."""
    draw = random.Random(7)
    taken: set[str] = set()

    def name() -> str:
        while True:
            made = " ".join(
                "".join(draw.choices(_SYLLABLES, k=draw.randint(2, 3))).capitalize()
                for _ in range(2)
            )
            if made not in taken:
                taken.add(made)
                return made

    towns = [name() for _ in range(n_chains // 5)]
    rows = [{"title": town, "text": f"{town} is a town on a river."} for town in towns]
    claims: list[GoldClaim] = []
    for number in range(n_chains):
        film, person, town = name(), name(), draw.choice(towns)
        year = draw.randint(1900, 1999)
        rows.append({"title": film, "text": f"{film} is a film of {year} directed by {person}."})
        rows.append({"title": person, "text": f"{person} was born in {town} and made films."})
        asks_town = number % 2 == 1
        words = "a town on a river" if asks_town else "somebody who made films"
        gold = (film, person, town) if asks_town else (film, person)
        claims.append(
            GoldClaim(
                uid=str(number),
                claim=f"The director of {film} was born in {words}."
                if asks_town
                else f"{film} was directed by {words}.",
                gold_titles=gold,
                supporting_facts=tuple((title, 0) for title in gold),
            )
        )
    path = folder / "generated.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path, claims


def measured(world: str, corpus: Path, claims: Sequence[GoldClaim], folder: Path) -> dict[str, Any]:
    """What is found, counted and timed on one world."""
    started = time.perf_counter()
    path = build(IndexRecipe(name=world), corpus=corpus, out=folder / world, workers=1)
    seconds = time.perf_counter() - started
    engine = HippoHover.open(path)
    settings = EvaluationSettings(retrievers=("ppr", "bm25"), depth=None, n_warmups=5)
    report = evaluate(engine, claims, settings)
    counts = engine.manifest.counts
    live = engine.stored.folder
    return {
        "quality": {
            f"{name} {metric}": part.metrics[metric]["all"].value
            for name, part in report.retrievers.items()
            for metric in ("all_gold_found@5", "all_gold_found@21", "recall@5", "recall@21")
        },
        "work": {
            "n_edges": counts["n_edges"],
            "n_facts": counts["n_facts"],
            "index_bytes": sum(one.stat().st_size for one in live.rglob("*") if one.is_file()),
            "calls_a_claim": _calls(engine, claims[:_N_CALLED]),
        },
        "times": {
            "build_seconds": seconds,
            "first_query_seconds": _first_query(path, claims[0].claim),
            "p50_ms": report.retrievers["ppr"].latency_p50_ms,
        },
    }


def _calls(engine: HippoHover, claims: Sequence[GoldClaim]) -> int:
    """Median of the calls of Python functions that a claim takes."""
    n = 0

    def count(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal n
        n += event == "call"

    found: list[int] = []
    for claim in claims:
        before = n
        sys.setprofile(count)
        try:
            engine.retrieve(claim.claim)
        finally:
            sys.setprofile(None)
        found.append(n - before)
    return int(statistics.median(found))


def _first_query(index: Path, claim: str) -> float:
    """Seconds from nothing to an answer, in a process of its own."""
    code = "import sys, hippohover\nhippohover.HippoHover.open(sys.argv[1]).retrieve(sys.argv[2])"
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, str(index), claim], check=True)  # noqa: S603
    return time.perf_counter() - started


def _import() -> tuple[int, float]:
    """Modules that the package brings along, and seconds that it takes."""
    code = (
        "import sys, time; before = len(sys.modules); start = time.perf_counter()\n"
        "import hippohover; print(len(sys.modules) - before, time.perf_counter() - start)"
    )
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    n, seconds = run.stdout.split()
    return int(n), float(seconds)


def row() -> dict[str, Any]:
    """One row: revision, machine, and what was measured."""
    n_modules, seconds = _import()
    with TemporaryDirectory(prefix="hippohover-") as made:
        folder = Path(made)
        worlds = {
            "toy": (toy_corpus_path(), load_claims(toy_claims_path())),
            "generated": generated_world(folder),
        }
        found = {name: measured(name, *world, folder) for name, world in worlds.items()}
    found["package"] = {
        "quality": {},
        "work": {"modules_at_import": n_modules},
        "times": {"import_seconds": seconds},
    }
    return {
        "revision": revision(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "worlds": found,
    }


def fallen(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What the row of now does worse than the one before, a line each."""
    worse: list[str] = []
    for world, was in before["worlds"].items():
        found = now["worlds"].get(world, {"quality": {}, "work": {}})
        for name, value in was["quality"].items():
            got = found["quality"].get(name, 0.0)
            if got < value - QUALITY:
                worse.append(f"{world}: {name} is {got:.4f}, was {value:.4f}")
        for name, value in was["work"].items():
            got, most = found["work"].get(name, float("inf")), value * WORK[name]
            if got > most:
                worse.append(f"{world}: {name} is {got:,}, was {value:,} (at most {most:,.0f})")
    return worse


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Rows that are kept, oldest first."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Measure, and check or append."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="fail where the last row was better")
    parser.add_argument("--rows", type=Path, default=ROWS, help="the file of rows")
    given = parser.parse_args()
    rows = read_rows(given.rows)
    if given.check and not rows:
        raise SystemExit(f"error: {given.rows}: holds no row to check against: run without --check")
    now = row()
    for world, found in now["worlds"].items():
        times = ", ".join(f"{name} {value:.3g}" for name, value in found["times"].items())
        print(f"{world}: {times}")
    if given.check:
        if worse := fallen(rows[-1], now):
            raise SystemExit("\n".join([f"error: worse than at {rows[-1]['revision']}:", *worse]))
        print(f"nothing fell behind {rows[-1]['revision']}")
        return
    given.rows.parent.mkdir(parents=True, exist_ok=True)
    with given.rows.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(now)}\n")


if __name__ == "__main__":
    run_script(main)
