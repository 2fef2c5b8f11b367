"""The places where a build's stages run: this machine or others, behind one protocol."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hippohover.indexing.workers.processes import ordered_map
from hippohover.records import ExtractionFailure

Stage = Callable[[int], Sequence[ExtractionFailure]]
"""Called with the number of a chunk, writes its file; says which passages it failed at."""


class Runner(Protocol):
    """Runs stages over numbered chunks, whose files are in one folder.

    Attributes
    ----------
    shares_memory : bool
        Whether a stage may hold what is open in this process, such as a cache. Else it is made
        where it runs, of values that can be sent there and of files in the work folder.
    """

    @property
    def shares_memory(self) -> bool: ...

    def __call__(
        self, make: Callable[[], Stage], folder: Path, numbers: Iterable[int]
    ) -> Generator[Sequence[ExtractionFailure]]:
        """Yield the stage's result for each chunk, in the order of ``numbers``.

        Errors of the package that the stage raises, this raises; ``BuildError`` for a worker that
        was killed and cannot be replaced. Closing the generator ends the work.
        """
        ...


@dataclass(frozen=True)
class LocalRunner:
    """Forked processes of this machine, which share what the stage has open here."""

    workers: int
    shares_memory: bool = True

    def __call__(
        self, make: Callable[[], Stage], folder: Path, numbers: Iterable[int]
    ) -> Generator[Sequence[ExtractionFailure]]:
        return ordered_map(make(), numbers, workers=self.workers)
