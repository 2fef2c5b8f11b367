"""Output of the commands: plain text, JSON, progress bars, one-line errors.

Results go to stdout, everything else to stderr. Text of a corpus, an index or a claim is data: it
is printed as it is, never read as markup, and without control characters, which a terminal would
obey. ``plain_streams`` removes them from whatever is printed, so that no command has to; stderr,
where tracebacks and logs of libraries go, shows no key of a service either.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from hippohover.errors import UsageError, as_installed
from hippohover.progress import Progress, silent
from hippohover.secret_keys import without_likely_keys

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.progress import Progress as Bars
    from rich.table import Table

    from hippohover.evaluation.report import Report

CUT_OFFS: Final = (5, 21)

DISPLAY_NAMES = {"hipporag2": "hipporag2 (no LLM filter)"}
"""Retrievers that people are shown another name of, where no language model filters."""

_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)"
)
"""What a terminal obeys: all controls but blanks and ends of lines, and marks that would turn the
rest of a line around. Letters of right-to-left scripts stay."""


def plain(text: str) -> str:
    """Put a text on one line without control characters; lone surrogates become "?"."""
    return " ".join(_without_controls(text).split()).encode("utf-8", "replace").decode()


def _without_controls(text: str) -> str:
    return _CONTROLS.sub(lambda found: " " if found[0].isspace() else "", text)


@contextmanager
def plain_streams() -> Generator[None]:
    """Print without control characters, whatever is printed, and on stderr without keys."""
    before = sys.stdout, sys.stderr
    sys.stdout = cast("TextIO", _Plain(sys.stdout, _without_controls))
    sys.stderr = cast(
        "TextIO", _Plain(sys.stderr, lambda text: without_likely_keys(_without_controls(text)))
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Plain:
    """A stream that changes what is written to it."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self.beneath = stream
        self._change = change

    def write(self, text: str) -> int:
        self.beneath.write(self._change(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.beneath, name)


def shortened(text: str, n: int) -> str:
    """Cut ``plain`` text to at most ``n`` characters, at a blank where there is one."""
    line = plain(text)
    if len(line) <= n:
        return line
    head = line[: n - 1]
    return f"{head[: head.rfind(' ')] if ' ' in head[n // 2 :] else head}…"


def console(stream: TextIO | None = None) -> "Console":
    """Make a console for results on stdout, or for a stream, that reads no markup.

    Its styles are controls, so it writes beneath ``plain_streams``, and removes those of texts.
    """
    from rich.console import Console
    from rich.segment import Segment

    class PlainConsole(Console):
        def render(
            self, renderable: "RenderableType", options: "ConsoleOptions | None" = None
        ) -> Iterable[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else _without_controls(text), style, control)

    file = stream or sys.stdout
    return PlainConsole(
        markup=False, highlight=False, emoji=False, file=getattr(file, "beneath", file)
    )


def print_json(value: object) -> None:
    """Print a JSON document on stdout, in ASCII, for every terminal and locale."""
    sys.stdout.write(f"{json.dumps(value, indent=2)}\n")


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quiet(*, asked: bool) -> Generator[None]:
    """Print no remark, no progress and no advice, if that is asked."""
    token = _quiet.set(asked)
    try:
        yield
    finally:
        _quiet.reset(token)


def note(text: str) -> None:
    """Print a remark on stderr, on one line."""
    if not _quiet.get():
        sys.stderr.write(f"note: {plain(as_installed(text))}\n")


def suggest(command: str, what: str) -> None:
    """Print what can be done next, and why, for people alone."""
    if sys.stdout.isatty() and not _quiet.get():
        console().print(f"\nnext, {what}:", style="dim")
        console().print(plain(command), soft_wrap=True)


def error_line(text: str) -> None:
    """Print the one-line error of a failed command."""
    sys.stderr.write(f"error: {plain(text)}\n")


@contextmanager
def progress() -> Generator[Progress]:
    """Yield progress bars on stderr, with rate and time left; only on a terminal."""
    if _quiet.get() or not sys.stderr.isatty():
        yield silent
        return
    with _bars() as bars:
        yield _BarReport(bars)


def check_can_write(path: Path) -> None:
    """Raise ``UsageError`` if a file cannot be written; call before long work."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path}: there is no folder {str(folder)!r}: make it first")
    if path.is_dir():
        raise UsageError(f"{path}: is a folder: name a file in it")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"{path}: cannot be written: choose another file")


def check_outputs(*paths: Path | None) -> None:
    """Raise ``UsageError`` for a file that cannot be written, or is given for two things."""
    seen: set[Path] = set()
    for path in paths:
        if path is not None:
            check_can_write(path)
            if path.resolve() in seen and not path.is_char_device():
                raise UsageError(f"{path}: is the output of two options: give each its own file")
            seen.add(path.resolve())


def n_bytes_in_words(n: int) -> str:
    """Write a size in words: "12.3 MB"."""
    size, units = float(n), ["bytes", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{n} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"


def counted(n: int, what: str, more: str = "") -> str:
    """Write a number with what it counts: "1 passage"; the plural ends in s unless given."""
    return f"{n:,} {what if n == 1 else more or f'{what}s'}"


def _bars() -> "Bars":
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:>10}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Bars(*columns, console=console(sys.stderr), transient=True)


class _BarReport:
    """Adds a bar for each stage when it first reports."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total or None, rate="")
        task = self._tasks[stage]
        self._bars.update(task, completed=done, total=total or None)
        speed = self._bars.tasks[list(self._tasks).index(stage)].speed
        self._bars.update(task, rate=f"{speed:,.0f}/s" if speed else "")


def joined(items: Sequence[str], most: int) -> str:
    """Return the first items, quoted, and the number of the others."""
    shown = ", ".join(repr(plain(item)) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most:,} more"


def evaluation_table(report: "Report") -> "Table":
    """Make a table of ``all_gold_found`` at k, by number of gold titles."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    sizes = sorted({row.n_gold for row in report.rows})
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim")
    table.add_column("all gold titles found")
    table.add_column("k", justify="right")
    table.add_column(f"all {report.n} claims", justify="right")
    for size in sizes:
        n = sum(row.n_gold == size for row in report.rows)
        table.add_column(f"{size} titles ({n})", justify="right")
    for name in report.retrievers:
        for k in CUT_OFFS:
            cells = [_found(report, name, k=k, n_gold=n) for n in (None, *sizes)]
            table.add_row(name if k == CUT_OFFS[0] else "", str(k), *cells)
        table.add_section()
    return table


def _found(report: "Report", name: str, *, k: int, n_gold: int | None) -> str:
    """Return a percentage with its 95 % interval; a gold title counts by its rank."""
    from hippohover.evaluation.intervals import share

    rows = [row for row in report.rows if n_gold in (None, row.n_gold)]
    ranks = [row.measurements[name].ranks.values() for row in rows]
    estimate = share(
        [float(all(r is not None and r <= k for r in claim_ranks)) for claim_ranks in ranks]
    )
    return f"{100 * estimate.value:.0f} % ({100 * estimate.low:.0f}-{100 * estimate.high:.0f})"
