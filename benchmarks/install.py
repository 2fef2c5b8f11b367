"""What an install weighs, and how long the first answers take: the wheel, as its users have it.

    python benchmarks/install.py WHEEL --work NEW_FOLDER --out benchmarks/results/install.json

makes an environment for the plain wheel and one for each ``--extra``, into which a CPU build of
torch (``--torch``) goes first. In the plain one it builds an index of 8 notes, asks it, and runs
the demo, twice: at first nothing was compiled or read before. Times of commands are processor time;
the load of the machine stands beside them, for it makes them longer.
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

COMMANDS = {
    "build of 8 notes": ["build", "--corpus", "notes", "--out", "ix"],
    "query": ["query", "ix", "Who wrote Note 3?"],
    "demo": ["demo"],
}


def installed(wheel: Path, extra: str, folder: Path, first: str) -> dict[str, Any]:
    """An environment with the wheel and an extra: its bytes, packages and seconds."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603
    pip = [str(folder / "bin" / "pip")]
    wanted = [first, f"{wheel}[{extra}]"] if extra else [str(wheel)]
    for name in wanted:
        subprocess.run([*pip, "install", "--quiet", name], check=True)  # noqa: S603
    seconds = time.perf_counter() - start
    listed = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True)  # noqa: S603
    return {
        "n_bytes": n_bytes_in(folder),
        "n_packages": len(listed.stdout.splitlines()),
        "seconds": round(seconds, 1),
        "load": os.getloadavg()[1],
    }


def n_bytes_in(folder: Path) -> int:
    """Bytes of the files below a folder, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def write_notes(folder: Path) -> None:
    """Eight notes that name each other."""
    folder.mkdir(parents=True)
    for n in range(8):
        text = f"Note {n} was written by Mira Oldane in Vellmouth, after Note {(n + 1) % 8}."
        (folder / f"{n}.md").write_text(f"# Note {n}\n\n{text}\n")


def processor_seconds(command: Sequence[str], folder: Path) -> float:
    """Processor time of a command and of what it starts."""
    env = {**os.environ, "HIPPOHOVER_CACHE": str(folder / "cache")}
    before = os.times()
    subprocess.run(  # noqa: S603
        command,
        cwd=folder,
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = os.times()
    return round(sum(after[2:4]) - sum(before[2:4]), 2)


def first_answers(hippohover: Path, folder: Path) -> dict[str, Any]:
    """Seconds of each command at first and again, and bytes of the index of the notes."""
    write_notes(folder / "notes")
    at_first, again = (
        {
            name: processor_seconds([str(hippohover), *rest], folder)
            for name, rest in COMMANDS.items()
        }
        for _ in range(2)
    )
    return {
        "at_first": at_first,
        "again": again,
        "index_bytes": n_bytes_in(folder / "ix"),
        "load": os.getloadavg()[0],
    }


def main() -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--extra", action="append", default=[])
    parser.add_argument("--torch", default="torch")
    given = parser.parse_args()
    given.work.mkdir(parents=True)
    environments = {
        extra: installed(given.wheel.resolve(), extra, given.work / f"env-{extra}", given.torch)
        for extra in ["", *given.extra]
    }
    command = given.work.resolve() / "env-" / "bin" / "hippohover"
    result = {
        "question": "What does an install weigh, and how long do the first answers take?",
        "wheel_bytes": given.wheel.stat().st_size,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "environments": environments,
        "first_answers": first_answers(command, given.work.resolve() / "first"),
    }
    given.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
