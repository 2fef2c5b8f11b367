"""Rows of length 1 in one byte per value, as an index stores passages' vectors.

A row is int8 codes times the row's own scale, its largest value over 127. A cosine is then off by
about 0.0005 for 256 dimensions, and the rows take half the space of float16.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled

_LARGEST: Final = 127


@dataclass(frozen=True)
class UnitVectors:
    """Rows that are read like an array of float32, some at a time.

    Attributes
    ----------
    codes : ndarray of int8, shape (n, dim)
    scales : ndarray of float32, shape (n,)
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]

    @classmethod
    def of(cls, rows: NDArray[np.floating[Any]]) -> "UnitVectors":
        """Return the nearest codes of rows, shape (n, dim)."""
        values = rows.astype(np.float32)
        scales = np.abs(values).max(axis=1, initial=0.0) / np.float32(_LARGEST)
        codes = np.rint(values / np.where(scales > 0, scales, 1)[:, None])
        return cls(codes.astype(np.int8), scales)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.codes.shape[1]

    @property
    def ndim(self) -> int:
        return 2

    @property
    def dtype(self) -> np.dtype[np.float32]:
        return np.dtype(np.float32)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return some rows as float32, shape (n_rows, dim)."""
        return self.codes[rows] * self.scales[rows][:, None]

    def products(self, query: NDArray[np.float32], start: int, stop: int) -> NDArray[np.float32]:
        """Return inner products with rows ``start`` to ``stop``, (stop - start,).

        Off by ``margin`` at most; some 20 million rows of 256 a second.
        """
        return _products(self.codes[start:stop], self.scales[start:stop], query)

    def products_of(
        self, rows: NDArray[np.integer[Any]], query: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return inner products with some rows, (n_rows,), as ``products``."""
        return _products(self.codes[rows], self.scales[rows], query)

    def margin(self, query: NDArray[np.float32]) -> float:
        """Bound the error of products: half a unit for each value of a row of length 1."""
        return float(_in_integers(query)[1]) * 0.53 * len(query) ** 0.5 + 2.0**-20


def _products(
    codes: NDArray[np.int8], scales: NDArray[np.float32], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Multiply integers: their sum is the same in any order, so one machine code is for all."""
    numbers, unit = _in_integers(query)
    sums = np.empty(len(codes), np.int32)
    _multiply(codes, numbers, sums)
    return sums.astype(np.float32) * np.multiply(scales, unit, dtype=np.float32)


def _in_integers(query: NDArray[np.float32]) -> tuple[NDArray[np.int16], np.float32]:
    """Return the nearest multiples of a unit, so small that no sum is above 31 bits."""
    sizes = np.abs(query)
    largest = float(sizes.max(initial=0.0))
    if not largest:
        return np.zeros(len(query), np.int16), np.float32(0)
    most = (2**31 - 1) / _LARGEST - len(query)
    a_unit = min((2**15 - 1) / largest, most / float(sizes.sum()))
    return np.rint(query * a_unit).astype(np.int16), np.float32(1 / a_unit)


@compiled
def _multiply(codes: NDArray[np.int8], numbers: NDArray[np.int16], sums: NDArray[np.int32]) -> None:
    for row in range(len(codes)):
        total = np.int32(0)
        for at in range(len(numbers)):
            total += np.int32(codes[row, at]) * np.int32(numbers[at])
        sums[row] = total
