"""Nearest rows: exact against a full sort, FAISS against exact, and everything that can be odd."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hippohover.errors import UsageError
from hippohover.vectors import nearest
from hippohover.vectors.nearest import top_k
from tests.vectors.vector_samples import (
    FORMS,
    assert_same,
    by_full_sort,
    for_each,
    stored_as,
    unit_rows,
)

Half = NDArray[np.float16]


@pytest.mark.parametrize("form", FORMS)
def test_exact_is_a_full_sort(form: str):
    vectors = stored_as(form, unit_rows(5000))  # three blocks, the last one short
    queries = unit_rows(20, seed=1)
    assert_same(for_each(partial(top_k, vectors), queries, 21), by_full_sort(vectors, queries, 21))


@settings(max_examples=min(60, settings().max_examples))
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    k=st.integers(1, 70),
    n_distinct=st.integers(1, 8),
    block=st.integers(1, 17),
    form=st.sampled_from(FORMS),
)
def test_ties_go_to_the_lower_row_whatever_the_blocks(  # noqa: PLR0917
    seed: int, n: int, k: int, n_distinct: int, block: int, form: str
):
    few = np.vstack([np.zeros((1, 16), np.float32), unit_rows(n_distinct, seed=seed)])
    vectors = stored_as(form, few[np.random.default_rng(seed).integers(0, len(few), n)])
    queries = np.vstack([few, unit_rows(2, seed=seed + 1)])
    whole = for_each(partial(top_k, vectors), queries, k)
    assert whole[0].shape == (len(queries), min(k, n))
    assert_same(whole, by_full_sort(vectors, queries, k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_N_ROWS_A_BLOCK", block)
        patch.setattr(nearest, "_N_CODES_A_BLOCK", block)
        ends: list[int] = []
        assert_same(
            for_each(partial(top_k, vectors), queries, k, on_block=lambda: ends.append(1)), whole
        )
        assert len(ends) == len(queries) * -(-n // block)


@pytest.mark.parametrize("form", FORMS)
def test_ties_go_to_the_lower_key_and_spare_rows_are_passed_over(form: str):
    few = unit_rows(3)
    vectors, rng = stored_as(form, few[np.arange(60) % 3]), np.random.default_rng(0)
    keys, spare = rng.permutation(60).astype(np.uint64), rng.random(60) < 0.3
    similarities, rows = for_each(partial(top_k, vectors), few[:1], 99, keys=keys, spare=spare)
    left = np.flatnonzero(~spare)
    assert sorted(rows[0].tolist()) == left.tolist()
    order = np.lexsort((keys[rows[0]], -similarities[0]))
    assert order.tolist() == list(range(len(left)))
    assert set(rows[0][: int((left % 3 == 0).sum())] % 3) == {0}


def test_a_shorter_answer_is_the_start_of_a_longer_one():
    vectors, queries = unit_rows(3000).astype(np.float16), unit_rows(4, seed=1)
    long = for_each(partial(top_k, vectors), queries, 200)
    for k in (1, 2, 21, 199):
        assert_same(for_each(partial(top_k, vectors), queries, k), (long[0][:, :k], long[1][:, :k]))


def test_memory_maps_and_views_are_read(tmp_path: Path):
    vectors, queries = unit_rows(3000).astype(np.float16), unit_rows(2, seed=1)
    expected = for_each(partial(top_k, vectors), queries, 5)
    np.save(tmp_path / "v.npy", vectors)
    for same in (
        np.load(tmp_path / "v.npy", mmap_mode="r"),
        np.asfortranarray(vectors),
        np.repeat(vectors, 2, axis=0)[::2],
        np.repeat(vectors, 2, axis=1)[:, ::2],
    ):
        assert_same(for_each(partial(top_k, same), queries, 5), expected)


def test_float64_and_float16_queries_are_read():
    vectors, queries = unit_rows(300), unit_rows(2, seed=1).astype(np.float16)
    assert_same(
        for_each(partial(top_k, vectors), queries, 5),
        for_each(partial(top_k, vectors), queries.astype(np.float64), 5),
    )


def test_every_finite_half_is_widened_as_numpy_does():
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(-1, 64)
    out = np.empty(halves.shape, np.float32)
    nearest._widen(halves, out)  # pyright: ignore[reportPrivateUsage]
    finite = np.isfinite(halves)
    np.testing.assert_array_equal(out[finite], halves.astype(np.float32)[finite])
    assert np.abs(out[~finite]).min() >= 65536


@pytest.mark.parametrize("bad", [np.nan, np.inf, 7.0])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_vectors_that_are_not_unit_rows_are_named(bad: float, dtype: type):
    vectors = unit_rows(5000).astype(dtype)
    vectors[2500] = bad
    with pytest.raises(UsageError, match="vectors 2048 to 4095 are not all of length 1"):
        top_k(vectors, np.full(16, 0.25, np.float32), 5)
