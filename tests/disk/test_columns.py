"""Files of columns: what comes back is what went in, whole or not at all."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from hippohover.disk.columns import Columns, open_table, save_columns, save_table
from hippohover.errors import IndexDamagedError, IndexStoreError
from tests.index_samples import flip, limited_files, refused

KINDS = st.sampled_from(
    [np.int32, np.int64, np.uint32, np.uint64, np.float16, np.float32, np.uint8]
)
ARRAYS = KINDS.flatmap(
    lambda kind: hnp.arrays(kind, st.tuples(st.integers(0, 6), st.integers(1, 3)))
)
STRINGS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=6)


@given(st.dictionaries(st.sampled_from("abc"), ARRAYS), st.dictionaries(st.just("s"), STRINGS))
def test_columns_of_any_lengths_come_back(
    memory_folder: Path, numbers: dict[str, NDArray[Any]], strings: dict[str, list[str]]
):
    path = memory_folder / "columns.arrow"
    save_columns(path, {**numbers, **strings})
    columns = Columns(path)
    for name, array in numbers.items():
        rows = columns.numbers(name, array.dtype.type, width=array.shape[1])
        flat = columns.numbers(name, array.dtype.type)
        assert (rows.dtype, rows.shape) == (array.dtype, array.shape)
        assert rows.tobytes() == flat.tobytes() == array.tobytes()
        assert flat.ndim == 1
    for name, words in strings.items():
        assert columns.strings(name).to_pylist() == words
        assert columns.strings(name).type == pa.large_string()


def test_numbers_in_another_order_of_memory_come_back_in_theirs(tmp_path: Path):
    grid = np.arange(12, dtype=np.int32).reshape(3, 4)
    save_columns(tmp_path / "f", {"f": np.asfortranarray(grid), "s": grid[:, ::2]})
    columns = Columns(tmp_path / "f")
    assert np.array_equal(columns.numbers("f", np.int32, width=4), grid)
    assert np.array_equal(columns.numbers("s", np.int32, width=2), grid[:, ::2])


def test_numbers_are_not_copied_and_cannot_be_changed(tmp_path: Path):
    before = pa.total_allocated_bytes()
    save_columns(tmp_path / "f", {"n": np.arange(1_000_000)})
    found = Columns(tmp_path / "f").numbers("n", np.int64)
    assert not found.flags.writeable
    assert pa.total_allocated_bytes() - before < 1_000_000
    assert found[-1] == 999_999  # the map is there though its Columns is gone


def test_strings_are_taken_and_hold_when_the_file_is_replaced(tmp_path: Path):
    path = tmp_path / "f"
    save_columns(path, {"s": ["a", "ß", ""]})
    old = Columns(path).strings("s")
    save_columns(path, {"s": ["other"]})
    assert old.take(pa.array([2, 1])).to_pylist() == ["", "ß"]
    assert Columns(path).strings("s").to_pylist() == ["other"]


def test_folders_are_made_and_nothing_else_is_left(tmp_path: Path):
    path = tmp_path / "deep" / "er" / "f"
    save_table(path, pa.table({"a": [1, 2]}))
    save_table(path, pa.table({"a": [3]}))
    assert [each.name for each in path.parent.iterdir()] == ["f"]
    assert open_table(path).column("a").to_pylist() == [3]


@pytest.mark.parametrize("n_bytes", [0, 300, 3000])
def test_a_full_disk_is_one_line_and_leaves_what_was_there(tmp_path: Path, n_bytes: int):
    path = tmp_path / "f"
    save_columns(path, {"n": np.arange(3)})
    before = path.read_bytes()
    words = r"^\S+/f: cannot be written .*ulimit -f"
    with limited_files(n_bytes), refused(IndexStoreError, words):
        save_columns(path, {"n": np.arange(1000)})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    new = tmp_path / "new"
    with limited_files(n_bytes), refused(IndexStoreError, words.replace("/f", "/new")):
        save_columns(new, {"n": np.arange(1000)})
    assert not new.exists()


def test_an_interrupted_file_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def stop(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        save_columns(tmp_path / "f", {"n": np.arange(3)})
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    synced: list[bytes] = []

    def note(descriptor: int) -> None:
        assert not (tmp_path / "f").exists()
        synced.append(Path(f"/proc/self/fd/{descriptor}").read_bytes())

    monkeypatch.setattr(os, "fsync", note)
    save_columns(tmp_path / "f", {"n": np.arange(3)})
    assert synced == [(tmp_path / "f").read_bytes()]


def test_the_same_columns_give_the_same_bytes(tmp_path: Path):
    for name in ("a", "b"):
        save_columns(tmp_path / name, {"n": np.arange(9), "s": ["x", "y"]})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_file_that_was_cut_is_named(tmp_path: Path, keep: int):
    path = tmp_path / "f"
    save_columns(path, {"n": np.arange(100)})
    path.write_bytes(path.read_bytes()[:keep])
    with refused(IndexDamagedError, r"/f: is damaged"):
        Columns(path)


def test_a_missing_file_and_one_with_another_end_are_named(tmp_path: Path):
    with refused(IndexDamagedError, "/f: is missing"):
        Columns(tmp_path / "f")
    save_columns(tmp_path / "f", {"n": np.arange(3)})
    flip(tmp_path / "f", -1)
    with refused(IndexDamagedError, "/f: is damaged"):
        open_table(tmp_path / "f")
