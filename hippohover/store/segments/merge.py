"""Merges two consecutive segments; the later one takes precedence."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.store.segments.segment import LISTED, OF_PASSAGES, Listed, Segment, first_column


def merged(first: Segment, second: Segment) -> Segment:
    """Return one segment that makes the changes of both."""
    from pyarrow import concat_tables

    of_first = _new_keys(first)
    stays = ~np.isin(of_first, second.gone)
    gone = np.concatenate([first.gone, second.gone[~np.isin(second.gone, of_first)]])
    # A passage that went and came again is one that comes.
    touched = ~np.isin(first.touched, np.concatenate([second.touched, second.gone]))
    names = ~np.isin(first.names, second.names)
    tables = [first.passages.take(np.flatnonzero(stays)), second.passages]
    values: dict[str, Any] = {
        "gone": gone,
        "passages": concat_tables(tables, promote_options="default"),
        "frames": [f for f, kept in zip(first.frames, stays, strict=True) if kept] + second.frames,
        "written": first.written | second.written,
        "blocks": first.blocks | second.blocks,
        "predicates": first.predicates | second.predicates,
    }

    def join(kept: NDArray[np.bool_], *columns: str) -> None:
        for name in columns:
            values[name] = np.concatenate([getattr(first, name)[kept], getattr(second, name)])

    join(stays, *OF_PASSAGES)
    join(np.repeat(stays, first.lengths), "terms")
    join(touched, "touched")
    join(names, "names", "known")
    has_vectors = len(first.scales) == len(of_first)
    for name in ("codes", "scales"):
        own = getattr(first, name)[stays] if has_vectors else getattr(first, name)
        parts = [part for part in (own, getattr(second, name)) if len(part)]
        values[name] = np.concatenate(parts) if parts else own
    remain = {"passages": stays, "touched": touched, "names": names}
    for one in LISTED:
        kept = remain[one.whose]
        values[one.of] = _counted_anew(first, second, one, kept)
        join(kept[first_column(getattr(first, one.of))], *one.values)
    return Segment(**values)


def _counted_anew(
    first: Segment, second: Segment, listed: Listed, stays: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return whose each value is, where of the first's only some are left."""
    own, other = getattr(first, listed.of), getattr(second, listed.of).copy()
    own = own[stays[first_column(own)]]
    first_column(own)[:] = (np.cumsum(stays) - 1)[first_column(own)]
    first_column(other)[:] += np.int32(stays.sum())
    return np.concatenate([own, other]).astype(np.int32)


def _new_keys(segment: Segment) -> NDArray[np.uint64]:
    pids: list[str] = segment.passages.column("pid").to_pylist()
    return np.array([int(pid, 16) for pid in pids], np.uint64)
