"""Gradient-boosted trees as plain arrays; needs no library that learned them.

Scoring a few hundred rows takes well under a millisecond, and a cold process imports no learning
library before its first answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.kernels import compiled

_ARRAYS: Final = {
    "roots": ("int64", "<i2"),
    "features": ("int64", "u1"),
    "thresholds": ("float64", "<f8"),
    "children": ("int64", "<i2"),
    "leaves": ("float64", "<f8"),
}
"""Type of each array of an ensemble in memory, and in a file."""

_MOST_STEPS: Final = 1 << 17
"""Nodes that a row may pass in all trees: those that are learned here pass a fiftieth of that."""


@dataclass(frozen=True, kw_only=True)
class Trees:
    """An ensemble: a row's score is the sum of its leaves.

    Attributes
    ----------
    feature_names : tuple of str
        Names of the columns, in order.
    roots : ndarray of int64, shape (n_trees,)
        First inner node of each tree; ``~leaf`` for a tree that is a single leaf.
    features : ndarray of int64, shape (n_inner,)
        Column that an inner node looks at.
    thresholds : ndarray of float64, shape (n_inner,)
        A value up to the threshold goes left.
    children : ndarray of int64, shape (n_inner, 2)
        Left and right: an inner node, or ``~leaf``.
    leaves : ndarray of float64, shape (n_leaves,)
    """

    feature_names: tuple[str, ...]
    roots: NDArray[np.int64]
    features: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    children: NDArray[np.int64]
    leaves: NDArray[np.float64]

    @classmethod
    def load(cls, file: IO[bytes], name: str) -> "Trees":
        """Read one of the ensembles that ``save_trees`` wrote; raises what numpy raises."""
        with np.load(file, allow_pickle=False) as arrays:
            return cls(
                feature_names=tuple(arrays[f"{name}/feature_names"].tolist()),
                **{
                    field: arrays[f"{name}/{field}"].astype(in_memory)
                    for field, (in_memory, _) in _ARRAYS.items()
                },
            )

    def check(self) -> None:
        """Raise ``ValueError`` where a row would leave the arrays, or loop in them for ever.

        For a file of somebody else's: what runs over the arrays is compiled, and looks at no bound.
        """
        n_inner, n_leaves = len(self.thresholds), len(self.leaves)
        sound = (
            self.features.shape == (n_inner,)
            and self.children.shape == (n_inner, 2)
            and self.roots.ndim == self.leaves.ndim == self.thresholds.ndim == 1
            and np.isin(self.features, np.arange(len(self.feature_names))).all()
            and (self.roots < n_inner).all()
            and (self.children < n_inner).all()
            and (~self.roots < n_leaves).all()
            and (~self.children < n_leaves).all()
        )
        # A child stands behind its parent: every way ends.
        behind = np.arange(n_inner)[:, None] < self.children
        if not sound or not (behind | (self.children < 0)).all():
            raise ValueError("trees whose nodes are not there")
        if not (np.isfinite(self.leaves).all() and np.isfinite(self.thresholds).all()):
            raise ValueError("trees with values that are no numbers")
        if self._n_steps() > _MOST_STEPS:
            raise ValueError("trees that are too many, or too deep")

    def _n_steps(self) -> int:
        """Return the nodes that a row passes at most."""
        depths = [0] * (len(self.children) + 1)  # the last is of every leaf
        for node, children in reversed(list(enumerate(self.children.tolist()))):
            depths[node] = 1 + max(depths[max(child, -1)] for child in children)
        return sum(depths[max(root, -1)] for root in self.roots.tolist()) + len(self.roots)

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Score each row, shape (n_rows,), for rows of shape (n_rows, n_features)."""
        scores = np.zeros(len(rows))
        _add_leaves(
            rows, self.roots, self.features, self.thresholds, self.children, self.leaves, scores
        )
        return scores


def no_trees(feature_names: tuple[str, ...]) -> Trees:
    """Make an ensemble without a tree: every row scores 0."""
    return Trees(
        feature_names=feature_names,
        roots=np.zeros(0, np.int64),
        features=np.zeros(0, np.int64),
        thresholds=np.zeros(0),
        children=np.zeros((0, 2), np.int64),
        leaves=np.zeros(0),
    )


def save_trees(path: Path, ensembles: Mapping[str, Trees]) -> None:
    """Write ensembles by name to one npz file without pickle; equal input, equal bytes.

    Raises as ``arrays_of`` does.
    """
    # Not compressed, for what zlib makes of the same numbers differs between its versions.
    np.savez(path, **arrays_of(ensembles))


def arrays_of(ensembles: Mapping[str, Trees]) -> dict[str, Any]:
    """Return the arrays of ensembles, as ``Trees.load`` reads them, by ``ensemble/field``.

    Raises
    ------
    ModelError
        The trees have more nodes or features than a file has numbers for.
    """
    arrays: dict[str, Any] = {}
    for name, trees in ensembles.items():
        arrays[f"{name}/feature_names"] = np.array(trees.feature_names)
        for field, (_, on_disk) in _ARRAYS.items():
            numbers = getattr(trees, field)
            arrays[f"{name}/{field}"] = numbers.astype(on_disk)
            if not np.array_equal(arrays[f"{name}/{field}"], numbers):
                raise ModelError(f"{field} of {name!r} do not fit {on_disk}: learn smaller trees")
    return arrays


@compiled
def _add_leaves(
    rows: NDArray[np.float32],
    roots: NDArray[np.int64],
    features: NDArray[np.int64],
    thresholds: NDArray[np.float64],
    children: NDArray[np.int64],
    leaves: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    for at in range(rows.shape[0]):
        for root in roots:
            node = root
            while node >= 0:
                right = rows[at, features[node]] > thresholds[node]
                node = children[node, 1 if right else 0]
            scores[at] += leaves[~node]
