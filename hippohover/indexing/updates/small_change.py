"""A change of few passages -> the next version, as a segment beside what was built."""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hippohover.indexing.updates.segment_maker import make_segment
from hippohover.indexing.updates.standing import NotSmallError
from hippohover.progress import Progress
from hippohover.recipe import IndexRecipe
from hippohover.records import Passage
from hippohover.store.checksums import sha256_of
from hippohover.store.layout import MANIFEST
from hippohover.store.manifest import Base, ManifestFields
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.files import save_segment, segment_files
from hippohover.store.segments.merge import merged
from hippohover.store.segments.opening import OpenedRevision, opened_revision
from hippohover.store.segments.revision import Revision
from hippohover.store.segments.segment import Segment
from hippohover.store.writer import IndexWriter
from hippohover.vectors.embedding import Encoder, open_encoder
from hippohover.vectors.own_encoder import encoder_of_index

MOST_CHANGED: Final = 2000
"""Passages that may come, go or be touched before a build makes the index anew: each takes about a
millisecond of every opening."""

_EXTRACTORS: Final = ("between", "none")
_kept: dict[Path, OpenedRevision] = {}
_encoders: dict[Path, Encoder] = {}


def may_be_small(stored: StoredIndex, recipe: IndexRecipe) -> bool:
    """Whether an index takes segments: it keeps spare rows, and reads facts by what they need."""
    counts = stored.manifest.counts
    return (
        recipe.extractor in _EXTRACTORS
        and not recipe.aliases
        and not recipe.fact_vectors
        and not recipe.encoder.startswith("custom:")
        and counts.get("n_rows", 0) > counts["n_passages"]
    )


def opened_for_change(stored: StoredIndex) -> OpenedRevision:
    """A version in memory: that of the last change of this process, where it is the same one.

    So a process that changes an index again and again opens it once. It must not be changed but by
    ``publish_segment``.
    """
    folder = stored.folder.resolve()
    if folder not in _kept:
        _kept.clear()
        _kept[folder] = opened_revision(stored)
    return _kept[folder]


def publish_segment(  # noqa: PLR0913
    writer: IndexWriter,
    stored: StoredIndex,
    opened: OpenedRevision,
    recipe: IndexRecipe,
    *,
    new: Sequence[Passage],
    gone: Collection[str],
    log: Callable[[], dict[str, Any]],
    progress: Progress,
) -> None:
    """Publish the next version of an index, as a segment.

    Raises
    ------
    NotSmallError
        A build is what it takes; nothing is written then.
    """
    revision, before = opened
    _kept.clear()  # what is changed and not published is of no version
    if sum(map(_size, before)) + len(new) + len(gone) > MOST_CHANGED:
        raise NotSmallError("much has changed since the last build")
    encoder = _encoder_of(stored, revision) if new else None
    progress("segment", 0, 1)
    segment = make_segment(revision, new, gone, extractor=recipe.extractor, encoder=encoder)
    segments = _tiered([*before, segment])
    n_kept = 0
    while n_kept < min(len(before), len(segments)) and before[n_kept] is segments[n_kept]:
        n_kept += 1
        _link(stored, writer, n_kept)
    for number, one in enumerate(segments[n_kept:], start=n_kept + 1):
        save_segment(writer, number, one)
    writer.log.update(log())
    folder = writer.publish(_fields(stored, revision, len(segments)), None)
    _kept[folder.resolve()] = OpenedRevision(revision, segments)
    progress("segment", 1, 1)


def _size(segment: Segment) -> int:
    return len(segment.gone) + len(segment.touched)


def _tiered(segments: list[Segment]) -> list[Segment]:
    """Segments of which each is more than twice the next: there are few, and few are written."""
    while len(segments) > 1 and _size(segments[-2]) <= 2 * _size(segments[-1]):
        last = segments.pop()
        segments[-1] = merged(segments[-1], last)
    return segments


def _link(stored: StoredIndex, writer: IndexWriter, number: int) -> None:
    for name in segment_files(number):
        with writer.writing(name) as path:
            os.link(stored.folder / name, path)


def _encoder_of(stored: StoredIndex, revision: Revision) -> Encoder | None:
    if not len(revision.view("passage_codes")):
        return None
    folder = stored.home.resolve() / "encoder"
    if folder not in _encoders:
        _encoders.clear()
        named = encoder_of_index(None, stored.manifest.models.get("encoder", {}))
        _encoders[folder] = named or open_encoder(folder)
    return _encoders[folder]


def _fields(stored: StoredIndex, revision: Revision, n_segments: int) -> ManifestFields:
    """What a build would say, but for counts of edges, which are the base's."""
    manifest = stored.manifest
    own = {name: getattr(manifest, name) for name in ManifestFields.model_fields}
    base = stored.base or stored
    arrays = revision.tables(whole=False).arrays
    counts = {
        **manifest.counts,
        "n_passages": arrays.n_passages,
        "n_documents": arrays.n_documents,
        "n_linked_entities": int(np.count_nonzero(revision.view("entity_standing"))),
        "n_facts": int(np.count_nonzero(revision.view("fact_df"))),
    }
    own["counts"] = counts
    own["base"] = Base(
        version=base.version,
        manifest_sha256=sha256_of(base.folder / MANIFEST),
        n_segments=n_segments,
    )
    return ManifestFields(**own)
