"""Does the verifier call short false claims supported, and true ones not?

    python benchmarks/short_claims.py --out benchmarks/results/short_claims.json

``short_claims.json`` has passages about an invented world, pairs of claims of which the second is
false in one thing that the passages contradict, each pair with its kind, and texts that claim
nothing. They were written after the verifier's checks, and no check was changed for one of them:
who tunes the verifier needs others. An index is built of the passages, retrieval finds the
evidence, and verdicts are counted: as users get them, without the model of evidence, and without
the check of words that no sentence holds together. Shares have 95 % intervals (Wilson's).
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from domains import revision
from judge_and_model import no_model
from measurement import check_out, run_script

from hippohover.evaluation.intervals import share
from hippohover.indexing.build import build
from hippohover.recipe import IndexRecipe
from hippohover.retrieval.engine import HippoHover
from hippohover.verification.against import compared_claim
from hippohover.verification.verifier import Draft, Verifier

ARMS: Final = (
    ("as users get them", True, ""),
    ("without the model", False, ""),
    ("without scattered_words", True, "scattered_words"),
)
"""Name, whether the model of evidence is asked, and the check that finds nothing."""
CLAIMS: Final = Path(__file__).with_suffix(".json")


def verdicts(verifier: Verifier, texts: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield of each text what it is ("true", "false" or "no claim"), its kind, and its verdict."""
    for pair in texts["pairs"]:
        for truth in ("true", "false"):
            yield truth, pair["kind"], verdict(verifier, pair[truth])
    for text in texts["no_claim"]:
        yield "no claim", "", verdict(verifier, text)


def verdict(verifier: Verifier, text: str) -> str:
    """Return the verdict on a text, as the command gives it."""
    return " and ".join(one.status for one in verifier.verify(Draft(text)).answer.claims)


def counted(found: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Count verdicts by what a text is, and false claims called supported by kind."""
    counts = {
        truth: dict(Counter(said for what, _, said in found if what == truth))
        for truth in ("true", "false", "no claim")
    }
    supported = {
        truth: asdict(share([said == "Supported" for what, _, said in found if what == truth]))
        for truth in ("true", "false")
    }
    wrong = Counter(kind for what, kind, said in found if (what, said) == ("false", "Supported"))
    return {"verdicts": counts, "supported": supported, "false_supported_by_kind": dict(wrong)}


def main() -> None:
    """Verify all, count and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--claims", type=Path, default=CLAIMS, help="a file of the same form")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    check_out(arguments.out)
    texts = json.loads(arguments.claims.read_text(encoding="utf-8"))
    result: dict[str, Any] = {
        "question": "Does the verifier call short false claims supported, and true ones not?",
        "revision": revision(),
        "n_pairs": len(texts["pairs"]),
    }
    with TemporaryDirectory(prefix="hippohover-") as made:
        corpus = Path(made) / "passages.jsonl"
        corpus.write_text("".join(f"{json.dumps(row)}\n" for row in texts["passages"]), "utf-8")
        index = build(IndexRecipe(), corpus=corpus, out=Path(made) / "index", workers=1)
        engine = HippoHover.open(index)
        for name, asks, dropped in ARMS:
            verifier = Verifier(engine, model=None if asks else no_model)
            with (
                patch.object(compared_claim, dropped, return_value=[]) if dropped else nullcontext()
            ):
                result[name] = counted([*verdicts(verifier, texts)])
            print(name, json.dumps(result[name]["verdicts"]))
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
