"""How long may a passage be?

    python benchmarks/passage_length.py CORPUS CLAIMS --out benchmarks/results/passage_length.json

Builds the ``hover-core-fast`` recipe once for each longest passage, in words (0 never splits), in
a folder that is thrown away, and measures ``ppr`` on every N-th claim: re-ranked, and the walk
alone, for the re-ranking weights were learned at the default length. Parts of a title count once.
"""

import argparse
import json
import platform
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measurement import run_script

import hippohover
from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.recipe import QuerySettings
from hippohover.recipe_files import load_recipe

WORDS = (60, 100, 150, 250, 400, 0)


def measure(
    corpus: Path, claims: Sequence[GoldClaim], max_words: int, workers: int
) -> dict[str, Any]:
    """Counts of one index, and what is found in it with re-ranking and without."""
    recipe = load_recipe("hover-core-fast")
    settings = recipe.corpus.model_copy(update={"max_words": max_words})
    recipe = recipe.model_copy(update={"corpus": settings})
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        index = hippohover.build(recipe, corpus=corpus, out=Path(folder) / "index", workers=workers)
        for arm, query in (
            ("re-ranked", QuerySettings()),
            ("walk", QuerySettings(rerank=False)),
        ):
            engine = hippohover.HippoHover.open(index, settings=query)
            found["n_passages"] = engine.manifest.counts["n_passages"]
            report = evaluate(engine, claims, EvaluationSettings(n_candidates=300)).as_dict()
            found[arm] = report["retrievers"]["ppr"]
            engine.close()
    return found


def main() -> None:
    """Measure every length and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=int, nargs="+", default=WORDS)
    parser.add_argument("--every", type=int, default=2, help="measure every N-th claim (2)")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    claims = load_claims(arguments.claims)[:: arguments.every]
    arms: dict[str, Any] = {}
    for words in arguments.words:
        arms[str(words)] = measure(arguments.corpus, claims, words, arguments.workers)
        print(words, arms[str(words)]["re-ranked"]["all_gold_found@21"]["all"], flush=True)
    result = {
        "question": "How long may a passage be?",
        "corpus": arguments.corpus.name,
        "claims": arguments.claims.stem,
        "n": len(claims),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "max_words": arms,
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
