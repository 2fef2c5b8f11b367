"""A plot of a report: quality against time, and against the number of gold titles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hippohover.evaluation.intervals import Estimate
from hippohover.evaluation.report import MAIN_METRIC, Report
from hippohover.rendering.figures import new_figure, save


@dataclass(frozen=True, slots=True)
class Arm:
    """The points of one retriever or program.

    Attributes
    ----------
    name : str
    milliseconds : float
        Of a claim, as ``time_name`` says.
    found : mapping of str to Estimate
        Number of gold titles, or "all" -> ``all_gold_found@21``.
    """

    name: str
    milliseconds: float
    found: Mapping[str, Estimate]


def draw_report(report: Report, title: str, file: Path) -> None:
    """Draw an evaluation into a .png, .svg or .pdf file."""
    arms = [
        Arm(name, part.latency_p50_ms, part.metrics[MAIN_METRIC])
        for name, part in report.retrievers.items()
    ]
    draw_arms(arms, f"{title}, n = {report.n:,}", file, time_name="median milliseconds a claim")


def draw_arms(arms: Sequence[Arm], title: str, file: Path, *, time_name: str) -> None:
    """Draw ``all_gold_found@21`` in %, with 95 % intervals: by time, by gold."""
    figure = new_figure(11, 4.2)
    figure.set_layout_engine("constrained")
    cost, hops = figure.subplots(1, 2)
    groups = sorted({group for arm in arms for group in arm.found} - {"all"}, key=int)
    for number, arm in enumerate(arms):
        known = [group for group in groups if group in arm.found]
        beside = [int(group) + 0.02 * number for group in known]
        for axes, places, cells in (
            (cost, [arm.milliseconds], [arm.found["all"]]),
            (hops, beside, [arm.found[group] for group in known]),
        ):
            draw_estimates(axes, places, cells, arm.name)
    cost.set_xscale("log")
    cost.set_xlabel(f"{time_name} (log scale)")
    hops.set_xlabel("gold titles of a claim")
    hops.set_xticks([int(group) for group in groups])
    for axes in (cost, hops):
        axes.set_ylabel("all gold titles among 21, %")
    hops.legend(fontsize=8)
    figure.suptitle(title.replace("$", r"\$"), fontsize=10)
    save(figure, file)


def draw_estimates(
    axes: Any,  # noqa: ANN401  (matplotlib has no types)
    places: Sequence[float],
    estimates: Sequence[Estimate],
    label: str,
) -> None:
    """Draw a line of estimates in %, with their intervals."""
    values = [100 * one.value for one in estimates]
    below = [100 * (one.value - one.low) for one in estimates]
    above = [100 * (one.high - one.value) for one in estimates]
    axes.errorbar(places, values, yerr=(below, above), marker="o", capsize=3, label=label)
    axes.set_ylim(0, 102)
    axes.grid(visible=True, alpha=0.3)
