"""Metrics of one ranking.

A metric is named by one id, in calls and in results alike: ``"all_gold_found@21"`` is
``all_gold_found`` with ``k`` 21. ``score`` computes a metric from its id.

Titles are compared by ``names.normal_title``, ids by ``as_written``. ``k`` counts rows of the
ranking, as the benchmark does: a title that is split into parts may fill several rows, and is found
once.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from hippohover.errors import UsageError
from hippohover.names.normal_forms import normal_title


def as_written(name: str) -> str:
    """Return the name itself: how ids are compared."""
    return name


def gold_ranks(
    ranked_titles: Sequence[str],
    gold_titles: Collection[str],
    normal: Callable[[str], str] = normal_title,
) -> list[int | None]:
    """Return the first rank of each gold title, from 1; None where it is missing.

    Gold titles that are one after normalisation count once, in the order of their first.

    Raises
    ------
    UsageError
        There is no gold title: every metric is undefined then.
    """
    gold = dict.fromkeys(normal(title) for title in gold_titles)
    if not gold:
        raise UsageError("gold_titles is empty: a metric needs at least one gold title")
    first_row: dict[str, int] = {}
    for row, title in enumerate(ranked_titles, start=1):
        first_row.setdefault(normal(title), row)
    return [first_row.get(title) for title in gold]


def all_gold_found(
    ranked_titles: Sequence[str],
    gold_titles: Collection[str],
    k: int,
    normal: Callable[[str], str] = normal_title,
) -> float:
    """Return 1 when every gold title is among the first ``k`` rows, else 0: ``[G <= T_k]``.

    ``G`` is the set of gold titles and ``T_k`` the set of titles of rows 1 to ``k``. It is
    HoVer programs' ``discrete_retrieval_eval``; neither recall@k nor success@k.
    """
    return float(all(_within(gold_ranks(ranked_titles, gold_titles, normal), k)))


def recall(
    ranked_titles: Sequence[str],
    gold_titles: Collection[str],
    k: int,
    normal: Callable[[str], str] = normal_title,
) -> float:
    """Return the share of gold titles in the first ``k`` rows: ``|G & T_k| / |G|``, in [0, 1]."""
    hits = _within(gold_ranks(ranked_titles, gold_titles, normal), k)
    return sum(hits) / len(hits)


METRICS: Final[Mapping[str, Callable[[Sequence[str], Collection[str], int], float]]] = {
    "all_gold_found": all_gold_found,
    "recall": recall,
}


def score(metric_id: str, ranked_titles: Sequence[str], gold_titles: Collection[str]) -> float:
    """Compute the metric named ``NAME@K``, for instance ``"recall@21"``.

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


def _within(ranks: Sequence[int | None], k: int) -> list[bool]:
    if k < 1:
        raise UsageError(f"k is {k}: a cut-off counts rows from 1")
    return [rank is not None and rank <= k for rank in ranks]
