"""Rows of length 1 in one byte per value, as an index stores passages' vectors.

A row is int8 codes times the row's own scale, its largest value over 127. A cosine is then off by
about 0.0005 for 256 dimensions, and the rows take half the space of float16.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippohover.kernels import compiled_sums

_LARGEST: Final = 127
_FEW_ROWS: Final = 2000


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

        Summed in float32, in no certain order: some 20 million rows of 256 a second.
        """
        return _products(self.codes[start:stop], self.scales[start:stop], query)

    def products_of(
        self, rows: NDArray[np.integer[Any]], query: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return inner products with some rows, (n_rows,), whatever their positions."""
        return _products(self.codes[rows], self.scales[rows], query)


def _products(
    codes: NDArray[np.int8], scales: NDArray[np.float32], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Multiply few rows by NumPy, row by row: the compiled loop for this does not ship."""
    if len(codes) <= _FEW_ROWS:
        return (codes * query).sum(axis=1) * scales
    products = np.empty(len(codes), np.float32)
    _multiply(codes, scales, query, products)
    return products


@compiled_sums
def _multiply(
    codes: NDArray[np.int8],
    scales: NDArray[np.float32],
    query: NDArray[np.float32],
    products: NDArray[np.float32],
) -> None:
    for row in range(len(codes)):
        total = np.float32(0)
        for at in range(len(query)):
            total += np.float32(codes[row, at]) * query[at]
        products[row] = total * scales[row]
