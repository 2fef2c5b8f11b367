"""A plot of a comparison: measures by cut-off, a line per arm, a row of plots per set."""

from pathlib import Path

from hippohover.evaluation.comparison.compare import Comparison
from hippohover.evaluation.picture import draw_estimates
from hippohover.rendering.figures import new_figure, save


def draw_comparison(comparison: Comparison, file: Path) -> None:
    """Draw into a .png, .svg or .pdf file, with 95 % intervals.

    ``UsageError`` where matplotlib is not installed or the file cannot be written.
    """
    cutoffs = sorted({int(name.partition("@")[2]) for name in comparison.measures})
    measures = list(dict.fromkeys(name.partition("@")[0] for name in comparison.measures))
    figure = new_figure(3.4 * len(measures), 2.8 * len(comparison.cells) + 0.4)
    figure.set_layout_engine("constrained")
    grid = figure.subplots(len(comparison.cells), len(measures), squeeze=False, sharey=True)
    for row, (name, by_arm) in zip(grid, comparison.cells.items(), strict=True):
        for axes, measure in zip(row, measures, strict=True):
            for at, arm in enumerate(comparison.arms):
                cells = [by_arm[arm][f"{measure}@{cutoff}"].estimate for cutoff in cutoffs]
                places = [cutoff * (1 + 0.02 * at) for cutoff in cutoffs]
                draw_estimates(axes, places, cells, arm)
            axes.set_xscale("log")
            axes.set_xlim(
                cutoffs[0] / 1.5, cutoffs[-1] * 1.5
            )  # one cut-off is a place, not a range
            axes.set_xticks(cutoffs, [str(cutoff) for cutoff in cutoffs])
            axes.minorticks_off()
            axes.set_title(measure, fontsize=9)
        row[0].set_ylabel(f"{name.replace('$', chr(92) + '$')}, %")
    for axes in grid[-1]:
        axes.set_xlabel("cut-off (number of passages)", fontsize=8)
    lines, arms = grid[0][0].get_legend_handles_labels()
    figure.legend(lines, arms, fontsize=7, loc="outside upper left", ncols=4)
    save(figure, file)
