"""Which index a command reads where none is named: the one that is set, or the only one there."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from hippohover.cli.options import argument
from hippohover.errors import UsageError

VARIABLE: Final = "HIPPOHOVER_INDEX"
_BUILT: Final = Path("index")
_HELP: Final = f"Folder of an index; default: ${VARIABLE}, or the only one in {_BUILT}/."


def is_index(folder: Path) -> bool:
    """Return whether a folder looks like an index, or a version of one."""
    from hippohover.store.layout import CURRENT, MANIFEST

    return (folder / CURRENT).is_file() or (folder / MANIFEST).is_file()


def default_index() -> Path:
    """Return the index that is meant where none is named.

    ``UsageError`` where the variable is not set, and there is no index or more than one.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    found = sorted(filter(is_index, _BUILT.iterdir())) if _BUILT.is_dir() else []
    if len(found) == 1:
        return found[0]
    there = f"{_BUILT}/ holds {len(found)} ({', '.join(one.name for one in found[:5])})"
    raise UsageError(
        f"no index is named, and {there if found else f'none is in {_BUILT}/'}: name its folder, "
        f"or set {VARIABLE}" + ("" if found else "; hippohover build FOLDER makes one")
    )


def _named(index: Path | None) -> Path:
    return default_index() if index is None else index


TheIndex = Annotated[Path, typer.Argument(callback=_named, help=_HELP, show_default=False)]
THE_DEFAULT: Final = cast("Path", None)
"""Stands for ``default_index``, as which a command never sees it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfIndex:
    """The index of a command that takes a text behind it; a text alone is asked of the default.

    Fields of a group that inherits this are to be given to ``named`` before they are checked.
    """

    index: Path = argument(None, _HELP, show_default=False)

    def named(self, text: str | None, *, is_whole: bool) -> str | None:
        """Set the index, and return the text, which may be what was taken for the index.

        ``is_whole``: nothing else can be meant by a first argument than an index.
        """
        index = cast("Path | None", self.index)
        if index is not None and text is None and not is_whole and _is_text(index):
            index, text = None, str(index)
        if text is not None or is_whole:  # else it is refused for want of a text
            object.__setattr__(self, "index", default_index() if index is None else index)
        return text


def _is_text(index: Path) -> bool:
    """Return whether no folder can be meant: words, or one that no folder is called."""
    written = str(index)
    return not index.exists() and (" " in written.strip() or os.sep not in written)
