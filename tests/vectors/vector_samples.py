"""Rows of unit length of several kinds, and what a full sort of them finds."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippohover.vectors.nearest import TopK, Vectors
from hippohover.vectors.unit_vectors import UnitVectors

Floats = NDArray[np.float32]


FORMS = ["float16", "float32", "one byte"]


def unit_rows(n: int, dim: int = 16, *, seed: int = 0) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def clustered_rows(n: int, dim: int = 16, *, seed: int = 0) -> Floats:
    """Rows around 50 centres, as texts lie around topics."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((50, dim))
    rows = centres[rng.integers(0, 50, n)] + 0.5 * rng.standard_normal((n, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def stored_as(form: str, rows: Floats) -> Vectors:
    return UnitVectors.of(rows) if form == "one byte" else rows.astype(form)


def for_each(
    search: Callable[..., TopK],
    queries: NDArray[Any],
    k: int,
    **more: Any,  # noqa: ANN401
) -> tuple[Floats, NDArray[np.int64]]:
    """What a search finds, a row a query."""
    found = [search(query, k, **more) for query in queries]
    return np.stack([one[0] for one in found]), np.stack([one[1] for one in found])


def by_full_sort(
    vectors: Vectors, queries: Floats, k: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The oracle: all similarities in float64, rounded, and a stable sort."""
    similarities = (queries.astype(np.float64)[:, None] * vectors[:].astype(np.float64)).sum(axis=2)
    rounded = similarities.astype(np.float32)
    rows = np.argsort(-rounded, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(rounded, rows, axis=1), rows


def assert_same(found: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    assert (found[0].dtype, found[1].dtype) == (np.float32, np.int64)
