"""What does each part of ``ppr`` give?

    python benchmarks/ablation.py INDEX CLAIMS --out benchmarks/results/ablation-core.json \\
        --built "no triples" INDEX --built "titles hidden" INDEX

Each arm changes one setting of the query and nothing else: edge types, seed kinds, damping, eps,
re-ranking. The arms of the walk are measured without re-ranking, which would make up for them in
part; "default" and "default, not re-ranked" stand beside them. Every arm sees the same claims.
What is decided by a build is measured on an index of its own, ``--built``, with and without
re-ranking ("no triples": the same recipe with ``extractor = "none"``); where titles are hidden, a
passage is known by its pid.
"""

import argparse
import json
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measurement import run_script

from hippohover.evaluation.evaluate import PassageTitles, gold_pids
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.recipe import EdgeWeights, IndexRecipe, QuerySettings
from hippohover.retrieval.engine import HippoHover

DEPTHS = (21, 100, 300)
_NO_EDGES = dict.fromkeys(EdgeWeights.model_fields, 0.0)
_RERANKED = "default"
_WALK = "default, not re-ranked"


_RERANKED_ARMS: dict[str, dict[str, Any]] = {
    "no second walk": {"second_walk": False},
    "no seeds by cosine, re-ranked": {"dense_mass": 0.0},
    "no passage by cosine, re-ranked": {"dense_mass": 0.0, "max_compared": 0},
    "places to passages, re-ranked": {"one_per_document": False},
    "near-copies grouped, re-ranked": {"near_copies": "grouped"},
    **{
        f"seeds from 10 facts, mass {mass:g}, re-ranked": {"n_facts": 10, "fact_mass": mass}
        for mass in (0.5, 1.0, 3.0)
    },
}
_OF_ALL_FACTS: dict[str, dict[str, Any]] = {
    f"seeds from 10 facts of all, mass {mass:g}, re-ranked": {
        "n_facts": 10,
        "fact_mass": mass,
        "fact_pool": "all",
    }
    for mass in (0.25, 0.5, 1.0)
}


def arms(base: QuerySettings, *, has_fact_vectors: bool) -> dict[str, QuerySettings]:
    """The settings of every arm, by name."""
    walk = base.model_copy(update={"rerank": False})

    def edges(**weights: float) -> QuerySettings:
        return walk.model_copy(update={"weights": base.weights.model_copy(update=weights)})

    def only(**weights: float) -> QuerySettings:
        return walk.model_copy(update={"weights": EdgeWeights(**{**_NO_EDGES, **weights})})

    of_base = _RERANKED_ARMS | (_OF_ALL_FACTS if has_fact_vectors else {})
    found = {_RERANKED: base, _WALK: walk} | {
        name: base.model_copy(update=update) for name, update in of_base.items()
    }
    for kind in ("link", "neighbour", "form", "phrase", "row", "term", "sequence", "join"):
        weights = base.weights.model_copy(update={kind: 0.0})
        found[f"no {kind} edges, re-ranked"] = base.model_copy(update={"weights": weights})
    for kind in _NO_EDGES:
        found[f"no {kind} edges"] = edges(**{kind: 0.0})
    found["title and mention edges alone"] = only(title=1.0, mention=1.0)
    found["fact and source edges alone"] = only(source=1.0, fact=1.0)
    found["no seeds from mentions"] = walk.model_copy(update={"mention_mass": 0.0})
    found["no seeds from passages"] = walk.model_copy(
        update={"passage_mass": 0.0, "dense_mass": 0.0}
    )
    for mass in (0.0, 1.0):
        found[f"mass of passages by cosine {mass:g}"] = walk.model_copy(update={"dense_mass": mass})
    for n in (21, 50, 200):
        found[f"{n} seed passages"] = walk.model_copy(update={"n_seed_passages": n})
    for power in (1.0, 2.0):
        found[f"BM25 scores to the power {power:g}"] = walk.model_copy(
            update={"passage_power": power}
        )
    for mass in (1.0, 2.0, 5.0):
        found[f"mention mass {mass:g}"] = walk.model_copy(update={"mention_mass": mass})
    for mass in (0.5, 1.0):
        found[f"seeds from 5 facts, mass {mass:g}"] = walk.model_copy(update={"fact_mass": mass})
    for damping in (0.5, 0.7, 0.85, 0.9):
        found[f"damping {damping:g}"] = walk.model_copy(update={"damping": damping})
    for eps in (1e-4, 1e-5, 1e-6):
        found[f"eps {eps:g}"] = walk.model_copy(update={"eps": eps})
        found[f"eps {eps:g}, re-ranked"] = base.model_copy(update={"eps": eps})
    for n in (200, 800):
        found[f"{n} candidates, re-ranked"] = base.model_copy(update={"n_candidates": n})
    return found


def run(
    engine: HippoHover, claims: Sequence[GoldClaim], titles_of: PassageTitles
) -> dict[str, Any]:
    """Outcomes of one arm: by depth, by number of gold titles, and the time a search takes."""
    outcomes: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    start = time.perf_counter()
    for claim in claims:
        titles = titles_of(engine.search(claim.claim, max(DEPTHS)))
        for depth in DEPTHS:
            outcomes[depth].append(all_gold_found(titles, claim.gold_titles, depth))
    seconds = time.perf_counter() - start
    return {"outcomes": outcomes, "ms_a_claim": round(1000 * seconds / len(claims), 1)}


def summary(
    claims: Sequence[GoldClaim], arm: dict[str, Any], bases: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Means with intervals by number of gold titles, and paired differences to some arms."""
    sizes = sorted({len(claim.gold_titles) for claim in claims})
    cells: dict[str, Any] = {"ms_a_claim": arm["ms_a_claim"]}
    for depth in DEPTHS:
        cell: dict[str, Any] = {}
        for size in sizes:
            at = [i for i, claim in enumerate(claims) if len(claim.gold_titles) == size]
            cell[str(size)] = share([arm["outcomes"][depth][i] for i in at]).as_dict()
        cells[f"all_gold_found@{depth}"] = cell
    first = DEPTHS[0]
    for name, base in bases.items():
        difference = paired_difference(base["outcomes"][first], arm["outcomes"][first])
        cells[f"difference_to_{name}@21"] = difference.as_dict()
    return cells


def main() -> None:
    """Measure every arm and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="measure every N-th claim (1)")
    parser.add_argument("--arm", action="append", help="measure these arms alone")
    parser.add_argument("--built", action="append", nargs=2, default=[], metavar=("ARM", "INDEX"))
    arguments = parser.parse_args()
    claims = load_claims(arguments.claims)[:: arguments.every]
    with_recipe = HippoHover.open(arguments.index)
    settings = QuerySettings.model_validate(with_recipe.manifest.recipe["query"])
    has_fact_vectors = len(with_recipe.tables.arrays.fact_vectors) > 0
    every = arms(settings, has_fact_vectors=has_fact_vectors)
    engines = [(name, arguments.index, arm) for name, arm in every.items()]
    for name, index in arguments.built:
        walk = settings.model_copy(update={"rerank": False})
        engines += [(name, Path(index), walk), (f"{name}, re-ranked", Path(index), settings)]
    pids = gold_pids(with_recipe.titles(), with_recipe.pids(), claims) if arguments.built else None
    measured: dict[str, dict[str, Any]] = {}
    for name, index, arm in engines:
        if arguments.arm and name not in (*arguments.arm, _RERANKED, _WALK):
            continue
        engine = HippoHover.open(index, settings=arm)
        recipe = IndexRecipe.model_validate(engine.manifest.recipe)
        hidden = recipe.corpus.titles == "hidden"
        measured[name] = run(engine, claims, PassageTitles(pids if hidden else None))
        engine.close()
        print(name, measured[name]["ms_a_claim"], "ms a claim", flush=True)
    bases = {"default": measured[_RERANKED], "walk": measured[_WALK]}
    result = {
        "question": "What does each part of ppr give?",
        "index": arguments.index.name,
        "claims": arguments.claims.stem,
        "n": len(claims),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "arms": {name: summary(claims, arm, bases) for name, arm in measured.items()},
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
