"""Learn the re-ranking weights, and measure them on claims they did not see.

    python benchmarks/train_reranker.py --out hippohover/retrieval/reranking/weights \\
        --result benchmarks/results/train_reranker.json \\
        INDEX CLAIMS [INDEX CLAIMS ...]

Each pair is an index and a file of claims whose gold titles it holds; ``--domain NAME INDEX
CLAIMS`` gives one of another domain. Claims that share a source question or two gold titles are one
group, over all the files. A domain is a fold of its own, with every group that it has a claim of;
the other groups are dealt to five.

Two sets of trees are learned, for the first and for the second scoring: from all groups (these rank
new claims), and once without each fold (these rank the claims of that fold, here and whenever one
of these claims is asked again). The second trees learn from first scores that are like those they
will meet: what ranks a claim of fold g, for trees that leave out fold f, are first trees that left
out both. Of claims with three labels the supported ones are learned from: what refutes a claim has
gold titles of the thing that was swapped in.

``--keep-first`` learns the second trees alone, from what the first trees that ship find: each claim
is scored by those that left out its group, whose fold stays, and a fold without such trees is one
that no first trees learned from. One corpus indexed by two encoders is two pairs, or two domains of
one name: a claim is one group, and so one fold, in both.
"""

import argparse
import json
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from measurement import run_script
from numpy.typing import NDArray

from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.intervals import share
from hippohover.evaluation.splits import folds, groups
from hippohover.names.normal_forms import normal_title
from hippohover.recipe import MAX_RANKED_PASSAGES
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking import rerank
from hippohover.retrieval.reranking.features import FEATURES, SECOND_FEATURES
from hippohover.retrieval.reranking.rerank import CLAIMS, N_FOLDS, TREES, claim_digest
from hippohover.retrieval.reranking.trees import Trees, save_trees
from hippohover.tuning.learning import PARAMETERS, UNSUPPORTED, Pool, gold_numbers, learned
from hippohover.tuning.lightgbm_text import trees_of

TREES_PARAMETERS = {
    "lambdarank_truncation_level": 40,
    "num_leaves": 15,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.7,
}
STAGES = {"first": (FEATURES, 150), "second": (SECOND_FEATURES, 150)}
"""Features and number of trees of each scoring."""
HARD_NEGATIVES = 80
"""Candidates of the best ranks that are all learned from; of the others, a sample."""
SAMPLED_NEGATIVES = 40
LEAST_DOMAIN_SHARE = 0.1
RISING = frozenset(
    (
        *("claim_share", "title_share", "unshared", "unusual"),
        *("in_sum", "in_max", "in_context", "in_context_prior"),
        *("pair_share", "pair_unshared", "opening_share", "opening_unshared"),
        *("walk", "entity_walk", "passage_walk", "bm25_share", "similarity"),
        *("named_full", "named_bare", "named_opening", "named_head", "named_alias"),
        *("score", "sureness", "second_walk", "second_walk_passages"),
    )
)
FALLING = frozenset(
    (
        *("title_terms_missing", "walk_rank", "entity_walk_rank", "passage_walk_rank"),
        *("bm25_rank", "dense_rank", "simple_rank", "similarity_rank"),
        *("score_rank", "second_walk_rank"),
    )
)
"""Features that a score only rises or falls with: what holds in one corpus then holds in others."""

Folds = frozenset[int]


def sampled(pool: Pool, rank: int, random: np.random.Generator) -> Pool:
    """All gold and hard candidates, a sample of the others; ``rank`` is a rank's column."""
    is_drawn = random.random(len(pool.gold)) < SAMPLED_NEGATIVES / max(len(pool.gold), 1)
    kept = (pool.gold >= 0) | (pool.features[:, rank] < HARD_NEGATIVES) | is_drawn
    return Pool(pool.features[kept], pool.gold[kept])


@dataclass(frozen=True)
class Source:
    """An index and a file of claims."""

    engine: HippoHover
    titles: NDArray[np.str_]
    name: str

    def gold(self, claim: GoldClaim, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of the gold title that each passage bears, or -1."""
        return gold_numbers(self.titles[rows], claim.gold_titles)

    def first(self, claim: GoldClaim) -> Pool:
        """Candidates of the first scoring."""
        retrievers = self.engine.retrievers
        walked = retrievers.ppr.walk(claim.claim)
        candidates = retrievers.ppr.candidates(walked)
        features = retrievers.ppr.features(walked.claim, candidates)
        return Pool(features, self.gold(claim, candidates.rows))

    def second(self, claim: GoldClaim, scores: Iterable[NDArray[np.float64]]) -> list[Pool]:
        """Candidates of the second scoring, after each of some first scores."""
        retrievers = self.engine.retrievers
        walked = retrievers.ppr.walk(claim.claim)
        candidates = retrievers.ppr.candidates(walked)
        pools: list[Pool] = []
        for one in scores:
            second = retrievers.ppr.second_walk(walked, candidates, one)
            again = retrievers.ppr.second_candidates(walked, candidates, one, second)
            features = retrievers.ppr.second_features(walked.claim, again)
            pools.append(Pool(features, self.gold(claim, again.first.rows)))
        return pools


@dataclass
class Lesson:
    """One claim of one source, with the fold of its group."""

    source: Source
    claim: GoldClaim
    domain: str = ""
    fold: int = -1
    weight: float = 1.0


class Trainer:
    """Trees of both scorings for every set of folds that is left out."""

    first: dict[Folds, lightgbm.Booster]
    second: dict[Folds, lightgbm.Booster]
    first_pools: list[Pool]
    first_scores: list[NDArray[np.float64]]
    second_pools: list[Pool]

    def __init__(self, lessons: Sequence[Lesson], pool: ThreadPoolExecutor) -> None:
        self.lessons = lessons
        self.folds = sorted({one.fold for one in lessons})
        self._map = pool.map
        self._started = time.perf_counter()

    def run(self) -> None:
        """Learn both; see the module."""
        self.first_pools = list(self._map(_first_pool, self.lessons))
        self._say("first candidates")
        sets = [frozenset(left) for n in (0, 1, 2) for left in combinations(self.folds, n)]
        rank = FEATURES.index("walk_rank")
        everyone = [dict.fromkeys(sets, one) for one in self.first_pools]
        self.first = self._learn(sets, everyone, "first", rank)
        self.first_scores = self.scores(self.first, self.first_pools)
        self._say("first trees")
        self._learn_second(list(self._map(self._second_pools, range(len(self.lessons)))), sets)

    def run_second(self) -> None:
        """Learn the second trees alone, by the first trees that ship."""
        self.first = {}
        self.first_pools = list(self._map(_first_pool, self.lessons))
        self.first_scores = [
            rerank.score(one.claim.claim, pool.features)
            for one, pool in zip(self.lessons, self.first_pools, strict=True)
        ]
        self._say("first scores")
        sets = [frozenset(left) for n in (0, 1) for left in combinations(self.folds, n)]
        pools = self._map(_second_pool, self.lessons, self.first_scores)
        self._learn_second([dict.fromkeys(sets, one) for one in pools], sets)

    def _learn_second(self, found: Sequence[dict[Folds, Pool]], sets: Sequence[Folds]) -> None:
        self._say("second candidates")
        sets = [left for left in sets if len(left) < 2]
        rank = SECOND_FEATURES.index("score_rank")
        self.second = self._learn(sets, found, "second", rank)
        self.second_pools = [pools[frozenset((self.lessons[at].fold,))]
                             for at, pools in enumerate(found)]  # fmt: skip
        self._say("second trees")

    def scores(
        self, trees: dict[Folds, lightgbm.Booster], pools: Sequence[Pool]
    ) -> list[NDArray[np.float64]]:
        """Scores of every claim by the trees that left out its fold alone."""
        return [
            _predict(trees[frozenset((one.fold,))], pool)
            for one, pool in zip(self.lessons, pools, strict=True)
        ]

    def _second_pools(self, at: int) -> dict[Folds, Pool]:
        """Candidates of the second scoring, by the folds that the second trees leave out.

        Those for the claim's own fold are what is measured, and what the trees of all groups
        learn from; of the others, a sample is kept, for they are learned from alone.
        """
        one = self.lessons[at]
        left_out = [frozenset((fold,)) for fold in self.folds]
        scores = [
            _predict(self.first[left | {one.fold}], self.first_pools[at]) for left in left_out
        ]
        pools = dict(zip(left_out, one.source.second(one.claim, scores), strict=True))
        rank, random = SECOND_FEATURES.index("score_rank"), np.random.default_rng(at)
        own = frozenset((one.fold,))
        kept = {left: p if left == own else sampled(p, rank, random) for left, p in pools.items()}
        return kept | {frozenset(): pools[own]}

    def _learn(
        self,
        sets: Sequence[Folds],
        pools_of: Sequence[dict[Folds, Pool]],
        stage: str,
        rank: int,
    ) -> dict[Folds, lightgbm.Booster]:
        names, n_rounds = STAGES[stage]

        def learn(left: Folds) -> lightgbm.Booster:
            random = np.random.default_rng(sum(1 << fold for fold in left))
            pools = [sampled(pools_of[at][left], rank, random)
                     for at, one in enumerate(self.lessons) if one.fold not in left]  # fmt: skip
            weights = [one.weight for one in self.lessons if one.fold not in left]
            parameters = {**TREES_PARAMETERS, "monotone_constraints": directions(names)}
            return learned(pools, names, parameters, n_rounds=n_rounds, weights=weights)

        return dict(zip(sets, self._map(learn, sets), strict=True))

    def _say(self, what: str) -> None:
        print(f"{what}: {time.perf_counter() - self._started:.0f} s", flush=True)


def directions(names: Sequence[str]) -> list[int]:
    """1 for a feature of ``RISING``, or one that it is a form of, -1 of ``FALLING``, else 0."""
    plain = [name.removesuffix("_by_score").removesuffix("_by_second_walk") for name in names]
    return [(name in RISING) - (name in FALLING) for name in plain]


def _first_pool(one: Lesson) -> Pool:
    return one.source.first(one.claim)


def _second_pool(one: Lesson, scores: NDArray[np.float64]) -> Pool:
    return one.source.second(one.claim, [scores])[0]


def _predict(trees: lightgbm.Booster, pool: Pool) -> NDArray[np.float64]:
    return np.asarray(trees.predict(pool.features, num_threads=1), dtype=np.float64)


def n_found(gold: NDArray[np.int64]) -> int:
    """Distinct gold titles among some candidates: the parts of a title count once."""
    return len(np.unique(gold[gold >= 0]))


def deal(lessons: Sequence[Lesson]) -> list[str]:
    """Give every lesson the fold of its group; names of the folds, by number."""
    group_of = groups([one.claim for one in lessons])
    names = sorted({one.domain for one in lessons if one.domain})
    domain_of: dict[str, str] = {}
    for one, group in zip(lessons, group_of, strict=True):
        if one.domain and domain_of.setdefault(group, one.domain) != one.domain:
            raise SystemExit(f"{one.claim.uid}: two domains have claims of its group")
    rest = [at for at, group in enumerate(group_of) if group not in domain_of]
    dealt = folds([group_of[at] for at in rest], n_folds=N_FOLDS, seed=0)
    for at, fold in zip(rest, dealt, strict=True):
        lessons[at].fold = int(fold)
    for one, group in zip(lessons, group_of, strict=True):
        if group in domain_of:
            one.fold = N_FOLDS + names.index(domain_of[group])
    return [*map(str, range(N_FOLDS)), *names]


def deal_as_shipped(lessons: Sequence[Lesson]) -> list[str]:
    """Give every lesson the fold that the first trees that ship know its group by.

    A group that they do not know takes one of the first five, or that of its domain.
    """
    names = deal(lessons)
    known = _shipped_folds()
    n_known = max(known.values()) + 1
    group_of = groups([one.claim for one in lessons])
    fold_of: dict[str, int] = {}
    new = [name for name in names[N_FOLDS:] if not _knows(lessons, name, known)]
    for one, group in zip(lessons, group_of, strict=True):
        if (fold := known.get(claim_digest(one.claim.claim))) is not None:
            fold_of.setdefault(group, fold)
    for one, group in zip(lessons, group_of, strict=True):
        own = n_known + new.index(names[one.fold]) if names[one.fold] in new else one.fold
        one.fold = fold_of.setdefault(group, own)
    if missing := set(known.values()) - {one.fold for one in lessons}:
        raise SystemExit(
            f"error: no claim of fold {min(missing)}, which the first trees that ship left out: "
            "give claims of every domain that they learned from"
        )
    return [*(name for name in names if name not in new), *new]


def _knows(lessons: Sequence[Lesson], domain: str, known: Mapping[str, int]) -> bool:
    own = (one for one in lessons if one.domain == domain)
    return any(claim_digest(one.claim.claim) in known for one in own)


def balance(lessons: Sequence[Lesson]) -> None:
    """Weigh claims such that each domain has as much weight as a tenth of all others, at least."""
    for domain in {one.domain for one in lessons if one.domain}:
        n = sum(one.domain == domain for one in lessons)
        for one in lessons:
            if one.domain == domain:
                one.weight = max(1.0, LEAST_DOMAIN_SHARE * (len(lessons) - n) / n)


def read(index: Path, claims: Path, domain: str = "") -> list[Lesson]:
    """The claims of a file, with the index that they are asked of."""
    engine = HippoHover.open(index)
    titles = np.array([normal_title(title) for title in engine.titles()])
    source = Source(engine, titles, f"{engine.manifest.recipe['name']} {claims.stem}")
    # A question keeps its HotpotQA id in its uid, a claim in a field of its own.
    return [
        Lesson(source, replace(one, hpqa_id=one.hpqa_id or one.uid.removeprefix("hotpot-")), domain)
        for one in load_claims(claims)
        if one.label not in UNSUPPORTED
    ]


def measure(trainer: Trainer) -> dict[str, dict[str, object]]:
    """all_gold_found@21 by source and number of gold titles, after each stage."""
    column = FEATURES.index("walk")
    first, second = trainer.first_pools, trainer.second_pools
    arms = {
        "walk": (first, [pool.features[:, column].astype(np.float64) for pool in first]),
        "first scoring": (first, trainer.first_scores),
        "second scoring": (second, trainer.scores(trainer.second, second)),
    }
    outcomes: dict[str, dict[str, list[bool]]] = {}
    for at, one in enumerate(trainer.lessons):
        n_gold = len(one.claim.gold_titles)
        for n in ("all", str(n_gold)):
            cell = outcomes.setdefault(f"{one.source.name} / {n}", {})
            for arm, (pools, scores) in arms.items():
                best = np.argsort(-scores[at], kind="stable")[:MAX_RANKED_PASSAGES]
                cell.setdefault(arm, []).append(n_found(pools[at].gold[best]) == n_gold)
            for arm, pools in (("first candidates", first), ("second candidates", second)):
                cell.setdefault(arm, []).append(n_found(pools[at].gold) == n_gold)
    return {
        name: {arm: share(hits).as_dict() for arm, hits in cell.items()}
        for name, cell in sorted(outcomes.items())
    }


def save(trainer: Trainer, folder: Path) -> None:
    """Trees and the folds of the claims, as ``rerank`` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {frozenset[int](): "all"} | {frozenset((n,)): f"without-{n}" for n in trainer.folds}
    ensembles = {
        f"{stage}-{name}": _trees_of(trees.get(left_out), f"{stage}-{name}")
        for stage, trees in (("first", trainer.first), ("second", trainer.second))
        for left_out, name in names.items()
    }
    save_trees(folder / TREES, ensembles)
    digests = {} if trainer.first else dict(_shipped_folds())
    digests |= {claim_digest(one.claim.claim): one.fold for one in trainer.lessons}
    text = json.dumps(digests, sort_keys=True, separators=(",", ":"))
    (folder / CLAIMS).write_text(text + "\n", encoding="utf-8")


def _trees_of(learned_now: lightgbm.Booster | None, name: str) -> Trees:
    """Trees as plain arrays; those that ship where none were learned, or that saw all it did."""
    if learned_now is not None:
        return trees_of(learned_now.model_to_string())
    with files("hippohover.retrieval.reranking").joinpath("weights", TREES).open("rb") as file:
        known = f"{name}/roots" in np.load(file, allow_pickle=False).files
        return Trees.load(file, name if known else "first-all")


def _shipped_folds() -> dict[str, int]:
    found: dict[str, int] = vars(rerank)["_folds_seen"]()
    return found


def gains(trees: lightgbm.Booster) -> dict[str, int]:
    """Gain of every feature, largest first."""
    found = zip(trees.feature_name(), trees.feature_importance("gain").tolist(), strict=True)
    return {name: round(value) for name, value in sorted(found, key=lambda one: -one[1])}


def main() -> None:
    """Read, learn, measure, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pairs", nargs="+", metavar="INDEX CLAIMS")
    parser.add_argument(
        "--domain", nargs=3, action="append", default=[], metavar=("NAME", "INDEX", "CLAIMS")
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--keep-first", action="store_true", help="learn the second trees alone")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    if len(arguments.pairs) % 2:
        parser.error("give indexes and claims in pairs")
    start = time.perf_counter()
    lessons: list[Lesson] = []
    for index, claims in zip(arguments.pairs[::2], arguments.pairs[1::2], strict=True):
        lessons += read(Path(index), Path(claims))
    for name, index, claims in arguments.domain:
        lessons += read(Path(index), Path(claims), name)
    names = deal_as_shipped(lessons) if arguments.keep_first else deal(lessons)
    balance(lessons)
    with ThreadPoolExecutor(arguments.threads) as pool:
        trainer = Trainer(lessons, pool)
        if arguments.keep_first:
            trainer.run_second()
        else:
            trainer.run()
    save(trainer, arguments.out)
    result: dict[str, Any] = {
        "question": "What do learned weights add to the walk, on claims they did not see?",
        "metric": "all_gold_found@21",
        "folds": names,
        "n_groups": len(set(groups([one.claim for one in lessons]))),
        "parameters": {
            **PARAMETERS,
            **TREES_PARAMETERS,
            "rounds": {stage: n for stage, (_, n) in STAGES.items()},
        },
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "seconds": round(time.perf_counter() - start),
        "measured": measure(trainer),
        "kept": ["first"] if arguments.keep_first else [],
        "gain": {
            stage: gains(trees[frozenset()])
            for stage, trees in (("first", trainer.first), ("second", trainer.second))
            if trees
        },
    }
    arguments.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result["measured"], indent=1))


if __name__ == "__main__":
    run_script(main)
