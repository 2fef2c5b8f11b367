"""Numbers of hashes and of strings: a dictionary's, however many are added at a time."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import BuildError
from hippohover.names.interning import ABSENT, HashInterner, StringInterner, hashed, slot_of
from hippohover.names.key_table import key_hashes

# All that a hash can be; 0 and the like, which an empty slot holds too; many in one slot.
HASHES = st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(0, 40).map(lambda n: n << 58)
STRINGS = st.text(st.characters(exclude_categories=()), max_size=4)  # lone surrogates too


def array(hashes: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(hashes, np.uint64)


@given(st.lists(st.lists(HASHES, max_size=60), max_size=6), st.lists(HASHES, max_size=20))
def test_numbers_are_those_of_a_dictionary(parts: list[list[int]], others: list[int]):
    numbers, expected = HashInterner(), dict[int, int]()
    for part in parts:
        found = numbers.add(array(part))
        assert found.tolist() == [expected.setdefault(one, len(expected)) for one in part]
        assert found.dtype == np.int32
        assert len(numbers) == len(expected)
    asked = [*others, *expected]
    found = numbers.numbers(array(asked))
    assert found.tolist() == [expected.get(one, ABSENT) for one in asked]
    assert len(numbers) == len(expected)  # asking adds none


@pytest.mark.parametrize("at_once", [1, 42, 43, 1000, 100_000])
def test_a_table_grows_with_what_it_holds(at_once: int):
    """The first table has room for 42."""
    n = 300 if at_once == 1 else 100_000
    rng = np.random.default_rng(at_once)
    hashes = rng.integers(0, 2**64, n, np.uint64)
    numbers = HashInterner()
    for start in range(0, n, at_once):
        part = hashes[start : start + at_once]
        assert numbers.add(part).tolist() == list(range(start, min(start + at_once, n)))
    assert len(numbers) == n
    assert numbers.numbers(hashes).tolist() == list(range(n))
    assert numbers.add(hashes[::-1]).tolist() == list(range(n))[::-1]
    strangers = rng.integers(0, 2**64, 1000, np.uint64)
    assert set(numbers.numbers(strangers).tolist()) == {ABSENT}


def test_two_thirds_of_the_slots_are_taken_at_most():
    numbers = HashInterner()
    for n in range(2000):
        numbers.add(array([n]))
        n_slots = len(numbers._hashes)  # pyright: ignore[reportPrivateUsage]
        assert 3 * len(numbers) <= 2 * n_slots
        assert n_slots <= max(64, 6 * len(numbers))


def test_an_empty_table_knows_nothing():
    numbers = HashInterner()
    assert numbers.numbers(array([0, 1])).tolist() == [ABSENT, ABSENT]
    assert numbers.add(array([])).shape == numbers.numbers(array([])).shape == (0,)
    assert len(numbers) == len(StringInterner()) == 0


def test_a_hash_that_finds_its_slot_taken_goes_to_the_next_and_from_the_last_to_the_first():
    hashes, numbers = np.zeros(4, np.uint64), np.full(4, ABSENT, np.int32)
    of_slot: dict[int, list[int]] = {}
    for one in range(1, 200):
        of_slot.setdefault(int(slot_of(hashes, numbers, np.uint64(one))), []).append(one)
    assert set(of_slot) == {0, 1, 2, 3}
    first, second, third = of_slot[3][:3]
    for one, slot in ((first, 3), (second, 0), (third, 1)):
        assert int(slot_of(hashes, numbers, np.uint64(one))) == slot
        hashes[slot], numbers[slot] = one, one
    for one, slot in ((first, 3), (second, 0), (third, 1)):
        assert int(slot_of(hashes, numbers, np.uint64(one))) == slot


# --- strings -----------------------------------------------------------------------------------


@given(st.lists(st.lists(STRINGS, max_size=90), max_size=4), st.lists(STRINGS, max_size=9))
def test_strings_have_the_numbers_of_a_dictionary(parts: list[list[str]], others: list[str]):
    numbers, expected = StringInterner(), dict[str, int]()
    for part in parts:
        before = set(expected)
        found, new = numbers.add(*hashed(part))
        assert found.tolist() == [expected.setdefault(one, len(expected)) for one in part]
        met = dict.fromkeys(one for one in part if one not in before)
        assert [part[at] for at in new] == list(met)
        assert new.tolist() == [part.index(one) for one in met]
    assert len(numbers) == len(expected)
    asked = [*others, *expected]
    found = numbers.numbers(key_hashes(asked))
    assert found.tolist() == [expected.get(one, ABSENT) for one in asked]


def test_many_strings_at_once():
    strings = [f"name {n % 70_000}" for n in range(100_000)]
    numbers = StringInterner()
    found, new = numbers.add(*hashed(strings))
    assert found.tolist() == [n % 70_000 for n in range(100_000)]
    assert new.tolist() == list(range(70_000))
    assert numbers.add(*hashed(strings))[1].tolist() == []


@pytest.mark.parametrize("together", [True, False])
def test_two_strings_of_one_hash_are_refused(together: bool):
    hashes, checks = hashed(["Kestrel", "Aldermoor", "Velmora"])
    hashes[2] = hashes[0]
    numbers = StringInterner()
    if not together:
        numbers.add(hashes[:2], checks[:2])
    with pytest.raises(BuildError, match=r"two names share a 64-bit hash; rename one of them"):
        numbers.add(hashes, checks) if together else numbers.add(hashes[2:], checks[2:])


def test_checks_outlive_the_growth_of_the_table():
    numbers = StringInterner()
    hashes, checks = hashed([str(n) for n in range(5000)])
    for start in range(0, 5000, 50):
        numbers.add(hashes[start : start + 50], checks[start : start + 50])
    assert numbers.add(hashes, checks)[0].tolist() == list(range(5000))
    for at in (0, 63, 64, 4999):
        with pytest.raises(BuildError, match="share a 64-bit hash"):
            numbers.add(hashes[at : at + 1], checks[at : at + 1] ^ np.uint32(1))


def test_what_strings_are_known_by_is_the_same_everywhere():
    """Pinned: a build that was stopped goes on with what another process has hashed."""
    hashes, checks = hashed(["lantern hill", "123456789"])
    assert hashes.tolist()[0] == 17_679_387_311_388_491_643
    assert checks.tolist()[1] == 0xCBF43926  # the known answer of CRC-32
    assert (hashes.dtype, checks.dtype) == (np.uint64, np.uint32)
    assert [len(one) for one in hashed([])] == [0, 0]
