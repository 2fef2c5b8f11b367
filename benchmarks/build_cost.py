"""What does a build cost, in time and memory?

    python benchmarks/build_cost.py RECIPE CORPUS OUT --result benchmarks/results/build_cost.json

Builds one recipe and adds its entry to the result: wall seconds, seconds of each stage, and the
peak of the proportional set size of the process and its workers (pages that they share count
once), sampled every second. ``--note`` says what else the machine was doing.
"""

import argparse
import json
import platform
from pathlib import Path
from time import perf_counter
from typing import Any

from measurement import PeakMemory

import hippohover


def main() -> None:
    """Build, measure, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("recipe")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    start = perf_counter()
    with PeakMemory() as peak:
        index = hippohover.build(
            arguments.recipe,
            corpus=arguments.corpus,
            out=arguments.out,
            workers=arguments.workers,
        )
        seconds = perf_counter() - start
    engine = hippohover.HippoHover.open(index)
    log = json.loads((engine.stored.folder / "build_log.json").read_text(encoding="utf-8"))
    path: Path = arguments.result
    result: dict[str, Any] = {"question": "What does a build cost, in time and memory?"}
    if path.exists():
        result = json.loads(path.read_text(encoding="utf-8"))
    result.setdefault("builds", {})[engine.manifest.recipe["name"]] = {
        "n_passages": engine.manifest.counts["n_passages"],
        "wall_seconds": round(seconds),
        "peak_gib": round(peak.gib, 2),
        "stage_seconds": log["seconds"],
        "workers": log["workers"],
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "note": arguments.note,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result["builds"][engine.manifest.recipe["name"]], indent=1))


if __name__ == "__main__":
    main()
