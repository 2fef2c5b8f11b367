"""Layout of an index on disk: what each file and folder is called.

::

    <root>/CURRENT            name of the live version, "v000002", and the name's checksum
    <root>/.lock              locked by the one process that writes, whose pid it holds
    <root>/.cache/            what builds have done and later ones need not do again
    <root>/ranking.npz        the index's own ranking, where `tune --into-index` wrote one: it stays
                              when versions come and go, and has no checksum
    <root>/v000002/           a version: complete once it has this name, its build never changed
        manifest.json         what it is made of; sha256 and size of every file of the build
        manifest.sha256       the manifest's own checksum, as the program sha256sum writes it
        build_log.json        time, host and the like: without a checksum
        segments/000001.arrow and 000001-passages.arrow
                              what updates changed, of a version that has a base: its other files
                              are those of the version that the manifest names
        checked.json          which large files an opening found right; without a checksum
        ...                   the files of the build

Whoever reads a version holds a shared lock on its manifest, so that no writer removes it.
"""

import re
from pathlib import Path
from typing import Final

from hippohover.disk import door
from hippohover.disk.errors import message
from hippohover.errors import UsageError

CURRENT, LOCK, CACHE = "CURRENT", ".lock", ".cache"
LISTS: Final = "lists"
"""Folder of the cache that keeps FAISS's lists, called by the checksum of the vectors in them."""
RANKING: Final = "ranking.npz"
MANIFEST, MANIFEST_SUM, LOG = "manifest.json", "manifest.sha256", "build_log.json"
SUMS: Final = "checked.json"
OWN_FILES: Final = frozenset({MANIFEST, MANIFEST_SUM, LOG, SUMS})
SEGMENTS: Final = "segments"
REPEATS: Final = "repeats.arrow"
"""Passages of documents that say the same as another document, which has the passage; without
texts. A version with a base has its own such file if it or the base has any."""
BUILDING, REMOVING, NEW_CURRENT = ".building-", ".removing-", ".CURRENT-new"
COMPACTING: Final = ".compacting"
"""Folder of a version that is made beside the writers, locked while it is being made."""
ENCODED: Final = "encoded.json"
"""File in it: how many passages are encoded again so far, and of how many."""
_NO_NAMES: Final = frozenset({"", ".", ".."})
VERSION: Final = re.compile(r"v[0-9]{6,9}")


def file_name(name: str) -> str:
    """Return the name, if it is a path inside a version and not a file of the store's own.

    Raises
    ------
    UsageError
        It is absolute, has "..", is not in its simplest form, or is taken.
    """
    parts = name.split("/")  # hundreds of names at each opening: no paths are made of them
    if not _NO_NAMES.isdisjoint(parts) or not name.isprintable() or name in OWN_FILES:
        fix = 'give a relative path, such as "graph/indptr.npy"'
        raise UsageError(message(repr(name), "cannot name a file of an index", fix))
    return name


def file_names(folder: Path) -> list[str]:
    """Return the names of all files in a folder, relative to it, sorted."""
    return sorted(name for name, _ in door.files_below(folder))
