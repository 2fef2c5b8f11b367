"""What does a second reader of one index give in answers, and take in memory?

    python benchmarks/replicas.py INDEX CLAIMS --out benchmarks/results/replicas.json

Readers are started in both ways that ``docs/server.md`` shows: ``hippohover serve`` once for each
port, every client asking one of them, and ``docs/examples/replicas.py``, whose Ray Serve spreads
what clients ask. After a warm-up, so many clients ask one claim after the other for so long, each
as soon as it has its answer; whatever is no answer with passages counts as an error. Then memory is
taken: the proportional set size, which counts a page that readers share once over all of them, and
what of it is mapped files; of Ray, with what it needs besides the readers; and the most that any
reader had resident since it began. Then the clients have texts of five claims verified by
``hybrid`` for as long, and the most that a reader had resident is taken again. The clients run
beside the readers on the same processors.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
from measurement import at_least, check_out, children, run_script
from server_load import client

from hippohover.evaluation.hover import load_claims
from hippohover.web.serving import bound_socket

EXAMPLE = Path(__file__).parent.parent / "docs" / "examples" / "replicas.py"
START_SECONDS = 180.0
STOP_SECONDS = 60.0
WARM_UP_SECONDS = 10.0

_ADDRESS = re.compile(r"http://\S+(?=/ answers from)")


class Started(NamedTuple):
    """A process that answers at an address; what it says goes to its log."""

    process: "subprocess.Popen[bytes]"
    address: str
    log: Path


class Readers(NamedTuple):
    """Addresses to ask, processes that have the index open, and all that were started."""

    addresses: Sequence[str]
    pids: Sequence[int]
    all_pids: Sequence[int]


@contextmanager
def started(command: Sequence[str], env: Mapping[str, str] | None = None) -> Generator[Started]:
    """Run a command until it is left, from when it says its address; nothing of it goes on then."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output, env=env)  # noqa: S603
        try:
            yield Started(process, _address(process, log), log)
        finally:
            _end(process)


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        if found := _ADDRESS.search(log.read_text(encoding="utf-8")):
            return found[0]
        time.sleep(0.1)
    raise SystemExit(f"error: {process.args!r} did not start: {log.read_text(encoding='utf-8')}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    pids = [process.pid, *descendants(process.pid)]
    process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    end = time.monotonic() + STOP_SECONDS / 2
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.1)
    for pid in filter(is_alive, pids):
        os.kill(pid, signal.SIGKILL)
    process.wait()


def is_alive(pid: int) -> bool:
    """Whether a process is there, and not waiting to be buried."""
    return bool(_command_line(pid))


def descendants(pid: int) -> list[int]:
    """Processes below a process."""
    found = children(pid)
    return found + [one for child in found for one in descendants(child)]


def ray_readers(pid: int) -> list[int]:
    """The replicas that run for a process of the example."""
    return sorted(p for p in descendants(pid) if _command_line(p).startswith("ray::ServeReplica"))


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return ""


def serve_command(index: Path, port: int = 0) -> list[str]:
    """The command that users give, for one reader; port 0 takes a free one."""
    return [sys.executable, "-m", "hippohover", "serve", str(index), "--port", str(port)]


def ray_command(index: Path, n_readers: int) -> list[str]:
    """The example, on a port that was free a moment ago."""
    with bound_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    return [sys.executable, str(EXAMPLE), str(index),
            "--replicas", str(n_readers), "--port", str(port)]  # fmt: skip


@contextmanager
def processes(index: Path, n_readers: int) -> Generator[Readers]:
    """``hippohover serve``, so many times."""
    with ExitStack() as stack:
        every = [stack.enter_context(started(serve_command(index))) for _ in range(n_readers)]
        pids = [one.process.pid for one in every]
        yield Readers([one.address for one in every], pids, pids)


@contextmanager
def on_ray(index: Path, n_readers: int) -> Generator[Readers]:
    """The example with so many replicas, on a Ray of its own."""
    with started(ray_command(index, n_readers)) as one:
        pid = one.process.pid
        yield Readers([one.address], ray_readers(pid), [pid, *descendants(pid)])


WAYS: dict[str, Callable[[Path, int], AbstractContextManager[Readers]]] = {
    "hippohover serve": processes,
    "Ray Serve": on_ray,
}


def memory_mib(pids: Sequence[int]) -> dict[str, float]:
    """Proportional and resident set size of processes, summed; and files and the rest of it."""
    kinds = {"Pss": "pss", "Pss_File": "pss_of_files", "Pss_Anon": "pss_of_its_own", "Rss": "rss"}
    total = dict.fromkeys(kinds.values(), 0.0)
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            key, _, value = line.partition(":")
            if key in kinds:
                total[kinds[key]] += int(value.split()[0]) / 1024
    return {name: round(value, 1) for name, value in total.items()}


def peak_mib(pid: int) -> float:
    """Most that a process had resident at a time since it began."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return round(int(peak) / 1024, 1)


async def asked(
    addresses: Sequence[str],
    claims: Sequence[str],
    n_clients: int,
    seconds: float,
    *,
    verify: bool = False,
) -> list[Any]:
    """What all clients found, as ``server_load.client`` has it."""
    end = time.monotonic() + seconds
    every = [client(addresses[number % len(addresses)], claims, number * 31, end, verifies=verify)
             for number in range(n_clients)]  # fmt: skip
    return [one for found in await asyncio.gather(*every) for one in found]


def measured(
    readers: Readers, claims: Sequence[str], n_clients: int, seconds: float
) -> dict[str, Any]:
    """Answers a second, latencies and memory of readers that were just started."""
    asyncio.run(asked(readers.addresses, claims[::-1], n_clients, WARM_UP_SECONDS))
    before = time.monotonic()
    found = asyncio.run(asked(readers.addresses, claims, n_clients, seconds))
    taken = time.monotonic() - before
    memory = memory_mib(readers.pids), memory_mib(readers.all_pids)
    peak = max(map(peak_mib, readers.pids))
    verified = asyncio.run(asked(readers.addresses, claims, n_clients, seconds, verify=True))
    times = np.array([one for one in found if isinstance(one, float)])
    errors = [one for one in (*found, *verified) if isinstance(one, str)]
    return {
        "n_answers": len(times),
        "n_errors": len(errors),
        "first_errors": errors[:5],
        "answers_a_second": round(len(times) / taken, 2),
        "latency_ms": {f"p{q}": round(1000 * float(np.percentile(times, q)), 1) for q in (50, 95)},
        "readers_mib": memory[0],
        "all_mib": memory[1],
        "largest_peak_mib": peak,
        "n_verifications": len(verified),
        "largest_peak_with_verifications_mib": max(map(peak_mib, readers.pids)),
    }


def main() -> None:
    """Each way, with one reader and with two."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--clients", type=at_least(1), default=8)
    parser.add_argument("--seconds", type=at_least(1), default=30)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    check_out(arguments.out)
    claims = [claim.claim for claim in load_claims(arguments.claims)]
    ways: dict[str, Any] = {}
    described: dict[str, Any] = {}
    for name, way in WAYS.items():
        for n in (1, 2):
            with way(arguments.index.absolute(), n) as readers:
                described = httpx.get(f"{readers.addresses[0]}/v1/index").json()
                found = measured(readers, claims, arguments.clients, arguments.seconds)
            ways.setdefault(name, {})[str(n)] = found
            print(name, n, json.dumps(found), file=sys.stderr)
    result = {
        "question": "What does a second reader of one index give in answers, and take in memory?",
        "index": described["recipe"]["name"],
        "n_passages": described["counts"]["n_passages"],
        "index_bytes": described["n_bytes"],
        "claims": arguments.claims.stem,
        "n_clients": arguments.clients,
        "seconds": arguments.seconds,
        "readers": ways,
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, "
                   f"Python {platform.python_version()}",
    }  # fmt: skip
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
