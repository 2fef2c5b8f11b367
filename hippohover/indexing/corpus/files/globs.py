"""Which paths below a folder are wanted: by globs of the caller, and by ``.gitignore`` files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import one_line

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE: Final = ".gitignore"
_MAX_IGNORE_BYTES: Final = 2**20


@dataclass(frozen=True)
class Globs:
    """Globs over paths below a corpus, in the form of ``.gitignore``.

    Attributes
    ----------
    include : tuple of str
        Where there are any, only files that match one are read, hidden and ignored ones too.
    exclude : tuple of str
        Files that match one are not read.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def is_excluded(self, path: str) -> bool:
        """Whether a path, a folder's with a slash at its end, is not to be read."""
        return bool(self.exclude) and self._excluded.match_file(path)

    def is_included(self, path: str) -> bool:
        """Whether a path is named by a glob of ``include``; False where there is none."""
        return bool(self.include) and self._included.match_file(path)

    @cached_property
    def _excluded(self) -> "GitIgnoreSpec":
        return _spec(self.exclude, "--exclude")

    @cached_property
    def _included(self) -> "GitIgnoreSpec":
        return _spec(self.include, "--include")


EVERY: Final = Globs()
"""All that is neither hidden nor ignored."""


@dataclass(frozen=True)
class Ignored:
    """What the ``.gitignore`` files on the way down to a folder say of a path in it."""

    specs: "tuple[tuple[str, GitIgnoreSpec], ...]" = field(default=())

    def below(self, folder: Path, path: str) -> "Ignored":
        """With the file of one more folder; its path is "", or ends in a slash."""
        try:
            with (folder / IGNORE_FILE).open("rb") as stream:
                lines = stream.read(_MAX_IGNORE_BYTES).decode(errors="replace").splitlines()
        except OSError:
            return self
        try:
            return Ignored((*self.specs, (path, _spec(lines, IGNORE_FILE))))
        except CorpusError:  # git passes over a line that it cannot read
            return self

    def holds(self, path: str) -> bool:
        """Whether the last line that names a path ignores it."""
        for folder, spec in reversed(self.specs):
            said = spec.check_file(path.removeprefix(folder)).include
            if said is not None:
                return said
        return False


def _spec(lines: Sequence[str], place: str) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise CorpusError(
            f"{place}: {one_line(str(error))}: write it as in a .gitignore file"
        ) from error
