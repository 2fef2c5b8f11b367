"""Metrics of one ranking, their intervals and paired tests, and groups of claims to split by.

A metric is named by one id, in calls and in results alike: ``"all_gold_found@21"`` is
``all_gold_found`` with ``k`` 21. ``score`` computes a metric from its id.

Titles are compared by ``names.normal_title``. ``k`` counts rows of the ranking, as the benchmark
does: a title that is split into parts may fill several rows, and is found once.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import sqrt
from operator import itemgetter
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hippohover.errors import UsageError
from hippohover.names import normal_title

Z_95: Final = 1.959963984540054
"""Quantile of the standard normal distribution that leaves 2.5 % above it."""

N_RESAMPLES: Final = 2_000
"""Bootstrap resamples: the ends of a 95 % interval then rest on 50 resamples each."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` claims with its 95 % interval: ``low <= value <= high``."""

    value: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict[str, float | int]:
        """The four fields, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """What a second retriever gains on the same ``n`` claims.

    Attributes
    ----------
    difference : float
        Mean of second minus first, in [-1, 1].
    low, high : float
        Its 95 % paired bootstrap interval.
    p : float
        Two-sided p-value of the exact McNemar test; in (0, 1].
    n, n_gained, n_lost : int
        Claims; claims that only the second answers; claims that only the first answers.
    """

    difference: float
    low: float
    high: float
    p: float
    n: int
    n_gained: int
    n_lost: int

    def as_dict(self) -> dict[str, float | int]:
        """All fields, ready for JSON."""
        return asdict(self)


def gold_ranks(ranked_titles: Sequence[str], gold_titles: Collection[str]) -> list[int | None]:
    """First row of each gold title in a ranking, counted from 1; None where it is not there.

    Gold titles that are one after normalisation count once, in the order of their first.

    Raises
    ------
    UsageError
        There is no gold title: every metric is undefined then.
    """
    gold = dict.fromkeys(normal_title(title) for title in gold_titles)
    if not gold:
        raise UsageError("gold_titles is empty: a metric needs at least one gold title")
    first_row: dict[str, int] = {}
    for row, title in enumerate(ranked_titles, start=1):
        first_row.setdefault(normal_title(title), row)
    return [first_row.get(title) for title in gold]


def all_gold_found(ranked_titles: Sequence[str], gold_titles: Collection[str], k: int) -> float:
    """1 when every gold title is among the first ``k`` rows, else 0: ``[G <= T_k]``.

    ``G`` is the set of gold titles and ``T_k`` the set of titles of rows 1 to ``k``. It is
    HoVer programs' ``discrete_retrieval_eval``; neither recall@k nor success@k.
    """
    return float(all(_within(gold_ranks(ranked_titles, gold_titles), k)))


def recall(ranked_titles: Sequence[str], gold_titles: Collection[str], k: int) -> float:
    """Share of the gold titles among the first ``k`` rows: ``|G & T_k| / |G|``, in [0, 1]."""
    found = _within(gold_ranks(ranked_titles, gold_titles), k)
    return sum(found) / len(found)


METRICS: Final[Mapping[str, Callable[[Sequence[str], Collection[str], int], float]]] = {
    "all_gold_found": all_gold_found,
    "recall": recall,
}


def score(metric_id: str, ranked_titles: Sequence[str], gold_titles: Collection[str]) -> float:
    """Value of the metric named ``NAME@K``, for instance ``"recall@21"``.

    Raises
    ------
    UsageError
        The id names no metric, or its cut-off is not a whole number from 1.
    """
    name, _, cutoff = metric_id.partition("@")
    if name not in METRICS or not (cutoff.isascii() and cutoff.isdigit()):
        known = ", ".join(f"{metric}@K" for metric in METRICS)
        raise UsageError(f"unknown metric {metric_id!r}: use one of {known}, with K from 1")
    return METRICS[name](ranked_titles, gold_titles, int(cutoff))


def share(outcomes: ArrayLike) -> Estimate:
    """Share of ones among ``n`` binary outcomes with Wilson's 95 % score interval.

    With ``p`` the share and ``z`` 1.96: centre ``(p + z^2/2n) / (1 + z^2/n)``, half width
    ``z / (1 + z^2/n) * sqrt(p (1 - p) / n + z^2 / 4n^2)`` (Wilson 1927). It stays in [0, 1] and
    is not empty at 0 of ``n``. Claims made from one question are not independent, so the true
    interval is a little wider; this holds for ``mean`` and ``paired_difference`` too.
    """
    values = _binary(outcomes)
    n, p = values.size, float(values.mean())
    shrink = 1 + Z_95**2 / n
    centre = (p + Z_95**2 / (2 * n)) / shrink
    half = Z_95 / shrink * sqrt(p * (1 - p) / n + Z_95**2 / (4 * n * n))
    # At p = 0 and p = 1 rounding could push an end past the share itself.
    return Estimate(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)), n)


def mean(values: ArrayLike, *, n_resamples: int = N_RESAMPLES, seed: int = 0) -> Estimate:
    """Mean of ``n`` values with its 95 % percentile bootstrap interval (Efron 1979)."""
    numbers = _numbers(values)
    low, high = _bootstrap_interval(numbers, n_resamples=n_resamples, seed=seed)
    value = float(numbers.mean())
    return Estimate(value, min(low, value), max(high, value), numbers.size)


def mcnemar(n_gained: int, n_lost: int) -> float:
    """Two-sided p-value of McNemar's exact test, in (0, 1].

    Under the null hypothesis each of the ``n_gained + n_lost`` claims on which two retrievers
    differ goes either way with probability 1/2: ``min(1, 2 P[B <= min(n_gained, n_lost)])`` with
    ``B`` binomial. Two retrievers that never differ give 1.
    """
    if min(n_gained, n_lost) < 0:
        raise UsageError(f"counts must be 0 or more: got {n_gained} gained and {n_lost} lost")
    if n_gained == n_lost == 0:
        return 1.0
    from scipy.stats import binomtest  # a second to import

    return float(binomtest(n_gained, n_gained + n_lost, 0.5).pvalue)


def paired_difference(
    first: ArrayLike, second: ArrayLike, *, n_resamples: int = N_RESAMPLES, seed: int = 0
) -> PairedDifference:
    """Compare two retrievers by binary outcomes on the same claims, in the same order.

    The interval is a percentile bootstrap of the per-claim differences, the p-value McNemar's.

    Raises
    ------
    UsageError
        The two have different lengths, hold no claim, or values other than 0 and 1.
    """
    before, after = _binary(first), _binary(second)
    if before.size != after.size:
        raise UsageError(f"outcomes are not paired: {before.size} claims against {after.size}")
    change = after - before
    low, high = _bootstrap_interval(change, n_resamples=n_resamples, seed=seed)
    gained, lost = int((change > 0).sum()), int((change < 0).sum())
    difference = float(change.mean())
    p = mcnemar(gained, lost)
    return PairedDifference(difference, low, high, p, change.size, gained, lost)


class Groupable(Protocol):
    """What grouping reads of a claim; ``hover.Claim`` has it."""

    @property
    def uid(self) -> str: ...
    @property
    def hpqa_id(self) -> str: ...
    @property
    def gold_titles(self) -> tuple[str, ...]: ...


def groups(claims: Sequence[Groupable]) -> list[str]:
    """Group id of each claim: the smallest ``uid`` in its group.

    HoVer makes several claims of one HotpotQA question: what is learned from one of them knows
    half of the next, so a group must stand on one side of every split. Claims are joined,
    directly or through others, when they have the same ``uid``, the same ``hpqa_id`` (an empty
    one joins nothing) or two gold titles in common. The ids depend on the set of claims alone,
    not on their order.
    """
    parent = list(range(len(claims)))
    first_with: dict[tuple[str, ...], int] = {}
    for number, claim in enumerate(claims):
        for key in _keys(claim):
            other = first_with.setdefault(key, number)
            parent[_root(parent, number)] = _root(parent, other)
    roots = [_root(parent, number) for number in range(len(claims))]
    smallest: dict[int, str] = {}
    for root, claim in zip(roots, claims, strict=True):
        smallest[root] = min(smallest.get(root, claim.uid), claim.uid)
    return [smallest[root] for root in roots]


def folds(group_ids: Sequence[str], n_folds: int = 5, seed: int = 0) -> NDArray[np.int64]:
    """Fold number of each claim, 0 to ``n_folds - 1``; no group is in two folds.

    Groups go, largest first and in an order drawn by ``seed`` among equals, to the fold with the
    fewest claims, so two folds differ by at most the size of the largest group.

    Raises
    ------
    UsageError
        ``n_folds`` is below 2, or there are fewer groups than folds.
    """
    members: defaultdict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(group_ids):
        members[group].append(number)
    if not 2 <= n_folds <= len(members):
        raise UsageError(
            f"n_folds is {n_folds} for {len(members)} groups: give 2 or more, at most one a group"
        )
    names = sorted(members)
    shuffled = [names[i] for i in np.random.default_rng(seed).permutation(len(names))]
    sizes = [0] * n_folds
    fold_of = np.zeros(len(group_ids), dtype=np.int64)
    # Stable sorting keeps the drawn order among groups of one size.
    for _, group in sorted(((-len(members[name]), name) for name in shuffled), key=itemgetter(0)):
        smallest = sizes.index(min(sizes))
        fold_of[members[group]] = smallest
        sizes[smallest] += len(members[group])
    return fold_of


def _within(ranks: Sequence[int | None], k: int) -> list[bool]:
    if k < 1:
        raise UsageError(f"k is {k}: a cut-off counts rows from 1")
    return [rank is not None and rank <= k for rank in ranks]


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or numbers.size == 0:
        raise UsageError(f"values of shape {numbers.shape}: give one number a claim, at least one")
    if not np.isfinite(numbers).all():
        raise UsageError("values hold nan or infinity: every claim needs a finite number")
    return numbers


def _binary(outcomes: ArrayLike) -> NDArray[np.float64]:
    values = _numbers(outcomes)
    if not np.isin(values, (0.0, 1.0)).all():
        raise UsageError("outcomes must all be 0 or 1: use mean for other values")
    return values


def _bootstrap_interval(
    numbers: NDArray[np.float64], *, n_resamples: int, seed: int
) -> tuple[float, float]:
    """2.5 % and 97.5 % percentiles of the means of resamples with replacement.

    How often each distinct value is drawn is multinomial, so resamples are drawn as counts:
    (n_resamples, n distinct values) instead of (n_resamples, n), and no order matters.
    """
    distinct, counts = np.unique(numbers, return_counts=True)
    draws = np.random.default_rng(seed).multinomial(
        numbers.size, counts / numbers.size, size=n_resamples
    )
    low, high = np.percentile(draws @ distinct / numbers.size, (2.5, 97.5))
    return float(low), float(high)


def _keys(claim: Groupable) -> Iterator[tuple[str, ...]]:
    """What a claim shares with the other claims of its group."""
    yield ("uid", claim.uid)
    if claim.hpqa_id:
        yield ("hpqa_id", claim.hpqa_id)
    titles = sorted({normal_title(title) for title in claim.gold_titles})
    for first, second in combinations(titles, 2):
        yield ("titles", first, second)


def _root(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]  # path halving keeps the trees flat
        number = parent[number]
    return number
