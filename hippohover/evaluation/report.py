"""The results of an evaluation: per-claim rows, means, and their table."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hippohover.evaluation.hover import MAX_RETRIEVED_DOCS, MissingGold
from hippohover.evaluation.intervals import (
    Estimate,
    PairedDifference,
    estimate_of,
    paired_difference,
)
from hippohover.records import SPENT

if TYPE_CHECKING:
    from rich.table import Table

MAIN_METRIC: Final = f"all_gold_found@{MAX_RETRIEVED_DOCS}"
"""The benchmark's metric: the one that retrievers are compared by."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The result of one retriever on one claim.

    Attributes
    ----------
    values : mapping of str to float
        Metric id -> value in [0, 1].
    ranks : mapping of str to (int or None)
        Gold title -> its first row, from 1, within the depth searched; None when not there.
    latency_ms : float
        Wall time of the one ``retrieve`` call.
    spent : mapping of str to (float or None)
        What that call took, as its trace counts it: ``SPENT``.
    n_passages : int or None
        Passages that came back of that call; None when it is not known.
    ranked_by, fallback : str
        As of ``Trace``.
    """

    values: Mapping[str, float]
    ranks: Mapping[str, int | None]
    latency_ms: float
    spent: Mapping[str, float | None]
    n_passages: int | None = None
    ranked_by: str = ""
    fallback: str = ""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One claim: its number of gold titles, and each retriever's measurement."""

    uid: str
    n_gold: int
    measurements: Mapping[str, Measurement]

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"uid", "n_gold", "retrievers": {name: {metric ids and measurements}}}``."""
        return {
            "uid": self.uid,
            "n_gold": self.n_gold,
            "retrievers": {
                name: {
                    **m.values,
                    "ranks": dict(m.ranks),
                    "latency_ms": m.latency_ms,
                    **m.spent,
                    "n_passages": m.n_passages,
                    "ranked_by": m.ranked_by,
                    "fallback": m.fallback,
                }
                for name, m in self.measurements.items()
            },
        }


@dataclass(frozen=True, slots=True)
class RetrieverReport:
    """Means of one retriever.

    Attributes
    ----------
    metrics : mapping
        Metric id -> number of gold titles as text, or ``"all"`` -> estimate.
    latency_p50_ms, latency_p95_ms : float
        Percentiles of the wall time of ``retrieve``, one call at a time.
    spent : mapping of str to (float or None)
        Sums over the claims; None when one of them is not known.
    n_found_nothing : int or None
        Claims for which no passage came back; None when it is not known of one of them.
    n_without_gold : int
        Claims for which no gold title is within the depth searched, those among them.
    n_by_fusion : int
        Claims in whose ranking the learned weights did not outvote the other lists; none
        where a tuned ranking stands on it.
    n_by_fallback : mapping of str to int
        Why the choice among facts fell back -> claims whose answer did. A claim that is searched
        deeper too may send a second request, which counts in ``lm_calls`` alone.
    """

    metrics: Mapping[str, Mapping[str, Estimate]]
    latency_p50_ms: float
    latency_p95_ms: float
    spent: Mapping[str, float | None]
    n_found_nothing: int | None
    n_without_gold: int
    n_by_fusion: int = 0
    n_by_fallback: Mapping[str, int] = field(default_factory=dict[str, int])

    def as_dict(self) -> dict[str, Any]:
        """Return metrics, ``latency_ms``, all of ``SPENT`` and counts, for JSON."""
        metrics = {
            metric: {group: estimate.as_dict() for group, estimate in by_group.items()}
            for metric, by_group in self.metrics.items()
        }
        latency = {"p50": self.latency_p50_ms, "p95": self.latency_p95_ms}
        counts = {
            "n_found_nothing": self.n_found_nothing,
            "n_without_gold": self.n_without_gold,
            "n_by_fusion": self.n_by_fusion,
            "n_by_fallback": dict(self.n_by_fallback),
        }
        return {**metrics, "latency_ms": latency, **self.spent, **counts}


@dataclass(frozen=True, slots=True)
class Report:
    """An evaluation of retrievers over claims.

    Attributes
    ----------
    n : int
        Claims; every one of them counts in every mean.
    retrievers : mapping of str to RetrieverReport
        In the order asked for; the first is the one the others are compared with.
    paired : mapping
        Retriever, but not the first -> number of gold titles or ``"all"`` -> its difference from
        the first in ``all_gold_found@21``.
    missing : tuple of MissingGold
        Gold titles that the index does not hold: they counted as not found.
    rows : tuple of ClaimRow
        One a claim, in the claims' order.
    """

    n: int
    retrievers: Mapping[str, RetrieverReport]
    paired: Mapping[str, Mapping[str, PairedDifference]]
    missing: tuple[MissingGold, ...]
    rows: tuple[ClaimRow, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything except the rows, ready for JSON; fractions are in [0, 1]."""
        first = next(iter(self.retrievers))
        return {
            "n": self.n,
            "retrievers": {name: part.as_dict() for name, part in self.retrievers.items()},
            "paired": {
                name: {
                    "versus": first,
                    "metric": MAIN_METRIC,
                    **groups["all"].as_dict(),
                    "by_gold_titles": {g: d.as_dict() for g, d in groups.items() if g != "all"},
                }
                for name, groups in self.paired.items()
            },
            "missing_gold": {
                "n_titles": len(self.missing),
                "n_claims": len({uid for gold in self.missing for uid in gold.uids}),
            },
        }


def summarise(rows: Sequence[ClaimRow], missing: Sequence[MissingGold] = ()) -> Report:
    """Compute means, intervals and paired tests of per-claim rows (not empty)."""
    names = list(rows[0].measurements)
    paired = {name: _compare(rows, names[0], name) for name in names[1:]}
    retrievers = {name: _summarise_retriever(rows, name) for name in names}
    return Report(len(rows), retrievers, paired, tuple(missing), tuple(rows))


def render_table(report: Report, width: int | None = None) -> "Table":
    """Render a table: a block per retriever, a column per gold count, in %.

    Where not all columns are to be read in ``width`` characters, the others stand below them.
    """
    from rich.table import Table
    from rich.text import Text

    first, *_ = report.retrievers
    groups = list(report.retrievers[first].metrics[MAIN_METRIC])
    n_columns, is_narrow = _n_columns(len(groups), width)
    table = Table(title=f"{report.n} claims, % (95 % interval) by number of gold titles")
    table.add_column("", no_wrap=not is_narrow, max_width=_LABEL_CHARS if is_narrow else None)
    for group in groups[:n_columns]:
        table.add_column(group, justify="right")
    for name, part in report.retrievers.items():
        table.add_section()
        table.add_row(Text(name, style="bold"))  # Text: a name in brackets is not markup
        gains = report.paired.get(name, {})
        for at in range(0, len(groups), n_columns):
            some = groups[at : at + n_columns]
            if at:
                table.add_row("", *(Text(group, style="bold") for group in some))
            for metric, by_group in part.metrics.items():
                table.add_row(metric, *(_cell(by_group[group]) for group in some))
            if gains:
                table.add_row(Text(f"gain on {first}"), *(_gain(gains[group]) for group in some))
        for label, value in _counts(part):
            table.add_row(label, value)
    if report.missing:
        counts = report.as_dict()["missing_gold"]
        table.caption = (
            f"gold titles that are not in the index: {counts['n_titles']}, "
            f"claims that ask for them: {counts['n_claims']}"
        )
    return table


_LABEL_CHARS: Final = 22
_LONGEST_LABEL: Final = 40
_CELL_CHARS: Final = len("100.0 (99-100)")
_RULE_CHARS: Final = 3  # between two columns, with blanks


def _n_columns(n_groups: int, width: int | None) -> tuple[int, bool]:
    """Return how many columns of numbers fit, and whether labels have to break for them."""
    column = _CELL_CHARS + _RULE_CHARS
    if width is None or _LONGEST_LABEL + _RULE_CHARS + 1 + n_groups * column <= width:
        return n_groups, False
    return max((width - _LABEL_CHARS - _RULE_CHARS - 1) // column, 1), True


def _counts(part: RetrieverReport) -> Iterator[tuple[str, str]]:
    """Yield label and value of what is told of all claims together."""
    nothing = "-" if part.n_found_nothing is None else part.n_found_nothing
    yield "found nothing / no gold", f"{nothing} / {part.n_without_gold}"
    if part.n_by_fusion:
        yield "ranked by fusion: names join few", f"{part.n_by_fusion}"
    yield "latency ms p50 / p95", f"{part.latency_p50_ms:.1f} / {part.latency_p95_ms:.1f}"
    spent = part.spent
    yield "searches", f"{spent['searches']}"
    yield "LM requests, failed ones too / fallbacks", f"{spent['lm_calls']} / {spent['fallbacks']}"
    if part.n_by_fallback:
        yield "claims that fell back, by reason", in_words(part.n_by_fallback)
    if spent["lm_calls"]:
        cost = spent["cost_usd"]
        yield "tokens in / out", f"{spent['input_tokens']:,} / {spent['output_tokens']:,}"
        yield "US dollars", "price not known" if cost is None else f"{cost:.4f}"


def _summarise_retriever(rows: Sequence[ClaimRow], name: str) -> RetrieverReport:
    done = [row.measurements[name] for row in rows]
    p50, p95 = np.percentile([m.latency_ms for m in done], (50, 95))
    return RetrieverReport(
        metrics={metric: _estimates(rows, name, metric) for metric in done[0].values},
        latency_p50_ms=float(p50),
        latency_p95_ms=float(p95),
        spent={name: _sum([m.spent[name] for m in done]) for name in SPENT},
        n_found_nothing=_n_found_nothing(done),
        n_without_gold=sum(all(rank is None for rank in m.ranks.values()) for m in done),
        n_by_fusion=sum(m.ranked_by == "fusion" for m in done),
        n_by_fallback=Counter(m.fallback for m in done if m.fallback),
    )


def in_words(counts: Mapping[str, int]) -> str:
    """Write counts on one line, most frequent first: "no answer 3, refused 1"."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{reason} {n:,}" for reason, n in ordered)


def _n_found_nothing(done: Sequence[Measurement]) -> int | None:
    known = [m.n_passages for m in done if m.n_passages is not None]
    return known.count(0) if len(known) == len(done) else None


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _estimates(rows: Sequence[ClaimRow], name: str, metric: str) -> dict[str, Estimate]:
    return {
        group: estimate_of(metric, [row.measurements[name].values[metric] for row in members])
        for group, members in _by_gold(rows).items()
    }


def _compare(rows: Sequence[ClaimRow], first: str, second: str) -> dict[str, PairedDifference]:
    return {
        group: paired_difference(
            [row.measurements[first].values[MAIN_METRIC] for row in members],
            [row.measurements[second].values[MAIN_METRIC] for row in members],
        )
        for group, members in _by_gold(rows).items()
    }


def _by_gold(rows: Sequence[ClaimRow]) -> dict[str, list[ClaimRow]]:
    """Return all rows under ``"all"``, then the rows of each number of gold titles."""
    numbers = sorted({row.n_gold for row in rows})
    return {"all": list(rows)} | {
        str(number): [row for row in rows if row.n_gold == number] for number in numbers
    }


def _cell(estimate: Estimate) -> str:
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.value:.1f} ({low:.0f}-{high:.0f})"


def _gain(difference: PairedDifference) -> str:
    p = "p<.001" if difference.p < 0.001 else f"p={difference.p:.3f}"
    return f"{100 * difference.difference:+.1f} {p}"
