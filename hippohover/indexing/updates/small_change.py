"""Publishes a change of few passages as a segment beside the build."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hippohover.indexing.updates.repeats import Repeats
from hippohover.indexing.updates.segment_maker import make_segment
from hippohover.progress import Progress
from hippohover.recipe import IndexRecipe, is_own
from hippohover.records import Passage
from hippohover.store.manifest import Base, ManifestFields, manifest_sum
from hippohover.store.reader import StoredIndex
from hippohover.store.segments.files import link_segment, repeats_of, save_repeats, save_segment
from hippohover.store.segments.merge import merged
from hippohover.store.segments.opening import OpenedRevision, opened_revision
from hippohover.store.segments.revision import Revision
from hippohover.store.segments.segment import CLOSED, Segment
from hippohover.store.tables import LEAST_WITH_SPARE
from hippohover.store.writer import IndexWriter
from hippohover.vectors.embedding import Encoder, open_encoder
from hippohover.vectors.own_encoder import encoder_of_index

TOO_SMALL: Final = f"an index of fewer than {LEAST_WITH_SPARE:,} passages is rebuilt by each update"

_EXTRACTORS: Final = ("between", "none")
_kept: dict[str, OpenedRevision] = {}
_encoders: dict[str, Encoder] = {}


def why_built(stored: StoredIndex, recipe: IndexRecipe) -> str:
    """Return why each update builds an index again; "" if it takes segments."""
    counts = stored.manifest.counts
    if counts["n_rows"] <= counts["n_passages"] < LEAST_WITH_SPARE:
        return TOO_SMALL
    reasons = {
        f"extractor = {recipe.extractor!r} does not read passages by themselves": (
            recipe.extractor not in _EXTRACTORS
        ),
        "the recipe has aliases": bool(recipe.aliases),
        "the recipe has fact_vectors": recipe.fact_vectors,
        "the encoder is one of your own": is_own(recipe.encoder),
        "no spare row is left for new passages": counts["n_rows"] <= counts["n_passages"],
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def opened_for_change(stored: StoredIndex) -> OpenedRevision:
    """Open a version in memory: that of this process's last change, if it is the same.

    So a process that changes an index again and again opens it once. It must not be changed but by
    ``publish_segment``.
    """
    key = _key_of(stored.folder)
    opened = _kept.get(key)
    if opened is None:
        _kept.clear()
        opened = _kept[key] = opened_revision(stored)
    return opened


def forget_opened() -> None:
    """Release the version that this process has in memory."""
    _kept.clear()


def _key_of(folder: Path) -> str:
    """Return the key of a cached version, with its manifest: an index may be made again."""
    return f"{folder.resolve()} {manifest_sum(folder)}"


def publish_segment(  # noqa: PLR0913
    writer: IndexWriter,
    stored: StoredIndex,
    opened: OpenedRevision,
    recipe: IndexRecipe,
    *,
    new: Sequence[Passage],
    gone: Collection[str],
    repeats: Repeats,
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
    forget_opened()  # what is changed and not published is of no version
    encoder = _encoder_of(stored, revision) if new else None
    progress("segment", 0, 1)
    segment = make_segment(revision, new, gone, recipe=recipe, encoder=encoder)
    segments = _tiered([*before, segment])
    n_kept = 0
    while n_kept < min(len(before), len(segments)) and before[n_kept] is segments[n_kept]:
        n_kept += 1
        link_segment(stored, n_kept, writer, n_kept)
    for number, one in enumerate(segments[n_kept:], start=n_kept + 1):
        save_segment(writer, number, one)
    save_repeats(writer, repeats.table, repeats_of(stored.base or stored))
    writer.log.update(log())
    folder = writer.publish(_fields(stored, revision, [one.size for one in segments]), None)
    _kept[_key_of(folder)] = OpenedRevision(revision, segments)
    progress("segment", 1, 1)


def _tiered(segments: list[Segment]) -> list[Segment]:
    """Merge segments until each is closed, or over twice as large as the next."""
    while len(segments) > 1 and segments[-2].size <= min(2 * segments[-1].size, CLOSED - 1):
        last = segments.pop()
        segments[-1] = merged(segments[-1], last)
    return segments


def _encoder_of(stored: StoredIndex, revision: Revision) -> Encoder | None:
    if not len(revision.view("passage_codes")):
        return None
    folder = stored.home.resolve() / "encoder"
    made_with = stored.manifest.models.get("encoder", {})
    # Of whatever version: a transformer takes as long to load as several updates.
    key = f"{folder.parents[1]} {made_with}"
    encoder = _encoders.get(key)
    if encoder is None:
        _encoders.clear()
        encoder = _encoders[key] = encoder_of_index(None, made_with) or open_encoder(folder)
    return encoder


def _fields(stored: StoredIndex, revision: Revision, sizes: list[int]) -> ManifestFields:
    """Return a build's manifest fields; what is counted of facts and links is the base's."""
    base = stored.base or stored
    arrays = revision.tables(whole=False).arrays
    moved = revision.edges_moved()
    moved = {f"n_{kind}_edges": n for kind, n in moved.items()} | {"n_edges": sum(moved.values())}
    before = base.manifest.counts
    counts = {
        **stored.manifest.counts,
        **{name: before.get(name, 0) + n for name, n in moved.items()},
        "n_passages": arrays.n_passages,
        "n_documents": arrays.n_documents,
        "n_linked_entities": int(np.count_nonzero(revision.view("entity_standing"))),
        "n_facts": int(np.count_nonzero(revision.view("fact_df"))),
    }
    new = Base(
        version=base.version,
        manifest_sha256=manifest_sum(base.folder),
        n_segments=len(sizes),
        sizes=sizes,
    )
    return stored.manifest.but(counts=counts, base=new)
