"""One byte a value: how far a value and a cosine can be off, and what is read back how."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.vectors.unit_vectors import UnitVectors

Floats = NDArray[np.float32]
HALF_A_STEP = 0.5 + 2.0**-16
"""Half a step is the rounding's; 2 * 127 * 2**-24 of one the quotient's and the product's."""


def unit_rows(n: int, dim: int = 16, *, seed: int = 0) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@st.composite
def drawn_rows(draw: st.DrawFn) -> Floats:
    """Rows of length 1 or 0, some of them with a single value or with many alike."""
    dim = draw(st.integers(1, 20))
    values = st.lists(st.integers(-1000, 1000), min_size=dim, max_size=dim)
    rows = np.array(draw(st.lists(values, max_size=6)), np.float64).reshape(-1, dim)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@given(drawn_rows())
def test_a_value_is_off_by_half_a_step_at_most(rows: Floats):
    vectors = UnitVectors.of(rows)
    assert (vectors.codes.dtype, vectors.scales.dtype) == (np.int8, np.float32)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    assert vectors.scales == pytest.approx(largest / 127, rel=2.0**-23)
    error = np.abs(vectors[:].astype(np.float64) - rows)
    assert bool(np.all(error <= HALF_A_STEP * vectors.scales[:, None]))


@given(drawn_rows())
def test_the_largest_value_of_a_row_has_the_largest_code_with_its_sign(rows: Floats):
    codes = UnitVectors.of(rows).codes
    for row, of_row in zip(rows, codes, strict=True):
        at = int(np.abs(row).argmax())
        assert of_row[at] == 127 * np.sign(row[at])
        assert of_row.min() >= -127


def test_codes_of_three_rows_by_hand():
    rows = np.array([[0.5, -0.25, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]], np.float32)
    vectors = UnitVectors.of(rows)
    assert vectors.codes.tolist() == [[127, -64, 0], [0, 0, -127], [0, 0, 0]]
    assert vectors.scales == pytest.approx([0.5 / 127, 1 / 127, 0.0], rel=1e-6)


def test_rows_of_nothing_stay_so_beside_others():
    rows = unit_rows(9)
    rows[::3] = 0
    vectors = UnitVectors.of(rows)
    assert vectors.scales[::3].tolist() == [0.0] * 3
    assert not vectors[:][::3].any()
    assert bool(np.all(vectors[:][1::3].any(axis=1)))


@given(drawn_rows())
def test_what_was_read_has_the_same_codes_again(rows: Floats):
    once = UnitVectors.of(rows)
    again = UnitVectors.of(once[:])
    assert again.codes.tolist() == once.codes.tolist()
    assert again.scales == pytest.approx(once.scales, rel=2.0**-22)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rows_of_every_float_are_taken(dtype: type):
    rows = unit_rows(5).astype(dtype)
    same = UnitVectors.of(rows.astype(np.float32))
    assert UnitVectors.of(rows).codes.tolist() == same.codes.tolist()


def test_the_shape_and_type_are_those_of_what_is_read():
    vectors = UnitVectors.of(unit_rows(5, 7))
    assert (vectors.shape, vectors.ndim, len(vectors)) == ((5, 7), 2, 5)
    assert vectors.dtype == vectors[:].dtype == np.float32
    assert vectors[:].shape == vectors.shape


@pytest.mark.parametrize("shape", [(0, 0), (0, 8)])
def test_no_rows(shape: tuple[int, int]):
    vectors = UnitVectors.of(np.zeros(shape, np.float32))
    assert (vectors.shape, len(vectors)) == (shape, 0)
    assert vectors[:].shape == vectors[np.zeros(0, np.int64)].shape == shape


@pytest.mark.parametrize("mapped", [False, True])
def test_rows_are_read_as_those_of_an_array(tmp_path: Path, mapped: bool):
    vectors = UnitVectors.of(unit_rows(20))
    whole = vectors[:]
    if mapped:
        arrays: list[NDArray[Any]] = []
        for name in ("codes", "scales"):
            np.save(tmp_path / f"{name}.npy", getattr(vectors, name))
            arrays.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
        vectors = UnitVectors(*arrays)
    picks: list[Any] = [
        slice(3, 7), slice(18, 40), slice(5, 5), slice(None, None, 6),
        np.array([4, 0, 4, 19]), np.array([], np.int64), np.array([-1], np.int32),
    ]  # fmt: skip
    for rows in picks:
        assert vectors[rows].dtype == np.float32
        assert np.array_equal(vectors[rows], whole[rows])
    with pytest.raises(IndexError):
        vectors[np.array([20])]


@given(drawn_rows(), st.integers(0, 2**32))
def test_a_cosine_is_off_by_half_a_step_times_the_sum_of_the_query_at_most(rows: Floats, seed: int):
    """|sum of q_i e_i| <= sum of |q_i| times the largest |e_i|."""
    [query] = unit_rows(1, rows.shape[1], seed=seed).astype(np.float64)
    vectors = UnitVectors.of(rows)
    error = np.abs(vectors[:].astype(np.float64) @ query - rows.astype(np.float64) @ query)
    bound = HALF_A_STEP * vectors.scales * np.abs(query).sum()
    assert bool(np.all(error <= bound + 1e-12))


def test_cosines_of_256_dimensions_are_off_by_what_the_docstring_says():
    rows, queries = unit_rows(400, 256), unit_rows(50, 256, seed=1)
    error = (UnitVectors.of(rows)[:] - rows).astype(np.float64) @ queries.T
    assert 0.0003 < np.sqrt(np.mean(error**2)) < 0.0006


def test_products_are_those_of_the_rows():
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((40, 33)).astype(np.float32)
    vectors = UnitVectors.of(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    query = vectors[5:6][0]
    found = vectors.products(query, 3, 29)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, vectors[3:29] @ query, atol=vectors.margin(query))
    assert found.argmax() == 2  # the row that asks


def test_a_row_is_multiplied_alike_among_any_others():
    vectors, query = UnitVectors.of(unit_rows(300, 256)), unit_rows(1, 256, seed=1)[0]
    every = vectors.products(query, 0, 300)
    order = np.random.default_rng(2).permutation(300)
    assert vectors.products_of(order, query).tobytes() == every[order].tobytes()
    assert vectors.products(query, 7, 9).tobytes() == every[7:9].tobytes()


@pytest.mark.parametrize("dim", [1, 2, 24, 384, 4096])
@pytest.mark.parametrize("kind", ["any", "alike", "one"])
def test_products_are_off_by_their_margin_at_most(dim: int, kind: str):
    """Also where all values are as large as they can be, and their sum too."""
    rows = np.ones((40, dim), np.float32) if kind == "alike" else unit_rows(40, dim)
    rows[0] = np.eye(1, dim) if kind == "one" else rows[0]
    vectors = UnitVectors.of(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    for query in (vectors[0:1][0], -vectors[0:1][0], np.zeros(dim, np.float32)):
        exact = vectors[0:40].astype(np.float64) @ query
        assert np.abs(vectors.products(query, 0, 40) - exact).max() <= vectors.margin(query)
