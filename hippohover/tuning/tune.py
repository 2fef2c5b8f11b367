"""Learns a ranking for a corpus from labelled claims, and measures its gain.

The ranking that ships never saw these claims, or scores them by trees that did not, so one level of
folds is enough. The trees that left out a claim's fold judge it, through the same engine that will
answer. The ranking of all claims is worth keeping if that is certainly a gain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, GoldClaim, missing_gold
from hippohover.evaluation.intervals import Estimate, PairedDifference, paired_difference, share
from hippohover.evaluation.metrics import all_gold_found
from hippohover.evaluation.splits import folds, groups
from hippohover.names.normal_forms import normal_title
from hippohover.progress import Progress, silent
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.rerank import N_FOLDS, claim_digest
from hippohover.retrieval.reranking.trees import Trees, no_trees
from hippohover.retrieval.reranking.tuned import (
    N_TUNED,
    SHIPPED,
    TUNED_FEATURES,
    TunedRanking,
    encoder_of,
    shipped_scores,
)
from hippohover.tuning.learning import UNSUPPORTED, Pool, gold_numbers, learned, library
from hippohover.tuning.lightgbm_text import trees_of

LEAST_CLAIMS: Final = 50

PARAMETERS: Final = {
    "lambdarank_truncation_level": 30,
    "num_leaves": 7,
    "min_data_in_leaf": 20,
    "lambda_l2": 5.0,
    "feature_fraction": 0.5,
    "learning_rate": 0.05,
}
ROUNDS: Final = 100
"""Chosen on claims of four domains, each tuned by one half and measured on the other."""


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """A learned ranking, and all_gold_found@21 without and with it.

    Attributes
    ----------
    ranking : TunedRanking
        Learned from all claims: ``ranking.save(file)`` writes it, and
        ``HippoHover.open(ranking=...)`` uses it.
    before, after : Estimate
        Shares in [0, 1], with 95 % intervals: by the ranking that ships, and by the trees that
        did not see a claim's group.
    gain : PairedDifference
        The gain of the second: its ``difference`` with ``low`` and ``high``, drawn over whole
        groups.
    n_groups : int
    """

    ranking: TunedRanking
    before: Estimate
    after: Estimate
    gain: PairedDifference
    n_groups: int

    @property
    def helps(self) -> bool:
        """Whether the gain's interval is above 0."""
        return self.gain.low > 0

    def as_dict(self) -> dict[str, Any]:
        """Return what was measured, ready for JSON."""
        return {
            "metric": f"all_gold_found@{MAX_RETRIEVED_DOCS}",
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "gain": self.gain.as_dict(),
            "n_groups": self.n_groups,
            "helps": self.helps,
        }


def tune(engine: HippoHover, claims: Sequence[GoldClaim], *, progress: Progress = silent) -> Tuning:
    """Learn a ranking from claims whose gold titles the index holds.

    Claims that share a source question, two gold titles or all of their words are one group; each
    of five folds leaves out a fifth of the groups. If the claims have three labels, only supported
    ones count.

    Parameters
    ----------
    engine : HippoHover
        The new ranking always builds on the one that ships, even if the engine has another.
    claims : sequence of GoldClaim
        50 or more.
    progress : callable
        Called with the number of claims asked.

    Raises
    ------
    UsageError
        There are fewer than 50 claims or 5 groups; the index holds none of their gold titles; the
        settings turn re-ranking off; or LightGBM is not installed.
    """
    library()
    plain = engine.ranking_by(SHIPPED)
    claims = _to_learn_from(claims, plain)
    digests = [claim_digest(claim.claim) for claim in claims]
    group_of = groups_with_words(claims)
    fold_of = folds(group_of, N_FOLDS)
    asked = _Asked(claims, progress)
    ranking = TunedRanking(
        trees=_cross_fitted(asked.pools(plain), fold_of),
        folds=dict(zip(digests, fold_of.tolist(), strict=True)),
        encoder=encoder_of(engine.manifest.models.get("encoder", {})),
    )
    before, after = asked.found(plain), asked.found(engine.ranking_by(ranking))
    return Tuning(
        ranking=ranking,
        before=share(before),
        after=share(after),
        gain=paired_difference(before, after, group_of),
        n_groups=len(set(group_of)),
    )


def _to_learn_from(claims: Sequence[GoldClaim], plain: HippoHover) -> list[GoldClaim]:
    """Return the supported claims; ``UsageError`` where they teach nothing here."""
    supported = [claim for claim in claims if claim.label not in UNSUPPORTED]
    if len(supported) < LEAST_CLAIMS:
        raise UsageError(
            f"{len(supported)} labelled claims: give {LEAST_CLAIMS} or more: fewer give no "
            "reliable result"
        )
    if not plain.retrievers.settings.rerank:
        raise UsageError("query.rerank is false: there is no ranking to tune; set it to true")
    gold = {normal_title(title) for claim in supported for title in claim.gold_titles}
    if len(missing_gold(supported, plain.titles())) == len(gold):
        raise UsageError(
            "the index holds no gold title of these claims: give claims whose supporting_facts "
            "name titles of this index"
        )
    return supported


def groups_with_words(claims: Sequence[GoldClaim], *, by_one_title: bool = False) -> list[str]:
    """Group claims as ``splits.groups``; claims of the same words share a group.

    A ranking knows a claim by its words: those of one digest must have one fold.
    """
    by_words = [replace(claim, uid=claim_digest(claim.claim)) for claim in claims]
    return groups(by_words, by_one_title=by_one_title)


class _Asked:
    """Claims that are asked three times: to learn from, before, and after."""

    def __init__(self, claims: Sequence[GoldClaim], progress: Progress) -> None:
        self._claims = claims
        self._tell = partial(progress, "claims")
        self._n_done = 0

    def pools(self, engine: HippoHover) -> list[Pool]:
        """Return the best passages of each claim by the shipped ranking."""
        titles = np.array([normal_title(title) for title in engine.titles()])
        return [_pool(engine, titles, claim) for claim in self._each()]

    def found(self, engine: HippoHover) -> list[bool]:
        """Return whether all gold titles of each claim are in its answer."""
        outcomes: list[bool] = []
        for claim in self._each():
            passages = engine.retrieve(claim.claim, MAX_RETRIEVED_DOCS).passages
            titles = [passage.title for passage in passages]
            whole = all_gold_found(titles, claim.gold_titles, MAX_RETRIEVED_DOCS)
            outcomes.append(bool(whole))
        return outcomes

    def _each(self) -> Iterator[GoldClaim]:
        for claim in self._claims:
            yield claim
            self._n_done += 1
            self._tell(self._n_done, 3 * len(self._claims))


def _pool(engine: HippoHover, titles: NDArray[np.str_], claim: GoldClaim) -> Pool:
    ppr = engine.retrievers.ppr
    run = ppr.run(claim.claim)
    rows = ppr.shipped(run)[0][:N_TUNED]
    features = ppr.tuned_features(run, rows)
    return Pool(features, gold_numbers(titles[rows], claim.gold_titles), shipped_scores(len(rows)))


def _cross_fitted(pools: Sequence[Pool], fold_of: NDArray[np.int64]) -> dict[str, Trees]:
    """Learn trees of all pools, and without each fold; pools without gold teach nothing.

    If no pool with gold is left, there are no trees, and the shipped order stays.
    """
    teaches = np.array([bool((pool.gold >= 0).any()) for pool in pools])
    trees: dict[str, Trees] = {}
    for fold in (None, *range(N_FOLDS)):
        stays = teaches if fold is None else teaches & (fold_of != fold)
        left = [pools[at] for at in np.flatnonzero(stays).tolist()]
        stem = "all" if fold is None else f"without-{fold}"
        trees[stem] = _learned_from(left) if left else no_trees(TUNED_FEATURES)
    return trees


def _learned_from(pools: Sequence[Pool]) -> Trees:
    booster = learned(pools, TUNED_FEATURES, PARAMETERS, n_rounds=ROUNDS)
    return trees_of(booster.model_to_string())
