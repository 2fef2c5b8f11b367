"""FAISS finds what a full sort finds, or nearly; its files are checked."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hippohover.errors import IndexDamagedError, IndexStoreError, UsageError
from hippohover.vectors import nearest
from hippohover.vectors.faiss_index import NearestIndex
from hippohover.vectors.nearest import top_k
from tests.vectors.vector_samples import (
    Floats,
    assert_same,
    by_full_sort,
    clustered_rows,
    for_each,
    stored_as,
    unit_rows,
)


def test_one_row(capfd: pytest.CaptureFixture[str]):
    vectors = unit_rows(1)
    similarities, rows = for_each(
        NearestIndex.build(vectors).search, np.vstack([vectors, -vectors]), 5
    )
    assert rows.tolist() == [[0], [0]]
    np.testing.assert_allclose(similarities, [[1], [-1]], atol=1e-6)
    assert capfd.readouterr() == ("", "")  # FAISS warns of few training points


@pytest.mark.parametrize("n", [2, 5, 300])
def test_more_rows_asked_for_than_there_are(n: int):
    vectors, queries = unit_rows(n).astype(np.float16), unit_rows(3, seed=1)
    found = for_each(NearestIndex.build(vectors).search, queries, n + 7)
    assert_same(found, by_full_sort(vectors, queries, n))


def test_equal_rows_come_in_order():
    one, other = unit_rows(2)
    vectors = np.vstack([np.tile(other, (400, 1)), np.tile(one, (400, 1))]).astype(np.float16)
    similarities, rows = for_each(NearestIndex.build(vectors).search, one[None], 21)
    assert similarities[0, 0] == similarities[0, -1] == pytest.approx(1, abs=1e-3)
    assert (rows >= 400).all()  # the candidates may be any of the equal rows
    assert (np.diff(rows) > 0).all()


def test_zero_rows_are_never_near_and_zero_queries_near_to_none():
    vectors = unit_rows(600).astype(np.float16)
    vectors[::3] = 0
    index = NearestIndex.build(vectors)
    similarities, rows = for_each(index.search, vectors[[1, 2, 4]].astype(np.float32), 3)
    assert rows[:, 0].tolist() == [1, 2, 4]
    assert (rows % 3 != 0).all()
    similarities, rows = for_each(index.search, np.zeros((1, 16), np.float32), 4)
    assert similarities.tolist() == [[0, 0, 0, 0]]
    assert len(set(rows[0].tolist())) == 4


def test_rows_closer_together_than_float32_sums_can_tell():
    """Only the float64 sums order them, and there are more of them than FAISS is asked for."""
    (one,) = unit_rows(1, 64)
    noise = np.random.default_rng(3).integers(-4, 5, (9000, 64))
    vectors = one + (noise * 2.0**-26).astype(np.float32)
    expected = by_full_sort(vectors, one[None], 21)
    assert_same(for_each(partial(top_k, vectors), one[None], 21), expected)


@pytest.mark.parametrize("form", ["float16", "one byte"])
def test_it_finds_nearly_the_same_rows_as_exact(form: str):
    vectors = stored_as(form, clustered_rows(10_000))
    queries = clustered_rows(60, seed=0)
    index = NearestIndex.build(vectors)
    for k in (5, 100):
        exact_similarities, exact_rows = for_each(partial(top_k, vectors), queries, k)
        similarities, rows = for_each(index.search, queries, k)
        shared = [len(set(a) & set(b)) / k for a, b in zip(rows, exact_rows, strict=True)]
        assert 0.95 <= np.mean(shared) <= 1
        for i, row in enumerate(rows):  # what it finds has the exact similarity and place
            known = dict(zip(exact_rows[i], exact_similarities[i], strict=True))
            assert all(similarities[i, j] == known[r] for j, r in enumerate(row) if r in known)
            assert list(zip(-similarities[i], row, strict=True)) == sorted(
                zip(-similarities[i], row, strict=True)
            )


def test_it_returns_k_rows_even_where_its_lists_hold_fewer():
    vectors = clustered_rows(4000).astype(np.float16)
    queries = clustered_rows(3)
    found = for_each(NearestIndex.build(vectors).search, queries, 3500)
    assert_same(found, for_each(partial(top_k, vectors), queries, 3500))


@pytest.mark.slow
def test_the_same_bytes_whatever_the_threads(tmp_path: Path):
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from hippohover.vectors.faiss_index import NearestIndex\n"
        "index = NearestIndex.build(np.load(sys.argv[1]))\n"
        "index.save(Path(sys.argv[2]))"
    )
    np.save(tmp_path / "v.npy", clustered_rows(6000).astype(np.float16))
    hashes: set[str] = set()
    for n_threads in ("1", "2", "3"):
        out = tmp_path / n_threads
        command = [sys.executable, "-c", code, str(tmp_path / "v.npy"), str(out)]
        path = os.pathsep.join(sys.path)
        environment = {**os.environ, "OMP_NUM_THREADS": n_threads, "PYTHONPATH": path}
        subprocess.run(command, env=environment, check=True)  # noqa: S603
        hashes.add(hashlib.sha256(out.read_bytes()).hexdigest())
    assert len(hashes) == 1


@pytest.mark.parametrize("form", ["float16", "one byte"])
def test_what_is_saved_opens_and_answers_the_same(form: str, tmp_path: Path):
    vectors, queries = stored_as(form, clustered_rows(3000)), clustered_rows(9, seed=1)
    index = NearestIndex.build(vectors)
    index.save(tmp_path / "index")
    again = NearestIndex.open(tmp_path / "index", vectors)
    assert_same(for_each(again.search, queries, 21), for_each(index.search, queries, 21))


def test_several_threads_search_at_once():
    vectors = clustered_rows(3000).astype(np.float16)
    index = NearestIndex.build(vectors)
    queries = [clustered_rows(2, seed=i) for i in range(24)]
    expected = [for_each(index.search, query, 9) for query in queries]

    def search(query: Floats) -> nearest.TopK:
        return for_each(index.search, query, 9)

    with ThreadPoolExecutor(6) as pool:
        for found, wanted in zip(pool.map(search, queries), expected, strict=True):
            assert_same(found, wanted)


@cache
def of_a_thousand() -> NearestIndex:
    """An index to read only: lists are trained for some tenths of a second."""
    return NearestIndex.build(clustered_rows(1000).astype(np.float16))


@pytest.mark.parametrize("keep", [0, 3, 4, 20, 0.3, 0.9, 0.9999])
def test_a_short_file_is_damage(keep: float, tmp_path: Path):
    index = of_a_thousand()
    vectors = index.vectors
    path = tmp_path / "index"
    index.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: keep if isinstance(keep, int) else int(keep * len(content))])
    with pytest.raises(IndexDamagedError, match="build the index again") as caught:
        NearestIndex.open(path, vectors)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"\0" * 400, b"IwSq" + b"\xff" * 400, b"IxFI"])
def test_a_file_of_something_else_is_damage(content: bytes, tmp_path: Path):
    (tmp_path / "index").write_bytes(content)
    with pytest.raises(IndexDamagedError):
        NearestIndex.open(tmp_path / "index", unit_rows(5))


def test_a_missing_file_is_damage(tmp_path: Path):
    with pytest.raises(IndexDamagedError, match="cannot be read"):
        NearestIndex.open(tmp_path / "nothing", unit_rows(5))


def test_an_index_of_other_vectors_is_damage(tmp_path: Path):
    NearestIndex.build(unit_rows(500)).save(tmp_path / "index")
    for other in (unit_rows(499), unit_rows(500, 17)):
        with pytest.raises(IndexDamagedError, match=r"made of \(500, 16\) vectors"):
            NearestIndex.open(tmp_path / "index", other)


def test_a_file_that_cannot_be_written(tmp_path: Path):
    index = NearestIndex.build(unit_rows(200))
    with pytest.raises(IndexStoreError, match="cannot be written") as caught:
        index.save(tmp_path / "no" / "such" / "folder")
    assert "\n" not in str(caught.value)


def test_what_does_not_fit_is_refused():
    index = NearestIndex.build(unit_rows(300))
    bad: list[tuple[NDArray[Any], int, str]] = [
        (unit_rows(1, 15)[0], 5, "does not fit vectors of 16 dimensions"),
        (unit_rows(1), 5, "does not fit"),
        (unit_rows(1)[0], 0, "k = 0"),
        (unit_rows(1)[0], -3, "k = -3"),
        (3 * unit_rows(1)[0], 5, "not of length 1"),
        (np.full(16, np.nan, np.float32), 5, "not of length 1"),
    ]
    for query, k, message in bad:
        with pytest.raises(UsageError, match=message):
            index.search(query, k)


def test_vectors_of_another_kind_are_refused():
    for vectors in (unit_rows(5).astype(np.float64), unit_rows(5)[0], np.zeros((4, 16), np.int8)):
        with pytest.raises(UsageError, match="float16 or float32"):
            top_k(vectors, unit_rows(1)[0], 1)  # pyright: ignore[reportArgumentType]
        with pytest.raises(UsageError, match="float16 or float32"):
            NearestIndex.build(vectors)  # pyright: ignore[reportArgumentType]


def test_faiss_keeps_its_number_of_threads():
    import faiss

    n: int = faiss.omp_get_max_threads()
    vectors = clustered_rows(1000)
    for_each(NearestIndex.build(vectors).search, vectors[:3], 5)
    assert faiss.omp_get_max_threads() == n


def test_a_row_that_does_not_exist_is_damage():
    """A damaged list can hold any number; here the vectors are fewer than the index knows."""
    vectors = clustered_rows(1000)
    index = NearestIndex.build(vectors)
    index.vectors = vectors[:10]
    with pytest.raises(IndexDamagedError, match="does not exist"):
        for_each(index.search, vectors[:3], 5)


def test_without_faiss_the_fix_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(UsageError, match=r"pip install '\S*\[faiss\]'"):
        NearestIndex.build(unit_rows(9))
