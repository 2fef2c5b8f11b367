"""The files of a folder, in the order of their paths, and which are not read and why."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from hippohover.disk import door
from hippohover.indexing.corpus.files.globs import Globs, Ignored
from hippohover.indexing.corpus.files.member_names import is_archive
from hippohover.indexing.corpus.files.source_file import SourceFile
from hippohover.indexing.corpus.files.streams import damage_named, open_stream
from hippohover.indexing.corpus.known_names import KNOWN
from hippohover.indexing.corpus.records import BadRecord, PassedOver, clean_text

HIDDEN: Final = "hidden"
IGNORED: Final = "named by a .gitignore"
EXCLUDED: Final = "excluded"
NOT_INCLUDED: Final = "not included"
VENDORED: Final = "of installed packages or a cache"
INDEX: Final = "an index"

_VENDORED: Final = frozenset(KNOWN["files"]["vendored"])
_MARKS_OF_VENDORED: Final = ("CACHEDIR.TAG", "pyvenv.cfg")
_VERSION = re.compile(r"v\d{6,}( [0-9a-f]{8})?\s*")  # as the pointer file of an index says


def tree_files(root: Path, globs: Globs) -> Iterator[SourceFile | PassedOver | BadRecord]:
    """Yield the files below a folder.

    A folder that is passed over is one ``PassedOver``, whose place ends in a slash. A symbolic
    link that leads out of the folder is a ``BadRecord``; one to a folder inside it is not
    followed, for what it shows is met at its own place.

    Raises
    ------
    CorpusError
        The folder itself cannot be read.
    """
    with damage_named(str(root)):
        os.scandir(root).close()
    real = os.path.realpath(root)
    open_folders = [_below(root, "", Ignored.above(root), globs, real)]
    while open_folders:
        for item in open_folders[-1]:
            if isinstance(item, _Folder):
                open_folders.append(_below(*item, globs, real))
                break
            yield item
        else:
            open_folders.pop()


class _Folder(NamedTuple):
    """A folder to enter: its path below the root with a slash, and its ignore rules."""

    folder: Path
    path: str
    ignored: Ignored


def _below(
    folder: Path, above: str, ignored: Ignored, globs: Globs, root: str
) -> Iterator[SourceFile | PassedOver | BadRecord | _Folder]:
    """Yield what is in a folder, in the order of the names."""
    ignored = ignored.below(folder, above)
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield BadRecord(above, f"cannot be read ({error.strerror}): make it readable")
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        path = above + entry.name + "/" * is_folder
        if reason := _reason(path, entry, ignored, globs):
            yield PassedOver(path, reason)
        elif is_folder:
            yield _Folder(Path(entry.path), path, ignored)
        else:
            yield from _file(path, entry, root)


def _file(
    path: str, entry: "os.DirEntry[str]", root: str
) -> Iterator[SourceFile | PassedOver | BadRecord]:
    if entry.is_symlink():
        target = os.path.realpath(entry.path)
        if os.path.commonpath([root, target]) != root:
            yield BadRecord(
                path,
                "is a symbolic link that leaves the folder: put a copy of the file in its place",
            )
            return
        if Path(target).is_dir():
            return
    try:
        is_file = stat.S_ISREG(entry.stat().st_mode)
    except OSError as error:
        yield BadRecord(path, f"cannot be read ({error.strerror}): remove it from the folder")
        return
    if is_file:
        yield SourceFile(clean_text(path), partial(open_stream, Path(entry.path)), Path(entry.path))
    else:
        yield PassedOver(path, "not a regular file")


def _reason(path: str, entry: "os.DirEntry[str]", ignored: Ignored, globs: Globs) -> str:
    """Say why a file or a folder is skipped; "" where it is not."""
    is_folder = path.endswith("/")
    is_opened = is_folder or is_archive(path)
    reason = name_reason((path,), (entry.name,), globs, is_opened=is_opened)
    if reason or globs.names(path):
        return reason
    if ignored.holds(path):
        return IGNORED
    if is_folder and _is_index(entry.path):
        return INDEX
    marks = (os.path.join(entry.path, name) for name in _MARKS_OF_VENDORED)  # noqa: PTH118
    return VENDORED if is_folder and any(map(os.path.exists, marks)) else ""


def _is_index(folder: str) -> bool:
    """Return whether a folder is an index of ours: ``build --corpus .`` would read its own."""
    try:
        pointer = os.path.join(folder, "CURRENT")  # noqa: PTH118
        return bool(_VERSION.fullmatch(door.beginning(pointer, 64).decode("ascii")))
    except (OSError, ValueError):
        return False


def name_reason(
    paths: Sequence[str], parts: Sequence[str], globs: Globs, *, is_opened: bool = False
) -> str:
    """Say why a file is skipped by its name alone; "" where it is not.

    In an archive it has two paths: from the top of the corpus, and from that of the archive. What
    ``is_opened``, a folder or an archive, may hold files that are included.
    """
    if any(map(globs.is_excluded, paths)):
        return EXCLUDED
    is_chosen = bool(globs.include) and not is_opened
    if is_chosen and not any(map(globs.is_included, paths)):
        return NOT_INCLUDED
    if globs.names(paths[0]):
        return ""
    shown = parts[:-1] if is_chosen else parts
    is_of_windows = not is_chosen and parts[-1].lower() in KNOWN["files"]["of_windows"]
    if any(part.startswith((".", "~$")) for part in shown) or is_of_windows:
        return HIDDEN  # "~$" begins a lock of Word
    return VENDORED if not _VENDORED.isdisjoint(parts) else ""
