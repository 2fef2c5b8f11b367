"""Does one walk find what programs need several searches, and a language model, to find?

    python benchmarks/ppr_vs_hops.py INDEX CLAIMS --out benchmarks/results/hops-core-dev.json \\
        --arm ppr --arm bm25 --arm iterative-bm25
    python benchmarks/ppr_vs_hops.py INDEX CLAIMS --out benchmarks/results/hops-lm.json \\
        --n 16 --gold 3 --arm ppr --arm hop-chain --lm gguf:MODEL.gguf --cache replies

An arm is a retriever, a program, or ``PROGRAM+RETRIEVER``, which says what the program searches
with (``bm25`` otherwise); a program may be a file of ``optimize-program``. A star behind it, as in
``hop-chain*``, has it ask for the relevance of its documents too; ``gap-analysis-`` keeps no place
for what a search by name found first, as its design does not. Every arm returns 21 passages. A
program has, for a claim, the searches and the language-model calls that it declares, or those of
``--searches``, ``--calls`` and ``--tokens``: going over is an error of the run, and so is going
beyond ``--max-calls`` or ``--max-tokens`` in all.

A row is kept for each claim and arm in a file of lines beside ``--out``. Stopped, or left by its
language model, a run goes on from there.
"""

import argparse
import json
import platform
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from measurement import Row, read_rows, run_script

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import Estimate, mean, paired_difference, share
from hippohover.evaluation.metrics import all_gold_found, recall
from hippohover.evaluation.picture import Arm, draw_arms
from hippohover.language_model.client import LanguageModel
from hippohover.language_model.ledger import Budget
from hippohover.language_model.opening import open_language_model
from hippohover.programs.by_name import PROGRAMS
from hippohover.programs.evidence_scoring import EvidenceScorer
from hippohover.programs.gap_analysis import DecompositionWithGapAnalysis
from hippohover.programs.hop_chain import HoverMultiHop
from hippohover.programs.hop_program import HopProgram, Limits
from hippohover.programs.hypothesis import HypothesisDriven
from hippohover.programs.saved import named_program
from hippohover.recipe import LanguageModelSettings
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.registry import RETRIEVERS

K = 21
SEED = 20_261_122


def program_of(
    engine: HippoHover, arm: str, model: LanguageModel | None, limits: Sequence[int | None]
) -> HopProgram | None:
    """The program of an arm; None for a retriever."""
    if arm in RETRIEVERS:
        return None
    plain = arm.rstrip("*-")
    name, _, retriever = (plain, "", "") if plain in PROGRAMS else plain.rpartition("+")
    program = named_program(name or plain, engine, model, retriever=retriever or None)
    if "*" in arm:
        if not isinstance(program, HoverMultiHop | DecompositionWithGapAnalysis):
            raise SystemExit(f"{arm}: {plain} has no relevance of documents to add")
        program.score_documents = True
    if arm.rstrip("*").endswith("-"):
        if not isinstance(program, DecompositionWithGapAnalysis):
            raise SystemExit(f"{arm}: {plain} keeps no bridges to leave out")
        program.keep_bridges = False
    own = program.limits
    searches, calls, tokens = limits
    program.limits = Limits(
        own.searches if searches is None else searches,
        own.calls if calls is None else calls,
        tokens,
    )
    if isinstance(program, HypothesisDriven):  # a measurement repeats, or fails
        program.scorer = EvidenceScorer(engine.encode, on_timeout="fail")
        program.traverse = "always"
    return program


def measure(
    engine: HippoHover,
    programs: Mapping[str, HopProgram | None],
    claims: Sequence[GoldClaim],
    file: Path,
    rows: list[Row],
) -> None:
    """Append a row for every claim and arm that has none, claim by claim."""
    done = {(row["arm"], row["uid"]) for row in rows}
    with file.open("a", encoding="utf-8") as lines:
        for number, claim in enumerate(claims, start=1):
            for arm, program in programs.items():
                if (arm, claim.uid) in done:
                    continue
                rows.append(answered(engine, arm, program, claim))
                lines.write(json.dumps(rows[-1]) + "\n")
                lines.flush()
                if number % 100 == 0 or (program is not None and program.limits.calls):
                    print(f"{arm}: {number} of {len(claims)}", flush=True)


def answered(engine: HippoHover, arm: str, program: HopProgram | None, claim: GoldClaim) -> Row:
    """One arm's row of one claim."""
    row: Row = {"arm": arm, "uid": claim.uid, "n_gold": len(claim.gold_titles)}
    start = time.perf_counter()
    if program is None:
        passages = engine.retrieve(claim.claim, K, arm).passages
        row |= {"n_searches": 1, "calls": 0, "fallbacks": 0}
    else:
        answer = program(claim=claim.claim)
        passages = answer.passages
        row |= answer.run.as_dict()
    titles = [passage.title for passage in passages]
    return row | {
        "seconds": round(time.perf_counter() - start, 4),
        "all_gold_found@21": all_gold_found(titles, claim.gold_titles, K),
        "recall@21": recall(titles, claim.gold_titles, K),
    }


def of_all_arms(rows: Sequence[Row], arms: Sequence[str], uids: Collection[str]) -> list[Row]:
    """Rows of those claims that every arm has answered: of a run that was stopped, too."""
    answered = [{row["uid"] for row in rows if row["arm"] == arm} for arm in arms]
    common = set(uids).intersection(*answered)
    return [row for row in rows if row["uid"] in common and row["arm"] in arms]


def summary(
    rows: Sequence[Row], arms: Sequence[str], prices: tuple[float, float]
) -> dict[str, Any]:
    """Means with intervals of every arm, and its paired difference to the first.

    ``usd`` is what the tokens of a claim cost at the ``prices``, US dollars a million in and out.
    """
    by_arm = {arm: {row["uid"]: row for row in rows if row["arm"] == arm} for arm in arms}
    first = by_arm[arms[0]]
    found: dict[str, Any] = {}
    for arm, own in by_arm.items():
        sizes = sorted({row["n_gold"] for row in own.values()})
        groups = {"all": list(own.values())}
        groups |= {str(n): [row for row in own.values() if row["n_gold"] == n] for n in sizes}
        cell: dict[str, Any] = {"n": len(own)}
        cell["all_gold_found@21"] = {
            group: share([row["all_gold_found@21"] for row in some]).as_dict()
            for group, some in groups.items()
        }
        cell["recall@21"] = {
            group: mean([row["recall@21"] for row in some]).as_dict()
            for group, some in groups.items()
        }
        cell["difference"] = {
            group: _paired(
                [first[row["uid"]] for row in some if row["uid"] in first],
                [row for row in some if row["uid"] in first],
            )
            for group, some in groups.items()
        }
        for key in ("n_searches", "calls", "input_tokens", "output_tokens", "seconds", "fallbacks"):
            cell[key] = float(np.mean([row.get(key, 0) for row in own.values()]))
        cell["usd"] = (prices[0] * cell["input_tokens"] + prices[1] * cell["output_tokens"]) / 1e6
        cell["asked"] = share([float(row["calls"] > 0) for row in own.values()]).as_dict()
        found[arm] = cell
    return found


def _paired(first: Sequence[Row], second: Sequence[Row]) -> dict[str, float]:
    key = "all_gold_found@21"
    return paired_difference([row[key] for row in first], [row[key] for row in second]).as_dict()


def draw(result: dict[str, Any], file: Path) -> None:
    """Quality against cost, and against the number of gold titles, with 95 % intervals."""
    arms = [
        Arm(name, 1000 * cell["seconds"],
            {group: Estimate(**one) for group, one in cell["all_gold_found@21"].items()})
        for name, cell in result["arms"].items()
    ]  # fmt: skip
    title = f"{result['index']}, {result['claims']}, n = {result['n']}"
    draw_arms(arms, title, file, time_name="milliseconds a claim")


def chosen(claims: Sequence[GoldClaim], n: int | None, n_gold: int | None) -> list[GoldClaim]:
    """``n`` claims with so many gold titles, drawn with a fixed seed."""
    some = [claim for claim in claims if n_gold in (None, len(claim.gold_titles))]
    if n is None or n >= len(some):
        return some
    places = np.random.default_rng(SEED).permutation(len(some))[:n]
    return [some[place] for place in sorted(places.tolist())]


def main() -> None:
    """Measure what is not there yet, and summarise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--arm", action="append", required=True, dest="arms")
    parser.add_argument("--n", type=int, help="claims, drawn with a fixed seed; all by default")
    parser.add_argument("--gold", type=int, help="claims of so many gold titles alone")
    parser.add_argument("--lm")
    parser.add_argument("--lm-api-base")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--max-calls", type=int)
    parser.add_argument("--max-tokens", type=int)
    parser.add_argument("--searches", type=int, help="a claim; else what a program declares")
    parser.add_argument("--calls", type=int, help="a claim; else what a program declares")
    parser.add_argument("--tokens", type=int, help="a claim, in and out; open by default")
    parser.add_argument(
        "--prices", type=float, nargs=2, default=(0.15, 0.60), metavar=("IN", "OUT"),
        help="US dollars a million tokens, for the column of money",
    )  # fmt: skip
    parser.add_argument("--summarise", action="store_true", help="measure nothing more")
    parser.add_argument("--plot", action="append", default=[], type=Path, help="PNG or SVG")
    arguments = parser.parse_args()
    claims = chosen(load_claims(arguments.claims), arguments.n, arguments.gold)
    engine = HippoHover.open(arguments.index)
    file: Path = arguments.out.with_suffix(".jsonl")
    with ExitStack() as stack:
        model = None
        if arguments.lm is not None:
            settings = LanguageModelSettings(
                name=arguments.lm, api_base=arguments.lm_api_base, timeout_seconds=1800.0
            )
            budget = Budget(arguments.max_calls, arguments.max_tokens, None)
            model = stack.enter_context(
                open_language_model(settings, cache=arguments.cache, budget=budget)
            )
        limits = [arguments.searches, arguments.calls, arguments.tokens]
        programs = {arm: program_of(engine, arm, model, limits) for arm in arguments.arms}
        identity: Row = {
            "index": engine.manifest.recipe["name"],
            "recipe_sha256": engine.manifest.recipe_sha256,
            "counts": engine.manifest.counts,
            "claims": arguments.claims.stem,
            "language_model": arguments.lm,
        }
        kept = read_rows(file, {**identity, "limits": limits})
        if not arguments.summarise:
            measure(engine, programs, claims, file, kept)
    rows = of_all_arms(kept, arguments.arms, {claim.uid for claim in claims})
    if not rows:
        raise SystemExit(f"{file} has no claim that every arm has answered")
    result: dict[str, Any] = {
        "question": "Does one walk find what programs need several searches to find?",
        **identity,
        "n": len({row["uid"] for row in rows}),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "usd_per_million_tokens": list(arguments.prices),
        "limits_a_claim": {
            arm: asdict(program.limits) for arm, program in programs.items() if program is not None
        },
        "arms": summary(rows, arguments.arms, tuple(arguments.prices)),
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for file in arguments.plot:
        draw(result, file)
    for arm, cell in result["arms"].items():
        shares = {k: round(v["value"], 3) for k, v in cell["all_gold_found@21"].items()}
        print(arm, shares, round(cell["seconds"], 3), flush=True)


if __name__ == "__main__":
    run_script(main)
