"""Does the first chain of an answer consist of gold documents, and has it all of them?

    python benchmarks/chains.py INDEX CLAIMS --out benchmarks/results/chains-hover-wide.json

Each claim whose gold documents are all in the index is asked once. Shares are by the number of gold
documents, with 95 % intervals (Wilson's): the first chain has gold documents alone; it has all of
them; some chain has. Beside them stand the best two passages of the same answers, and the processor
time of chains and paths for one claim. The weights of chains were learned from claims of half 0 of
HoVer and HotpotQA: ``--half 1`` asks the others. Claims of one HotpotQA question are in one half.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean, median
from typing import Any, Final
from unittest.mock import patch
from zlib import crc32

from domain_indexes import titles_of
from domain_sets import AS_WRITTEN, ClaimSet, asked_for
from domains import revision
from measurement import check_out, run_script

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import share
from hippohover.names.normal_forms import normal_title
from hippohover.retrieval import engine as engine_module
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.tuned import SHIPPED

MEASURES: Final = ("alone", "all", "all_of_some_chain", "two_alone", "two_all")


def half_of(claim: GoldClaim) -> int:
    """Return 0 or 1: the same for all claims of one question."""
    return crc32((claim.hpqa_id or claim.uid).encode()) % 2


def name_of(passage: Any, titles: dict[str, str], *, by_id: bool) -> str:  # noqa: ANN401
    """Return what gold calls the document of a passage."""
    return str(passage.metadata.get("id")) if by_id else normal_title(titles[passage.pid])


def measured(
    engine: HippoHover, claims: Sequence[GoldClaim], titles: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Ask each claim, and hold the first chain and the best two passages against its gold."""
    for claim in claims:
        by_id = bool(claim.gold_ids)
        gold = {name if by_id else normal_title(name) for name in claim.gold}
        answer = engine.retrieve(claim.claim)
        found = [
            {name_of(one, titles, by_id=by_id) for one in chain.passages} for chain in answer.chains
        ] or [set[str]()]
        best = {name_of(one, titles, by_id=by_id) for one in answer.passages[:2]}
        yield {
            "uid": claim.uid,
            "n_gold": len(gold),
            "n_passages": len(found[0]),
            "alone": bool(found[0]) and found[0] <= gold,
            "all": found[0] >= gold,
            "all_of_some_chain": any(one >= gold for one in found),
            "two_alone": bool(best) and best <= gold,
            "two_all": best >= gold,
        }


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return shares of some rows, with their intervals."""
    shares = {name: asdict(share([row[name] for row in rows])) for name in MEASURES}
    return {"n": len(rows), **shares, "n_passages": mean(row["n_passages"] for row in rows)}


def main() -> None:
    """Ask, count and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--limit", type=int, help="ask so many claims, spread over the file")
    arguments = parser.parse_args()
    check_out(arguments.out)
    engine = HippoHover.open(arguments.index, ranking=SHIPPED)
    engine.warm_up()
    asked = asked_for(load_claims(arguments.claims))
    whole = ClaimSet(
        corpus="", file=arguments.claims, variant=AS_WRITTEN, is_own=True,
        claims=tuple(asked), written=(), sha256="",
    )  # fmt: skip
    titles = titles_of(engine, whole)
    there = {normal_title(title) for title in titles.values()}
    claims = [
        claim for claim in asked
        if claim.gold_ids or all(normal_title(name) in there for name in claim.gold_titles)
    ]  # fmt: skip
    if arguments.half is not None:
        claims = [claim for claim in claims if half_of(claim) == arguments.half]
    claims = claims[:: max(1, len(claims) // arguments.limit)] if arguments.limit else claims
    milliseconds: list[float] = []
    with_chains = engine_module.with_chains

    def timed(*given: Any) -> Any:  # noqa: ANN401
        start = time.process_time()
        told = with_chains(*given)
        milliseconds.append(1000.0 * (time.process_time() - start))
        return told

    with patch.object(engine_module, "with_chains", timed):
        rows = list(measured(engine, claims, titles))
    result: dict[str, Any] = {
        "question": (__doc__ or "").splitlines()[0],
        "revision": revision(),
        "index": arguments.index.name,
        "claims": arguments.claims.name.partition(".")[0],
        "half": arguments.half,
        "n_documents": engine.manifest.counts["n_documents"],
        "milliseconds": {"mean": mean(milliseconds), "median": median(milliseconds)},
        "by_gold": {
            str(n): summary([row for row in rows if row["n_gold"] == n])
            for n in sorted({row["n_gold"] for row in rows})
        },
        "whole": summary(rows),
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for n, of_n in {**result["by_gold"], "all": result["whole"]}.items():
        told = ", ".join(f"{name} {of_n[name]['value']:.1%}" for name in MEASURES)
        print(f"{n} gold, n = {of_n['n']}: {told}, {of_n['n_passages']:.2f} passages")
    print(
        f"{mean(milliseconds):.1f} ms of the processor a claim, {median(milliseconds):.1f} median"
    )


if __name__ == "__main__":
    run_script(main)
