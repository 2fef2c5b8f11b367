"""Chooses paths below a folder: by the caller's globs, and by ``.gitignore`` files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hippohover.disk import door
from hippohover.errors import CorpusError
from hippohover.indexing.corpus.files.streams import one_line

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE: Final = ".gitignore"
_MAX_IGNORE_BYTES: Final = 2**20
_MOST_STARS: Final = 3
_STARS: Final = re.compile(r"\*+")
_WILD: Final = frozenset("*?[")


@dataclass(frozen=True)
class Globs:
    """Globs over paths below a corpus, in the form of ``.gitignore``.

    Attributes
    ----------
    include : tuple of str
        Where there are any, only files that match one are read, hidden ones too; what is in a
        hidden or vendored folder, or ignored, only where a glob has the name of it or its folder.
    exclude : tuple of str
        Files that match one are not read.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def is_excluded(self, path: str) -> bool:
        """Return whether a path, a folder's with a slash at its end, is excluded."""
        return bool(self.exclude) and self._excluded.match_file(path)

    def is_included(self, path: str) -> bool:
        """Return whether a glob of ``include`` matches a path; False without any glob."""
        return bool(self.include) and self._included.match_file(path)

    def names(self, path: str) -> bool:
        """Return whether a glob of ``include`` has the name of a path's file or of its folders."""
        return bool(self.include) and not self._names.isdisjoint(path.split("/"))

    @cached_property
    def _names(self) -> frozenset[str]:
        parts = (part for glob in self.include if glob[:1] != "!" for part in glob.split("/"))
        return frozenset(part for part in parts if part and not _WILD.intersection(part))

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
    """The ``.gitignore`` files from the root down to a folder.

    Attributes
    ----------
    specs : tuple of (str, str, GitIgnoreSpec)
        The folder of each file, "" or with a slash at its end; the way from there to the top of
        the corpus, of one that is above it; and what the file says.
    """

    specs: "tuple[tuple[str, str, GitIgnoreSpec], ...]" = field(default=())

    @classmethod
    def above(cls, root: Path) -> "Ignored":
        """Read those above a folder, up to the top of its repository, as git does.

        None, where they ignore the folder itself: who names it wants what is in it.
        """
        root = root.resolve()
        folders = (root, *root.parents)
        n_above = next((n for n, one in enumerate(folders) if (one / ".git").exists()), None)
        if n_above is None:
            return cls()
        top = folders[n_above]
        ignored = cls()._with(top / ".git/info/exclude", "", _way(top, root))
        for folder in reversed(folders[1 : n_above + 1]):
            ignored = ignored._with(folder / IGNORE_FILE, "", _way(folder, root))
        return cls() if n_above and ignored.holds("") else ignored

    @classmethod
    def of_files(cls, contents: Mapping[str, bytes]) -> "Ignored":
        """Read those of an archive, by their folders."""
        ignored = cls()
        for folder in sorted(contents, key=lambda folder: (folder.count("/"), folder)):
            ignored = ignored._with_lines(contents[folder], folder, "")
        return ignored

    def below(self, folder: Path, path: str) -> "Ignored":
        """Add the file of one more folder; its path is "", or ends in a slash."""
        return self._with(folder / IGNORE_FILE, path, "")

    def _with(self, file: Path, folder: str, way: str) -> "Ignored":
        try:
            return self._with_lines(door.beginning(file, _MAX_IGNORE_BYTES), folder, way)
        except OSError:
            return self

    def _with_lines(self, content: bytes, folder: str, way: str) -> "Ignored":
        lines = content[:_MAX_IGNORE_BYTES].decode(errors="replace").splitlines()
        try:
            return Ignored((*self.specs, (folder, way, _spec(lines, IGNORE_FILE))))
        except CorpusError:  # git passes over a line that it cannot read
            return self

    def holds(self, path: str) -> bool:
        """Return whether the last line that matches a path ignores it."""
        for folder, way, spec in reversed(self.specs):
            if path.startswith(folder):
                said = spec.check_file(way + path.removeprefix(folder)).include
                if said is not None:
                    return said
        return False


def _way(top: Path, root: Path) -> str:
    """Return the path from one folder down to another, with a final slash; "" to itself."""
    return f"{root.relative_to(top).as_posix()}/" if top != root else ""


def _is_costly(glob: str) -> bool:
    """Return whether a glob takes long to compare: each star in a part is tried at every place."""
    return any(len(_STARS.findall(part)) > _MOST_STARS for part in glob.split("/"))


def _spec(lines: Sequence[str], place: str) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    if place == IGNORE_FILE:  # of a folder of anybody's
        lines = [line for line in lines if not _is_costly(line)]
    elif costly := next(filter(_is_costly, lines), ""):
        raise CorpusError(
            f"{place}: {one_line(costly)!r:.80} has more than {_MOST_STARS} stars between two "
            "slashes: write several globs"
        )
    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error) as error:
        raise CorpusError(
            f"{place}: {one_line(str(error))}: write it as in a .gitignore file"
        ) from error
