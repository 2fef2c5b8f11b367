"""Opens the tables of a version, with or without segments."""

from functools import reduce
from typing import NamedTuple

from hippohover.entity_graph import type_scale, type_weights
from hippohover.errors import IndexStoreError
from hippohover.store.checksums import check_once
from hippohover.store.contents import check_contents, fitting
from hippohover.store.layout import MANIFEST
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.application import apply
from hippohover.store.segments.files import load_segment
from hippohover.store.segments.merge import merged
from hippohover.store.segments.revision import Revision
from hippohover.store.segments.segment import Segment
from hippohover.store.tables import IndexTables


def opened_tables(stored: StoredIndex) -> IndexTables:
    """Return tables of a version, by memory map; segments' changes are in memory."""
    if stored.manifest.base is None:
        return checked_tables(stored)
    return opened_revision(stored).revision.tables()


def checked_tables(stored: StoredIndex) -> IndexTables:
    """Return tables of a version without segments; all is checked once, before it is read.

    Raises
    ------
    IndexDamagedError
        Something in them is not what it must be.
    """
    check_once(stored.folder, MANIFEST, lambda: _check(stored))
    return IndexTables.open(stored)


def content_problems(stored: StoredIndex) -> list[str]:
    """Return a line for what a version holds and must not, as ``StoredIndex.verify`` does."""
    try:
        _check(stored.base or stored)
        if stored.base is not None:
            opened_revision(stored)
    except IndexStoreError as error:
        return [str(error)]
    return []


def _check(stored: StoredIndex) -> None:
    check_contents(stored, stored.folder, stored.recipe().query.weights)


class OpenedRevision(NamedTuple):
    """A version to be changed further, and its segments."""

    revision: Revision
    segments: list[Segment]


def opened_revision(stored: StoredIndex, n_segments: int | None = None) -> OpenedRevision:
    """Open a version in memory for changes, or only its first ``n_segments``."""
    scale = type_scale(type_weights(stored.recipe().query.weights))
    revision = Revision(checked_tables(stored.base or stored), scale)
    n = 0 if stored.manifest.base is None else stored.manifest.base.n_segments
    n = n if n_segments is None else n_segments
    segments = [load_segment(stored, number) for number in range(1, n + 1)]
    if segments:
        whole = reduce(
            merged, segments
        )  # taken at once, what several of them touch is worked out once
        # Hashes that nothing has, and numbers that do not fit: what it says is not of this base.
        with fitting(stored.folder):
            apply(revision, whole)
            revision.write_names(whole.written)
    return OpenedRevision(revision, segments)
