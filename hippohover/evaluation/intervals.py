"""Means of outcomes with their 95 % intervals, and paired tests."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hippohover.errors import UsageError

N_RESAMPLES: Final = 2_000
"""Bootstrap resamples: the ends of a 95 % interval then rest on 50 resamples each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over ``n`` claims with its 95 % interval: ``low <= value <= high``."""

    value: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict[str, float | int]:
        """Return the four fields, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """The gain of a second retriever on the same ``n`` claims.

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
        """Return all fields, ready for JSON."""
        return asdict(self)


def share(outcomes: ArrayLike) -> Estimate:
    """Compute the share of ones among ``n`` outcomes, with Wilson's 95 % score interval.

    It stays in [0, 1] and is not empty at 0 of ``n`` (Wilson 1927). Claims made from one question
    are not independent, so the true interval is a little wider; this holds for ``mean`` too, and
    for ``paired_difference`` without groups.
    """
    values = _binary(outcomes)
    n, ones = values.size, float(values.sum())
    z = NormalDist().inv_cdf(0.975)
    middle = (ones + z**2 / 2) / (n + z**2)
    half = z * sqrt(ones * (n - ones) / n + z**2 / 4) / (n + z**2)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(value=ones / n, low=low if ones else 0.0, high=high if ones < n else 1.0, n=n)


def mean(values: ArrayLike) -> Estimate:
    """Compute a mean with its 95 % percentile bootstrap interval (Efron 1979)."""
    numbers = _numbers(values)
    low, high = interval(resampled_means(numbers))
    value = float(numbers.mean())
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=numbers.size)


def estimate_of(metric: str, values: ArrayLike) -> Estimate:
    """Estimate a metric's mean: by ``share`` where its values are 0 or 1."""
    return share(values) if metric.startswith(_YES_OR_NO) else mean(values)


_YES_OR_NO: Final = ("all_gold_found@", "all_passages_found@")


def mcnemar(n_gained: int, n_lost: int) -> float:
    """Compute the two-sided p-value of McNemar's exact test, in (0, 1].

    Under the null hypothesis each of the ``n_gained + n_lost`` claims on which two retrievers
    differ goes either way with probability 1/2: ``min(1, 2 P[B <= min(n_gained, n_lost)])`` with
    ``B`` binomial. Two retrievers that never differ give 1.
    """
    if min(n_gained, n_lost) < 0:
        raise UsageError(f"counts must be 0 or more: got {n_gained} gained and {n_lost} lost")
    n = n_gained + n_lost
    ways = chosen = 1
    for at in range(min(n_gained, n_lost)):
        chosen = chosen * (n - at) // (at + 1)
        ways += chosen
    return min(1.0, 2 * ways / 2**n)


def paired_difference(
    first: ArrayLike, second: ArrayLike, groups: Sequence[str] | None = None
) -> PairedDifference:
    """Compare two retrievers by binary outcomes on the same claims, in order.

    The interval is a percentile bootstrap of the per-claim differences, the p-value McNemar's.

    Parameters
    ----------
    first, second : array-like of 0 and 1
    groups : sequence of str, optional
        Group of each claim, as ``splits.groups`` names them: the bootstrap then draws whole
        groups. McNemar's test takes claims as independent all the same.

    Raises
    ------
    UsageError
        The two have different lengths, hold no claim, or values other than 0 and 1.
    """
    before, after = _binary(first), _binary(second)
    if before.size != after.size:
        raise UsageError(f"outcomes are not paired: {before.size} claims against {after.size}")
    change = after - before
    low, high = interval(resampled_means(change, groups))
    gained, lost = int((change > 0).sum()), int((change < 0).sum())
    difference = float(change.mean())
    p = mcnemar(gained, lost)
    return PairedDifference(
        difference=difference, low=low, high=high, p=p, n=change.size, n_gained=gained, n_lost=lost
    )


def resampled_means(
    values: ArrayLike, groups: Sequence[str] | None = None, *, seed: int = 0
) -> NDArray[np.float64]:
    """Return means of ``N_RESAMPLES`` resamples, of values or whole groups.

    How often each distinct value is drawn is multinomial, so resamples are drawn as counts:
    (N_RESAMPLES, n distinct values) instead of (N_RESAMPLES, n), and no order matters. A group
    counts by its sum and its size.

    Raises
    ------
    UsageError
        There is no value, one is not finite, or there are more or fewer groups than values.
    """
    numbers = _numbers(values)
    if groups is None:
        sums, sizes = numbers, np.ones(numbers.size)
    else:
        if len(groups) != numbers.size:
            raise UsageError(f"{len(groups)} groups for {numbers.size} values: give one a value")
        _, number = np.unique(np.asarray(groups), return_inverse=True)
        sums, sizes = np.bincount(number, numbers), np.bincount(number).astype(np.float64)
    distinct, counts = np.unique(np.column_stack((sums, sizes)), axis=0, return_counts=True)
    draws = np.random.default_rng(seed).multinomial(sums.size, counts / sums.size, size=N_RESAMPLES)
    return (draws @ distinct[:, 0]) / (draws @ distinct[:, 1])


def interval(resampled: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % percentiles of resamples."""
    low, high = np.percentile(resampled, (2.5, 97.5))
    return float(low), float(high)


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
