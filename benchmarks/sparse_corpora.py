"""Samples of a corpus, for ``domains.py`` and ``choices.py``: what is found where few names join?

    python benchmarks/sparse_corpora.py CORPUS CLAIMS OUT
    python benchmarks/choices.py OUT --work WORK --out sparse.json

Of a large corpus whose documents name each other, a sample keeps what some claims need and other
documents at random: the fewer it has, the fewer of the names in a text have a document. Each sample
is written to OUT with its claims.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from measurement import run_script
from untitled_corpora import rows

from hippohover.names.normal_forms import normal_title

SAMPLES: Final = {"sparse-3k": (3_000, 100), "sparse-10k": (10_000, 60)}
"""Passages and claims, by name."""

_SEED = 20_261_126


def sample(
    corpus: Sequence[dict[str, Any]],
    claims: Sequence[dict[str, Any]],
    n_passages: int,
    n_claims: int,
    *,
    seed: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Passages in the order of the corpus, all gold of the claims among them; and the claims."""
    rng = random.Random(seed)  # noqa: S311
    chosen = rng.sample(claims, min(n_claims, len(claims)))
    gold = {normal_title(title) for claim in chosen for title, _ in claim["supporting_facts"]}
    needed = [at for at, one in enumerate(corpus) if normal_title(one["title"]) in gold]
    others = sorted(set(range(len(corpus))) - set(needed))
    n_others = min(max(n_passages - len(needed), 0), len(others))
    kept = sorted([*needed, *rng.sample(others, n_others)])
    return [corpus[at] for at in kept], chosen


def main() -> None:
    """Write every sample."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    corpus, claims = list(rows(asked.corpus)), list(rows(asked.claims))
    for name, (n_passages, n_claims) in SAMPLES.items():
        passages, chosen = sample(corpus, claims, n_passages, n_claims, seed=_SEED)
        for kind, some in (("corpus", passages), ("claims", chosen)):
            lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in some)
            (asked.out / f"{name}-{kind}.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
