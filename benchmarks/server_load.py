"""Does the server answer many clients at once, and how soon?

    python benchmarks/server_load.py INDEX CLAIMS --out benchmarks/results/server-load-wide.json

A server is started as users start it, on this machine. So many clients ask it one claim after the
other for so long, each as soon as it has its answer; half-way the server is told by SIGHUP to look
for a new version. Whatever is no answer with passages counts as an error. The clients run beside
the server on the same processors.
"""

import argparse
import asyncio
import json
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from measurement import at_least, check_out, run_script

from hippohover.evaluation.hover import load_claims

TIMEOUT_SECONDS = 60.0


async def client(
    address: str, claims: Sequence[str], first: int, end: float, *, verifies: bool = False
) -> list[Any]:
    """Seconds of each answer, or what went wrong, until the time is over.

    What is verified is a text of five claims, by ``hybrid``: that reads most of an index.
    """
    path, gives = ("verify", "claims") if verifies else ("retrieve", "passages")
    found: list[Any] = []
    async with httpx.AsyncClient(base_url=address, timeout=TIMEOUT_SECONDS) as asking:
        at = first
        while time.monotonic() < end:
            some = [claims[(at + one) % len(claims)] for one in range(5)]
            body = (
                {"text": " ".join(some), "retriever": "hybrid"} if verifies else {"claim": some[0]}
            )
            start = time.perf_counter()
            try:
                answer = await asking.post(f"/v1/{path}", json=body)
                seconds = time.perf_counter() - start
                good = answer.status_code == 200 and len(answer.json()[gives]) > 0
                found.append(seconds if good else f"status {answer.status_code}")
            except (httpx.HTTPError, ValueError) as error:
                found.append(f"{type(error).__name__}: {error}")
            at += 1
    return found


async def load(
    address: str,
    claims: Sequence[str],
    arguments: argparse.Namespace,
    server: subprocess.Popen[str],
) -> list[Any]:
    """What all clients found."""
    end = time.monotonic() + arguments.seconds
    clients = [client(address, claims, number * 31, end) for number in range(arguments.clients)]
    asyncio.get_running_loop().call_later(arguments.seconds / 2, server.send_signal, signal.SIGHUP)
    return [one for found in await asyncio.gather(*clients) for one in found]


def main() -> None:
    """Start, load, stop, say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--clients", type=at_least(1), default=50)
    parser.add_argument("--seconds", type=at_least(1), default=60)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    check_out(arguments.out)
    claims = [claim.claim for claim in load_claims(arguments.claims)]
    command = [sys.executable, "-m", "hippohover", "serve", str(arguments.index), "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
    assert server.stderr is not None  # noqa: S101
    try:
        line = server.stderr.readline()
        address = re.search(r"http://[^/]+", line)
        if address is None:
            raise SystemExit(f"error: the server did not start: {line}{server.stderr.read()}")
        described = httpx.get(f"{address[0]}/v1/index").json()
        found = asyncio.run(load(address[0], claims, arguments, server))
        server.send_signal(signal.SIGTERM)
        code = server.wait(60)
    finally:
        server.kill()
    seconds = np.array([one for one in found if isinstance(one, float)])
    errors = [one for one in found if isinstance(one, str)]
    p50, p95, p99 = (1000 * float(np.percentile(seconds, q)) for q in (50, 95, 99))
    result = {
        "question": "Does the server answer many clients at once, and how soon?",
        "index": described["recipe"]["name"],
        "n_passages": described["counts"]["n_passages"],
        "claims": arguments.claims.stem,
        "n_clients": arguments.clients,
        "seconds": arguments.seconds,
        "n_answers": len(seconds),
        "n_errors": len(errors),
        "first_errors": errors[:5],
        "latency_ms": {"p50": p50, "p95": p95, "p99": p99},
        "answers_a_second": len(seconds) / arguments.seconds,
        "exit_code": code,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
