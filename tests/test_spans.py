"""Rows of one array: their spans, and every place of some of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippohover.spans import lengths_of, places_in, spans_of


@given(st.lists(st.integers(0, 5)))
def test_rows_that_stand_behind_each_other(lengths: list[int]):
    spans = spans_of(np.array(lengths, np.int32))
    assert (spans.dtype, spans.shape) == (np.int64, (len(lengths), 2))
    assert lengths_of(spans).tolist() == lengths
    assert places_in(spans).tolist() == list(range(sum(lengths)))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4))))
def test_places_of_rows_anywhere_come_row_by_row(rows: list[tuple[int, int]]):
    spans = np.array([(start, start + length) for start, length in rows], np.int64).reshape(-1, 2)
    expected = [place for start, length in rows for place in range(start, start + length)]
    assert places_in(spans).tolist() == expected
