"""Paired tests of one arm against another, with Holm's correction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from hippohover.errors import UsageError
from hippohover.evaluation.intervals import interval, mcnemar, resampled_means

_NO_SPREAD: Final = 1e-9
"""Values that differ by less are equal; rounding makes differences of 1e-16."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How much better one arm is than the first on the same claims.

    Attributes
    ----------
    value : float
        Mean of the arm minus the first, in [-1, 1].
    low, high : float
        Its 95 % paired bootstrap interval.
    p : float
        Two-sided: McNemar's exact test where all values are 0 or 1, else Student's paired t-test
        (Smucker, Allan and Carterette 2007), or the sign test where all claims differ by the same
        amount. 1 where no claim differs.
    p_corrected : float
        The same after Holm's correction over all tests of a comparison; never below ``p``.
    """

    value: float
    low: float
    high: float
    p: float
    p_corrected: float

    def as_dict(self) -> dict[str, float]:
        """Return all fields, ready for JSON."""
        return asdict(self)


def against_first(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Compare the second with the first, uncorrected; they must be paired."""
    if len(first) != len(second):
        raise UsageError(f"values are not paired: {len(first)} claims against {len(second)}")
    before, after = np.asarray(first, np.float64), np.asarray(second, np.float64)
    change = after - before
    low, high = interval(resampled_means(change))
    if np.isin((before, after), (0.0, 1.0)).all():
        p = mcnemar(int((change > 0).sum()), int((change < 0).sum()))
    else:
        p = _t_test(change)
    return Difference(value=float(change.mean()), low=low, high=high, p=p, p_corrected=p)


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """Apply Holm's correction (1979): the smallest p times m, the next times m - 1, ..."""
    order = sorted(range(len(differences)), key=lambda at: differences[at].p)
    done = list(differences)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, differences[at].p * (len(order) - rank)))
        done[at] = replace(differences[at], p_corrected=highest)
    return done


def _t_test(change: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    if np.ptp(change) < _NO_SPREAD:  # one claim, or all differ alike: nothing for t to divide by
        n_better = change.size if change[0] > 0 else 0
        return mcnemar(n_better, change.size - n_better) if abs(change[0]) > _NO_SPREAD else 1.0
    from scipy.stats import ttest_1samp  # a second to import

    tested: Any = ttest_1samp(change, 0.0)
    return float(tested.pvalue)
