"""A map from strings to numbers: sorted 64-bit hashes and values, memory-mapped.

Opening it costs nothing, whatever its size; a dictionary of a million names takes a second.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import BuildError

ABSENT = -1


class KeyTable:
    """Numbers of strings; ``ABSENT`` for a string that was not added.

    A string is known by the first 64 bits of its BLAKE2b hash. Two keys of one table never share
    a hash (``from_hashes`` refuses); a stranger is taken for a key with a chance of n / 2**64.

    Parameters
    ----------
    hashes : ndarray of uint64, shape (n,)
        Ascending.
    values : ndarray of int32, shape (n,)
        Number of the key at the same position.
    """

    def __init__(self, hashes: NDArray[np.uint64], values: NDArray[np.int32]) -> None:
        self.hashes = hashes
        self.values = values

    @classmethod
    def from_hashes(
        cls, hashes: NDArray[np.uint64], values: NDArray[np.signedinteger]
    ) -> "KeyTable":
        """Make a table from ``key_hashes`` and the numbers of their keys, in any order.

        ``BuildError`` when a hash is there twice.
        """
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        if len(hashes) > 1 and bool(np.any(hashes[1:] == hashes[:-1])):
            raise BuildError("two names share a 64-bit hash; rename one of them in the corpus")
        return cls(hashes, values[order].astype(np.int32))

    def numbers(self, keys: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each key, ``ABSENT`` for missing ones; shape (len(keys),)."""
        if not len(self.hashes) or not keys:
            return np.full(len(keys), ABSENT, dtype=np.int32)
        wanted = key_hashes(keys)
        at = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return np.where(self.hashes[at] == wanted, self.values[at], ABSENT).astype(np.int32)


class KeysThere:
    """A table from which some keys are hidden; looked up in the same way.

    Parameters
    ----------
    table : KeyTable
    there : ndarray of uint8, shape (n,)
        0 of the numbers whose keys are not there.
    """

    def __init__(self, table: KeyTable, there: NDArray[np.uint8]) -> None:
        self.table = table
        self._there = there

    def numbers(self, keys: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each key, ``ABSENT`` for missing ones."""
        numbers = self.table.numbers(keys)
        rest = np.flatnonzero(numbers != ABSENT)
        numbers[rest[self._there[numbers[rest]] == 0]] = ABSENT
        return numbers


def key_hashes(keys: Sequence[str]) -> NDArray[np.uint64]:
    """Return the first 64 bits of each key's BLAKE2b hash, shape (len(keys),)."""
    return np.frombuffer(b"".join(map(_digest, keys)), dtype="<u8").astype(np.uint64)


def key_hash(key: str) -> int:
    """Return what ``key_hashes`` does of one key, at a fifth of the cost."""
    return int.from_bytes(_digest(key), "little")


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
