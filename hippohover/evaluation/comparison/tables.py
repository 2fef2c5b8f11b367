"""A comparison as one table: text, Markdown, LaTeX, or CSV with a row a number."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Final, Literal

from hippohover.errors import UsageError
from hippohover.evaluation.comparison.compare import Cell, Comparison

TableForm = Literal["text", "markdown", "latex", "csv"]

_SIGNIFICANT: Final = 0.05
_WIDTH: Final = 80
"""Characters of a line of text that every terminal shows."""
_LATEX: Final = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "<": r"\textless{}", ">": r"\textgreater{}", "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    }
)  # fmt: skip


def table_of(comparison: Comparison, form: TableForm = "text") -> str:
    """Render the comparison as text with a final line end.

    In all forms but CSV values are in %, the best of a set is bold (``latex``, ``markdown``) where
    arms differ, and a star marks one that differs from the first arm with p < 0.05 after Holm's
    correction.

    Raises
    ------
    UsageError
        There is no such form.
    """
    forms: dict[str, Callable[[Comparison], str]] = {
        "text": _text,
        "markdown": _markdown,
        "latex": _latex,
        "csv": _csv,
    }
    if form not in forms:
        raise UsageError(f"form is {form!r:.40}: give one of {', '.join(forms)}")
    return forms[form](comparison)


def _rows(comparison: Comparison, bold: Callable[[str], str]) -> list[list[str]]:
    """Return set, arm, number of claims, and a cell per measure."""
    rows: list[list[str]] = []
    for name, by_arm in comparison.cells.items():
        of_all = {
            measure: [by_arm[arm][measure].estimate.value for arm in comparison.arms]
            for measure in comparison.measures
        }
        best = {name: max(of) if min(of) < max(of) else None for name, of in of_all.items()}
        for arm in comparison.arms:
            cells = by_arm[arm]
            n = next(iter(cells.values())).estimate.n
            shown = [
                (bold if cells[m].estimate.value == best[m] else str)(_shown(cells[m]))
                for m in comparison.measures
            ]
            rows.append([name, arm, f"{n:,}", *shown])
    return rows


def _shown(cell: Cell) -> str:
    star = "*" if cell.difference and cell.difference.p_corrected < _SIGNIFICANT else ""
    return f"{100 * cell.estimate.value:.1f}{star}"


def _head(comparison: Comparison) -> list[str]:
    return ["claims", "arm", "n", *comparison.measures]


def _caption(comparison: Comparison) -> str:
    told = "Values in %."
    if n := comparison.n_tests:
        told += (
            f" * differs from {comparison.arms[0]}: p < {_SIGNIFICANT}, paired, Holm's correction "
            f"over {n:,} test{'s' * (n > 1)}."
        )
    elif len(comparison.arms) > 1:
        told += f" Nothing is tested: no claim differs from {comparison.arms[0]}."
    return told


def _text(comparison: Comparison) -> str:
    """Write an arm a line; where lines would be too long, a measure a line and an arm a column."""
    rows = _rows(comparison, str)
    lines = _aligned([_head(comparison), *rows], n_names=2)
    if max(map(len, lines)) > _WIDTH:
        lines = [line for name in comparison.cells for line in _turned(comparison, rows, name)]
    return "\n".join([*lines, _caption(comparison), ""])


def _turned(comparison: Comparison, rows: Sequence[Sequence[str]], name: str) -> list[str]:
    """Return the lines of one set: its measures by its arms, as many beside each other as fit."""
    of_set = [row for row in rows if row[0] == name]
    labels = ["", *comparison.measures]
    lines = [f"{name}, n = {of_set[0][2]}"]
    while of_set:
        n = len(of_set)
        while True:
            columns = [[arm, *cells] for _, arm, _, *cells in of_set[:n]]
            block = _aligned(list(zip(labels, *columns, strict=True)), n_names=1)
            if n == 1 or max(map(len, block)) <= _WIDTH:
                break
            n -= 1
        lines += [*block, ""]
        of_set = of_set[n:]
    return lines


def _aligned(table: Sequence[Sequence[str]], n_names: int) -> list[str]:
    """Return rows as lines: the first columns begin below each other, the others end so."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at < n_names else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def _markdown(comparison: Comparison) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def plain(text: str) -> str:
        return text.replace("|", r"\|").replace("*", r"\*")

    def bold(cell: str) -> str:
        return f"<b>{cell}</b>"

    head = _head(comparison)
    ruler = ["---", "---", *["---:"] * (len(head) - 2)]
    rows = [[plain(cell) for cell in row] for row in _rows(comparison, bold)]
    return "\n".join(
        [line(head), line(ruler), *map(line, rows), "", plain(_caption(comparison)), ""]
    )


def _latex(comparison: Comparison) -> str:
    def plain(text: str) -> str:
        return text.translate(_LATEX)

    head = [plain(cell) for cell in _head(comparison)]
    rows = [
        [plain(name), plain(arm), *cells]
        for name, arm, *cells in _rows(comparison, lambda cell: rf"\textbf{{{cell}}}")
    ]
    lines = [" & ".join(row) + r" \\" for row in rows]
    columns = "ll" + "r" * (len(head) - 2)
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\par\smallskip{{\footnotesize {plain(_caption(comparison))}}}",
            "",
        ]
    )


def _csv(comparison: Comparison) -> str:
    """Write CSV, a row per set, arm and measure, with all digits: shares in [0, 1]."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    tested = ("difference", "difference_low", "difference_high", "p", "p_corrected", "n_tests")
    writer.writerow(["claims", "arm", "measure", "n", "value", "low", "high", *tested])
    for name, by_arm in comparison.cells.items():
        for arm, cells in by_arm.items():
            for measure, cell in cells.items():
                one, gain = cell.estimate, cell.difference
                more = [""] * len(tested) if gain is None else [*astuple(gain), comparison.n_tests]
                row = [name, arm, measure, one.n, one.value, one.low, one.high, *more]
                writer.writerow(row)
    return out.getvalue()
