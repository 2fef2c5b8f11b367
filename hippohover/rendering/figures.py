"""Figures and their files: matplotlib, where it is installed."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippohover.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = (".png", ".svg", ".pdf")


def check_format(file: Path) -> None:
    """Raise ``UsageError`` unless the file's name ends as a picture's does."""
    if file.suffix.lower() not in FORMATS:
        raise UsageError(f"{file}: give the picture a name that ends in {', '.join(FORMATS)}")


def new_figure(width: float, height: float) -> "Figure":
    """Make a figure of a size in inches; ``UsageError`` when matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("drawing needs matplotlib: pip install 'hippohover[pictures]'") from error
    return Figure(figsize=(width, height), dpi=120)


def save(figure: "Figure", file: Path) -> None:
    """Write a figure; the same figure gives the same bytes.

    Raises
    ------
    UsageError
        The file's name has another ending, or it cannot be written.
    """
    check_format(file)
    dates = {".svg": "Date", ".pdf": "CreationDate"}
    undated = {dates[suffix]: None for suffix in dates if suffix == file.suffix.lower()}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(file, metadata=undated or None)
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror}): check the path") from error
