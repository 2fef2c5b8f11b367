"""The table of numbers: a dictionary on disk."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.errors import BuildError
from hippohover.names.key_table import ABSENT, KeyTable
from tests.index_samples import table_of_keys

KEYS = st.text(st.characters(exclude_categories=()), max_size=8)  # lone surrogates too
NUMBERS = st.integers(0, 2**31 - 1)


@given(st.dictionaries(KEYS, NUMBERS, max_size=40), st.lists(KEYS, max_size=40))
def test_a_table_answers_as_its_dictionary(numbers: dict[str, int], others: list[str]):
    table = table_of_keys(numbers)
    asked = [*others, *numbers]
    assert table.numbers(asked).tolist() == [numbers.get(key, ABSENT) for key in asked]


@given(st.dictionaries(KEYS, NUMBERS, max_size=20))
def test_a_table_does_not_depend_on_the_order_of_its_keys(numbers: dict[str, int]):
    forth = table_of_keys(numbers)
    back = table_of_keys(dict(reversed(numbers.items())))
    assert forth.hashes.tobytes() == back.hashes.tobytes()
    assert forth.values.tobytes() == back.values.tobytes()


@given(st.dictionaries(KEYS, NUMBERS, max_size=20))
def test_hashes_ascend_and_have_the_stated_types(numbers: dict[str, int]):
    table = table_of_keys(numbers)
    assert table.hashes.dtype == np.uint64
    assert table.values.dtype == np.int32
    assert table.hashes.shape == table.values.shape == (len(numbers),)
    assert bool(np.all(table.hashes[1:] > table.hashes[:-1]))


def test_an_empty_table_knows_nothing():
    table = table_of_keys({})
    assert table.numbers(["", "a"]).tolist() == [ABSENT, ABSENT]
    assert table.numbers([]).shape == (0,)
    assert table.numbers(["a"]).dtype == np.int32


def test_no_keys_no_numbers():
    numbers = table_of_keys({"a": 1}).numbers([])
    assert numbers.shape == (0,)
    assert numbers.dtype == np.int32


def test_a_key_asked_for_twice_answers_twice():
    assert table_of_keys({"a": 1, "b": 2}).numbers(["b", "a", "b"]).tolist() == [2, 1, 2]


def test_an_opened_table_answers_from_its_memory_map(tmp_path: Path):
    numbers = {f"name {n}": n for n in range(5_000)}
    table = table_of_keys(numbers)
    np.save(tmp_path / "hashes.npy", table.hashes)
    np.save(tmp_path / "values.npy", table.values)
    opened = KeyTable(
        np.load(tmp_path / "hashes.npy", mmap_mode="r"),
        np.load(tmp_path / "values.npy", mmap_mode="r"),
    )
    answers = opened.numbers([*numbers, "name", "name 5000"])
    assert answers.tolist() == [*range(5_000), ABSENT, ABSENT]
    assert isinstance(opened.hashes, np.memmap)
    assert not isinstance(answers, np.memmap)


def test_the_hash_is_the_same_everywhere():
    """Pinned: an index that was written once must answer for ever."""
    table = table_of_keys({"lantern hill": 3})
    assert table.hashes.tolist() == [17_679_387_311_388_491_643]


def test_two_keys_of_one_hash_are_refused():
    hashes = np.array([7, 3, 7], np.uint64)
    with pytest.raises(BuildError, match="share a 64-bit hash"):
        KeyTable.from_hashes(hashes, np.arange(3))
    assert KeyTable.from_hashes(hashes[:2], np.arange(2)).values.tolist() == [1, 0]
