"""The protocol of an engine for programs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hippohover.evaluation.evaluate import RetrievalEngine
from hippohover.records import RankedPassage


class SearchEngine(RetrievalEngine, Protocol):
    """What programs need from an engine."""

    @property
    def n_passages(self) -> int:
        """Number of passages of the index."""
        ...

    @property
    def encode(self) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
        """Texts to unit rows, shape (n, dim); None for an index without vectors."""
        ...

    def names_in(self, text: str) -> Mapping[str, int]:
        """Find names of passages in a text, and how many passages hold each."""
        ...

    def linked(self, pid: str, n: int = 5) -> tuple[RankedPassage, ...]:
        """Return the passages best linked with one."""
        ...
