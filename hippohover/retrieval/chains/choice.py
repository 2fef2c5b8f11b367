"""Passages, their joins and what they have of a claim -> the best sets of them, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippohover.retrieval.chains.asked import AskedWords

Matrix = NDArray[np.float64]
Sets = NDArray[np.int64]

MOST_PASSAGES: Final = 4
_COMBINED: Final = 10  # of the best passages, all sets: 385
_MOST_CHAINS: Final = 3
_LEAST_SHARE: Final = 0.1

# Learned from half of HoVer's and HotpotQA's claims, as the odds of a set to be all gold: a softmax
# over the sets of each claim (benchmarks/chains.py says what the other half gives). None of these
# claims needs one document alone, so they say nothing of what a second passage costs: their weight
# for it, 2.5, is taken as a cost of 0.7: one more passage that says nothing new costs a reader.
_COVERAGE: Final = 7.9
_ALONE: Final = 3.9  # words that no other of the set has: each passage answers its own part
_JOINED: Final = 4.5
_NAMED: Final = 1.25
_RANK: Final = -2.6  # of each passage, times ln(rank)
_SIZES: Final = (0.0, 0.0, -0.7, -2.6, -3.8)


@dataclass(frozen=True)
class SetOfPassages:
    """Passages by their numbers, in order, and what joins each to an earlier one."""

    order: tuple[int, ...]
    starts: tuple[int, ...]
    coverage: float
    share: float


class Choice:
    """All sets of some passages, best first in rank, with their weights."""

    def __init__(self, words: AskedWords, strength: Matrix) -> None:
        self._words, self._strength = words, strength
        self._sets = _sets_of(len(strength))
        parts = [_values(words, strength, sets) for sets in self._sets]
        self._values = np.concatenate([values for values, _ in parts])
        self._coverage = np.concatenate([coverage for _, coverage in parts])
        self._members = _members(len(strength))
        weights = np.exp(self._values - self._values.max(initial=0.0))
        self._shares = weights / max(float(weights.sum()), 1e-300)

    def best(self) -> list[SetOfPassages]:
        """Return the best sets: each as likely as a tenth of the best, and around no better one."""
        found: list[int] = []
        is_open = self._shares >= _LEAST_SHARE * self._shares.max()
        while len(found) < _MOST_CHAINS and is_open.any():
            found.append(int(np.where(is_open, self._values, -np.inf).argmax()))
            is_open &= ~self._members[:, self._members[found[-1]]].all(axis=1)
        return [self._ordered(at) for at in found]

    def paths(self) -> list[SetOfPassages]:
        """Return the way to each passage, in its best set, from the best that the claim names."""
        values = np.where(self._members, self._values[:, None], -np.inf)
        return [self._path(at, to) for to, at in enumerate(values.argmax(axis=0).tolist())]

    def _path(self, at: int, to: int) -> SetOfPassages:
        members = np.flatnonzero(self._members[at]).tolist()
        near = _tree(self._strength, members)
        first = min(members, key=lambda member: (-self._words.nearness[member], member))
        way = _way(first, to, near)
        held = self._words.holds[way].any(axis=0)
        number = _numbers(len(self._strength)).get(tuple(sorted(way)))
        share = 0.0 if number is None else float(self._shares[number])
        coverage = float(self._words.weights[held].sum())
        return SetOfPassages(tuple(way), tuple(range(len(way) - 1)), coverage, share)

    def _ordered(self, at: int) -> SetOfPassages:
        members = np.flatnonzero(self._members[at]).tolist()
        near = _tree(self._strength, members)
        order = max(
            (order for order in permutations(members) if _grows(order, near)),
            key=lambda order: self._merit(order, near),
        )
        starts = tuple(_start(order, at, near) for at in range(1, len(order)))
        return SetOfPassages(order, starts, float(self._coverage[at]), float(self._shares[at]))

    def _merit(
        self, order: Sequence[int], near: set[tuple[int, int]]
    ) -> tuple[int, int, tuple[int, ...]]:
        """Prefer orders in which each is joined to the one before; then begin near the claim."""
        in_a_row = sum(pair in near for pair in pairwise(order))
        return in_a_row, int(self._words.nearness[order[0]]), tuple(-number for number in order)


def _way(first: int, last: int, near: set[tuple[int, int]]) -> list[int]:
    """Return the only way between two members of a tree."""
    ways = [[first]]
    for way in ways:
        if way[-1] == last:
            return way
        ways += [[*way, other] for one, other in near if one == way[-1] and other not in way]
    raise AssertionError("a tree connects its members")


def _start(order: Sequence[int], at: int, near: set[tuple[int, int]]) -> int:
    """Return the last earlier passage that one is joined to."""
    return max(earlier for earlier in range(at) if (order[earlier], order[at]) in near)


def _grows(order: Sequence[int], near: set[tuple[int, int]]) -> bool:
    return all(
        any((earlier, number) in near for earlier in order[:at])
        for at, number in enumerate(order)
        if at
    )


def _tree(strength: Matrix, members: Sequence[int]) -> set[tuple[int, int]]:
    """Return the strongest joins that connect all members, in both directions."""
    inside, near = [members[0]], set[tuple[int, int]]()
    while len(inside) < len(members):
        one, other = max(
            ((a, b) for a in inside for b in members if b not in inside),
            key=lambda pair: (strength[pair], -pair[0], -pair[1]),
        )
        near |= {(one, other), (other, one)}
        inside.append(other)
    return near


def _values(words: AskedWords, strength: Matrix, sets: Sets) -> tuple[Matrix, Matrix]:
    """Return the value of each set of one size, and what it covers of the claim."""
    size = sets.shape[1]
    holders = words.holds[sets].sum(axis=1)
    coverage = (holders > 0) @ words.weights
    alone = (holders == 1) @ words.weights
    joined, is_chain = _tree_strength(strength, sets)
    values = (
        _SIZES[size]
        + _COVERAGE * coverage
        + _ALONE * alone
        + _JOINED * joined
        + _NAMED * words.is_named[sets].sum(axis=1)
        + _RANK * np.log1p(sets).sum(axis=1)
    )
    return np.where(is_chain, values, -np.inf), coverage


def _tree_strength(strength: Matrix, sets: Sets) -> tuple[Matrix, NDArray[np.bool_]]:
    """Sum the strongest joins that connect each set, and say whether they do.

    By Prim's algorithm, for all sets at once.
    """
    n, size = sets.shape
    within = strength[sets[:, :, None], sets[:, None, :]]
    nearest, total, every = within[:, 0].copy(), np.zeros(n), np.arange(n)
    connects = np.ones(n, np.bool_)
    nearest[:, 0] = -1.0
    is_inside = np.zeros((n, size), np.bool_)
    is_inside[:, 0] = True
    for _ in range(size - 1):
        chosen = nearest.argmax(axis=1)
        total += nearest[every, chosen]
        connects &= nearest[every, chosen] > 0
        is_inside[every, chosen] = True
        nearest = np.where(is_inside, -1.0, np.maximum(nearest, within[every, chosen]))
    return total, connects


@lru_cache(32)
def _sets_of(n: int) -> tuple[Sets, ...]:
    """Return the sets of 1 to 4 of the best passages, and each further one with two of them."""
    first, further = range(min(n, _COMBINED)), range(_COMBINED, n)
    sets: list[list[tuple[int, ...]]] = []
    for size in range(1, MOST_PASSAGES + 1):
        some = list(combinations(first, size))
        if size < MOST_PASSAGES:
            some += [(*near, last) for last in further for near in combinations(first, size - 1)]
        sets.append(some)
    return tuple(
        np.array(some, np.int64).reshape(-1, size) for size, some in enumerate(sets, start=1)
    )


@lru_cache(32)
def _members(n: int) -> NDArray[np.bool_]:
    """Return which passages are in each set, shape (n_sets, n)."""
    parts: list[NDArray[np.bool_]] = []
    for sets in _sets_of(n):
        part = np.zeros((len(sets), n), np.bool_)
        part[np.arange(len(sets))[:, None], sets] = True
        parts.append(part)
    return np.concatenate(parts)


@lru_cache(32)
def _numbers(n: int) -> dict[tuple[int, ...], int]:
    """Return the number of each set among all."""
    every = [tuple(one) for sets in _sets_of(n) for one in sets.tolist()]
    return {one: number for number, one in enumerate(every)}
