"""Can the verifier tell supported claims from others?

    python benchmarks/verifier.py INDEX CLAIMS --evidence gold --out verifier-gold-dev.json

HoVer's claims are SUPPORTED or NOT_SUPPORTED, which merges refuted ones with those that nothing
decides: the verdict "Supported" stands for the first, "Contradictory" and "Low Confidence" for the
second. ``--evidence gold`` gives the verifier the passages of the gold titles, ``found`` what
``ppr`` finds. Reported, of the rules and of the learned judge, which has not seen the claim's
group: accuracy, macro-F1, the area under the ROC curve of the overall confidence, its expected
calibration error in 15 bins of equal mass, what is called contradictory by label, and an
approximate HoVer score: the right label and a sentence from each gold title among the evidence, on
the package's own split of sentences. Beside them the majority class, each signal alone, the rules
without each signal, and what shuffling names does: ``--swap`` exchanges the rarest name of each
supported claim for that of another claim, so that all of these are wrong.

``--passages N``, several times, measures with how many of the passages found a claim is best held
against. With ``--lm`` a language model judges too. Rows are kept in files of lines beside
``--out``; stopped, a run goes on from there. Intervals are 95 %, by bootstrap over claims.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from measurement import Row, read_rows, run_script
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.language_model.opening import open_language_model
from hippohover.names.normal_forms import normal_title
from hippohover.recipe import LanguageModelSettings
from hippohover.records import PassageId, RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.tuning.judge import SUPPORTED, calibration_error
from hippohover.verification.aggregator import (
    Aggregator,
    Decision,
    LearnedAggregator,
    RuleAggregator,
    Rules,
    without_evidence,
)
from hippohover.verification.judging import LanguageModelNli
from hippohover.verification.signals import NO_EVIDENCE, SIGNALS, Reading
from hippohover.verification.verifier import N_PASSAGES, Verifier

SEED = 20_261_122
N_RESAMPLES = 1000
HIGH_IS_BAD = frozenset(
    ["entropy_score", "mean_entropy", "consistency_score", "consistency_variance",
     "missing_information", "negation_mismatch", "max_contradiction_prob", "denial",
     "other_number", "turned_roles", "other_value",
     "scattered_words"]
)  # fmt: skip
CONTRADICTED = "Contradictory"
Statistic = Callable[[NDArray[np.int64]], float]


def gold_passages(
    engine: HippoHover, claims: Sequence[GoldClaim]
) -> dict[str, list[RankedPassage]]:
    """Passages of every gold title, in the index's order, by normal title."""
    wanted = {normal_title(title) for claim in claims for title in claim.gold_titles}
    found: dict[str, list[RankedPassage]] = {}
    pids, texts = engine.pids(), engine.tables.texts
    for row, title in enumerate(engine.titles()):
        if (normal := normal_title(title)) in wanted:
            passage = RankedPassage(1, PassageId(pids[row]), title, texts[row], 0.0)
            found.setdefault(normal, []).append(passage)
    return found


def swapped(engine: HippoHover, claims: Sequence[GoldClaim]) -> list[GoldClaim]:
    """Supported claims with their rarest name replaced by another claim's: all wrong now."""
    supported = [claim for claim in claims if claim.label in SUPPORTED]
    rarest: list[str] = []
    for claim in supported:
        names = {n: df for n, df in engine.names_in(claim.claim).items() if n in claim.claim}
        rarest.append(min(names, key=lambda name: (names[name], name), default=""))
    order = np.random.default_rng(SEED).permutation(len(supported)).tolist()
    found: list[GoldClaim] = []
    for at, claim in enumerate(supported):
        others = (rarest[other] for other in order[at:] + order[:at])
        new = next((name for name in others if name and name not in claim.claim), "")
        if rarest[at] and new:
            text = claim.claim.replace(rarest[at], new)
            found.append(
                replace(claim, uid=f"{claim.uid}-swapped", claim=text, label="NOT_SUPPORTED")
            )
    return found


def row_of(verifier: Verifier, claim: GoldClaim, passages: Sequence[RankedPassage] | None) -> Row:
    """What the verifier says of one claim."""
    result = verifier.verify_claim(claim.claim, passages=passages)
    [verified], [decision] = result.verified_claims, result.answer.claims
    [pair] = result.pairs
    return {
        "uid": claim.uid,
        "supported": claim.label in SUPPORTED,
        "label": claim.label,
        "readings": {
            name: reading["value"] for name, reading in verified.confidence_breakdown.items()
        },
        "verdict": decision.status,
        "docs": list(dict.fromkeys(span.doc_id for span in pair.evidence_spans)),
        "failure": result.failure,
    }


def measures(rows: Sequence[Row], aggregator: Aggregator) -> dict[str, Any]:
    """Every measure of what decides on some rows."""
    decisions = [decided(row, aggregator) for row in rows]
    said = np.array([one.status == "Supported" for one in decisions])
    sure = np.array([one.confidence.overall_confidence for one in decisions])
    truth = np.array([row["supported"] for row in rows])
    holds = np.array([row["has_all_gold"] for row in rows])
    right = said == truth
    found: dict[str, Any] = {"n": len(rows), "supported": float(truth.mean())}
    found["verdicts"] = {
        status: sum(one.status == status for one in decisions)
        for status in ("Supported", "Low Confidence", CONTRADICTED, "No Claim")
    }
    against = Counter(
        row["label"] for row, one in zip(rows, decisions, strict=True) if one.status == CONTRADICTED
    )
    found["contradictory_by_label"] = dict(sorted(against.items()))
    found["labels"] = dict(sorted(Counter(row["label"] for row in rows).items()))
    table: dict[str, Statistic] = {
        "accuracy": lambda at: float(right[at].mean()),
        "macro_f1": lambda at: float(f1_score(truth[at], said[at], average="macro")),
        "supported_found": lambda at: float(said[at][truth[at]].mean()) if truth.any() else 0.0,
        "calibration_error": lambda at: calibration_error(truth[at], sure[at]),
        "hover_score": lambda at: float((right[at] & holds[at]).mean()),
        "majority": lambda at: float(max(truth[at].mean(), 1 - truth[at].mean())),
    }
    if len(set(truth.tolist())) == 2:
        table["auroc"] = lambda at: auroc(truth[at], sure[at])
    found |= {name: interval(statistic, len(rows)) for name, statistic in table.items()}
    return found


def alone(rows: Sequence[Row], sure: NDArray[np.float64]) -> dict[str, Any]:
    """AUROC of each signal by itself, and how far the rules are above it, paired.

    Where a signal has no value it says nothing: the mean of its values stands there.
    """
    truth = np.array([row["supported"] for row in rows])
    found: dict[str, Any] = {}
    for name in SIGNALS:
        values = np.array([row["readings"].get(name) for row in rows], dtype=np.float64)
        known = np.isfinite(values)
        if known.sum() < 2 or np.ptp(values[known]) == 0:
            continue
        values = np.where(known, values, values[known].mean()) * (-1 if name in HIGH_IS_BAD else 1)

        def single(at: NDArray[np.int64], values: NDArray[np.float64] = values) -> float:
            return auroc(truth[at], values[at])

        def above(at: NDArray[np.int64], values: NDArray[np.float64] = values) -> float:
            return auroc(truth[at], sure[at]) - auroc(truth[at], values[at])

        found[name] = {
            "n": int(known.sum()),
            "auroc": interval(single, len(rows)),
            "rules_above": interval(above, len(rows)),
        }
    return found


def without_each(rows: Sequence[Row], rules: Rules) -> dict[str, Any]:
    """AUROC of the rules without each signal that they read."""
    truth = np.array([row["supported"] for row in rows])
    found: dict[str, Any] = {}
    for name in sorted({rule.signal for rule in rules.rule}):
        fewer = tuple(rule for rule in rules.rule if rule.signal != name)
        sure = confidences(rows, RuleAggregator(rules.model_copy(update={"rule": fewer})))

        def left(at: NDArray[np.int64], sure: NDArray[np.float64] = sure) -> float:
            return auroc(truth[at], sure[at])

        found[name] = interval(left, len(rows))
    return found


def confidences(rows: Sequence[Row], aggregator: Aggregator) -> NDArray[np.float64]:
    """Overall confidence of each row."""
    decisions = [decided(row, aggregator) for row in rows]
    return np.array([one.confidence.overall_confidence for one in decisions])


def auroc(truth: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
    """Area under the ROC curve; nan when there is one class alone."""
    return float(roc_auc_score(truth, values)) if 0 < truth.sum() < len(truth) else float("nan")


def interval(statistic: Statistic, n: int) -> dict[str, float]:
    """A statistic of all rows, with its bootstrap interval."""
    random = np.random.default_rng(SEED)
    draws = [statistic(random.integers(0, n, n)) for _ in range(N_RESAMPLES)]
    low, high = np.nanpercentile(draws, (2.5, 97.5))
    return {"value": statistic(np.arange(n)), "low": float(low), "high": float(high), "n": n}


def decided(row: Row, aggregator: Aggregator) -> Decision:
    """The verdict on a row, as the verifier gives it."""
    return aggregator(_readings(row["readings"])) if row["docs"] else without_evidence(NO_EVIDENCE)


def _readings(values: Mapping[str, float | None]) -> dict[str, Reading]:
    return {name: Reading(value) for name, value in values.items()}


def verify_all(
    verifier: Verifier, claims: Sequence[GoldClaim], *, identity: Row, file: Path, loud: bool
) -> list[Row]:
    """A row of every claim, from the file where it is there; its first line says what it is of."""
    done = {row["uid"]: row for row in read_rows(file, identity)}
    gold = identity["evidence"] == "gold"
    passages_of = gold_passages(verifier.engine, claims)
    with file.open("a", encoding="utf-8") as lines:
        for number, claim in enumerate(claims, start=1):
            if claim.uid in done:
                continue
            of_titles = [passages_of.get(normal_title(title), []) for title in claim.gold_titles]
            passages = [one for some in of_titles for one in some]
            row = row_of(verifier, claim, passages if gold else None)
            row["has_all_gold"] = all(
                any(one.pid in row["docs"] for one in some) for some in of_titles
            )
            if row["failure"]:
                raise SystemExit(f"the judge stopped: {row['failure']}")
            done[claim.uid] = row
            lines.write(json.dumps(row) + "\n")
            lines.flush()
            if number % 100 == 0 or loud:
                print(f"{number} of {len(claims)}", flush=True)
    return [done[claim.uid] for claim in claims]


def main() -> None:
    """Verify what is not there yet, and summarise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--evidence", choices=["gold", "found"], default="gold")
    parser.add_argument("--passages", type=int, action="append", help="of those found; 4")
    parser.add_argument("--swap", action="store_true", help="wrong claims, by swapped names")
    parser.add_argument("--n", type=int, help="claims, drawn with a fixed seed; all by default")
    parser.add_argument("--rules", type=Path, help="TOML; those that ship by default")
    parser.add_argument("--lm")
    parser.add_argument("--lm-api-base")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    engine = HippoHover.open(arguments.index)
    claims = [claim for claim in load_claims(arguments.claims) if claim.label]
    if arguments.n is not None:
        places = np.random.default_rng(SEED).permutation(len(claims))[: arguments.n]
        claims = [claims[place] for place in sorted(places.tolist())]
    if arguments.swap:
        claims = swapped(engine, claims)
    rules = Rules.read(arguments.rules)
    aggregator = RuleAggregator(rules)
    with ExitStack() as stack:
        judge = None
        if arguments.lm is not None:
            settings = LanguageModelSettings(
                name=arguments.lm, api_base=arguments.lm_api_base, timeout_seconds=1800.0
            )
            judge = LanguageModelNli(
                stack.enter_context(open_language_model(settings, cache=arguments.cache))
            )
        identity: Row = {
            "index": engine.manifest.recipe["name"],
            "recipe_sha256": engine.manifest.recipe_sha256,
            "claims": arguments.claims.stem,
            "evidence": arguments.evidence,
            "swapped": arguments.swap,
            "language_model": arguments.lm,
        }
        by_n: dict[int, list[Row]] = {}
        for n in arguments.passages or [N_PASSAGES]:
            by_n[n] = verify_all(
                Verifier(engine, nli=judge, aggregator=aggregator, n_passages=n), claims,
                identity={**identity, "n_passages": n},
                file=arguments.out.with_suffix(f".{n}.jsonl"), loud=judge is not None,
            )  # fmt: skip
    question = "Can the verifier tell supported claims from others?"
    result: dict[str, Any] = {"question": question, **identity}
    rows = next(iter(by_n.values()))
    if len(by_n) > 1:
        result["by_passages"] = {n: measures(some, aggregator) for n, some in by_n.items()}
    else:
        result["rules"] = measures(rows, aggregator)
        result["learned"] = measures(rows, LearnedAggregator(aggregator))
    if len(by_n) == 1 and not arguments.swap:
        result["alone"] = alone(rows, confidences(rows, aggregator))
        result["without"] = without_each(rows, rules)
        free = tuple(rule.model_copy(update={"veto": False}) for rule in rules.rule)
        result["without_vetoes"] = measures(
            rows, RuleAggregator(rules.model_copy(update={"rule": free}))
        )
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result.get("rules") or result["by_passages"], indent=1))


if __name__ == "__main__":
    run_script(main)
