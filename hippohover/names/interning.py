"""Numbers 64-bit hashes in the order of their arrival: a compiled hash table.

It takes twelve bytes per slot, of which at most two thirds are used; a Python dictionary takes some
two hundred bytes per string. A build counts here whatever it counts over a whole corpus.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from hippohover.errors import BuildError
from hippohover.kernels import compiled
from hippohover.names.key_table import key_hashes

ABSENT: Final = -1

_FEWEST_SLOTS: Final = 64
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Knuth's multiplicative hashing
_HALF: Final = np.uint64(32)


class HashInterner:
    """A hash table with linear probing; numbers hashes 0, 1, ... as added."""

    def __init__(self) -> None:
        self._n = 0
        self._hashes, self._numbers = _slots(_FEWEST_SLOTS)

    def __len__(self) -> int:
        return self._n

    def add(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the number of each hash, numbering new ones; shape (len(hashes),)."""
        numbers = np.empty(len(hashes), np.int32)
        done = 0
        while done < len(hashes):
            room = 2 * len(self._hashes) // 3 - self._n
            if room <= 0:
                self._grow()
                continue
            part = slice(done, done + room)
            self._n = _add(self._hashes, self._numbers, hashes[part], self._n, numbers[part])
            done += room
        return numbers

    def numbers(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return each hash's number, or ``ABSENT``; shape (len(hashes),)."""
        numbers = np.empty(len(hashes), np.int32)
        _find(self._hashes, self._numbers, hashes, numbers)
        return numbers

    def _grow(self) -> None:
        hashes, numbers = _slots(2 * len(self._hashes))
        _move(self._hashes, self._numbers, hashes, numbers)
        self._hashes, self._numbers = hashes, numbers


class StringInterner:
    """Numbers strings in the order of their arrival; does not keep the strings.

    A string is known by its ``key_hashes``. Two that share one are told apart by a checksum of 32
    bits, and refused.
    """

    def __init__(self) -> None:
        self._numbers = HashInterner()
        self._checks = np.zeros(_FEWEST_SLOTS, np.uint32)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(
        self, hashes: NDArray[np.uint64], checks: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the number of each string, and the first positions of new ones, ascending.

        Parameters
        ----------
        hashes, checks : ndarray, shape (n,)
            From ``hashed``.

        Raises
        ------
        BuildError
            Two strings share a hash.
        """
        before = len(self)
        numbers = self._numbers.add(hashes)
        if len(self) > len(self._checks):
            self._checks = np.resize(self._checks, 2 * len(self))
        news = np.flatnonzero(numbers >= before)
        _, first = np.unique(numbers[news], return_index=True)
        self._checks[before : len(self)] = checks[news[first]]
        if bool(np.any(self._checks[numbers] != checks)):
            raise BuildError("two names share a 64-bit hash; rename one of them in the corpus")
        return numbers, news[first]

    def numbers(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the number of each string, ``ABSENT`` for one never added; shape (n,)."""
        return self._numbers.numbers(hashes)


def hashed(strings: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the keys of ``StringInterner``: ``key_hashes``, and CRC-32 of the UTF-8."""
    checks = [crc32(string.encode("utf-8", "surrogatepass")) for string in strings]
    return key_hashes(strings), np.array(checks, np.uint32)


def _slots(n: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    return np.zeros(n, np.uint64), np.full(n, ABSENT, np.int32)


@compiled
def slot_of(hashes: NDArray[np.uint64], numbers: NDArray[np.int32], wanted: np.uint64) -> np.int64:
    """Return the slot of a hash, or the free one for it; the slots are a power of two."""
    mask = np.uint64(len(hashes) - 1)
    at = ((wanted * _MIX) >> _HALF) & mask
    while numbers[at] != ABSENT and hashes[at] != wanted:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@compiled
def _add(
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    wanted: NDArray[np.uint64],
    n: int,
    wanted_numbers: NDArray[np.int32],
) -> int:
    for i in range(len(wanted)):
        at = slot_of(hashes, numbers, wanted[i])
        if numbers[at] == ABSENT:
            hashes[at] = wanted[i]
            numbers[at] = n
            n += 1
        wanted_numbers[i] = numbers[at]
    return n


@compiled
def _find(
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    wanted: NDArray[np.uint64],
    wanted_numbers: NDArray[np.int32],
) -> None:
    for i in range(len(wanted)):
        wanted_numbers[i] = numbers[slot_of(hashes, numbers, wanted[i])]


@compiled
def _move(
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    to_hashes: NDArray[np.uint64],
    to_numbers: NDArray[np.int32],
) -> None:
    for i in range(len(hashes)):
        if numbers[i] != ABSENT:
            at = slot_of(to_hashes, to_numbers, hashes[i])
            to_hashes[at] = hashes[i]
            to_numbers[at] = numbers[i]
