"""Candidates -> scores, from plain features by learned weights.

The weights are LightGBM's trees (LambdaRank) as plain arrays, learned and written by
``benchmarks/train_reranker.py``: ``first-*`` for the first scoring, ``second-*`` for the second.
Besides the trees learned from every group of claims, there are five that each left out a fifth of
the groups. Trees that never saw its group score a claim that was learned from. Claims are
recognised by their words, so another claim of such a group is not recognised.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import IO

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import ModelError
from hippohover.names.normal_forms import entity_key
from hippohover.retrieval.reranking.features import FEATURES, SECOND_FEATURES
from hippohover.retrieval.reranking.trees import Trees

N_FOLDS = 5
TREES, CLAIMS = "trees.npz", "claims.json"
_FOLDER = "weights"


def claim_digest(claim: str) -> str:
    """Return the id of a claim that weights were learned from: 12 hexadecimal digits."""
    return sha256(entity_key(claim).encode()).hexdigest()[:12]


def score(claim: str, features: NDArray[np.float32]) -> NDArray[np.float64]:
    """Score each candidate, higher is better; shape (n,).

    Parameters
    ----------
    claim : str
        Decides which trees judge: those that did not learn from its group.
    features : ndarray of float32, shape (n, len(FEATURES)) or (n, len(SECOND_FEATURES))
        Their number says which scoring it is.

    Raises
    ------
    ModelError
        There are as many features as no scoring has, or the weights cannot be read.
    """
    stages = {len(FEATURES): "first", len(SECOND_FEATURES): "second"}
    stage = stages.get(features.shape[1])
    if stage is None:
        raise ModelError(
            f"{features.shape[1]} features a candidate: give {sorted(stages)[0]} or "
            f"{sorted(stages)[1]}, as features.FEATURES lists them"
        )
    fold = _folds_seen().get(claim_digest(claim))
    return _trees(stage, "all" if fold is None else f"without-{fold}").scores(features)


def weights_sha256() -> str:
    """Hash the numbers of all weights: measurements with other weights differ in it.

    Of names, types, shapes and values, so that how a file is laid out changes nothing.
    """
    digest = sha256()
    with _opened(TREES) as file, np.load(file, allow_pickle=False) as arrays:
        for name in sorted(arrays.files):
            array = arrays[name]
            digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode() + array.tobytes())
    return digest.hexdigest()


def was_learned_from(claim: str) -> bool:
    """Return whether the shipped weights were learned from this claim."""
    return claim_digest(claim) in _folds_seen()


@cache
def _folds_seen() -> dict[str, int]:
    """Return the fold of every claim that the weights were learned from, by digest."""
    with _opened(CLAIMS) as file:
        folds: dict[str, int] = json.load(file)
    return folds


@cache
def _trees(stage: str, group: str) -> Trees:
    name = f"{stage}-{group}"
    with _opened(TREES) as file:
        trees = Trees.load(file, name)
    if trees.feature_names != (FEATURES if stage == "first" else SECOND_FEATURES):
        raise ModelError(
            f"re-ranking weights {name!r} were learned from other features: "
            "learn them again with benchmarks/train_reranker.py"
        )
    return trees


@contextmanager
def _opened(name: str) -> Generator[IO[bytes]]:
    """Open a file of weights; a missing or damaged file raises an error of ours."""
    fix = "install hippohover again, or set query.rerank = false"
    try:
        with files("hippohover.retrieval.reranking").joinpath(_FOLDER, name).open("rb") as file:
            yield file
    except OSError as error:
        raise ModelError(f"re-ranking weights {name!r} are missing: {fix}") from error
    except Exception as error:  # what zipfile, numpy and json raise on garbage is no short list
        raise ModelError(f"re-ranking weights {name!r} are damaged: {fix}") from error
