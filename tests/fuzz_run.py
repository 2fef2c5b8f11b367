"""Runs the targets of ``fuzz_targets.py``, each in a process of its own that holds its bounds."""

import argparse
import gc
import hashlib
import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.context import ForkProcess
from pathlib import Path
from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from hippohover.errors import HippoHoverError
from tests.fuzz_mutations import mutated
from tests.fuzz_targets import BROKEN, TARGETS, Target

FORK: Final = multiprocessing.get_context("fork")  # what is imported need not be so again
MAX_BYTES: Final = 256 * 2**20
"""Memory that the inputs of a target may take beyond that of its whole examples."""

_HARD_BYTES: Final = 4 * 2**30
_BLOCKED: Final = 6  # times the processor time that an input may take
_RUNS_A_ROUND: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How targets are run."""

    engine: str = "hypothesis"
    runs: int = 10_000
    seed: int = 0
    seconds: int = 10
    found: Path = Path("fuzz-found")


@dataclass(slots=True, kw_only=True)
class Counts:
    """What came of the inputs of one target."""

    inputs: int = 0
    refused: int = 0
    slowest_ms: float = 0.0
    more_bytes: int = 0
    finding: str = ""


def outcome(target: Target, data: bytes) -> bool:
    """Whether a target takes the bytes; False when it refuses them as it should."""
    try:
        target.run(data)
    except HippoHoverError as error:
        text = str(error)
        assert text, f"{type(error).__name__} without a word"
        assert text.isprintable(), f"not one printable line: {text!r}"
        return False
    return True


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Examples of a target, nearly all of them damaged."""
    samples = target.samples()
    seeds = st.binary(min_size=8, max_size=8)  # st.randoms takes ten times as long
    damaged = st.builds(mutated, st.sampled_from(samples), st.just(samples), seeds.map(Random))
    return st.one_of(*[damaged] * 6, st.sampled_from(samples), st.binary(max_size=200))


@dataclass
class Watch:
    """Feeds inputs to a target, in a process of its own, and holds its bounds."""

    target: Target
    folder: Path
    seconds: int = 10
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        warnings.simplefilter("ignore")
        for sample in self.target.samples():  # loads what is loaded late, compiles, caches
            outcome(self.target, sample)
        gc.collect()
        self.start_bytes = _peak_bytes()
        size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (size + _HARD_BYTES, -1))

    def __call__(self, data: bytes) -> None:
        """One input; whatever is no refusal is raised, or ends the process."""
        (self.folder / "input").write_bytes(data)  # for who finds this process dead
        signal.setitimer(signal.ITIMER_PROF, self.seconds)  # SIGPROF ends it, in C code too
        began = time.perf_counter()
        taken = outcome(self.target, data)
        took = time.perf_counter() - began
        signal.setitimer(signal.ITIMER_PROF, 0)
        counts = self.counts
        counts.inputs += 1
        counts.refused += not taken
        counts.slowest_ms = max(counts.slowest_ms, took * 1000)
        counts.more_bytes = max(counts.more_bytes, _peak_bytes() - self.start_bytes)
        if counts.more_bytes > MAX_BYTES:  # a peak stays, so a smaller input cannot be looked for
            self.report(f"{counts.more_bytes >> 20} MB of memory")
            os._exit(1)

    def report(self, finding: str = "") -> None:
        """What the parent process reads."""
        self.counts.finding = finding
        (self.folder / "counts.json").write_text(json.dumps(asdict(self.counts)))


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def drive(watch: Watch, runs: int, first_seed: int) -> None:
    """Hypothesis with many seeds: one long run would remember, and count, every choice."""
    strategy = inputs(watch.target)
    for number in range(first_seed, first_seed + runs):
        left = runs - watch.counts.inputs
        if left <= 0:
            return

        @seed(number)
        @settings(
            max_examples=min(left, _RUNS_A_ROUND),
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
        @given(strategy)
        def one_round(data: bytes) -> None:
            watch(data)

        one_round()
        gc.collect()


def run(name: str, plan: Plan) -> Counts:
    """One target in a process of its own; an input that it falls over is kept."""
    with tempfile.TemporaryDirectory(dir=_disk_in_memory()) as made:
        folder = Path(made)
        process = FORK.Process(target=_child, args=(name, folder, plan))
        process.start()
        died = _ended(process, folder, plan.seconds)
        report = folder / "counts.json"
        counts = Counts(**json.loads(report.read_text())) if report.exists() else Counts()
        if not report.exists():
            told = (folder / "output").read_text(errors="replace").strip()[-500:]
            counts.finding = died or f"the process ended before its time: {told}"
        if counts.finding:
            _keep(name, counts.finding, folder / "input", plan.found)
    return counts


def _child(name: str, folder: Path, plan: Plan) -> None:
    """The process that runs one target; all that it writes is in the folder."""
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if plan.engine == "atheris":
        told = [name, str(folder), str(plan.runs), str(plan.seed), str(plan.seconds)]
        command = [sys.executable, "-m", "tests.fuzz_atheris", *told]
        os.execve(sys.executable, command, os.environ | {"TMPDIR": str(folder)})  # noqa: S606
    tempfile.tempdir = str(folder)
    watch = Watch((TARGETS | BROKEN)[name], folder, plan.seconds)
    try:
        drive(watch, plan.runs, plan.seed)
    except Exception as error:  # whatever it is, it is the finding
        watch.report(f"{type(error).__name__}: {error}"[:500])
    else:
        watch.report()


def _disk_in_memory() -> str | None:
    disk = "/dev/shm"  # noqa: S108
    return disk if os.access(disk, os.W_OK) else None


def _ended(process: ForkProcess, folder: Path, seconds: int) -> str:
    """Wait for a target's end; why it ended before it could tell."""
    began = time.time()
    while process.exitcode is None:
        process.join(0.5)
        fed = folder / "input"
        last = fed.stat().st_mtime if fed.exists() else began
        if process.exitcode is None and time.time() - last > _BLOCKED * seconds:
            process.kill()
            process.join()
            return f"nothing happened for {_BLOCKED * seconds} s"
    if process.exitcode == -signal.SIGPROF:
        return f"over {seconds} s of processor time"
    died = process.exitcode < 0
    return f"the process was ended by {signal.Signals(-process.exitcode).name}" if died else ""


def _keep(name: str, finding: str, fed: Path, found: Path) -> None:
    """Write down the input that a target was fed last: the one it fell over."""
    data = fed.read_bytes() if fed.exists() else b""
    found.mkdir(parents=True, exist_ok=True)
    path = found / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}.txt"
    path.write_text(f"{finding}\n{data!r}\n", encoding="utf-8")
    print(f"{name}: {finding}\n  {path}")


def _row(*cells: object) -> str:
    name, *rest = map(str, cells)
    return f"{name:<16}" + "".join(f"{cell:>12}" for cell in rest)


def main(arguments: Sequence[str]) -> int:
    """The command; 1 when something was found."""
    parser = argparse.ArgumentParser(description="Fuzz everything that is read from outside.")
    parser.add_argument("--runs", type=int, default=10_000, help="inputs a target")
    parser.add_argument("--target", action="append", choices=[*TARGETS, *BROKEN])
    parser.add_argument("--engine", choices=["hypothesis", "atheris"], default="hypothesis")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=10, help="processor time of an input")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="folder of findings")
    options: Any = parser.parse_args(arguments)
    if options.engine == "atheris" and not has_atheris():
        print("atheris is not installed: pip install atheris, or leave out --engine")
        return 2
    plan = Plan(
        engine=options.engine,
        runs=options.runs,
        seed=options.seed,
        seconds=options.seconds,
        found=options.found,
    )
    print(_row("target", "inputs", "refused", "accepted", "slowest ms", "more MB"))
    is_clean = True
    for name in options.target or TARGETS:
        counts = run(name, plan)
        is_clean = is_clean and not counts.finding
        taken, more = counts.inputs - counts.refused, counts.more_bytes >> 20
        cells = (counts.inputs, counts.refused, taken, f"{counts.slowest_ms:.0f}", more)
        print(_row(name, *cells), flush=True)
    return 0 if is_clean else 1


def has_atheris() -> bool:
    """Whether the optional engine is installed."""
    from importlib.util import find_spec

    return find_spec("atheris") is not None
