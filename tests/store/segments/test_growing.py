"""Arrays and rows that grow, by plain lists; what a file holds never changes."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippohover.spans import spans_of
from hippohover.store.segments.growing import Growing, GrowingRows


def test_an_array_grows_beyond_its_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("hippohover.store.segments.growing._LEAST_ROOM", 1)
    growing = Growing(np.arange(4))
    for number in range(4, 60):
        assert growing.append(np.array([number])) == number
    assert growing.view.tolist() == list(range(60))
    assert growing.extend(2) == 60
    assert growing.n == len(growing.view) == 62


def test_a_mapped_array_is_changed_in_memory_alone(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.arange(5000, dtype=np.int32))
    growing = Growing(np.load(tmp_path / "a.npy", mmap_mode="r"))
    growing.view[7] = -1
    growing.append(np.full(3000, 9, np.int32))
    assert growing.view[[0, 7, 4999, 5000, 7999]].tolist() == [0, -1, 4999, 9, 9]
    assert np.load(tmp_path / "a.npy").tolist() == list(range(5000))


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.lists(st.integers(0, 9), max_size=9)), max_size=20),
)
def test_rows_are_put_and_appended_to(rows: list[list[int]], changes: list[tuple[int, list[int]]]):
    flat = np.array([value for row in rows for value in row], np.int32)
    spans = Growing(spans_of(np.array(list(map(len, rows)))))
    growing = GrowingRows(spans, Growing(flat), Growing(flat * 2.5))
    for number, values in changes:
        row = number % len(rows)
        if len(values) % 2:
            rows[row] = rows[row] + values
            growing.append(row, np.array(values, np.int32), np.array(values) * 2.5)
        else:
            rows[row] = values
            growing.put(row, np.array(values, np.int32), np.array(values) * 2.5)
        for at, expected in enumerate(rows):
            first, second = growing.row(at)
            assert first.tolist() == expected
            assert second.tolist() == [value * 2.5 for value in expected]
