"""Gradient-boosted trees in LightGBM's text format, read and asked without LightGBM.

Asking a few hundred rows takes well under a millisecond, and no import of a learning library
stands between a cold process and its first answer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.kernels import compiled

_NUMERIC_SPLIT = 2
"""LightGBM's decision type of ``value <= threshold`` without missing values or categories."""


@dataclass(frozen=True)
class Trees:
    """An ensemble: its score of a row is the sum of the leaves that the row falls into.

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
    def parse(cls, text: str) -> "Trees":
        """Trees from what LightGBM's ``save_model`` wrote.

        Raises
        ------
        ModelError
            The text is no such model, or has splits that are not plain numeric ones.
        """
        try:
            return cls._parse(text)
        except (KeyError, ValueError, IndexError) as error:
            raise ModelError(
                f"the re-ranking weights are no LightGBM text model ({error}): learn them again"
            ) from error

    @classmethod
    def _parse(cls, text: str) -> "Trees":
        header, *blocks = text.split("\nTree=")
        names = tuple(_fields(header)["feature_names"].split())
        roots: list[int] = []
        columns: list[list[int]] = [[], [], []]
        thresholds: list[float] = []
        leaves: list[float] = []
        for block in blocks:
            tree = _fields(block)
            first_inner, first_leaf = len(thresholds), len(leaves)
            leaves += map(float, tree["leaf_value"].split())
            if int(tree["num_leaves"]) == 1:
                roots.append(~first_leaf)
                continue
            if set(tree["decision_type"].split()) != {str(_NUMERIC_SPLIT)}:
                raise ValueError("a split that is not a plain numeric one")
            roots.append(first_inner)
            thresholds += map(float, tree["threshold"].split())
            columns[0] += map(int, tree["split_feature"].split())
            for side, name in ((1, "left_child"), (2, "right_child")):
                columns[side] += [
                    child + first_inner if child >= 0 else child - first_leaf
                    for child in map(int, tree[name].split())
                ]
        return cls(
            names,
            np.array(roots, np.int64),
            np.array(columns[0], np.int64),
            np.array(thresholds, np.float64),
            np.array(columns[1:], np.int64).T.copy(),
            np.array(leaves, np.float64),
        )

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Score of each row, shape (n_rows,), for rows of shape (n_rows, n_features)."""
        scores = np.zeros(len(rows))
        _add_leaves(
            rows, self.roots, self.features, self.thresholds, self.children, self.leaves, scores
        )
        return scores


def _fields(block: str) -> dict[str, str]:
    """``name=value`` lines up to the first blank line."""
    lines = block.split("\n\n", 1)[0].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


@compiled
def _add_leaves(  # noqa: PLR0913, PLR0917
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
