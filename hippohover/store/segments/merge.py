"""Merges two consecutive segments; the later one takes precedence."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.store.segments.segment import Segment

_OF_TOUCHED: Final = {
    "edge_of": ("edges", "edge_kinds"),
    "title_of": ("titles", "title_kinds"),
    "phrase_of": ("phrases",),
    "run_of": ("runs",),
}
_ROWS: Final = {"mention_rows": "mentions", "fact_rows": "facts"}


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
        "touched": np.concatenate([first.touched[touched], second.touched]),
        "names": np.concatenate([first.names[names], second.names]),
        "known": np.concatenate([first.known[names], second.known]),
        "written": first.written | second.written,
        "blocks": first.blocks | second.blocks,
        "predicates": first.predicates | second.predicates,
    }
    for name in ("documents", "heads", "title_lengths", "lengths"):
        values[name] = np.concatenate([getattr(first, name)[stays], getattr(second, name)])
    has_vectors = len(first.scales) == len(of_first)
    for name in ("codes", "scales"):
        own = getattr(first, name)[stays] if has_vectors else getattr(first, name)
        parts = [part for part in (own, getattr(second, name)) if len(part)]
        values[name] = np.concatenate(parts) if parts else own
    values["terms"] = np.concatenate([first.terms[np.repeat(stays, first.lengths)], second.terms])
    _join(values, first, second, "tail_of", ("tails",), stays)
    _join(values, first, second, "target_of", ("targets",), stays)
    for of, columns in _OF_TOUCHED.items():
        _join(values, first, second, of, columns, touched)
    for of, column in _ROWS.items():
        kept = touched[getattr(first, of)[:, 0]]
        own = getattr(first, of)[kept].copy()
        own[:, 0] = _renumbered(touched)[own[:, 0]]
        other = getattr(second, of).copy()
        other[:, 0] += int(touched.sum())
        values[of] = np.concatenate([own, other])
        values[column] = np.concatenate([getattr(first, column)[kept], getattr(second, column)])
    _join(values, first, second, "form_of", ("forms",), names)
    _join(values, first, second, "owner_of", ("owners",), names)
    return Segment(**values)


def _join(
    values: dict[str, Any],
    first: Segment,
    second: Segment,
    of: str,
    columns: tuple[str, ...],
    stays: NDArray[np.bool_],
) -> None:
    """Join columns that point into others; part of the first's remain."""
    own: NDArray[np.int32] = getattr(first, of)
    kept = stays[own]
    other = getattr(second, of) + np.int32(stays.sum())
    values[of] = np.concatenate([_renumbered(stays)[own[kept]], other]).astype(np.int32)
    for column in columns:
        values[column] = np.concatenate([getattr(first, column)[kept], getattr(second, column)])


def _renumbered(stays: NDArray[np.bool_]) -> NDArray[np.int32]:
    return (np.cumsum(stays) - 1).astype(np.int32)


def _new_keys(segment: Segment) -> NDArray[np.uint64]:
    pids: list[str] = segment.passages.column("pid").to_pylist()
    return np.array([int(pid, 16) for pid in pids], np.uint64)
