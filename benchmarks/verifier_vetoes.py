"""What does each veto of the verifier cost and prevent?

    python benchmarks/verifier_vetoes.py INDEX CLAIMS [CLAIMS ...] --evidence gold --n 300 \\
        --out verifier-vetoes.json

A veto keeps a claim from being called supported: a check of what the evidence says against it, or
a signal whose rule forbids. Each is switched off in turn, the judge then reads the findings that
are left, and the verdicts on each set of claims are counted with it and without: of the true claims
and of the others, how many are Supported, and how many Contradictory. The judge has not seen the
claim's group. ``--evidence gold`` gives the verifier the passages of the gold titles, ``found``
what ``ppr`` finds.

Rows are kept in files of lines beside ``--out``; stopped, a run goes on from there. Differences are
paired, of shares, with 95 % intervals by bootstrap over claims.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measurement import Row, check_out, read_rows, run_script
from numpy.typing import NDArray
from verifier import gold_passages, interval

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.names.normal_forms import normal_title
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.tuning.judge import SUPPORTED
from hippohover.verification.against.checks import CHECKS
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.against.findings import SIGNAL_OF
from hippohover.verification.aggregator import LearnedAggregator
from hippohover.verification.judge.learned import LearnedJudge
from hippohover.verification.signals import Reading
from hippohover.verification.verifier import Verifier

SEED = 20_261_126
BY_SIGNAL = ("numeric_check", "coverage_tokens", "weakest_part", "negation_mismatch")
"""Signals with a veto that no check of findings has."""
BESIDE_CHECKS = ("scattered_words", "of_who_is_described")
STATUSES = ("Supported", "Contradictory")


class WatchedJudge(LearnedJudge):
    """The judge, which keeps the case that it read last, and judges it with other findings."""

    case: ComparedClaim | None = None

    def __call__(self, case: ComparedClaim) -> Reading:
        """As the judge's."""
        self.case = case
        return super().__call__(case)

    def without(self, case: ComparedClaim, dropped: str) -> float | None:
        """Its probability where one check's findings are not there."""
        left = ComparedClaim.__new__(ComparedClaim)
        left.__dict__.update(case.__dict__)
        left.__dict__["findings"] = [
            one
            for name, found in findings_by_check(case).items()
            if name != dropped
            for one in found
        ]
        return super().__call__(left).value


def findings_by_check(case: ComparedClaim) -> dict[str, list[Any]]:
    """What each check finds against any part of a claim, and what is found beside them."""
    found = {
        check.__name__: [one for compared in case.comparisons for one in check(compared)]
        for check in CHECKS
    }
    by_checks = [one for some in found.values() for one in some]
    rest = [one for one in case.findings if one not in by_checks]
    scattered = [one for one in rest if one.kind == "scattered"]
    others = [one for one in rest if one.kind != "scattered"]
    return found | dict(zip(BESIDE_CHECKS, (scattered, others), strict=True))


def row_of(
    verifier: Verifier,
    judge: WatchedJudge,
    claim: GoldClaim,
    passages: Sequence[RankedPassage] | None,
) -> Row:
    """Readings of one claim, and those without each check that finds something."""
    judge.case = None
    result = verifier.verify_claim(claim.claim, passages=passages)
    [verified] = result.verified_claims
    readings = {name: one["value"] for name, one in verified.confidence_breakdown.items()}
    without: dict[str, dict[str, float | None]] = {}
    if judge.case is not None:
        by_check = findings_by_check(judge.case)
        for name, found in by_check.items():
            if found:
                left = [one for other, some in by_check.items() if other != name for one in some]
                values: dict[str, float | None] = dict.fromkeys(SIGNAL_OF.values(), 0.0)
                for one in left:
                    signal = SIGNAL_OF[one.kind]
                    values[signal] = max(values[signal] or 0.0, 1.0 if one.sure else 0.5)
                without[name] = values | {"judged_support": judge.without(judge.case, name)}
    return {
        "uid": claim.uid,
        "supported": claim.label in SUPPORTED,
        "readings": readings,
        "without": without,
        "status": result.answer.claims[0].status,
    }


def verdict(row: Row, dropped: str = "") -> str:
    """The verdict on a row, with one veto switched off."""
    if row["status"] == "No Claim" or row["readings"].get("coverage_tokens") is None:
        return row["status"]
    values = dict(row["readings"]) | row["without"].get(dropped, {})
    if dropped in BY_SIGNAL:
        values[dropped] = None
    return LearnedAggregator()({name: Reading(value) for name, value in values.items()}).status


def counts(rows: Sequence[Row], dropped: str) -> dict[str, Any]:
    """Verdicts by truth with a veto switched off, and how far the shares move, paired."""
    found: dict[str, Any] = {}
    for truth in (True, False):
        some = [row for row in rows if row["supported"] is truth]
        for status in STATUSES:
            before = np.array([verdict(row) == status for row in some], float)
            after = np.array([verdict(row, dropped) == status for row in some], float)
            moved: NDArray[np.float64] = after - before
            told: dict[str, Any] = {
                "with": int(before.sum()),
                "without": int(after.sum()),
                "n": len(some),
            }
            if moved.any():
                told["moved"] = interval(mean_of(moved), len(moved))
            found[f"{'true' if truth else 'false'} {status}"] = told
    return found


def mean_of(values: NDArray[np.float64]) -> Callable[[NDArray[np.int64]], float]:
    """The mean of some values at drawn places."""
    return lambda at: float(values[at].mean())


def rows_of(
    engine: HippoHover, claims: Sequence[GoldClaim], *, identity: Row, file: Path
) -> list[Row]:
    """A row of every claim, from the file where it is there."""
    done = {row["uid"]: row for row in read_rows(file, identity)}
    judge = WatchedJudge()
    verifier = Verifier(engine, judge=judge)
    by_title = gold_passages(engine, claims) if identity["evidence"] == "gold" else None
    with file.open("a", encoding="utf-8") as lines:
        for claim in claims:
            if claim.uid in done:
                continue
            row = row_of(verifier, judge, claim, passages_of(claim, by_title))
            done[claim.uid] = row
            lines.write(json.dumps(row) + "\n")
            lines.flush()
    return [done[claim.uid] for claim in claims]


def passages_of(
    claim: GoldClaim, by_title: Mapping[str, Sequence[RankedPassage]] | None
) -> list[RankedPassage] | None:
    """Passages of a claim's gold titles; None where they are to be found."""
    if by_title is None:
        return None
    return [one for title in claim.gold_titles for one in by_title.get(normal_title(title), [])]


def drawn(claims: Sequence[GoldClaim], n: int | None) -> list[GoldClaim]:
    """Some of the labelled claims, by a fixed seed; all where no number is given."""
    labelled = [claim for claim in claims if claim.label]
    if n is None:
        return labelled
    places = np.random.default_rng(SEED).permutation(len(labelled))[:n]
    return [labelled[place] for place in sorted(places.tolist())]


def main() -> None:
    """Verify what is not there yet, switch off each veto, and count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path, nargs="+")
    parser.add_argument("--evidence", choices=["gold", "found"], default="gold")
    parser.add_argument("--n", type=int, help="claims of each set, by a fixed seed; all by default")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    check_out(arguments.out)
    engine = HippoHover.open(arguments.index)
    result: dict[str, Any] = {
        "question": "What does each veto of the verifier cost and prevent?",
        "index": engine.manifest.recipe["name"],
        "evidence": arguments.evidence,
        "n": arguments.n,
        "sets": {},
    }
    for path in arguments.claims:
        claims = drawn(load_claims(path), arguments.n)
        identity: Row = {
            "recipe_sha256": engine.manifest.recipe_sha256,
            "claims": path.stem,
            "evidence": arguments.evidence,
        }
        rows = rows_of(
            engine, claims, identity=identity, file=arguments.out.with_suffix(f".{path.stem}.jsonl")
        )
        vetoes = (*(check.__name__ for check in CHECKS), *BESIDE_CHECKS, *BY_SIGNAL)
        result["sets"][path.stem] = {
            "n": len(rows),
            "n_true": sum(row["supported"] for row in rows),
            "without": {name: counts(rows, name) for name in vetoes},
        }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: len(one["without"]) for name, one in result["sets"].items()}))


if __name__ == "__main__":
    run_script(main)
