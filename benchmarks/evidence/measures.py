"""How well scores tell true claims from others, and what counting words does beside them."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from evidence.words import WORDS
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DENIALS = frozenset(WORDS["denials"])


def auroc(scores: Floats, is_true: NDArray[np.bool_]) -> float:
    """How often a true one scores above an untrue one, in %."""
    n_true, n_false = int(is_true.sum()), int((~is_true).sum())
    if not n_true or not n_false:
        return float("nan")
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[places]
    return 100 * float((ranks[is_true].sum() - n_true * (n_true + 1) / 2) / (n_true * n_false))


def found_at(scores: Floats, is_true: NDArray[np.bool_], share: float = 0.05) -> float:
    """Of the true ones, in %, how many score above all but a share of the untrue ones."""
    untrue = np.sort(scores[~is_true])[::-1]
    if not len(untrue) or not is_true.any():
        return float("nan")
    limit = untrue[min(len(untrue) - 1, math.floor(share * len(untrue)))]
    return 100 * float((scores[is_true] > limit).mean())


def leaning(chances: Floats) -> Floats:
    """The score of a claim: the chance that it is supported, less half that it is refuted.

    Much related evidence makes both more likely: half of the one tells the other's share.
    """
    return np.log(chances[:, 0] + 1e-4) - 0.5 * np.log(chances[:, 2] + 1e-4)


def measured(chances: Floats, labels: NDArray[np.int64]) -> dict[str, Any]:
    """All measures of one set, from the chance of each label."""
    score, is_true = chances[:, 0], labels == 0
    against = labels >= 2
    pair = is_true | against
    chosen = chances.argmax(1)
    two = np.where(chosen == 0, 0, 1)
    right = (two == (~is_true)) if (labels == 3).any() else (chosen == labels)
    half = leaning(chances)
    return {
        "n": len(labels),
        "supported against refuted": round(auroc(score[pair], is_true[pair]), 1),
        "supported against the rest": round(auroc(score, is_true), 1),
        "supported minus refuted, against refuted": round(
            auroc((np.log(chances[:, 0] + 1e-9) - np.log(chances[:, 2] + 1e-9))[pair],
                  is_true[pair]), 1),
        "true found at 5 % of refuted": round(found_at(score[pair], is_true[pair]), 1),
        "with half of refuted, against refuted": round(auroc(half[pair], is_true[pair]), 1),
        "with half of refuted, against the rest": round(auroc(half, is_true), 1),
        "with half of refuted, true found at 5 %": round(found_at(half[pair], is_true[pair]), 1),
        "right": round(100 * float(right.mean()), 1),
    }  # fmt: skip


def counted(rows: Sequence[dict[str, Any]]) -> Floats:
    """The simple formula: the share of rare words, less a half if exactly one side denies."""
    texts = [set(re.findall(r"\w+|n't", row["evidence"][0].lower())) for row in rows]
    counts = Counter(word for one in texts for word in one)
    scores = np.zeros((len(rows), 3))
    for at, (row, have) in enumerate(zip(rows, texts, strict=True)):
        claim = set(re.findall(r"\w+|n't", row["claim"].lower()))
        weight = {word: math.log((len(rows) + 1) / (counts[word] + 1)) for word in claim}
        total = math.fsum(weight.values()) or 1.0  # exact, so that no order of words matters
        share = math.fsum(weight[word] for word in claim & have) / total
        scores[at, 0] = share - 0.5 * (bool(claim & _DENIALS) != bool(have & _DENIALS))
    scores[:, 0] -= scores[:, 0].min()
    return scores
