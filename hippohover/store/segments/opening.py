"""Opens the tables of a version, with or without segments."""

from functools import reduce
from typing import NamedTuple

from hippohover.entity_graph import type_scale, type_weights
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
        return IndexTables.open(stored)
    return opened_revision(stored).revision.tables()


class OpenedRevision(NamedTuple):
    """A version to be changed further, and its segments."""

    revision: Revision
    segments: list[Segment]


def opened_revision(stored: StoredIndex, n_segments: int | None = None) -> OpenedRevision:
    """Open a version in memory for changes, or only its first ``n_segments``."""
    scale = type_scale(type_weights(stored.recipe().query.weights))
    revision = Revision(IndexTables.open(stored.base or stored), scale)
    n = 0 if stored.manifest.base is None else stored.manifest.base.n_segments
    n = n if n_segments is None else n_segments
    segments = [load_segment(stored, number) for number in range(1, n + 1)]
    if segments:
        whole = reduce(
            merged, segments
        )  # taken at once, what several of them touch is worked out once
        apply(revision, whole)
        revision.write_names(whole.written)
    return OpenedRevision(revision, segments)
