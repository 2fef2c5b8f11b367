"""Samples of a corpus, for ``domains.py`` and ``choices.py``: what is found where few names join?

    python benchmarks/sparse_corpora.py CORPUS CLAIMS OUT
    python benchmarks/choices.py OUT --work WORK --out sparse.json

Of a large corpus whose documents name each other, a sample keeps what some claims need and other
documents at random: the fewer it has, the fewer of the names in a text have a document. Each sample
is written to OUT with its claims.

One sample more has documents with aliases that no text has: an invented word stands in each claim
where it had a gold title, and claims that have none are left out.
"""

import argparse
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from measurement import run_script
from untitled_corpora import rows

from hippohover.names.normal_forms import normal_title

SAMPLES: Final = {"sparse-3k": (3_000, 100), "sparse-10k": (10_000, 60), "aliased-3k": (3_000, 300)}
"""Passages and claims, by name."""

_ALIASED: Final = "aliased-3k"

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
    rng = random.Random(seed)
    chosen = rng.sample(claims, min(n_claims, len(claims)))
    gold = {normal_title(title) for claim in chosen for title, _ in claim["supporting_facts"]}
    needed = [at for at, one in enumerate(corpus) if normal_title(one["title"]) in gold]
    others = sorted(set(range(len(corpus))) - set(needed))
    n_others = min(max(n_passages - len(needed), 0), len(others))
    kept = sorted([*needed, *rng.sample(others, n_others)])
    return [corpus[at] for at in kept], chosen


def aliased(
    corpus: Sequence[dict[str, Any]], claims: Sequence[dict[str, Any]], *, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The corpus with an invented alias of each title that a claim has; and these claims, with it.

    Of the gold titles that stand in a claim, the longest gives way to the alias.
    """
    rng = random.Random(seed)
    invented: dict[str, str] = {}
    asked: list[dict[str, Any]] = []
    for claim in claims:
        titles = sorted({title for title, _ in claim["supporting_facts"]}, key=len, reverse=True)
        for title in titles:
            alias = invented.get(normal_title(title)) or _invented_word(rng)
            text, n = re.subn(rf"\b{re.escape(title)}(?!\w)", alias, claim["claim"])
            if n:
                invented[normal_title(title)] = alias
                asked.append({**claim, "claim": text})
                break
    named = [
        {**one, "aliases": [invented[key]]}
        if (key := normal_title(one["title"])) in invented
        else one
        for one in corpus
    ]
    return named, asked


def _invented_word(rng: random.Random) -> str:
    return "".join(rng.choice("bdfgklmnprtvz") + rng.choice("aeiou") for _ in range(4)).title()


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
        if name == _ALIASED:
            passages, chosen = aliased(passages, chosen, seed=_SEED)
        for kind, some in (("corpus", passages), ("claims", chosen)):
            lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in some)
            (asked.out / f"{name}-{kind}.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
