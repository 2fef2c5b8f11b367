"""What are the choices worth that no setting names: how names are found, and what is fused?

    python benchmarks/choices.py FOLDER --work WORK --out benchmarks/results/choices.json \\
        --corpus hover-core=CORPUS --claims hover-core=CLAIMS --every hover-core=4

FOLDER, ``--corpus``, ``--claims``, ``--index`` and ``--only`` are those of ``domains.py``. Every
corpus is built by ``default-fast`` in WORK, and once more without each way of finding names: names
that count in lower case, endings and prefixes written onto names, references by number; and once
with names that documents share joining these as strongly as one document's passages. ``ppr`` fuses
lists: the arms give each another weight, or none. One leaves sections that
documents repeat, such as a licence, where they rank, and one does not count the words of an alias
or of a file's name as words of the passage that is called so. ``--every NAME=N`` asks every
N-th claim of a corpus. An ``--index`` is asked as it stands: of it there are the arms of the
ranking alone. FOLDER may hold the samples of ``sparse_corpora.py`` too.
"""

import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from domain_indexes import Domain, domains, index_of, say
from domain_ranks import judge_by_the_same_trees, measure
from domain_sets import ClaimSet, corpora_of
from domain_summary import DEPTHS
from domains import options, revision
from measurement import check_out, run_script
from numpy.typing import NDArray

from hippohover import graph_builder
from hippohover.evaluation.intervals import paired_difference, share
from hippohover.evaluation.splits import groups
from hippohover.indexing import build as building
from hippohover.indexing import passage_scan
from hippohover.indexing.entity_numbers import EntityNumbers
from hippohover.names.affixes import NO_AFFIXES, Affixes
from hippohover.names.references import Reference
from hippohover.recipe_files import load_recipe
from hippohover.records import Passage
from hippohover.retrieval import opening, places
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.ppr_settings import PprSettings
from hippohover.retrieval.ranking import Ranking
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.features import CalledClaim, FeatureReader
from hippohover.retrieval.reranking.tuned import SHIPPED
from hippohover.retrieval.retriever import RetrieverContext
from hippohover.retrieval.walk.claim import ReadClaim
from hippohover.store.tables import IndexTables

QUESTION: Final = "What are the choices worth that no setting names?"
_RECIPE: Final = "default-fast"
_DEFAULT: Final = "default"
_DEPTHS: Final = (5, *DEPTHS)

Arm = Callable[[], AbstractContextManager[Any]]


def _with(**numbers: Any) -> Arm:  # noqa: ANN401
    """An arm with another number of the retriever."""
    context = partial(RetrieverContext, ppr=PprSettings(**numbers))
    return lambda: patch.object(opening, "RetrieverContext", context)


def _left_in_place(_: IndexTables, ranking: Ranking, __: NDArray[np.int64]) -> Ranking:
    return ranking


def _without_further_names(_: FeatureReader, claim: ReadClaim, __: object) -> CalledClaim:
    return CalledClaim(claim, {})


RANKING: Final[Mapping[str, Arm]] = {
    _DEFAULT: nullcontext,
    "the trees alone": _with(trees_vote=1e9),
    "without the trees": _with(trees_vote=0.0, joined_trees=0.0),
    "the trees by as much wherever names join": _with(joined_trees=0.0, trees_vote=1.0),
    "without the second walk's list": _with(second_vote=0.0, joined_second=0.0),
    "the second walk's list by as much wherever names join": _with(joined_second=0.0),
    "without cosine's list": _with(cosine_vote=0.0),
    "cosine counts half": _with(cosine_vote=0.5),
    "cosine counts the same in every corpus": _with(worth_power=0.0),
    "cosine counts by its share of what words find": _with(worth_power=1.0),
    "without the list near the best": _with(alike_vote=0.0),
    "tops of the names' lists count more": _with(top_constant=3.0),
    "all lists by one constant": _with(top_constant=60.0, tail_constant=60.0),
    "no list is sure": _with(n_sure=0, n_first=0),
    "nothing of the walks is kept": _with(n_kept=0, n_walked=0),
    "walks sure of their first": _with(n_sure=1),
    "walks sure of their first three": _with(n_sure=3),
    "walks sure wherever names join": _with(few_joined=1.0),
    "repeated sections left in their places": lambda: patch.object(
        places, "repeated_last", _left_in_place
    ),
    "words of further names not counted": lambda: patch.object(
        FeatureReader, "_called", _without_further_names
    ),
}
"""Arms of one index."""


def _no_rules(self: EntityNumbers) -> NDArray[np.uint8]:
    return np.zeros(self.n_known, np.uint8)


def _no_affixes(*_: object) -> Affixes:
    return NO_AFFIXES


def _no_references(_: Passage) -> list[Reference]:
    return []


def _by_passages(
    entities: NDArray[np.integer], _: NDArray[np.int32], *, n_entities: int
) -> NDArray[np.float64]:
    return 1.0 / np.sqrt(np.maximum(np.bincount(entities, minlength=n_entities), 1))


NAMES: Final[Mapping[str, Arm]] = {
    "no names in lower case": lambda: patch.object(EntityNumbers, "rules", _no_rules),
    "no affixes": lambda: patch.object(building, "learn_affixes", _no_affixes),
    "no references by number": lambda: patch.object(passage_scan, "references", _no_references),
    "shared names weigh by passages alone": lambda: patch.object(
        graph_builder, "title_weights", _by_passages
    ),
}
"""Arms that are built once more."""


def found(
    engine: HippoHover, claim_set: ClaimSet, places: Sequence[int], key: str
) -> dict[int, list[int]]:
    """Whether all gold of each claim is among the first, by depth."""
    ranks: list[list[int | None]] = measure(engine, claim_set, places, "ppr", key)["ranks"]
    return {
        depth: [int(all(rank is not None and rank <= depth for rank in of)) for of in ranks]
        for depth in _DEPTHS
    }


def arms_of(
    domain: Domain, claim_set: ClaimSet, places: Sequence[int], others: Mapping[str, Path]
) -> Iterator[tuple[str, dict[int, list[int]]]]:
    """Every arm of one set, by name, with what it finds."""
    judge_by_the_same_trees(claim_set)
    every = [(name, arm, domain.index) for name, arm in RANKING.items()]
    every += [(name, nullcontext, index) for name, index in others.items()]
    for name, arm, index in every:
        with ExitStack() as stack:
            stack.enter_context(arm())
            engine = HippoHover.open(index, ranking=SHIPPED)
            stack.callback(engine.close)
            yield name, found(engine, claim_set, places, f"{claim_set.key} | {name}")


def without_names(name: str, corpus: Path, work: Path) -> dict[str, Path]:
    """Indexes of a corpus, each built without one way of finding names."""
    recipe = load_recipe(_RECIPE)
    indexes: dict[str, Path] = {}
    for arm, patched in NAMES.items():
        with patched():
            folder = work / arm.replace(" ", "-")
            folder.mkdir(exist_ok=True)
            indexes[arm] = index_of(name, corpus, recipe, folder)
    return indexes


def cells(
    claim_set: ClaimSet, places: Sequence[int], arms: Mapping[str, dict[int, list[int]]]
) -> dict[str, Any]:
    """Shares of every arm, and paired differences to the default over groups of claims."""
    asked = [claim_set.claims[place] for place in places]
    names = groups(asked)
    result: dict[str, Any] = {"n": len(places), "arms": {}}
    for name, outcome in arms.items():
        cell: dict[str, Any] = {}
        for depth in _DEPTHS:
            cell[f"all_gold_found@{depth}"] = share(outcome[depth]).as_dict()
            change = paired_difference(arms[_DEFAULT][depth], outcome[depth], names)
            cell[f"difference@{depth}"] = change.as_dict()
        result["arms"][name] = cell
    return result


def main() -> None:
    """Measure every arm on every set, and write."""
    parser = options()
    parser.description = __doc__
    parser.add_argument("--every", action="append", default=[], metavar="NAME=N")
    arguments = parser.parse_args()
    out: Path = arguments.out
    check_out(out)
    arguments.work.mkdir(parents=True, exist_ok=True)
    arguments.recipe = [_RECIPE]
    steps = {name: int(n) for name, _, n in (text.partition("=") for text in arguments.every)}
    corpora = corpora_of(arguments.folder, dict(arguments.corpus))
    indexed = dict(arguments.index)
    sets: dict[str, Any] = {}
    for domain in domains(arguments):
        name = domain.sets[0].corpus
        others = {}
        if name not in indexed:
            others = without_names(name, corpora[name], arguments.work)
        for claim_set in domain.sets:
            places = range(0, len(claim_set.claims), steps.get(name, 1))
            sets[claim_set.key] = cells(
                claim_set, places, dict(arms_of(domain, claim_set, places, others))
            )
            say(f"{claim_set.key}: done")
    result = {
        "question": QUESTION,
        "rerank_weights_sha256": rerank.weights_sha256(),
        "revision": revision(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "sets": sets,
    }
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
