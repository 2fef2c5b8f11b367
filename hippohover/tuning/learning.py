"""Learns trees that rank the candidates of claims; shared by all that learn a ranking.

LightGBM learns (LambdaRank); what it learned is asked without it, as ``trees.Trees``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.names.normal_forms import normal_title

if TYPE_CHECKING:
    from lightgbm import Booster

PARAMETERS: Mapping[str, object] = {
    "objective": "lambdarank",
    "learning_rate": 0.08,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}
"""LightGBM's, of every learning; with ``deterministic`` the same claims give the same trees."""

UNSUPPORTED = ("REFUTE", "NOT ENOUGH INFO")
"""Labels of claims, where there are three of them, whose gold titles are not what they ask for."""


@dataclass(frozen=True)
class Pool:
    """Candidates of one claim.

    Attributes
    ----------
    features : ndarray of float32, shape (n, n_features)
    gold : ndarray of int64, shape (n,)
        Number of the gold title that each bears, or -1.
    prior : ndarray of float64, shape (n,), optional
        Score that the trees' is added to; 0 by default.
    """

    features: NDArray[np.float32]
    gold: NDArray[np.int64]
    prior: NDArray[np.float64] | None = None


def gold_numbers(titles: NDArray[np.str_], gold_titles: Sequence[str]) -> NDArray[np.int64]:
    """Return the gold title's number for each passage, by its normal title, or -1."""
    numbers = np.full(len(titles), -1)
    for number, title in enumerate(gold_titles):
        numbers[titles == normal_title(title)] = number
    return numbers


def learned(
    pools: Sequence[Pool],
    names: Sequence[str],
    parameters: Mapping[str, Any],
    *,
    n_rounds: int,
    weights: Sequence[float] | None = None,
) -> "Booster":
    """Learn LightGBM's trees that put the gold of each pool first.

    Parameters
    ----------
    pools : sequence of Pool
        All of them with a prior, or none.
    names : sequence of str
        Of the columns of ``features``.
    parameters : mapping
        LightGBM's, in addition to ``PARAMETERS``, which they override.
    n_rounds : int
        Trees.
    weights : sequence of float, optional
        Of the pools; 1 by default.

    Raises
    ------
    UsageError
        LightGBM is not installed.
    """
    lightgbm = library()
    sizes = [len(pool.gold) for pool in pools]
    priors = [pool.prior for pool in pools if pool.prior is not None]
    data = lightgbm.Dataset(
        np.concatenate([pool.features for pool in pools]),
        np.concatenate([pool.gold >= 0 for pool in pools]).astype(np.float32),
        weight=None if weights is None else np.repeat(weights, sizes),
        group=sizes,
        init_score=np.concatenate(priors) if priors else None,
        feature_name=list(names),
    )
    return lightgbm.train({**PARAMETERS, **parameters}, data, n_rounds)


def library() -> Any:  # noqa: ANN401
    """Import LightGBM now; ``UsageError`` where it is not installed."""
    try:
        import lightgbm
    except ImportError as error:
        raise UsageError("tuning needs lightgbm: pip install 'hippohover[tune]'") from error
    return lightgbm
