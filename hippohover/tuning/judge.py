"""Learns the verifier's judge from labelled claims, and measures it on others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.evaluation.hover import GoldClaim
from hippohover.evaluation.splits import folds
from hippohover.progress import Progress, silent
from hippohover.records import RankedPassage
from hippohover.retrieval.engine import HippoHover
from hippohover.retrieval.reranking.rerank import N_FOLDS, claim_digest
from hippohover.retrieval.reranking.trees import Trees
from hippohover.tuning.learning import library
from hippohover.tuning.lightgbm_text import trees_of
from hippohover.tuning.tune import groups_with_words
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.against.sentences import Sentences
from hippohover.verification.judge.features import CLAIM_ALONE, HELD, Values, features_of
from hippohover.verification.judge.learned import GROUPS, Weights, input_of
from hippohover.verification.statements.statements import statements_of
from hippohover.verification.terms import TermReader
from hippohover.verification.verifier import N_PASSAGES

SUPPORTED: Final = frozenset(["SUPPORTED", "SUPPORT", "SUPPORTS"])
PARAMETERS: Final[Mapping[str, Any]] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 12,
    "min_data_in_leaf": 20,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "feature_fraction": 0.5,
    "monotone_constraints_method": "advanced",
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}
ROUNDS: Final = 100


LEAST_CLAIMS: Final = 100
_N_RESAMPLES: Final = 1000


@dataclass(frozen=True)
class TunedJudge:
    """A judge learned from your claims, and its quality on claims it did not see.

    Attributes
    ----------
    before, after : float
        Area under the ROC curve by the judge that ships, and by the learned one.
    gain : tuple of (float, float, float)
        Of the two, with its 95 % interval over resampled groups.
    """

    weights: Weights
    n: int
    n_groups: int
    n_without_label: int
    before: float
    after: float
    gain: tuple[float, float, float]

    @property
    def helps(self) -> bool:
        """Whether the gain's interval is above 0."""
        return self.gain[1] > 0

    def as_dict(self) -> dict[str, Any]:
        """Return what was measured, ready for JSON."""
        gain, low, high = self.gain
        return {
            "metric": "auroc", "n": self.n, "n_groups": self.n_groups,
            "n_without_label": self.n_without_label, "before": self.before, "after": self.after,
            "gain": {"value": gain, "low": low, "high": high}, "helps": self.helps,
        }  # fmt: skip


@dataclass(frozen=True)
class JudgeRow:
    """A claim with one kind of evidence.

    Attributes
    ----------
    values : Values
        Its features.
    supported : bool
    digest : str
        Of its words.
    group : str
    """

    values: Values
    supported: bool
    digest: str
    group: str


def values_of(
    engine: HippoHover,
    claims: Sequence[GoldClaim],
    passages: Mapping[str, Sequence[RankedPassage]] | None = None,
    *,
    progress: Progress = silent,
) -> Iterator[tuple[GoldClaim, Values]]:
    """Yield features of each claim, with what is found, or ``passages`` by uid."""
    read = TermReader(engine.tables.arrays.lexical)
    for number, claim in enumerate(claims):
        progress("claims", number, len(claims))
        found = (
            engine.retrieve(claim.claim, N_PASSAGES).passages
            if passages is None
            else passages[claim.uid]
        )
        chunks = statements_of(found, retriever="ppr", source="")
        titles: dict[str, str] = {one.pid: one.title for one in found}
        words = " ".join(claim.claim.split())
        sentences = Sentences(chunks, titles, read, encode=engine.encode_words)
        yield claim, features_of(input_of(ComparedClaim(words, sentences)))


def learned(rows: Sequence[JudgeRow], fold_of: NDArray[np.int64]) -> Weights:
    """Learn trees: of all rows, and without each fold."""
    trees: dict[str, Trees] = {}
    truth = np.array([row.supported for row in rows], dtype=np.float64)
    names = [name for name in rows[0].values if name not in CLAIM_ALONE]
    matrix = np.array([[row.values[name] for name in names] for row in rows], dtype=np.float64)
    for number, group in enumerate(GROUPS):
        kept = np.ones(len(rows), bool) if group == "all" else fold_of != number - 1
        trees[group] = _fitted(matrix[kept], truth[kept], names)
    return Weights(trees, {row.digest: int(fold) for row, fold in zip(rows, fold_of, strict=True)})


def probabilities(rows: Sequence[JudgeRow], weights: Weights) -> NDArray[np.float64]:
    """Predict each row by trees that did not see its group, shape (n,)."""
    found = np.zeros(len(rows))
    for at, row in enumerate(rows):
        fold = weights.folds.get(row.digest)
        trees = weights.trees["all" if fold is None else f"without-{fold}"]
        matrix = np.array([[row.values[name] for name in trees.feature_names]], np.float32)
        found[at] = 1 / (1 + np.exp(-trees.scores(matrix)[0]))
    return found


def _fitted(matrix: NDArray[np.float64], truth: NDArray[np.float64], names: Sequence[str]) -> Trees:
    lightgbm = library()
    data = lightgbm.Dataset(matrix, truth, feature_name=list(names), free_raw_data=False)
    # How long claims are leaks their label, and counts of what is missing tell how long they are:
    # without these bounds a claim whose every word is held was given 0.42.
    directions = [1 if name in HELD else -1 for name in names]
    parameters = {**PARAMETERS, "monotone_constraints": directions}
    booster = lightgbm.train(parameters, data, num_boost_round=ROUNDS)
    return trees_of(booster.model_to_string())


def digest_of(claim: GoldClaim) -> str:
    """Return the digest of a claim's words, as the judge looks it up."""
    return claim_digest(claim.claim)


def calibration_error(
    truth: NDArray[np.bool_], sure: NDArray[np.float64], n_bins: int = 15
) -> float:
    """Compute mean |share supported - mean probability| over bins of equal mass, by count."""
    order = np.argsort(sure, kind="stable")
    gaps = [
        abs(truth[part].mean() - sure[part].mean()) * len(part)
        for part in np.array_split(order, n_bins)
        if len(part)
    ]
    return float(sum(gaps) / len(truth))


def tune_verifier(
    engine: HippoHover, claims: Sequence[GoldClaim], *, progress: Progress = silent
) -> TunedJudge:
    """Learn a judge from labelled claims, with the evidence that retrieval finds for each.

    SUPPORTED, SUPPORT and SUPPORTS are one class, every other label the other; a claim without a
    label counts nowhere.

    Raises
    ------
    UsageError
        There are fewer than 100 labelled claims, or only one class, or LightGBM is not installed.
    """
    labelled = [claim for claim in claims if claim.label]
    truth = np.array([claim.label in SUPPORTED for claim in labelled], dtype=bool)
    n_fewest = min(int(truth.sum()), len(truth) - int(truth.sum()))
    if len(labelled) < LEAST_CLAIMS or n_fewest < LEAST_CLAIMS // 10:
        raise UsageError(
            f"{len(labelled)} labelled claims, {n_fewest} of the rarer class: give {LEAST_CLAIMS} "
            f"or more, and {LEAST_CLAIMS // 10} or more of each class"
        )
    group_names = groups_with_words(labelled, by_one_title=True)
    n_groups = len(set(group_names))
    if n_groups < N_FOLDS:
        raise UsageError(
            f"the claims are about {n_groups} groups of titles or words: a judge is learned from "
            f"{N_FOLDS} or more, so give claims about other things as well"
        )
    fold_of = folds(group_names, N_FOLDS)
    rows = [
        JudgeRow(values, claim.label in SUPPORTED, digest_of(claim), group)
        for (claim, values), group in zip(
            values_of(engine, labelled, progress=progress), group_names, strict=True
        )
    ]
    weights = learned(rows, fold_of)
    before, after = (probabilities(rows, one) for one in (Weights.read(), weights))
    return TunedJudge(
        weights=weights,
        n=len(rows),
        n_groups=n_groups,
        n_without_label=len(claims) - len(labelled),
        before=auroc(truth, before),
        after=auroc(truth, after),
        gain=_gain(truth, before, after, group_names),
    )


def auroc(truth: NDArray[np.bool_], sure: NDArray[np.float64]) -> float:
    """Return how often a supported claim scores above another; ties count half."""
    n_true = int(truth.sum())
    _, at, counts = np.unique(sure, return_inverse=True, return_counts=True)
    ranks = float((np.cumsum(counts) - (counts - 1) / 2)[at][truth].sum())
    return (ranks - n_true * (n_true + 1) / 2) / (n_true * (len(truth) - n_true))


def _gain(
    truth: NDArray[np.bool_],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    groups: Sequence[str],
) -> tuple[float, float, float]:
    numbers = np.unique(np.array(groups), return_inverse=True)[1]
    members = [np.flatnonzero(numbers == one) for one in range(int(numbers.max()) + 1)]
    random = np.random.default_rng(0)
    draws: list[float] = []
    for _ in range(_N_RESAMPLES):
        at = np.concatenate(
            [members[one] for one in random.integers(0, len(members), len(members))]
        )
        if 0 < truth[at].sum() < len(at):
            draws.append(auroc(truth[at], after[at]) - auroc(truth[at], before[at]))
    low, high = np.percentile(draws, (2.5, 97.5)).tolist()
    return auroc(truth, after) - auroc(truth, before), low, high
