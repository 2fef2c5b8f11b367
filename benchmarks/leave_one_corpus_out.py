"""Do the votes that follow a corpus's own counts hold on corpora they were not chosen on?

    python benchmarks/leave_one_corpus_out.py FOLDER --work WORK \\
        --out benchmarks/results/leave_one_corpus_out.json --sample 200

FOLDER, ``--corpus``, ``--claims``, ``--index`` and ``--only`` are those of ``domains.py``. ``ppr``
fuses lists, and what each counts follows the corpus: how often names join its passages, whether
documents follow each other, what vectors find of its own sentences. Every claim is walked once and
ranked by each choice of these numbers. For each corpus there are then: ``fixed``, where each list
counts the same in every corpus; ``shipped``, the numbers that ship; and ``chosen on the others``,
the choice of most ``all_gold_found@21`` in the mean over the sets of the other corpora.
"""

import argparse
import json
import platform
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from domain_indexes import Domain, domains, say, titles_of
from domain_sets import ClaimSet
from domain_summary import DEPTHS
from domains import options, revision, sample
from measurement import check_out, run_script
from numpy.typing import NDArray

from hippohover.evaluation.intervals import paired_difference
from hippohover.evaluation.metrics import gold_ranks
from hippohover.evaluation.splits import groups
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.ppr_settings import PprSettings
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.tuned import SHIPPED

QUESTION: Final = "Do votes by a corpus's own counts hold on corpora they were not chosen on?"
FIXED, CHOSEN, OTHERS = "fixed", "shipped", "chosen on the others"
_CHOSEN_AT: Final = 21
_DEPTHS: Final = (5, *DEPTHS)
_SCALES: Final = (0.5, 2.0)


def _choices() -> dict[str, PprSettings]:
    """What is compared: numbers that ship, and these by half and by twice as much, all ways."""
    own = PprSettings()
    found = {
        FIXED: PprSettings(
            trees_vote=1.0, joined_trees=0.0, joined_second=0.0, series_second=0.0, worth_power=0.0
        ),
        CHOSEN: own,
    }
    for trees, second, cosine in product(_SCALES, repeat=3):
        found[f"trees {trees:g}, second walk {second:g}, cosine {cosine:g}"] = PprSettings(
            trees_vote=own.trees_vote * trees,
            joined_trees=own.joined_trees * trees,
            second_vote=own.second_vote * second,
            joined_second=own.joined_second * second,
            series_second=own.series_second * second,
            cosine_vote=own.cosine_vote * cosine,
        )
    return found


CHOICES: Final = _choices()

Found = dict[str, NDArray[np.int64]]
"""Last rank of a gold title by choice, for each claim."""


def last_ranks(engine: HippoHover, claim_set: ClaimSet, places: Sequence[int]) -> Found:
    """Place, from 1, at which all gold titles of each claim are found, by choice."""
    ppr, title_of = engine.retrievers.ppr, titles_of(engine, claim_set)
    found: dict[str, list[int]] = {name: [] for name in CHOICES}
    for place in places:
        claim = claim_set.claims[place]
        with patch.object(ppr, "run", cache(ppr.run)):
            for name, numbers in CHOICES.items():
                ppr.numbers = numbers
                answer = engine.search(claim.claim, DEPTHS[-1], "ppr")
                titles = [title_of[passage.pid] for passage in answer.passages]
                ranks = gold_ranks(titles, claim.gold_titles)
                found[name].append(max(rank or DEPTHS[-1] + 1 for rank in ranks))
    return {name: np.array(ranks, np.int64) for name, ranks in found.items()}


def share_found(ranks: NDArray[np.int64], depth: int) -> float:
    """Share of claims with all gold at a depth."""
    return float((ranks <= depth).mean())


def best_on(sets: Sequence[Found]) -> str:
    """The choice of the highest mean over some sets; of equal ones, the first."""
    means = {
        name: np.mean([share_found(found[name], _CHOSEN_AT) for found in sets]) for name in CHOICES
    }
    return max(means, key=lambda name: means[name])


def held_out(
    claim_set: ClaimSet, places: Sequence[int], found: Found, chosen: str
) -> dict[str, Any]:
    """What a set's corpus finds by the fixed votes, those that ship, and the others' choice."""
    group_of = groups([claim_set.claims[place] for place in places])
    row: dict[str, Any] = {"n": len(places), "the others' choice": chosen}
    for name, choice in ((FIXED, FIXED), (CHOSEN, CHOSEN), (OTHERS, chosen)):
        row[name] = {f"all_gold_found@{k}": share_found(found[choice], k) for k in _DEPTHS}
        for k in _DEPTHS if name != FIXED else ():
            before, after = (found[one] <= k for one in (FIXED, choice))
            change = paired_difference(before.tolist(), after.tolist(), group_of)
            row[name][f"difference@{k}"] = change.as_dict()
    return row


def table(sets: Mapping[str, tuple[ClaimSet, Sequence[int], Found]]) -> dict[str, Any]:
    """Every set, with what is chosen on the sets of other corpora."""
    return {
        key: held_out(
            claim_set,
            places,
            found,
            best_on([other for own, _, other in sets.values() if own.corpus != claim_set.corpus]),
        )
        for key, (claim_set, places, found) in sets.items()
    }


def asked(domain: Domain, arguments: argparse.Namespace) -> dict[str, Any]:
    """Every set of a corpus: its claims, which of them were asked, and what was found."""
    engine = HippoHover.open(domain.index, ranking=SHIPPED)
    found: dict[str, Any] = {}
    for claim_set in domain.sets:
        places = sample(len(claim_set.claims), arguments.sample)
        found[claim_set.key] = claim_set, places, last_ranks(engine, claim_set, places)
        say(f"{claim_set.key}: done")
    engine.close()
    return found


def main() -> None:
    """Ask every claim once, rank it by every choice, and write."""
    parser = options()
    parser.description = __doc__
    arguments = parser.parse_args()
    check_out(arguments.out)
    arguments.work.mkdir(parents=True, exist_ok=True)
    arguments.recipe = arguments.recipe or ["default"]
    sets = {
        key: row for domain in domains(arguments) for key, row in asked(domain, arguments).items()
    }
    result = {
        "question": QUESTION,
        "rerank_weights_sha256": rerank.weights_sha256(),
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "sets": table(sets),
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
