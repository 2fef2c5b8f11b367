"""The form in which LangProBe's evaluation takes a data set: its sets, sizes and modes.

If a checkout of LangProBe is on the path as well, its own module is imported in place of this one.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from typing import Any, Final

import dspy
import langProBe

from hippohover.errors import UsageError

dataset_size: Final[dict[str, int | None]] = {"full": None, "lite": 500, "tiny": 200, "test": 50}
"""Examples that are tested, at most, in each mode."""
_TRAIN_SIZE: Final = 150
_DEV_SIZE: Final = 300
_VAL_SIZE: Final = 150
_SMALLEST_DATASET: Final = 60
_SEED: Final = 1


class Benchmark(ABC):
    """A data set with LangProBe's names: a subclass reads it in ``init_dataset``.

    Parameters
    ----------
    dataset_mode : {"full", "lite", "tiny", "test"}

    Attributes
    ----------
    dataset : list of dspy.Example
        What ``create_splits`` splits.
    dev_set, val_set, train_set : list of dspy.Example
        Its first half, the next quarter and the last one; 300, 150 and 150 of them at most.
    test_set : list of dspy.Example
        As many as the mode takes.
    max_testset_size : int or None

    Raises
    ------
    UsageError
        The mode is unknown, or ``init_dataset`` left a set out.
    """

    def __init__(self, dataset_mode: str = "lite") -> None:
        if dataset_mode not in dataset_size:
            raise UsageError(
                f"dataset_mode is {dataset_mode!r}: name one of {', '.join(dataset_size)}"
            )
        self._random = Random(_SEED)  # noqa: S311 - draws examples
        self.dataset: list[dspy.Example] = []
        self.train_set: list[dspy.Example] = []
        self.dev_set: list[dspy.Example] = []
        self.val_set: list[dspy.Example] = []
        self.test_set: list[dspy.Example] = []
        self.init_dataset()
        if not self.dataset or not self.test_set:
            raise UsageError(f"{type(self).__name__}.init_dataset: set dataset and test_set")
        self.max_testset_size = dataset_size[dataset_mode]
        self.test_set = self.trim_dataset(self.test_set, self.max_testset_size)
        if dataset_mode == "test":
            self.dataset = self.trim_dataset(self.dataset, _SMALLEST_DATASET)
        if dataset_mode == "test" or not (self.train_set and self.dev_set and self.val_set):
            self.create_splits()
        self.train_set = self.trim_dataset(self.train_set, _TRAIN_SIZE)
        self.dev_set = self.trim_dataset(self.dev_set, _DEV_SIZE)
        self.val_set = self.trim_dataset(self.val_set, _VAL_SIZE)

    @abstractmethod
    def init_dataset(self) -> None:
        """Set ``dataset`` and ``test_set``."""

    def trim_dataset(self, dataset: Sequence[dspy.Example], size: int | None) -> list[dspy.Example]:
        """Return that many examples, drawn at random; all where there are no more."""
        if size is None or size >= len(dataset):
            return list(dataset)
        return self._random.sample(dataset, size)

    def create_splits(self) -> None:
        """Set ``dev_set``, ``val_set`` and ``train_set`` from ``dataset``."""
        half, most = len(self.dataset) // 2, 3 * len(self.dataset) // 4
        self.dev_set = self.dataset[:half]
        self.val_set = self.dataset[half:most]
        self.train_set = self.dataset[most:]

    def get_dataset(self) -> list[dspy.Example]:
        """Return ``dataset``."""
        return self.dataset

    def get_train_set(self) -> list[dspy.Example]:
        """Return ``train_set``."""
        return self.train_set

    def get_dev_set(self) -> list[dspy.Example]:
        """Return ``dev_set``."""
        return self.dev_set

    def get_val_set(self) -> list[dspy.Example]:
        """Return ``val_set``."""
        return self.val_set

    def get_test_set(self) -> list[dspy.Example]:
        """Return ``test_set``."""
        return self.test_set


@dataclass
class BenchmarkMeta:
    """What LangProBe's evaluation runs: programs over a data set, and how they are judged."""

    benchmark: type[Benchmark]
    program: list[dspy.Module]
    metric: Callable[..., Any]
    dataset_mode: str = "lite"


def _take_that_of_a_checkout() -> None:
    """Replace this module by that of a checkout; whoever imports it is given that one."""
    for folder in langProBe.__path__:
        path = Path(folder, "benchmark.py")
        if path.is_file() and not path.samefile(__file__):
            spec = spec_from_file_location(__name__, path)
            assert spec is not None and spec.loader is not None  # noqa: S101
            sys.modules[__name__] = module_from_spec(spec)
            spec.loader.exec_module(sys.modules[__name__])
            return


_take_that_of_a_checkout()
