"""Reads the trees that LightGBM's ``save_model`` writes into arrays."""

import numpy as np

from hippohover.errors import ModelError
from hippohover.retrieval.reranking.trees import Trees

_NUMERIC_SPLIT = 2
"""LightGBM's decision type of ``value <= threshold`` without missing values or categories."""


def trees_of(text: str) -> Trees:
    """Read trees from LightGBM's text.

    Raises
    ------
    ModelError
        The text is not such a model, or has splits that are not plain numeric ones.
    """
    try:
        return _trees_of(text)
    except (KeyError, ValueError, IndexError) as error:
        raise ModelError(f"the trees are no LightGBM text model ({error})") from error


def _trees_of(text: str) -> Trees:
    header, *blocks = text.split("\nTree=")
    roots: list[int] = []
    features: list[int] = []
    children: list[list[int]] = [[], []]
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
        features += map(int, tree["split_feature"].split())
        for side, name in enumerate(("left_child", "right_child")):
            children[side] += [
                child + first_inner if child >= 0 else child - first_leaf
                for child in map(int, tree[name].split())
            ]
    return Trees(
        feature_names=tuple(_fields(header)["feature_names"].split()),
        roots=np.array(roots, np.int64),
        features=np.array(features, np.int64),
        thresholds=np.array(thresholds, np.float64),
        children=np.array(children, np.int64).T.copy(),
        leaves=np.array(leaves, np.float64),
    )


def _fields(block: str) -> dict[str, str]:
    """Return ``name=value`` lines up to the first blank line."""
    lines = block.split("\n\n", 1)[0].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)
