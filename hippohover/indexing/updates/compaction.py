"""Merges segments into a new base while updates go on.

From a version with segments, a new base is made in a hidden folder, without the writers' lock.
Then, under the lock, it replaces the old base of the live version, whose later segments stay. A
large segment is closed: no later one is merged into it. So the checksums of the first segments'
files show what the new base holds.
"""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from hippohover.indexing.counts import counts_of
from hippohover.indexing.updates.small_change import forget_opened
from hippohover.progress import Progress, silent
from hippohover.store.contents import fitting
from hippohover.store.layout import REPEATS
from hippohover.store.manifest import Base, Manifest, manifest_sum
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.compaction import link_others, write_compacted
from hippohover.store.segments.files import (
    link_segment,
    repeats_of,
    save_repeats,
    segment_files,
)
from hippohover.store.segments.opening import opened_revision
from hippohover.store.segments.segment import CLOSED
from hippohover.store.tables import SPARE_SHARE, IndexTables
from hippohover.store.version_files import VersionFiles
from hippohover.store.writer import CompactedElsewhereError, IndexWriter, compacting
from hippohover.vectors.choice import AUTO

DUE: Final = 250
"""Number of passages changed by closed segments at which a new base is made beside the writers:
each takes about a millisecond of every opening."""

MOST_BESIDE: Final = 800
"""Number of passages changed by segments at which the next update makes a new base first; or half
as many as there are spare rows."""


def due(root: Path) -> str:
    """Return the command to run beside the writers: "reencode", "compact", or "" for none."""
    manifest = _manifest_of(root)
    if manifest.recipe["encoder"] == AUTO:
        return "reencode"
    base = manifest.base
    is_due = base is not None and sum(base.sizes[: _n_closed(base)]) >= DUE
    return "compact" if is_due else ""


def awaits_vectors(root: Path) -> bool:
    """Return whether the live version is to get the vectors of a transformer."""
    return due(root) == "reencode"


def is_overdue(root: Path) -> bool:
    """Return whether updates should wait for a new base."""
    manifest = _manifest_of(root)
    n_spare = manifest.counts["n_rows"] // (SPARE_SHARE + 1)
    return manifest.base is not None and sum(manifest.base.sizes) >= min(MOST_BESIDE, n_spare // 2)


def _manifest_of(root: Path) -> Manifest:
    with StoredIndex.open(root, check=False) as stored:
        return stored.manifest


def _n_closed(base: Base) -> int:
    """Count the first segments that no later one will be merged into."""
    sizes = base.sizes
    return max((at for at, size in enumerate(sizes, 1) if size >= CLOSED), default=0)


def merge_segments(root: Path, *, beside: bool = False, progress: Progress = silent) -> bool:
    """Make a new base of an index and its segments; return whether it was published.

    Parameters
    ----------
    root : Path
    beside : bool
        Let others write meanwhile: some small updates then stay beside the index. Nothing is
        published if another process does the same, or a build was published in between.
    progress : callable

    Raises
    ------
    CompactedElsewhereError
        Another process does the same, and not ``beside``.
    IndexStoreError, IndexDamagedError
        The live version stays.
    """
    with ExitStack() as stack:
        try:
            files = stack.enter_context(compacting(root))
        except CompactedElsewhereError:
            if beside:
                return False
            raise
        writer = None if beside else stack.enter_context(IndexWriter(root))
        stored = stack.enter_context(StoredIndex.open(root, progress=progress))
        base = stored.manifest.base
        n = 0 if base is None else _n_closed(base) if beside else base.n_segments
        if not n:
            if writer is None:  # a killed one may have left what a writer removes
                stack.enter_context(IndexWriter(root, for_a_moment=True))
            return False
        progress("compact", 0, 1)
        forget_opened()  # the version that it is of will not be changed any more
        _write(stored, n, files, progress)
        writer = writer or stack.enter_context(IndexWriter(root, for_a_moment=True))
        is_published = _publish(writer, stored, n, files)
        progress("compact", 1, 1)
        return is_published


def write_merged(stored: StoredIndex, n: int, files: VersionFiles) -> None:
    """Write the base that the first segments of a version make of the old one, and its log."""
    assert stored.base is not None  # noqa: S101
    with fitting(stored.base.folder):
        write_compacted(opened_revision(stored, n).revision, files)
    link_others(stored.base, files)
    save_repeats(files, repeats_of(stored))
    files.log.update(stored.log() or {})


def _write(stored: StoredIndex, n: int, files: VersionFiles, progress: Progress) -> None:
    write_merged(stored, n, files)
    counts = stored.manifest.counts | counts_of(IndexTables.open(files))
    files.seal(stored.manifest.but(counts=counts, base=None), partial(progress, "publish"))


def _publish(writer: IndexWriter, stored: StoredIndex, n: int, files: VersionFiles) -> bool:
    """Publish a base, below the live version if that has more segments; unless it is another's."""
    with StoredIndex.open(writer.root, check=False) as live:
        base = live.manifest.base
        if base is None or not _begins_alike(live, stored, n):
            return False
        later = range(n + 1, base.n_segments + 1)
        if not later:
            writer.publish_sealed([files.folder])
            return True
        for number, old in enumerate(later, 1):
            link_segment(live, old, writer, number)
        save_repeats(writer, repeats_of(live), repeats_of(stored))
        new = Base(
            version=writer.next_version(),
            manifest_sha256=manifest_sum(files.folder),
            n_segments=len(later),
            sizes=base.sizes[n:],
        )
        writer.log.update(live.log() or {})
        writer.seal(live.manifest.but(base=new))
        writer.publish_sealed([files.folder, writer.folder])
        return True


def _begins_alike(live: StoredIndex, stored: StoredIndex, n: int) -> bool:
    """Return whether a version has another's base, and the same first segments."""
    one, other = live.manifest, stored.manifest
    assert one.base is not None  # noqa: S101
    assert other.base is not None  # noqa: S101
    if one.base.manifest_sha256 != other.base.manifest_sha256 or one.base.n_segments < n:
        return False
    names = (name for number in range(1, n + 1) for name in segment_files(number))
    is_whole = one.base.n_segments == n
    has_same = one.files.get(REPEATS) == other.files.get(REPEATS) or not is_whole
    return has_same and all(one.files[name] == other.files[name] for name in names)
