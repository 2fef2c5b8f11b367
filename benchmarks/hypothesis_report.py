"""Do hypotheses name the bridge, does similarity rank better than overlap, do links pay?

    python benchmarks/hypothesis_report.py INDEX CLAIMS \
        --rows benchmarks/results/hops-lm-wide-dev.jsonl \
        --out benchmarks/results/hypothesis_report.json

Reads the rows that ``ppr_vs_hops.py`` wrote for the arm ``hypothesis`` and reports

- coverage: claims of which a hypothesis names a gold title that the claim does not (90 % wanted,
  below 85 % the program fills gaps instead of testing hypotheses);
- which kind of hypothesis won;
- traversal: shares of linked documents that were new, were scored, and were in the answer, against
  the thresholds (30 %, 40 %, 15 %) below which links are not followed;
- all gold titles found by tertile of difficulty: claims by the rank, under ``bm25``, of the last of
  their gold titles;
- calls, tokens and seconds a claim.

One more measure needs no language model and no rows: the rank correlation of evidence scores with
relevance (0.65 wanted of cosine, against 0.45 of overlap), over pairs of a claim and a passage of
which half are gold; the others are drawn at random, or are the best that ``bm25`` finds.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import run_script
from scipy.stats import rankdata

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import Estimate, share
from hippohover.evaluation.metrics import gold_ranks
from hippohover.names.normal_forms import normal_title
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.hypothesis import LEAST_COVERAGE
from hippohover.programs.hypothesis_run import (
    SELECTED_SHARE,
    UNIQUE_SHARE,
    USED_SHARE,
    is_covered,
)
from hippohover.retrieval.engine import HippoHover

SEED = 20_261_122
DEPTH = 1000
N_RESAMPLES = 2000
Row = dict[str, Any]


def rank_correlation(
    engine: HippoHover, claims: Sequence[GoldClaim], n_claims: int, *, drawn: bool
) -> dict[str, Any]:
    """Spearman's correlation of both scores with relevance, with intervals over claims.

    Passages that are not gold are ``drawn`` at random, or the best of ``bm25``.
    """
    places = np.random.default_rng(SEED).permutation(len(claims))[:n_claims]
    titles, random = engine.titles(), np.random.default_rng(SEED)
    texts_of = engine.tables.texts
    groups: list[tuple[list[float], list[float], list[float]]] = []
    for claim in (claims[place] for place in sorted(places.tolist())):
        gold = {normal_title(title) for title in claim.gold_titles}
        found = engine.search(claim.claim, DEPTH, "bm25").passages
        relevant = [one for one in found if normal_title(one.title) in gold]
        if drawn:
            rows = random.integers(0, engine.n_passages, len(relevant)).tolist()
            others = [f"{titles[row]}. {texts_of[row]}" for row in rows]
        else:
            rest = [one for one in found if normal_title(one.title) not in gold]
            others = [f"{one.title}. {one.text}" for one in rest[: len(relevant)]]
        texts = [*(f"{one.title}. {one.text}" for one in relevant), *others]
        labels = [1.0] * len(relevant) + [0.0] * len(others)
        if not texts:
            continue
        of_kind: list[list[float]] = []
        for encode in (None, engine.encode):
            scorer = EvidenceScorer(encode, on_timeout="fail")
            scored = scorer.passage_embed_score(texts, [claim.claim], n=len(texts))
            values = np.zeros(len(texts))
            values[scored.rows] = scored.similarities[:, 0]
            of_kind.append(values.tolist())
        groups.append((of_kind[0], of_kind[1], labels))
    draws = [random.integers(0, len(groups), len(groups)) for _ in range(N_RESAMPLES)]

    def correlation(kind: int, places: Sequence[int]) -> float:
        scores = [value for at in places for value in groups[at][kind]]
        labels = [value for at in places for value in groups[at][2]]
        return float(np.corrcoef(rankdata(scores), rankdata(labels))[0, 1])

    result: dict[str, Any] = {"n_claims": len(groups), "n_pairs": sum(len(g[2]) for g in groups)}
    for kind, name in enumerate(("overlap", "semantic")):
        resampled = [correlation(kind, draw.tolist()) for draw in draws]
        low, high = np.percentile(resampled, (2.5, 97.5))
        value = correlation(kind, range(len(groups)))
        result[name] = {"value": value, "low": float(low), "high": float(high)}
    return result


def report_of(
    rows: Sequence[Row], claims: Sequence[GoldClaim], engine: HippoHover
) -> dict[str, Any]:
    """What the runs of the program show."""
    by_uid = {claim.uid: claim for claim in claims}
    known = [(row, by_uid[row["uid"]]) for row in rows]
    covered = [is_covered(c.claim, c.gold_titles, row["hypotheses"]) for row, c in known]
    coverage = share([float(one) for one in covered])
    yields = [row["traversal"] for row, _ in known if row["traversal"] is not None]
    means = {
        name: float(np.mean([one[name] for one in yields])) if yields else None
        for name in ("unique", "selected", "used")
    }
    return {
        "n": len(known),
        "coverage": {**coverage.as_dict(), "least": LEAST_COVERAGE, "wanted": 0.9},
        "fills_gaps_instead": coverage.value < LEAST_COVERAGE,
        "winners": dict(Counter(row["winner_kind"] for row, _ in known)),
        "scored_by": dict(Counter(row["scored_by"] for row, _ in known)),
        "traversal": {
            "n": len(yields), **means,
            "least": {"unique": UNIQUE_SHARE, "selected": SELECTED_SHARE, "used": USED_SHARE},
        },
        "all_gold_found@21_by_difficulty": {
            name: estimate.as_dict() for name, estimate in by_tertile(known, engine).items()
        },
        "a_claim": {
            key: float(np.mean([row[key] for row, _ in known]))
            for key in ("calls", "input_tokens", "output_tokens", "seconds", "fallbacks")
        },
    }  # fmt: skip


def by_tertile(known: Sequence[tuple[Row, GoldClaim]], engine: HippoHover) -> dict[str, Estimate]:
    """Share found of the easiest, the middle and the hardest third of the claims."""

    def difficulty(claim: GoldClaim) -> float:
        found = engine.search(claim.claim, DEPTH, "bm25").passages
        ranks = gold_ranks([one.title for one in found], claim.gold_titles)
        return max(DEPTH + 1 if rank is None else rank for rank in ranks)

    hard = np.argsort([difficulty(claim) for _, claim in known], kind="stable")
    return {
        name: share([known[at][0]["all_gold_found@21"] for at in part.tolist()])
        for name, part in zip(
            ("easiest", "middle", "hardest"), np.array_split(hard, 3), strict=True
        )
        if len(part)
    }


def main() -> None:
    """Report on the rows that are there, and on the rank correlation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--rows", type=Path, help="rows of ppr_vs_hops.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n-correlation", type=int, default=200, help="claims of the correlation")
    arguments = parser.parse_args()
    engine = HippoHover.open(arguments.index)
    claims = load_claims(arguments.claims)
    result: dict[str, Any] = {
        "question": "Do hypotheses name the bridge, and does similarity rank the evidence?",
        "index": engine.manifest.recipe["name"],
        "claims": arguments.claims.stem,
        "rank_correlation": {
            name: rank_correlation(engine, claims, arguments.n_correlation, drawn=drawn)
            for name, drawn in (("against passages drawn", True), ("against bm25's best", False))
        },
    }
    if arguments.rows is not None:
        lines = arguments.rows.read_text(encoding="utf-8").splitlines()
        rows = [row for line in lines if (row := json.loads(line))["arm"] == "hypothesis"]
        if rows:
            result["runs"] = report_of(rows, claims, engine)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    run_script(main)
