"""Learn the verifier's judge, and say what it reaches on claims that it did not see.

    python benchmarks/train_verifier.py INDEX --claims HOVER-DEV --claims EXFEVER-DEV \\
        --out hippohover/verification/judge/judge.npz --result verifier-judge.json

Each set of claims is read twice, with the passages of its gold titles and with what ``ppr`` finds,
and one judge learns from all of them. A figure comes from trees that did not see the claim's group.
Beside the judge stand two that are blind, for what labels leak: one that reads the claim alone (its
words, TF-IDF, and how many of each kind it has), and one that reads the gold titles alone and how
many there are.

Rows are kept in files of lines beside ``--result``; stopped, a run goes on from there. Intervals
are 95 %, by bootstrap over groups.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import read_rows, run_script
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from verifier import gold_passages

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.splits import folds
from hippohover.names.normal_forms import normal_title
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.tuning.judge import (
    SUPPORTED,
    JudgeRow,
    calibration_error,
    digest_of,
    learned,
    probabilities,
    values_of,
)
from hippohover.tuning.tune import groups_with_words

SEED = 20_261_125
N_RESAMPLES = 1000
EVIDENCE = ("gold", "found")
BLIND_COUNTS = ("n_words", "n_numbers", "n_clauses", "denials", "superlatives", "comparisons")

Statistic = Callable[[NDArray[np.int64]], float]


def rows_of(
    engine: HippoHover, claims: Sequence[GoldClaim], evidence: str, file: Path
) -> list[Any]:
    """Features of each claim, from the file where they are there."""
    identity = {"index": engine.manifest.recipe_sha256, "n": len(claims), "evidence": evidence}
    done = {row["uid"]: row for row in read_rows(file, identity)}
    left = [claim for claim in claims if claim.uid not in done]
    passages: Mapping[str, Sequence[RankedPassage]] | None = None
    if evidence == "gold" and left:
        by_title = gold_passages(engine, left)
        passages = {
            claim.uid: [p for t in claim.gold_titles for p in by_title.get(normal_title(t), [])]
            for claim in left
        }
    with file.open("a", encoding="utf-8") as lines:
        for claim, values in values_of(engine, left, passages):
            row = {"uid": claim.uid, "values": values}
            done[claim.uid] = row
            lines.write(json.dumps(row) + "\n")
            lines.flush()
    return [done[claim.uid] for claim in claims]


def measures(
    truth: NDArray[np.bool_], sure: NDArray[np.float64], group: NDArray[np.int64]
) -> dict[str, Any]:
    """Every measure of probabilities, with its interval."""
    said = sure >= 0.5
    table: dict[str, Statistic] = {
        "auroc": lambda at: auroc(truth[at], sure[at]),
        "accuracy": lambda at: float((said[at] == truth[at]).mean()),
        "majority": lambda at: float(max(truth[at].mean(), 1 - truth[at].mean())),
        "supported_found": lambda at: float(said[at][truth[at]].mean()),
        "calibration_error": lambda at: calibration_error(truth[at], sure[at]),
    }
    return {name: interval(statistic, group) for name, statistic in table.items()}


def interval(statistic: Statistic, group: NDArray[np.int64]) -> dict[str, float]:
    """A statistic of all rows, with its interval over resampled groups."""
    random = np.random.default_rng(SEED)
    members = [np.flatnonzero(group == one) for one in np.unique(group)]
    draws = [
        statistic(
            np.concatenate([members[at] for at in random.integers(0, len(members), len(members))])
        )
        for _ in range(N_RESAMPLES)
    ]
    low, high = np.nanpercentile(draws, (2.5, 97.5))
    n = len(group)
    return {"value": statistic(np.arange(n)), "low": float(low), "high": float(high), "n": n}


def auroc(truth: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
    """Area under the ROC curve; nan when there is one class alone."""
    return float(roc_auc_score(truth, values)) if 0 < truth.sum() < len(truth) else float("nan")


def blind(
    texts: Sequence[str],
    counts: NDArray[np.float64],
    truth: NDArray[np.bool_],
    fold: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Probabilities by words and counts alone, by models that did not see the claim's fold."""
    found = np.zeros(len(texts))
    for one in np.unique(fold):
        rest: list[int] = np.flatnonzero(fold != one).tolist()
        own: list[int] = np.flatnonzero(fold == one).tolist()
        reader = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        seen = reader.fit_transform([texts[at] for at in rest])
        words = LogisticRegression(max_iter=3000).fit(seen, truth[rest])
        by_words = words.predict_proba(reader.transform([texts[at] for at in own]))[:, 1]
        low, spread = counts[rest].mean(axis=0), counts[rest].std(axis=0) + 1e-9
        numbers = LogisticRegression(max_iter=3000).fit((counts[rest] - low) / spread, truth[rest])
        found[own] = by_words + numbers.predict_proba((counts[own] - low) / spread)[:, 1]
    return found / 2


def main() -> None:
    """Read what is not there yet, learn, and summarise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("--claims", type=Path, action="append", required=True)
    parser.add_argument("--out", type=Path, required=True, help="the judge, .npz")
    parser.add_argument("--result", type=Path, required=True)
    arguments = parser.parse_args()
    engine = HippoHover.open(arguments.index)
    sets = {path.stem: load_claims(path) for path in arguments.claims}
    sets = {name: [one for one in claims if one.label] for name, claims in sets.items()}
    claims = [claim for some in sets.values() for claim in some]
    names = np.array([name for name, some in sets.items() for _ in some])
    truth = np.array([claim.label in SUPPORTED for claim in claims])
    group_names = groups_with_words(claims)
    fold = folds(group_names)
    group = np.unique(group_names, return_inverse=True)[1]
    rows: list[JudgeRow] = []
    for evidence in EVIDENCE:
        for name, some in sets.items():
            file = arguments.result.with_suffix(f".{name}.{evidence}.jsonl")
            read = rows_of(engine, some, evidence, file)
            rows += [
                JudgeRow(row["values"], claim.label in SUPPORTED, digest_of(claim), "")
                for claim, row in zip(some, read, strict=True)
            ]
    weights = learned(rows, np.tile(fold, len(EVIDENCE)))
    weights.save(arguments.out)
    n = len(claims)
    result: dict[str, Any] = {
        "question": "How well does the judge that learned tell supported claims from others?",
        "index": engine.manifest.recipe["name"],
        "claims": {name: len(some) for name, some in sets.items()},
        "n_groups": len(np.unique(group)),
        "bytes": arguments.out.stat().st_size,
    }
    for at, evidence in enumerate(EVIDENCE):
        own = rows[at * n : (at + 1) * n]
        sure = probabilities(own, weights)
        result[evidence] = {
            name: measures(truth[names == name], sure[names == name], group[names == name])
            for name in sets
        } | {"pooled": measures(truth, sure, group)}
    counts = np.array([[row.values[name] for name in BLIND_COUNTS] for row in rows[:n]])
    titles = [" | ".join(claim.gold_titles) for claim in claims]
    of_titles = np.array(
        [[len(claim.gold_titles), len(title)] for claim, title in zip(claims, titles, strict=True)],
        float,
    )
    own = probabilities(rows[:n], weights)
    for name, texts, numbers in (
        ("claim_alone", [claim.claim for claim in claims], counts),
        ("titles_alone", titles, of_titles),
    ):
        result[name] = {}
        for one in sets:
            here = names == one
            said = blind(
                [t for t, ok in zip(texts, here, strict=True) if ok],
                numbers[here],
                truth[here],
                fold[here],
            )
            mine, labels = own[here], truth[here]
            result[name][one] = {
                "auroc": interval(lambda at, y=labels, s=said: auroc(y[at], s[at]), group[here]),
                "judge_above": interval(
                    lambda at, y=labels, s=said, m=mine: auroc(y[at], m[at]) - auroc(y[at], s[at]),
                    group[here],
                ),
            }
    arguments.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for key in EVIDENCE:
        for name, told in result[key].items():
            print(key, name, {k: round(v["value"], 4) for k, v in told.items()})
    print({k: result[k] for k in ("claim_alone", "titles_alone")})


if __name__ == "__main__":
    run_script(main)
