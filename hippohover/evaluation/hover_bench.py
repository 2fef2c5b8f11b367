"""HoVer as LangProBe hands it to DSPy programs: train, dev and test."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hippohover.errors import UsageError
from hippohover.evaluation.hover import GoldClaim, load_claims
from hippohover.evaluation.splits import folds, groups

if TYPE_CHECKING:
    import dspy


class hoverBench:  # noqa: N801 - the name that programs written for LangProBe know
    """HoVer as LangProBe hands it to DSPy programs, from files and without a network.

    Claims with ``n_titles`` gold titles are shuffled and split by question group, half to
    ``train``, a quarter each to ``dev`` and ``test``. With ``test_path`` the test claims come
    from that file, all of them, as in LangProBe; ``path`` then gives three quarters to ``train``
    and one to ``dev``, without the claims whose group is in the test file.

    Attributes
    ----------
    train, dev, test : list of dspy.Example
        ``claim``, ``supporting_facts`` (dicts of ``key``, the title, and ``value``, the sentence
        number, the form of the Hugging Face data set) and ``label``; ``claim`` is the input.

    Raises
    ------
    CorpusError
        A file cannot be read.
    UsageError
        There are fewer than four groups of claims with ``n_titles`` gold titles to split.
    """

    def __init__(
        self, path: Path, *, test_path: Path | None = None, n_titles: int = 3, seed: int = 0
    ) -> None:
        claims = [claim for claim in load_claims(path) if len(claim.gold_titles) == n_titles]
        test = load_claims(test_path) if test_path else []
        quarters = _quarters(claims, test, seed)
        train = quarters[0] + quarters[1] + (quarters[3] if test else [])
        self.train = _examples(train, seed)
        self.dev = _examples(quarters[2], seed)
        self.test = _examples(test or quarters[3], seed)


def _quarters(
    claims: Sequence[GoldClaim], test: Sequence[GoldClaim], seed: int
) -> list[list[GoldClaim]]:
    """Split claims outside the test claims' groups into four parts that share no group."""
    group_ids = groups([*claims, *test])
    in_test = set(group_ids[len(claims) :])
    kept = [(c, g) for c, g in zip(claims, group_ids, strict=False) if g not in in_test]
    n_groups = len({group for _, group in kept})
    if n_groups < 4:
        raise UsageError(f"{n_groups} groups of claims to split: the benchmark needs 4 or more")
    parts: list[list[GoldClaim]] = [[], [], [], []]
    fold_of = folds([group for _, group in kept], n_folds=4, seed=seed).tolist()
    for (claim, _), fold in zip(kept, fold_of, strict=True):
        parts[fold].append(claim)
    return parts


def _examples(claims: Sequence[GoldClaim], seed: int) -> "list[dspy.Example]":
    import dspy

    order = np.random.default_rng(seed).permutation(len(claims))
    return [
        dspy.Example(
            claim=claims[i].claim,
            supporting_facts=[{"key": t, "value": n} for t, n in claims[i].supporting_facts],
            label=claims[i].label,
        ).with_inputs("claim")
        for i in order
    ]
