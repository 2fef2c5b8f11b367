"""What does the ranking that half of a corpus's claims teach gain on the other half?

    python benchmarks/tune.py CORPUS CLAIMS --work WORK --out benchmarks/results/tune.json

The corpus is indexed by ``--recipe`` in WORK, where an index is used again as long as recipe,
corpus and the code that builds are the same. Claims that share a source question, two gold titles
or all of their words are one group, and no group is in both halves. ``--splits`` times two halves
are drawn; each of them tunes, and the claims of the other are asked by the ranking that ships and
by the tuned one, whatever the half that tuned said of it: where it said "no gain", ``hippohover
tune`` writes nothing. Then the same with the gold titles shuffled among the claims.

The result holds uids and numbers, no text and no title: ``found`` has a digit a claim, in the
order of the uids, 1 where all of its gold titles are among the first 21 passages.
"""

import argparse
import json
import platform
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
from domain_indexes import check_gold, index_of, say
from domain_sets import ClaimSet, sets_of
from domain_summary import Record
from domains import check_holds_no_text, revision
from measurement import at_least, check_out, run_script
from numpy.typing import NDArray
from retrieval_tables import tuning_table

from hippohover.evaluation.evaluate import EvaluationSettings, evaluate
from hippohover.evaluation.hover import GoldClaim
from hippohover.evaluation.intervals import paired_difference, share
from hippohover.evaluation.report import MAIN_METRIC
from hippohover.evaluation.splits import folds
from hippohover.recipe_files import load_recipe
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.tuned import SHIPPED
from hippohover.tuning.learning import library
from hippohover.tuning.tune import groups_with_words, tune

Found = NDArray[np.bool_]
"""Whether all gold titles of each claim are among the first 21 passages; shape (n_claims,)."""

_ASKED_ALONE = EvaluationSettings(depth=None, n_warmups=0)


def found_by(engine: HippoHover, claims: Sequence[GoldClaim]) -> Found:
    """What the answers of an engine hold."""
    rows = evaluate(engine, claims, _ASKED_ALONE).rows
    return np.array([row.measurements["ppr"].values[MAIN_METRIC] == 1.0 for row in rows])


def shuffled(claims: Sequence[GoldClaim]) -> list[GoldClaim]:
    """The claims, each with the gold of one that was drawn: there is nothing to learn."""
    order = np.random.default_rng(0).permutation(len(claims)).tolist()
    return [
        replace(
            claim,
            gold_titles=claims[at].gold_titles,
            supporting_facts=claims[at].supporting_facts,
            hpqa_id=claims[at].hpqa_id,
        )
        for claim, at in zip(claims, order, strict=True)
    ]


def compared(before: Found, after: Found, groups: Sequence[str]) -> Record:
    """Both shares, and the paired difference over whole groups."""
    return {
        "before": share(before).as_dict(),
        "after": share(after).as_dict(),
        "gain": paired_difference(before, after, groups).as_dict(),
        "n_groups": len(set(groups)),
    }


def measured(engine: HippoHover, claims: Sequence[GoldClaim], n_splits: int, name: str) -> Record:
    """Every half of every split tunes, and what that gives the other one's claims."""
    groups = groups_with_words(claims)
    before = found_by(engine, claims)
    splits: list[Record] = []
    for seed in range(n_splits):
        half_of = folds(groups, 2, seed)
        after = np.zeros_like(before)
        halves: list[Record] = []
        for half in (0, 1):
            learns, asked = (np.flatnonzero(half_of == one).tolist() for one in (half, 1 - half))
            tuning = tune(engine, [claims[at] for at in learns])
            tuned = engine.ranking_by(tuning.ranking)
            after[asked] = found_by(tuned, [claims[at] for at in asked])
            tuned.close()
            of_other = compared(before[asked], after[asked], [groups[at] for at in asked])
            halves.append({"tuning": tuning.as_dict(), "other": of_other})
            gain = of_other["gain"]
            say(
                f"{name}, split {seed}, half {half}: {'gain' if tuning.helps else 'no gain'}; "
                f"the other {gain['difference']:+.3f} ({gain['low']:+.3f} to {gain['high']:+.3f})"
            )
        both = compared(before, after, groups)
        told = {"half_of": digits(half_of), "found": digits(after)}
        splits.append({"seed": seed, "halves": halves, "both": both} | told)
    return {"found_by_shipped": digits(before), "splits": splits}


def digits(values: NDArray[np.bool_] | NDArray[np.int64]) -> str:
    """A digit a claim."""
    return "".join(map(str, values.astype(int).tolist()))


def told(engine: HippoHover, claim_set: ClaimSet) -> Record:
    """What was measured, on what, and by what."""
    manifest = engine.stored.folder / "manifest.json"
    return {
        "question": "What does the ranking that half of the claims teach gain on the other half?",
        "metric": MAIN_METRIC,
        "index": engine.manifest.recipe["name"],
        "corpus": claim_set.corpus,
        "claims": claim_set.file.name.partition(".")[0],
        "claims_sha256": claim_set.sha256,
        "n": len(claim_set.claims),
        "uids": [claim.uid for claim in claim_set.claims],
        "index_sha256": sha256(manifest.read_bytes()).hexdigest(),
        "recipe_sha256": engine.manifest.recipe_sha256,
        "counts": engine.manifest.counts,
        "rerank_weights_sha256": rerank.weights_sha256(),
        "lightgbm": library().__version__,
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }


def options() -> argparse.ArgumentParser:
    """The options of the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder of the index")
    parser.add_argument("--out", type=Path, required=True, help="a .json file")
    parser.add_argument("--recipe", default="default-fast")
    parser.add_argument("--splits", type=at_least(1), default=3, help="splits in two halves (3)")
    return parser


def main() -> None:
    """Build, tune, measure, write, and print the table."""
    arguments = options().parse_args()
    check_out(arguments.out)
    arguments.work.mkdir(parents=True, exist_ok=True)
    name = arguments.corpus.name.partition(".")[0].removesuffix("-corpus")
    (claim_set,) = sets = sets_of(name, {name: [arguments.claims]})
    index = index_of(name, arguments.corpus, load_recipe(arguments.recipe), arguments.work)
    check_gold(index, sets)
    engine = HippoHover.open(index, ranking=SHIPPED)
    measure = partial(measured, engine, n_splits=arguments.splits)
    result = told(engine, claim_set) | {
        "as_written": measure(claim_set.claims, name="as written"),
        "shuffled": measure(shuffled(claim_set.claims), name="gold shuffled"),
    }
    check_holds_no_text([result], sets)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(tuning_table(result))


if __name__ == "__main__":
    run_script(main)
