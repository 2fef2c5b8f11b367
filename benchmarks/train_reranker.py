"""Learn the re-ranking weights, and measure them on claims they did not see.

    python benchmarks/train_reranker.py --out hippohover/retrieval/rerank_weights \\
        --result benchmarks/results/train_reranker.json \\
        INDEX CLAIMS [INDEX CLAIMS ...]

Each pair is an index and a file of claims whose gold titles it holds. Claims that share a source
question or two gold titles are one group, over all the files; the groups are dealt to five folds.
Trees are learned six times: from all groups (these rank new claims), and five times from four
folds (these rank the claims of the fifth, here and whenever one of these claims is asked again).
"""

import argparse
import json
import platform
import time
from dataclasses import dataclass, replace
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from hippohover.evaluation.hover import Claim, load_claims
from hippohover.evaluation.metrics import folds, groups, share
from hippohover.names import normal_title
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.features import FEATURES
from hippohover.retrieval.rerank import N_FOLDS, claim_digest

PARAMETERS = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 40,
    "learning_rate": 0.08,
    "num_leaves": 15,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}
ROUNDS = 150
HARD_NEGATIVES = 80
"""Candidates of the best walk ranks that are all learned from; of the others, a sample."""
SAMPLED_NEGATIVES = 40


@dataclass(frozen=True)
class Judged:
    """A claim's candidates: features, and the number of the gold title that each bears, or -1."""

    dataset: str
    claim: Claim
    features: NDArray[np.float32]
    gold: NDArray[np.int64]


def read(index: Path, claims: Path) -> list[Judged]:
    """Candidates of every claim of a file."""
    engine = HippoHover.open(index)
    retrievers = engine.retrievers
    titles = np.array([normal_title(title) for title in engine.titles()])
    judged: list[Judged] = []
    for claim in load_claims(claims):
        walked = retrievers.walk(claim.claim)
        candidates = retrievers.candidates(walked)
        gold = np.full(len(candidates.rows), -1)
        for number, title in enumerate(claim.gold_titles):
            gold[titles[candidates.rows] == normal_title(title)] = number
        # A question keeps its HotpotQA id in its uid, a claim in a field of its own.
        source = claim.hpqa_id or claim.uid.removeprefix("hotpot-")
        dataset = f"{engine.manifest.recipe['name']} {claims.stem}"
        judged.append(
            Judged(
                dataset, replace(claim, hpqa_id=source),
                retrievers.features(walked.claim, candidates), gold,
            )
        )  # fmt: skip
    return judged


def learn(judged: list[Judged], seed: int) -> lightgbm.Booster:
    """Trees from some claims: all gold and hard candidates, a sample of the others."""
    random = np.random.default_rng(seed)
    rank = FEATURES.index("walk_rank")
    rows: list[NDArray[np.float32]] = []
    labels: list[NDArray[np.bool_]] = []
    for one in judged:
        sampled = random.random(len(one.gold)) < SAMPLED_NEGATIVES / max(len(one.gold), 1)
        kept = (one.gold >= 0) | (one.features[:, rank] < HARD_NEGATIVES) | sampled
        rows.append(one.features[kept])
        labels.append(one.gold[kept] >= 0)
    data = lightgbm.Dataset(
        np.concatenate(rows),
        np.concatenate(labels).astype(np.float32),
        group=[len(label) for label in labels],
        feature_name=list(FEATURES),
    )
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def found(one: Judged, scores: NDArray[np.float64]) -> bool:
    """Whether all gold titles are among the first 21."""
    best = np.argsort(-scores, kind="stable")[:MAX_RANKED_PASSAGES]
    return n_found(one.gold[best]) == len(one.claim.gold_titles)


def n_found(gold: NDArray[np.int64]) -> int:
    """Distinct gold titles among some candidates: the parts of a title count once."""
    return len(np.unique(gold[gold >= 0]))


def measure(
    judged: list[Judged], scores: list[NDArray[np.float64]]
) -> dict[str, dict[str, object]]:
    """all_gold_found@21 by data set and number of gold titles: walk, trees, all candidates."""
    arms = {
        "walk": [one.features[:, FEATURES.index("walk")].astype(np.float64) for one in judged],
        "reranked": scores,
    }
    outcomes: dict[str, dict[str, list[bool]]] = {}
    for at, one in enumerate(judged):
        for n in ("all", str(len(one.claim.gold_titles))):
            cell = outcomes.setdefault(f"{one.dataset} / {n}", {})
            for arm, values in arms.items():
                cell.setdefault(arm, []).append(found(one, values[at]))
            ceiling = n_found(one.gold) == len(one.claim.gold_titles)
            cell.setdefault("candidates", []).append(ceiling)
    return {
        name: {arm: share(hits).as_dict() for arm, hits in cell.items()}
        for name, cell in sorted(outcomes.items())
    }


def main() -> None:
    """Read, learn, measure, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pairs", nargs="+", metavar="INDEX CLAIMS")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--result", type=Path, required=True)
    arguments = parser.parse_args()
    if len(arguments.pairs) % 2:
        parser.error("give indexes and claims in pairs")
    start = time.perf_counter()
    judged: list[Judged] = []
    for index, claims in zip(arguments.pairs[::2], arguments.pairs[1::2], strict=True):
        judged += read(Path(index), Path(claims))
        print(f"{index} {claims}: read, {time.perf_counter() - start:.0f} s", flush=True)
    fold_of = folds(groups([one.claim for one in judged]), n_folds=N_FOLDS, seed=0)
    fold = np.asarray(fold_of)
    arguments.out.mkdir(parents=True, exist_ok=True)
    scores: list[NDArray[np.float64]] = [np.zeros(0)] * len(judged)
    for left_out in range(N_FOLDS):
        trees = learn([j for j, f in zip(judged, fold, strict=True) if f != left_out], left_out)
        trees.save_model(arguments.out / f"without-{left_out}.txt")
        for at in np.flatnonzero(fold == left_out).tolist():
            scores[at] = np.asarray(trees.predict(judged[at].features, num_threads=1))
        print(f"fold {left_out}: {time.perf_counter() - start:.0f} s", flush=True)
    trees = learn(judged, N_FOLDS)
    trees.save_model(arguments.out / "all.txt")
    digests = {claim_digest(one.claim.claim): int(f) for one, f in zip(judged, fold, strict=True)}
    text = json.dumps(digests, sort_keys=True, separators=(",", ":"))
    (arguments.out / "claims.json").write_text(text + "\n", encoding="utf-8")
    gain = dict(zip(FEATURES, trees.feature_importance("gain").tolist(), strict=True))
    result = {
        "question": "What do learned weights add to the walk, on claims they did not see?",
        "metric": "all_gold_found@21",
        "n_folds": N_FOLDS,
        "n_groups": len(set(groups([one.claim for one in judged]))),
        "parameters": PARAMETERS | {"rounds": ROUNDS},
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "seconds": round(time.perf_counter() - start),
        "measured": measure(judged, scores),
        "gain": {name: round(value) for name, value in sorted(gain.items(), key=lambda g: -g[1])},
    }
    arguments.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result["measured"], indent=1))


if __name__ == "__main__":
    main()
