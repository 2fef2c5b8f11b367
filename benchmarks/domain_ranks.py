"""What one retriever finds for one set of claims: ranks of the gold titles, and headings shown."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from domain_indexes import say, titles_of
from domain_sets import ClaimSet

from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS
from hippohover.evaluation.metrics import gold_ranks
from hippohover.evaluation.parts import holds_heading, part_ranks
from hippohover.names.normal_forms import normal_title
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking import rerank

DEPTH = 100
N_WARMUPS = 3


def measure(
    engine: HippoHover, claim_set: ClaimSet, places: Sequence[int], name: str, key: str
) -> dict[str, Any]:
    """Ranks of the gold titles of each claim, in their order, and what else is told of a cell."""
    headings, title_of = claim_set.headings(), titles_of(engine, claim_set)
    ranks: list[list[int | None]] = []
    rows_of_parts: list[list[int | None]] = []
    by_passage = any(claim.parts for claim in claim_set.claims)
    found: list[int] = []
    ms: list[float] = []
    n_found_nothing = 0
    for place in places[:N_WARMUPS]:
        engine.search(claim_set.claims[place].claim, DEPTH, name)
    for done, place in enumerate(places, 1):
        claim = claim_set.claims[place]
        start = time.perf_counter()
        answer = engine.search(claim.claim, DEPTH, name)
        ms.append(1000 * (time.perf_counter() - start))
        titles = [title_of[passage.pid] for passage in answer.passages]
        ranks.append(gold_ranks(titles, claim.gold_titles))
        if by_passage:
            rows_of_parts.append(part_ranks(claim.gold_parts, answer.passages, titles))
        n_found_nothing += not titles
        if place in headings:
            gold = {normal_title(title) for title in claim.gold_titles}
            shown = [
                passage
                for passage, title in zip(
                    answer.passages[:MAX_RETRIEVED_DOCS], titles, strict=False
                )
                if normal_title(title) in gold
            ]
            found.append(int(shows_heading(shown, headings[place])))
        if done % 200 == 0 or done == len(places):
            say(f"{key}: {done} of {len(places)}")
    p50, p95 = (round(float(np.percentile(ms, at)), 1) for at in (50, 95))
    return {
        "ranks": ranks,
        "part_ranks": rows_of_parts,
        "headings_found": found,
        "n_found_nothing": n_found_nothing,
        "ms": {"p50": p50, "p95": p95},
    }


def shows_heading(passages: Sequence[RankedPassage], heading: str) -> bool:
    """Whether one of some passages, or one that is listed under it, holds a heading."""
    shown = [listed for passage in passages for listed in (passage, *passage.others)]
    return any(holds_heading(passage, heading) for passage in shown)


def judge_by_the_same_trees(claim_set: ClaimSet) -> None:
    """Have a claim that is written otherwise ranked by trees that never saw its group either.

    The trees know a claim by its words, so a typo would hand it to those that learned from it.
    """
    folds: dict[str, int] = vars(rerank)["_folds_seen"]()
    for claim, written in zip(claim_set.claims, claim_set.written, strict=True):
        fold = folds.get(rerank.claim_digest(written))
        if fold is not None:
            folds[rerank.claim_digest(claim.claim)] = fold
