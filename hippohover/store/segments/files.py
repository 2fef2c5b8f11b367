"""Segments on disk: the columns of each in one file, its passages in another."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from hippohover.disk import door
from hippohover.disk.columns import Columns, save_columns
from hippohover.disk.errors import reads
from hippohover.names.spelling_blocks import N_BLOCKS
from hippohover.store.contents import check_passages
from hippohover.store.layout import REPEATS, SEGMENTS
from hippohover.store.segments.segment import Segment

if TYPE_CHECKING:
    from hippohover.store.reader import StoredIndex
    from hippohover.store.version_files import VersionFiles
    from hippohover.store.writer import IndexWriter

_WIDTHS: Final = {"mention_rows": 3, "facts": 3, "fact_rows": 2}
_TYPES: Final = {
    **dict.fromkeys(
        ("gone", "documents", "heads", "tails", "terms", "targets", "touched", "edges", "titles",
         "mentions", "facts", "phrases", "runs", "names", "forms", "owners"),
        np.uint64,
    ),
    "codes": np.int8,
    "scales": np.float32,
    "known": np.uint8,
}  # fmt: skip
_STRINGS: Final = ("written", "predicates")


def segment_files(number: int) -> tuple[str, str]:
    """Return names of the two files of a segment, counted from 1."""
    return f"{SEGMENTS}/{number:06d}.arrow", f"{SEGMENTS}/{number:06d}-passages.arrow"


def save_segment(writer: "IndexWriter", number: int, segment: Segment) -> None:
    """Write the files of a segment.

    Raises
    ------
    IndexStoreError
        As ``IndexWriter.writing``.
    """
    columns: dict[str, Any] = {}
    for one in fields(Segment):
        value: Any = getattr(segment, one.name)
        if isinstance(value, np.ndarray):
            columns[one.name] = value.astype(_TYPES.get(one.name, np.int32))
    frames = segment.frames
    columns["frame_lengths"] = np.array(list(map(len, frames)), np.int64)
    columns["frames"] = np.frombuffer(b"".join(frames), np.uint8)
    columns["dim"] = np.array([segment.codes.shape[1] if segment.codes.ndim > 1 else 0], np.int64)
    for name in _STRINGS:
        strings: dict[int, str] = getattr(segment, name)
        columns[f"{name}_hashes"] = np.array(list(strings), np.uint64)
        columns[name] = list(strings.values())
    blocks = np.zeros((len(segment.blocks), N_BLOCKS), np.uint64)
    for at, found in enumerate(segment.blocks.values()):
        blocks[at, : len(found)] = found
    columns["block_hashes"] = np.array(list(segment.blocks), np.uint64)
    columns["blocks"] = blocks
    own, passages = segment_files(number)
    with writer.writing(own) as path:
        save_columns(path, columns)
    writer.save_table(passages, segment.passages)


def link_segment(stored: "StoredIndex", old: int, writer: "IndexWriter", new: int) -> None:
    """Link a segment of a version under a number.

    Raises
    ------
    IndexStoreError
        As ``IndexWriter.writing``.
    """
    for name, target in zip(segment_files(old), segment_files(new), strict=True):
        with writer.writing(target) as path:
            door.link(stored.folder / name, path)


def repeats_of(stored: "StoredIndex") -> Any:  # noqa: ANN401  (Arrow has no types)
    """Return the documents that repeat another one of a version; None without any."""
    if REPEATS not in stored.sizes():
        return None
    table = check_passages(stored.folder / REPEATS, stored.table(REPEATS))
    return table if len(table) else None


def save_repeats(files: "VersionFiles", repeats: Any, below: Any = None) -> None:  # noqa: ANN401
    """Write those of a version, unless the base that it changes has the same ``below``.

    Raises
    ------
    IndexStoreError
        As ``VersionFiles.writing``.
    """
    if repeats is None:
        repeats = None if below is None else below.slice(0, 0)
    is_known = repeats.equals(below) if below is not None else repeats is None or not len(repeats)
    if not is_known:
        files.save_table(REPEATS, repeats)


def load_segment(stored: "StoredIndex", number: int) -> Segment:
    """Load a segment of a version; ``IndexDamagedError`` where it cannot be read."""
    own, passages = segment_files(number)
    path = stored.path_of(own)
    with reads(path):
        table = check_passages(stored.path_of(passages), stored.table(passages))
        segment = _loaded(path, table)
        segment.check()
        return segment


def _loaded(path: Path, passages: Any) -> Segment:  # noqa: ANN401  (Arrow has no types)
    columns = Columns(path)
    values: dict[str, Any] = {}
    for one in fields(Segment):
        if one.name in {"passages", "frames", "blocks", *_STRINGS}:
            continue
        kind = cast("type[np.generic]", _TYPES.get(one.name, np.int32))
        width = _WIDTHS.get(one.name, 0)
        values[one.name] = columns.numbers(one.name, kind, width=width)
    dim = int(columns.numbers("dim", np.int64)[0])
    values["codes"] = values["codes"].reshape(-1, dim) if dim else values["codes"].reshape(0, 0)
    values["known"] = values["known"].astype(np.bool_)
    for name in _STRINGS:
        hashes = columns.numbers(f"{name}_hashes", np.uint64).tolist()
        values[name] = dict(zip(hashes, columns.strings(name).to_pylist(), strict=True))
    blocks = columns.numbers("blocks", np.uint64, width=N_BLOCKS).tolist()
    of_blocks = columns.numbers("block_hashes", np.uint64).tolist()
    values["blocks"] = {
        value: [block for block in found if block]
        for value, found in zip(of_blocks, blocks, strict=True)
    }
    lengths = columns.numbers("frame_lengths", np.int64)
    frames = columns.numbers("frames", np.uint8).tobytes()
    ends = np.cumsum(lengths)
    if int(lengths.min(initial=0)) < 0 or int(ends[-1:].sum()) != len(frames):
        raise ValueError("its texts have other lengths than it says")
    values["frames"] = [
        frames[start:stop] for start, stop in zip(ends - lengths, ends, strict=True)
    ]
    return Segment(passages=passages, **values)
