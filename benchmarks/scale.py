"""What do builds and answers cost as the corpus grows, and what is lost with growth?

    python benchmarks/scale.py size WIDE CLAIMS WORK --passages 2000000 --out RESULT.json
    python benchmarks/scale.py quality WIDE CLAIMS WORK --passages 20000 --out RESULT.json
    python benchmarks/scale.py plot CLAIMS --out RESULT.json --picture scale.png --picture scale.svg

``size`` makes a corpus of so many passages in the folder WORK (``renamed_corpus``: the wide corpus,
and copies of it under other names), builds it with the recipe ``default-fast`` by the command that
users give, and asks it claims: once each after the files were dropped from memory as far as the
system lets a program do that, then again; and the same in another process, which reads the index
into memory before the first claim, as a server does. The memory is the proportional set size of
the build and its workers, sampled every second; that of the reader what ``/proc`` says at the end.
A build that was stopped goes on with the same command, and the seconds of its stages are those of
the last run; ``--note`` says so. What a build that is done has cost stands in WORK, and it is not
done again.

``quality`` draws so many real documents of the wide corpus with a fixed seed, those with the gold
titles of the claims among them, builds them, and asks all claims.

``ask`` asks an index again, and prints what ``size`` keeps of that.

``plot`` draws both, with the logistic trend of quality against the logarithm of size and what it
says of five million, which is an extrapolation.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import PeakMemory, at_least, check_out, opens, run_script
from numpy.typing import NDArray
from renamed_corpus import write_corpus
from scipy.optimize import minimize

from hippohover.evaluation.evaluate import evaluate
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.splits import groups
from hippohover.indexing.corpus.files.streams import open_stream
from hippohover.names.normal_forms import normal_title
from hippohover.rendering.figures import new_figure, save
from hippohover.retrieval.engine import HippoHover

RECIPE = "default-fast"
FULL_CORPUS = 5_230_000
N_RESAMPLES = 2000
N_DENSE = 50
CELLS = {
    "sizes": {"build", "queries", "warmed_up"},
    "quality": {"n_passages", "all_gold_found@21", "found"},
}
"""What a result file holds, and what each measurement in it."""


def built(corpus: Path, index: Path, log: Path) -> dict[str, Any]:
    """Build by the command line; what it cost. Its output goes to ``log``."""
    done = log.with_suffix(".json")
    if done.exists() and done.stat().st_mtime > corpus.stat().st_mtime and opens(index):
        return json.loads(done.read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "hippohover", "build", RECIPE]
    start = time.perf_counter()
    with log.open("a", encoding="utf-8") as output:
        building = subprocess.Popen(  # noqa: S603
            [*command, "--corpus", corpus.name, "--out", index.name],
            stdout=output, stderr=subprocess.STDOUT, cwd=index.parent,
        )  # fmt: skip
        try:
            with PeakMemory(building.pid) as peak:
                status = building.wait()
        finally:  # Ctrl-C, too
            building.terminate()
            building.wait()
    if status:
        last = log.read_text(encoding="utf-8").splitlines()[-1:]
        raise SystemExit(f"the build ended with status {status}, see {log}: {''.join(last)}")
    engine = HippoHover.open(index)
    said = json.loads((engine.stored.folder / "build_log.json").read_text(encoding="utf-8"))
    sizes = engine.stored.sizes()
    cost = {
        "counts": engine.manifest.counts,
        "wall_seconds": round(time.perf_counter() - start),
        "stage_seconds": said["seconds"],
        "workers": said["workers"],
        "peak_gib": round(peak.gib, 2),
        "index_bytes": sum(sizes.values()),
        "file_bytes": {n: size for n, size in sizes.items() if size > sum(sizes.values()) / 200},
    }
    engine.close()
    write(done, cost)
    return cost


def asked(index: Path, claims: Sequence[GoldClaim], *, warm_up: bool) -> dict[str, Any]:
    """Open an index in this process and ask it claims, twice over; what that took."""
    for file in index.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    start = time.perf_counter()
    engine = HippoHover.open(index)
    open_seconds = time.perf_counter() - start
    start = time.perf_counter()
    if warm_up:
        engine.warm_up()
    warm_up_seconds = time.perf_counter() - start
    start = time.perf_counter()
    engine.retrieve(claims[0].claim)
    first_seconds = time.perf_counter() - start
    rounds = [
        1000 * np.array([engine.retrieve(claim.claim).trace.seconds for claim in claims[1:]])
        for _ in range(2)
    ]
    dense = [
        1000 * engine.retrieve(claim.claim, retriever="dense").trace.seconds
        for claim in claims[:N_DENSE]
    ]
    status = Path("/proc/self/status").read_text(encoding="ascii")
    memory = {
        line.split(":")[0]: round(int(line.split()[1]) / 2**20, 2)
        for line in status.splitlines()
        if line.startswith(("VmHWM", "VmRSS", "RssAnon", "RssFile"))
    }
    return {
        "open_seconds": round(open_seconds, 3),
        **({"warm_up_seconds": round(warm_up_seconds, 3)} if warm_up else {}),
        "first_answer_seconds": round(first_seconds, 3),
        "n_claims": len(claims) - 1,
        "ms": {name: percentiles(ms) for name, ms in zip(("cold", "warm"), rounds, strict=True)},
        "dense_ms": percentiles(np.array(dense)),
        "reader_gib": memory,
    }


def percentiles(values: NDArray[np.float64]) -> dict[str, float]:
    """p50, p95 and the largest."""
    found = [float(np.percentile(values, 50)), float(np.percentile(values, 95)), values.max()]
    return dict(zip(("p50", "p95", "max"), (round(float(one), 1) for one in found), strict=True))


def some_claims(path: Path, n: int) -> list[GoldClaim]:
    """So many claims, drawn with a fixed seed."""
    claims = load_claims(path)
    if n >= len(claims):
        return claims
    return [claims[at] for at in sorted(np.random.default_rng(0).permutation(len(claims))[:n])]


def size(arguments: argparse.Namespace) -> None:
    """Build and ask one corpus of a given size."""
    n: int = arguments.passages
    load(arguments.out)  # what cannot be used is told before hours of work
    check_out(arguments.out)
    load_claims(arguments.claims)
    corpus, index = arguments.work / f"corpus-{n}.jsonl", arguments.work / f"index-{n}"
    corpus.parent.mkdir(parents=True, exist_ok=True)
    n_documents = write_corpus(arguments.wide, n, corpus)
    cost = built(corpus, index, arguments.work / f"build-{n}.log")
    command = [sys.executable, __file__, "ask", str(index), str(arguments.claims),
               "--claims", str(arguments.n_claims)]  # fmt: skip
    queries, warmed_up = (printed(one) for one in (command, [*command, "--warm-up"]))
    keep(arguments.out, "sizes", str(n), {
        "n_documents": n_documents, "corpus_bytes": corpus.stat().st_size,
        "build": cost, "queries": queries, "warmed_up": warmed_up,
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, "
                   f"Python {platform.python_version()}",
        "note": arguments.note,
    })  # fmt: skip


def printed(command: list[str]) -> dict[str, Any]:
    """What a command prints; its errors go where ours do."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def ask(arguments: argparse.Namespace) -> None:
    """Print what asking an index takes, in a process of its own."""
    claims = some_claims(arguments.claims, arguments.n_claims)
    if len(claims) < 2:
        raise SystemExit(f"error: {arguments.claims} holds one claim: give two or more")
    print(json.dumps(asked(arguments.index, claims, warm_up=arguments.warm_up)))


def quality(arguments: argparse.Namespace) -> None:
    """Build real documents, and ask all claims."""
    load(arguments.out)
    check_out(arguments.out)
    claims = load_claims(arguments.claims)
    n: int = arguments.passages
    corpus, index = arguments.work / f"real-{n}.jsonl", arguments.work / f"real-{n}"
    corpus.parent.mkdir(parents=True, exist_ok=True)
    draw_real(arguments.wide, claims, n, corpus)
    built(corpus, index, arguments.work / f"real-{n}.log")
    engine = HippoHover.open(index)
    report = evaluate(engine, claims)
    found = [row.measurements["ppr"].values["all_gold_found@21"] for row in report.rows]
    keep(arguments.out, "quality", str(n), {
        "n_passages": engine.n_passages,
        "all_gold_found@21": {
            key: one.as_dict()
            for key, one in report.retrievers["ppr"].metrics["all_gold_found@21"].items()
        },
        "found": "".join(str(int(one)) for one in found),
    })  # fmt: skip


def draw_real(wide: Path, claims: Sequence[GoldClaim], n: int, to: Path) -> None:
    """Write documents of the wide corpus: all that claims need, others at random."""
    gold = {normal_title(title) for claim in claims for title in claim.gold_titles}
    with open_stream(wide) as file:
        lines = [line.decode() for line in file]
    try:
        titles = [normal_title(json.loads(line)["title"]) for line in lines]
    except (ValueError, LookupError, TypeError) as error:
        raise SystemExit(f"error: {wide} has a line without a title ({error!r})") from None
    if missing := sorted(gold.difference(titles)):
        raise SystemExit(
            f"error: {wide} lacks {len(missing)} of the claims' gold titles, such as "
            f"{missing[0]!r}: give the corpus that the claims are of"
        )
    needed = np.array([title in gold for title in titles])
    others = np.random.default_rng(0).permutation(np.flatnonzero(~needed))
    chosen = np.sort(np.append(np.flatnonzero(needed), others[: max(0, n - int(needed.sum()))]))
    to.write_text("".join(lines[at] for at in chosen), encoding="utf-8")


def trend(runs: dict[str, Any], claims: Sequence[GoldClaim], n_gold: int) -> dict[str, Any]:
    """Logistic regression of success on log2(passages), intervals over resampled groups."""
    mine = np.array([len(claim.gold_titles) == n_gold for claim in claims])
    of_group = np.unique(np.array(groups(claims))[mine], return_inverse=True)[1]
    cells = sorted(runs.values(), key=lambda run: run["n_passages"])
    x = np.log2([run["n_passages"] for run in cells]) - np.log2(FULL_CORPUS)
    found = np.array([np.array(list(run["found"]))[mine] for run in cells]).astype(np.float64)
    rng = np.random.default_rng(0)
    n_groups = int(of_group.max()) + 1
    fits = [fitted(x, found.mean(axis=1))]
    for _ in range(N_RESAMPLES):
        weights = np.bincount(rng.integers(n_groups, size=n_groups), minlength=n_groups)[of_group]
        fits.append(fitted(x, np.average(found, axis=1, weights=weights)))
    every = np.array(fits)
    at_full = 1 / (1 + np.exp(-every[:, 0]))
    low, high = np.percentile(at_full[1:], (2.5, 97.5))
    slope = np.percentile(every[1:, 1], (2.5, 97.5))
    return {
        "n": int(mine.sum()),
        "log_odds_a_doubling": {"value": every[0, 1], "low": slope[0], "high": slope[1]},
        "at_full_corpus": {"value": at_full[0], "low": low, "high": high},
    }


def fitted(x: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intercept and slope of greatest likelihood, shares having equal weight."""

    def loss(coefficients: NDArray[np.float64]) -> float:
        odds = coefficients[0] + coefficients[1] * x
        return float((np.logaddexp(0, odds) - shares * odds).sum())

    return np.asarray(minimize(loss, np.zeros(2), method="BFGS").x)


def plot(arguments: argparse.Namespace) -> None:
    """Fit the trend, and draw."""
    result = load(arguments.out)
    claims = load_claims(arguments.claims)
    runs = result.get("quality", {})
    if not (runs or result.get("sizes")):
        raise SystemExit(f"error: {arguments.out} holds nothing yet: measure by size or quality")
    for name, run in runs.items():
        if len(run["found"]) != len(claims):
            raise SystemExit(
                f"error: {arguments.claims} holds {len(claims)} claims, and quality at {name} is "
                f"of {len(run['found'])}: give the claims that it was measured with"
            )
    if len(runs) > 1:
        sizes = sorted({len(claim.gold_titles) for claim in claims})
        result["trend"] = {str(n): trend(runs, claims, n) for n in sizes}
    write(arguments.out, result)
    for file in arguments.picture:
        draw(result, file)


def draw(result: dict[str, Any], file: Path) -> None:
    """Time, memory, disk, latency and quality against the number of passages."""
    figure = new_figure(14, 6.4)
    figure.set_layout_engine("constrained")
    panels = figure.subplots(2, 4).ravel()
    runs = sorted(result.get("sizes", {}).items(), key=lambda item: int(item[0]))
    n = [run["build"]["counts"]["n_passages"] for _, run in runs]
    for axes, title, lines in (
        (panels[0], "build, minutes", {"": [r["build"]["wall_seconds"] / 60 for _, r in runs]}),
        (panels[1], "memory of a build, GiB", {"": [r["build"]["peak_gib"] for _, r in runs]}),
        (panels[2], "index, GB", {"": [r["build"]["index_bytes"] / 1e9 for _, r in runs]}),
        (panels[3], "seconds before a claim", {
            "open": [r["queries"]["open_seconds"] for _, r in runs],
            "first answer, from disk": [r["queries"]["first_answer_seconds"] for _, r in runs],
            "warm-up": [r["warmed_up"]["warm_up_seconds"] for _, r in runs]}),
        (panels[4], "a claim, ms, files dropped from memory", {
            f"{p}, {says}": [r["queries"]["ms"][name][p] for _, r in runs]
            for name, says in (("cold", "first"), ("warm", "again")) for p in ("p50", "p95")}),
        (panels[5], "a claim, ms, after a warm-up", {
            f"{p}, {says}": [r["warmed_up"]["ms"][name][p] for _, r in runs]
            for name, says in (("cold", "first"), ("warm", "again")) for p in ("p50", "p95")}),
        (panels[6], "memory of a reader, GiB", {
            says: [r["warmed_up"]["reader_gib"][key] for _, r in runs]
            for key, says in (("VmHWM", "at most"), ("VmRSS", "at the end"),
                              ("RssAnon", "of its own"))}),
    ):  # fmt: skip
        for label, values in lines.items():
            axes.plot(n, values, marker="o", label=label)
        axes.set_title(title, fontsize=9)
        axes.set_ylim(bottom=0)
        if len(lines) > 1:
            axes.legend(fontsize=8)
    draw_quality(result, panels[7])
    for axes in panels:
        axes.set_xlabel("passages", fontsize=8)
        axes.grid(alpha=0.3)
    save(figure, file)


def draw_quality(result: dict[str, Any], axes: Any) -> None:  # noqa: ANN401  (matplotlib)
    """Shares at each size, and the trend beyond, dashed."""
    cells = sorted(result.get("quality", {}).values(), key=lambda run: run["n_passages"])
    x = np.array([run["n_passages"] for run in cells])
    for n_gold, line in result.get("trend", {}).items():
        shares = [run["all_gold_found@21"][n_gold] for run in cells]
        values = 100 * np.array([share["value"] for share in shares])
        error = np.abs(100 * np.array([[s["low"], s["high"]] for s in shares]).T - values)
        (drawn, *_) = axes.errorbar(x, values, yerr=error, marker="o", capsize=2, label=n_gold)
        full = line["at_full_corpus"]
        axes.errorbar(
            [FULL_CORPUS], [100 * full["value"]], marker="x", capsize=2, color=drawn.get_color(),
            yerr=[[100 * (full["value"] - full["low"])], [100 * (full["high"] - full["value"])]],
        )  # fmt: skip
        beyond = np.geomspace(x.min(), FULL_CORPUS)
        odds = np.log(full["value"] / (1 - full["value"]))
        odds = odds + line["log_odds_a_doubling"]["value"] * np.log2(beyond / FULL_CORPUS)
        axes.plot(beyond, 100 / (1 + np.exp(-odds)), ls="--", lw=0.8, color=drawn.get_color())
    axes.set_xscale("log")
    axes.set_title("all gold titles among 21, %; x: extrapolated", fontsize=9)
    if cells:
        axes.legend(fontsize=8, title="gold titles", title_fontsize=8)


def load(path: Path) -> dict[str, Any]:
    """What was measured so far."""
    if not path.exists() or not path.stat().st_size:
        return {"question": "What do builds and answers cost as the corpus grows?"}
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        cells = [(CELLS[part], cell) for part in CELLS for cell in result.get(part, {}).values()]
        whole = all(wanted <= cell.keys() for wanted, cell in cells)
    except (ValueError, AttributeError):
        result, whole = {}, False
    if not whole:
        raise SystemExit(f"error: {path} holds no measurements of this script: name another")
    return result


def keep(path: Path, part: str, name: str, found: dict[str, Any]) -> None:
    """Add one measurement."""
    result = load(path)
    result.setdefault(part, {})[name] = found
    write(path, result)
    print(json.dumps({key: value for key, value in found.items() if key != "found"}, indent=1))


def write(path: Path, result: dict[str, Any]) -> None:
    """Write all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Do one step."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    steps = parser.add_subparsers(required=True)
    for name, step in (("size", size), ("quality", quality)):
        one = steps.add_parser(name)
        one.set_defaults(step=step)
        one.add_argument("wide", type=Path)
        one.add_argument("claims", type=Path)
        one.add_argument("work", type=Path)
        one.add_argument("--passages", type=at_least(1), required=True)
        one.add_argument("--out", type=Path, required=True)
        if step is size:
            one.add_argument("--claims", type=at_least(2), default=300, dest="n_claims")
            one.add_argument("--note", default="")
    one = steps.add_parser("ask")
    one.set_defaults(step=ask)
    one.add_argument("index", type=Path)
    one.add_argument("claims", type=Path)
    one.add_argument("--claims", type=at_least(2), default=300, dest="n_claims")
    one.add_argument("--warm-up", action="store_true")
    one = steps.add_parser("plot")
    one.set_defaults(step=plot)
    one.add_argument("claims", type=Path)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--picture", type=Path, action="append", default=[])
    arguments = parser.parse_args()
    arguments.step(arguments)


if __name__ == "__main__":
    run_script(main)
