"""The judge learned from labelled claims: a probability that a claim is supported.

Small trees: those that saw all claims, and those of each fold that was left out. A claim that was
learned from is judged by trees that did not see its group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import is_zipfile

import numpy as np
from numpy.typing import NDArray

from hippohover.disk.text_files import write_whole
from hippohover.errors import ModelError
from hippohover.retrieval.reranking.rerank import N_FOLDS, claim_digest
from hippohover.retrieval.reranking.trees import Trees, arrays_of
from hippohover.verification.against.compared_claim import ComparedClaim
from hippohover.verification.judge.features import JudgeInput, Values, features_of
from hippohover.verification.signals import Reading

FORMAT: Final = 2
GROUPS: Final = ("all", *(f"without-{fold}" for fold in range(N_FOLDS)))
_SHIPPED: Final = "judge.npz"


@dataclass(frozen=True)
class Weights:
    """The learned weights.

    Attributes
    ----------
    trees : mapping of str to Trees
        By "all", "without-0" and so on.
    folds : mapping of str to int
        Fold of each claim that it was learned from, by digest of the claim's words.
    """

    trees: Mapping[str, Trees]
    folds: Mapping[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def read(cls, path: Path | None = None) -> "Weights":
        """Read the weights of a file that ``save`` wrote, or the shipped ones.

        Raises
        ------
        ModelError
            The file cannot be read, or is no such file.
        """
        try:
            if path is None:
                content = (files("hippohover.verification.judge") / _SHIPPED).read_bytes()
            else:
                content = path.read_bytes()
            return cls._read(content)
        except OSError as error:
            raise ModelError(
                f"{path}: cannot be read ({error.strerror}): check the path"
            ) from error
        except Exception as error:  # the parsers of a damaged file have no error in common
            raise ModelError(
                f"{path or _SHIPPED}: is not a judge of this version ({error}): "
                "learn it again with `hippohover tune-verifier`"
            ) from error

    @classmethod
    def _read(cls, content: bytes) -> "Weights":
        if not is_zipfile(BytesIO(content)):
            raise ValueError("it is no npz file")
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            if int(arrays["format"]) != FORMAT:
                raise ValueError(f"format {int(arrays['format'])}, not {FORMAT}")
            folds = dict(
                zip(arrays["claims/digests"].tolist(), arrays["claims/folds"].tolist(), strict=True)
            )
        trees = {name: Trees.load(BytesIO(content), name) for name in GROUPS}
        for one in trees.values():
            one.check()
        return cls(trees, folds)

    def save(self, path: Path) -> None:
        """Write it to one file; the same weights, the same bytes."""
        digests = sorted(self.folds)
        arrays = arrays_of(self.trees)
        arrays["claims/digests"] = np.array(digests, dtype="<U12")
        arrays["claims/folds"] = np.array([self.folds[digest] for digest in digests], dtype="u1")
        arrays["format"] = np.array(FORMAT, dtype="<i4")
        file = BytesIO()
        np.savez(file, **arrays)
        write_whole(path, file.getvalue())


class LearnedJudge:
    """Judges a case; safe from several threads.

    Parameters
    ----------
    weights : Weights, optional
        Those that ship when not given.
    """

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights or Weights.read()

    def __call__(self, case: ComparedClaim) -> Reading:
        """Return the probability that the claim is supported."""
        fold = self._weights.folds.get(claim_digest(case.text))
        trees = self._weights.trees["all" if fold is None else f"without-{fold}"]
        [score] = trees.scores(row_of(features_of(input_of(case)), trees.feature_names))
        return Reading(float(1 / (1 + np.exp(-score))), "learned")


def input_of(case: ComparedClaim) -> JudgeInput:
    """Return the judge's input for a case."""
    return JudgeInput(
        claim=case.said,
        sentences=[told.said for told in case.sentences.told],
        titles=[told.title for told in case.sentences.told],
        rarity=case.sentences.rarity,
        encode=case.sentences.encode,
        findings=case.findings,
        numbers=case.numbers,
        otherwise=case.otherwise,
        part_least=min((part.share for part in case.parts), default=1.0),
    )


def row_of(values: Values, names: Sequence[str]) -> NDArray[np.float32]:
    """Return features as trees take them, shape (1, n)."""
    return np.array([[values[name] for name in names]], dtype=np.float32)
