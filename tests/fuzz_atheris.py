"""The process that runs one target under atheris, which looks for inputs that reach new code.

    python -m tests.fuzz_atheris TARGET FOLDER RUNS SEED SECONDS

``fuzz_targets.py --engine atheris`` starts it. It ends at the first finding.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

atheris: Any = import_module("atheris")  # optional, and without types

COMPILED = [
    f"hippohover.{name}"
    for name in ("kernels", "lexical", "retrieval.reranking.feature_kernels", "retrieval.hipporag2",
                 "retrieval.walk.pagerank", "retrieval.reranking.trees")
]  # fmt: skip
"""Numba compiles their loops, and cannot with what instruments them."""

with atheris.instrument_imports(include=["hippohover"], exclude=COMPILED):
    from tests.fuzz_mutations import mutated
    from tests.fuzz_run import Watch
    from tests.fuzz_targets import TARGETS

    watch = Watch(
        TARGETS[sys.argv[1]], Path(sys.argv[2]), int(sys.argv[5])
    )  # imports what is imported late


def feed(data: bytes) -> None:
    """One input; the last one, and a finding, end the process."""
    try:
        watch(data)
    except Exception as error:  # whatever it is, it is the finding
        watch.report(f"{type(error).__name__}: {error}"[:500])
        os._exit(1)
    if watch.counts.inputs >= int(sys.argv[3]):
        watch.report()
        os._exit(0)


def change(data: bytes, max_size: int, seed: int) -> bytes:
    """Damage in our way or in libFuzzer's, which knows the constants that code compares with."""
    random = Random(seed)  # noqa: S311
    if random.randrange(4) == 0:
        return atheris.Mutate(data, max_size)
    return mutated(data, SAMPLES, random)[:max_size]


SAMPLES = watch.target.samples()
seeds = watch.folder / "seeds"
seeds.mkdir()
for number, sample in enumerate(SAMPLES):
    (seeds / str(number)).write_bytes(sample)
longest = max(len(sample) for sample in SAMPLES)
atheris.Setup(
    [
        sys.argv[0], str(seeds), f"-seed={int(sys.argv[4]) + 1}", f"-max_len={3 * longest + 4096}",
        "-rss_limit_mb=0", "-timeout=3600", "-print_final_stats=0", "-verbosity=0",
    ],
    feed,
    custom_mutator=change,
)  # fmt: skip
atheris.Fuzz()
